"""What the guide offers where a restore cannot run or did not: a sentence, and what can be pressed.

Owns the choice of buttons per code, and remedies where those of `backtrail.wording` name a command line for what the
window does with a button. What happened is always said by `backtrail.wording`.
"""

import enum

import msgspec
from backtrail.model.restore import Blocker
from backtrail.wording.blockers import BLOCKER_CODES, blocker_sentence

from backtrail_desktop.client.port import Failure
from backtrail_desktop.shell.plain_text import plain_text

_CLAIM = "Nothing was changed"


class Offer(enum.Enum):
    """Something that can be pressed; the value is its label."""

    LOOK_AGAIN = "Look again"
    LEAVE_IGNORED = "Leave ignored files in the archive"
    ONLY_FILES = "Only these files…"


class Advice(msgspec.Struct, frozen=True):
    """What is in the way, what to do, and what can be pressed. waivable: a person may go on all the same."""

    message: str
    remedy: str
    offers: tuple[Offer, ...] = ()
    waivable: bool = False


_AGAIN = (Offer.LOOK_AGAIN,)
_FILES = (Offer.ONLY_FILES,)
_BOTH = (Offer.LOOK_AGAIN, Offer.ONLY_FILES)
_OFFERS = {
    "git-elsewhere": _FILES,
    "mount-inside": _BOTH,
    "cannot-switch": _FILES,
    "parent-not-writable": _BOTH,
    "no-space": (Offer.LOOK_AGAIN, Offer.LEAVE_IGNORED, Offer.ONLY_FILES),
    "checkpoint-damaged": _FILES,
}
_REMEDIES = {
    "turn-active": "Wait until its turn has ended, then look again.",
    "state-changed": "A new plan shows what is different.",
    "checkpoint-damaged": "Choose another state in the timeline; single files of this one may still be whole.",
    "git-elsewhere": "Such a folder cannot be switched as a whole. Chosen files can still be put back in place.",
    "mount-inside": "Unmount it and look again, or put only chosen files back in place.",
    "cannot-switch": "Chosen files can still be put back in place.",
    "no-space": "Free some space and look again, or let less be copied.",
    "in-use": "Save and end what they do there, then look again.",
    "copy-differs": "Try it again. If it stays so, get chosen files back instead.",
    "restore-failed": "Mend what it names, then try again.",
    "cannot-replace": "Move away what stands there, then look again.",
    "cancelled": "",
}
_WAIVABLE = frozenset({"in-use"})


def advice_on(blocker: Blocker) -> Advice:
    """Return what to show of a blocker; one that this version does not know is shown by its code."""
    if blocker.code not in BLOCKER_CODES:
        return Advice(f"It cannot go on: {plain_text(blocker.code)}.", "", _AGAIN)
    sentence = blocker_sentence(blocker)
    return Advice(
        plain_text(sentence.message),
        plain_text(_REMEDIES.get(blocker.code, sentence.remedy)),
        _OFFERS.get(blocker.code, _AGAIN),
        blocker.code in _WAIVABLE,
    )


def remedy_of(failure: Failure) -> str:
    """Return what to do after a failure, in the window's terms."""
    return plain_text(_REMEDIES.get(failure.code, failure.remedy))


def without_claim(message: str) -> str:
    """Return a message without its "nothing was changed": that is said only after a fresh look has shown it."""
    rest = message.removeprefix(f"{_CLAIM}: ").removesuffix(f" {_CLAIM}.")
    return plain_text(rest[:1].upper() + rest[1:])
