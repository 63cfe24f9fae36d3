"""Is my work kept? The one answer for a folder, from what the Host told last and from how things stand with the Host.

Owns the sentence, the mark and the one thing to press; state line, list and tray all show the same value. Pure: asks
nobody. Claims nothing that was not seen: the time is that of the last completed look, and while the Host does not
answer, nothing is said of now. What a look could not name is not counted.
"""

import datetime
import enum
from collections.abc import Iterable

import msgspec
from backtrail.model.coverage import LeftOut
from backtrail.model.errors.repository import NotReachable
from backtrail.model.ids import RelPath
from backtrail.model.memory import BY_CHOICE, PAUSED, Memory, MemoryState, Protection, ProtectionState
from backtrail.model.path_text import path_text
from backtrail.wording.protection import reason_text
from backtrail.wording.sentence import counted

from backtrail_desktop.client.port import Link, LinkState
from backtrail_desktop.shell import standing_words as words


class Mark(enum.Enum):
    """The sign beside a folder's name, from good to bad; each has a shape of its own."""

    KEPT = "kept"
    AWAY = "away"
    FIRST = "first"
    PARTLY = "partly"
    PAUSED = "paused"
    UNKNOWN = "unknown"
    NOT_KEPT = "not-kept"


class Remedy(enum.Enum):
    """What a person may press beside the answer."""

    NONE = "none"
    START = "start"
    WHICH = "which"
    WHAT_TO_DO = "what-to-do"
    LOOK_NOW = "look-now"
    ATTACH = "attach"
    TRY_AGAIN = "try-again"
    RESUME = "resume"


class Seen(msgspec.Struct, frozen=True):
    """What is known of a folder beyond its row: all of it is of the look at `looked_at`, and void after another one.

    left_out: what that look could not keep, None where it is not known. failing: the paths because of which it kept
    nothing. Not of a look: making_first: a first checkpoint is being made; percent: how far it is, None where that is
    not known yet; unreachable: the watch told so.
    """

    looked_at: datetime.datetime | None = None
    left_out: tuple[LeftOut, ...] | None = None
    failing: tuple[RelPath, ...] = ()
    making_first: bool = False
    percent: int | None = None
    unreachable: bool = False


NOTHING_MORE = Seen()


class Standing(msgspec.Struct, frozen=True):
    """The answer. sentence: for the state line. brief: the same in the list, below the folder's name.

    looked: when the last look was, where the sentence does not say it; empty otherwise.
    """

    mark: Mark
    sentence: str
    brief: str
    remedy: Remedy = Remedy.NONE
    looked: str = ""


def standing_of(memory: Memory, link: LinkState, seen: Seen, today: datetime.date) -> Standing:
    """Return the answer for a folder. How things stand with the Host comes first: it may no longer be looking."""
    if link.link is not Link.READY:
        return _without_host(memory, link, today)
    if memory.state is not MemoryState.ATTACHED:
        return Standing(Mark.AWAY, *words.not_looked_at(memory.state), Remedy.ATTACH)
    protection = memory.protection
    known = (
        seen if seen.looked_at == protection.looked_at else Seen(making_first=seen.making_first, percent=seen.percent)
    )
    if protection.state is ProtectionState.NOT_PROTECTED:
        return _not_kept(memory, known, today)
    if seen.unreachable:
        return _not_kept(_unreachable(memory), known, today)
    if protection.looked_at is None:
        return Standing(Mark.UNKNOWN, words.NOT_LOOKED_YET, words.NOT_LOOKED_YET_BRIEF, Remedy.LOOK_NOW)
    at = words.when(protection.looked_at, today)
    if protection.state is ProtectionState.DEGRADED:
        unexpected = memory.unexpected(known.left_out or ())
        what = left_out_count(unexpected) if unexpected else words.SOME_PATHS
        return Standing(Mark.PARTLY, f"Kept except {what}", f"kept except {what}", Remedy.WHICH, f"last looked {at}")
    if protection.reason == BY_CHOICE:
        what = left_out_count(known.left_out) if known.left_out else words.SOME_PATHS
        told = f"Everything up to {at} is kept, except {what} that you left out"
        return Standing(Mark.KEPT, told, f"kept {at}, except {what}", Remedy.WHICH)
    return Standing(Mark.KEPT, f"Everything up to {at} is kept", f"kept {at}")


def first_checkpoint(percent: int | None) -> Standing:
    """Return the answer for a folder whose first checkpoint is being made: nothing of it is kept yet."""
    how_far = "…" if percent is None else f": {percent} %"
    return Standing(Mark.FIRST, f"First checkpoint{how_far}", f"first checkpoint{how_far}")


def link_sentence(link: LinkState, today: datetime.date) -> Standing:
    """Return the answer where there is no folder to speak of: how things stand with the Host."""
    since = words.when(link.since, today)
    match link.link:
        case Link.STOPPED:
            return Standing(Mark.UNKNOWN, words.STOPPED, words.STOPPED_BRIEF, Remedy.START)
        case Link.NOT_ANSWERING:
            return Standing(Mark.UNKNOWN, f"{words.NOT_ANSWERING} since {since}", f"no answer since {since}")
        case Link.OTHER_VERSION:
            return Standing(Mark.UNKNOWN, words.OTHER_VERSION, words.OTHER_VERSION_BRIEF)
        case Link.STARTING:
            return Standing(Mark.UNKNOWN, words.STARTING, words.STARTING_BRIEF)
        case Link.READY:
            return Standing(Mark.AWAY, words.NO_FOLDER, words.NO_FOLDER)


def worst(standings: Iterable[Standing]) -> Standing | None:
    """Return the one that most needs a person, None of none."""
    order = list(Mark)
    return max(standings, key=lambda one: order.index(one.mark), default=None)


def left_out_count(left_out: tuple[LeftOut, ...]) -> str:
    """Return how many files and folders are not kept."""
    folders = sum(item.path.endswith(b"/") for item in left_out)
    files = len(left_out) - folders
    told = [counted(count, one) for count, one in ((files, "file"), (folders, "folder")) if count]
    return " and ".join(told)


def _without_host(memory: Memory, link: LinkState, today: datetime.date) -> Standing:
    """Say what was true at the last look, and that nobody is known to look now."""
    host = link_sentence(link, today)
    if memory.state is not MemoryState.ATTACHED:
        return Standing(Mark.AWAY, host.sentence, words.not_looked_at(memory.state)[1], host.remedy)
    protection = memory.protection
    return Standing(Mark.UNKNOWN, host.sentence, host.brief, host.remedy, _looked(protection, today))


def _unreachable(memory: Memory) -> Memory:
    """Return a folder as it is once it cannot be reached: nothing after its last look is kept."""
    looked_at = memory.protection.looked_at
    lost = Protection(ProtectionState.NOT_PROTECTED, NotReachable.code, looked_at, looked_at)
    return msgspec.structs.replace(memory, protection=lost)


def _not_kept(memory: Memory, seen: Seen, today: datetime.date) -> Standing:
    protection = memory.protection
    if seen.making_first and protection.looked_at is None:
        return first_checkpoint(seen.percent)
    if protection.reason == PAUSED and memory.paused_until is not None:
        until = words.minute(memory.paused_until, today)
        looked = _looked(protection, today)
        return Standing(Mark.PAUSED, f"Paused until {until}", f"paused until {until}", Remedy.RESUME, looked)
    if protection.reason == "not-looked-at":
        return Standing(Mark.UNKNOWN, words.NOT_LOOKED_YET, words.NOT_LOOKED_YET_BRIEF, Remedy.LOOK_NOW)
    why = reason_text(protection.reason) or words.NO_REASON
    if protection.reason == "unmerged-index" and seen.failing:
        more = len(seen.failing) - 1
        others = f" and {counted(more, 'other file')}" if more else ""
        why = f"merge conflict in {path_text(seen.failing[0])}{others}"
    since = f" since {words.when(protection.since, today)}" if protection.since else ""
    looked = _looked(protection, today)
    return Standing(Mark.NOT_KEPT, f"Not kept{since}: {why}", f"not kept{since}", Remedy.WHAT_TO_DO, looked)


def _looked(protection: Protection, today: datetime.date) -> str:
    return f"last looked {words.when(protection.looked_at, today)}" if protection.looked_at else ""
