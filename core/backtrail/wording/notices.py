"""What a person should hear of although they did not ask: one sentence for each notice's code."""

from backtrail.model.notices import Notice, NoticeCode
from backtrail.wording.sentence import Sentence, counted

_SENTENCES = {
    NoticeCode.DATABASE_REBUILT: (
        (
            "The database was made anew from what lies in your folders: {count} found again. Notes and pins that were "
            "added later, and the inbox, are not in it.{kept}"
        ),
        "`backtrail doctor` looks at every folder.",
    ),
    NoticeCode.RESTORE_FINISHED: (
        (
            "A restore of {memory} had been cut short after its switch ({detail}). It is finished now: the restored "
            "state is in place, and the folder as it was before lies in the archive."
        ),
        "`backtrail archive show {detail}` tells where.",
    ),
    NoticeCode.RESTORE_ROLLED_BACK: (
        (
            "A restore of {memory} had been cut short before its switch ({detail}). Nothing of the folder was changed, "
            "and what had been prepared is removed."
        ),
        "Make a new plan if you still want it: `backtrail restore ID --plan`.",
    ),
    NoticeCode.RESTORE_UNFINISHED: (
        "A restore of {memory} is not settled: {detail}. Until it is, nothing is done in this folder.",
        "Mend what the reason names, and run `backtrail doctor`.",
    ),
}


def notice_sentence(notice: Notice) -> Sentence:
    """Return the sentence for a notice."""
    message, remedy = _SENTENCES[notice.code]
    kept = f" The damaged file is kept: {notice.detail}." if notice.detail else ""
    facts = {
        "memory": notice.memory,
        "detail": notice.detail,
        "count": counted(notice.count, "checkpoint"),
        "kept": kept,
    }
    return Sentence(message.format(**facts), remedy.format(**facts))


NOTICE_CODES = frozenset(_SENTENCES)
