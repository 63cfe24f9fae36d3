"""What to know before a restore goes on: one sentence for each caution's code."""

from backtrail.model.restore import Caution
from backtrail.wording.operations import operation_text
from backtrail.wording.sentence import counted, named


def caution_text(caution: Caution) -> str:
    """Return the sentence for a caution. Raises KeyError for a code that has none."""
    return _SENTENCES[caution.code].format(
        paths=named(caution.paths),
        count=counted(caution.count, "file"),
        operation=operation_text(caution.detail),
    )


_SENTENCES = {
    "present-not-captured": "The present state is not kept as a checkpoint (a merge conflict is in the index: {paths})."
    " The archive will hold it whole, and the restore can be undone from there.",
    "operation-not-restored": "Git was in the middle of {operation} when this checkpoint was taken. Its files and "
    "index come back; that itself does not go on.",
    "operation-leaves": "Git is in the middle of {operation} now. That goes into the archive with the present folder.",
    "unreadable-stays-in-archive": "Cannot be read, and so stays in the archive alone: {paths}.",
    "most-files-leave": "More than half of the files here are not in the checkpoint: there will be {count} fewer.",
}

CAUTION_CODES = frozenset(_SENTENCES)
