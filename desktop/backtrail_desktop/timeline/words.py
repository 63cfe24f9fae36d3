"""The sentences of the timeline.

Owns every English word a row, the banner or an empty timeline says. Text from a repository is put in as it is; whoever
paints escapes it. Never says who wrote something: *saved after* is not *written by* (record: recovery checkpoints).
"""

import datetime
from collections.abc import Sequence

from backtrail.model.checkpoint import Cause, Checkpoint, CheckpointState, Lost, Origin
from backtrail.model.ids import RelPath
from backtrail.model.memory import Memory, ProtectionState
from backtrail.model.path_text import path_text
from backtrail.wording.protection import reason_text
from backtrail.wording.sentence import counted
from PySide6.QtCore import QDate, QLocale

MINUS = "\N{MINUS SIGN}"
NOW = "Now"
TODAY = "Today"
YESTERDAY = "Yesterday"
NOT_RUNNING = "This needs Backtrail in the background, which does not answer now."
LOADING = "Looking for kept states…"
NO_FOLDER = "Choose a folder on the left to see what happened in it."
NO_STATES = "Nothing is kept of this folder yet. The first state appears here as soon as it has been looked at."
NO_MATCH = "No state matches."
SHOW_EVERYTHING = "Show everything"
TRY_AGAIN = "Try again"
SAME_AS_NOW = "same as now"
DETACHED = "no branch"
GET_BACK = "Get them back…"
DISMISS = "Dismiss"
NOTHING_BEFORE = "The folder looks like this now, and nothing older is kept."
STILL_LOOKING = "Looking through older states…"

_NAMED = 2


def clock_text(at: datetime.datetime) -> str:
    """Return a time of day as this machine's clock shows it, with seconds."""
    local = at.astimezone()
    return f"{local.hour:02}:{local.minute:02}:{local.second:02}"


def day_text(day: datetime.date, today: datetime.date) -> str:
    """Return a day as a heading."""
    if day == today:
        return TODAY
    if day == today - datetime.timedelta(days=1):
        return YESTERDAY
    form = "dddd, d MMMM" if day.year == today.year else "dddd, d MMMM yyyy"
    return QLocale().toString(QDate(day.year, day.month, day.day), form)


def when_text(at: datetime.datetime, today: datetime.date) -> str:
    """Return a time within a sentence: the clock alone for today, else with the day."""
    day = at.astimezone().date()
    if day == today:
        return clock_text(at)
    if day == today - datetime.timedelta(days=1):
        return f"{clock_text(at)} yesterday"
    return f"{clock_text(at)} on {QLocale().toString(QDate(day.year, day.month, day.day), 'd MMMM yyyy')}"


def names_text(first: Sequence[RelPath], count: int) -> str:
    """Return the first names of `count` paths, and how many more there are."""
    shown = first if count <= _NAMED + 1 and len(first) == count else first[:_NAMED]
    names = [path_text(path) for path in shown]
    more = count - len(names)
    if more > 0:
        return f"{', '.join(names)} and {more} more" if names else counted(more, "file")
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def lost_count(lost: Sequence[Lost]) -> int:
    """Return in how many files something was lost: one that lost staged and unstaged content counts once."""
    return len({item.path for item in lost})


def loss_text(lost: Sequence[Lost]) -> str:
    """Return what a row says of its loss."""
    return f"Uncommitted changes in {counted(lost_count(lost), 'file')} disappeared here"


def led_to(checkpoint: Checkpoint, before: Checkpoint | None) -> str:
    """Return what led to a state. `before` is the state before it, None where it is not known."""
    if checkpoint.lost:
        return loss_text(checkpoint.lost)
    difference = checkpoint.difference
    count = difference.added + difference.changed + difference.removed
    switched = before is not None and before.branch != checkpoint.branch
    if switched and not count:
        return f"Switched to {branch(checkpoint)}"
    if count:
        names = names_text(difference.first, count)
        return f"Switched to {branch(checkpoint)}: {names}" if switched else names
    if checkpoint.context.cause is Cause.HUMAN_CHECKPOINT:
        return "Nothing had changed"
    if before is None:
        return "First state" if checkpoint.seq <= 1 else "No file differs"
    if before.head != checkpoint.head:
        return "HEAD moved, no file differs"
    if before.index_tree != checkpoint.index_tree:
        return "Staging changed, no file differs"
    return "No file differs"


def branch(checkpoint: Checkpoint) -> str:
    """Return the branch of a state."""
    return DETACHED if checkpoint.branch is None else path_text(checkpoint.branch)


def origin(checkpoint: Checkpoint, of: datetime.datetime | None) -> str:
    """Return where a state came from. `of`: the time of the state it followed from, where that is known."""
    context = checkpoint.context
    if context.origin is Origin.AGENT_SESSION:
        return f"Saved after session {(context.origin_id or '')[:8]}".rstrip()
    if context.origin is not Origin.HUMAN_COMMAND:
        return "Saved automatically"
    followed = f" of {clock_text(of)}" if of else ""
    if context.cause is Cause.HUMAN_RESTORE:
        return f"After your restore{followed}"
    if context.cause is Cause.HUMAN_FILE_RESTORE:
        return f"After you got files back{followed.replace(' of ', ' from ')}"
    if context.cause is Cause.HUMAN_BRANCH:
        return f"After your switch to {branch(checkpoint)}"
    return "Saved by you"


_STATES = {
    CheckpointState.DAMAGED: "damaged",
    CheckpointState.RECOVERED: "found again in Git",
    CheckpointState.PENDING: "not finished",
}


def marks(checkpoint: Checkpoint) -> tuple[str, ...]:
    """Return the marks of a state that are no warning."""
    found = []
    if checkpoint.state in _STATES and checkpoint.state is not CheckpointState.DAMAGED:
        found.append(_STATES[checkpoint.state])
    if checkpoint.pinned:
        found.append("pinned")
    if checkpoint.clock_went_back:
        found.append("the clock went back")
    note = checkpoint.note or checkpoint.context.note
    if note:
        found.append(f"“{note}”")
    return tuple(found)


def warnings(checkpoint: Checkpoint) -> tuple[str, ...]:
    """Return the marks of a state that tell what is not kept in it."""
    found = []
    if checkpoint.state is CheckpointState.DAMAGED:
        found.append(_STATES[CheckpointState.DAMAGED])
    if not checkpoint.coverage.complete:
        found.append(f"{counted(len(checkpoint.coverage.left_out), 'path')} not kept")
    return tuple(found)


def now_lines(
    memory: Memory, newest: Checkpoint | None, today: datetime.date, unknown: str = ""
) -> tuple[str, str, bool]:
    """Return the two lines of the row for now, and whether they are a warning.

    unknown: why nobody knows how the folder is now, empty where somebody does.
    """
    protection = memory.protection
    if unknown:
        since = f"since {when_text(protection.looked_at, today)}" if protection.looked_at else "yet"
        last = f"The last kept state is of {when_text(newest.captured_at, today)}" if newest else "Nothing is kept yet"
        return f"Not known {since}: {unknown}", last, False
    if protection.state is ProtectionState.NOT_PROTECTED:
        since = f" since {when_text(protection.since, today)}" if protection.since else ""
        last = f"The last kept state is of {when_text(newest.captured_at, today)}" if newest else "Nothing is kept yet"
        return f"Not kept{since}: {reason_text(protection.reason)}", last, True
    if newest is None:
        return LOADING, "", False
    same = f"same as {when_text(newest.captured_at, today)}"
    looked = f", last looked {when_text(protection.looked_at, today)}" if protection.looked_at else ""
    if protection.state is ProtectionState.DEGRADED:
        return f"{same}, except what is not kept", f"{reason_text(protection.reason)}{looked}", True
    return same, f"nothing has changed since{looked}", False


def row_sentence(checkpoint: Checkpoint, before: Checkpoint | None, of: datetime.datetime | None) -> str:
    """Return a row as one sentence, for those who hear it."""
    difference = checkpoint.difference
    parts = [led_to(checkpoint, before), f"on {branch(checkpoint)}", origin(checkpoint, of)]
    parts += [*warnings(checkpoint), *marks(checkpoint)]
    counts = f"{difference.added} added, {difference.changed} changed, {difference.removed} removed"
    return f"{clock_text(checkpoint.captured_at)}: {', '.join(parts)}; {counts}."


def banner_text(lost: Sequence[Lost], at: str, kept: str | None, earlier: int) -> tuple[str, str]:
    """Return the two sentences of the banner. kept: the time of the state that holds what was lost."""
    what = f"Uncommitted changes in {counted(lost_count(lost), 'file')} disappeared at {at}."
    where = f"They are kept in the state of {kept}." if kept else "They are kept in the state before."
    more = f" {counted(earlier, 'earlier loss', 'earlier losses')} below." if earlier else ""
    return what, where + more
