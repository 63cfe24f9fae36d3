"""The sentences of the archives.

Owns every English word about an archive: what it is, why it is there, and what would become of it. What comes out may
be shown as it is.
"""

import datetime

from backtrail.model.commands import ArchiveInfo
from backtrail.wording.sentence import counted, size_text

from backtrail_desktop.restore.sentences import clock_text

CHOOSE = "Choose a folder on the left to see its archives."
LOADING = "Looking for archives…"
EMPTY = "No archives yet."
WHAT_THEY_ARE = (
    "When you go back to an earlier state, the folder as it was until then goes here, whole. Nothing is deleted."
)
OPEN = "Open folder"
BRING_BACK = "Bring back…"
TRASH = "Move to trash…"
TRY_AGAIN = "Try again"
YES_TRASH = "Move to trash"
YES_FOR_GOOD = "Delete for good"
KEEP = "Keep it"
FOR_GOOD = "Delete for good…"
HEADINGS = ("Folder as it was at", "Size", "Why it is here")


def reason(info: ArchiveInfo, now: datetime.datetime) -> str:
    """Return why an archive is there."""
    if not info.whole:
        return "Not whole any more: deleting it had begun"
    when = clock_text(info.target_at, now) if info.target_at else "an earlier state"
    record = info.restore
    told = "Before you brought an archive back" if record.undo_of is not None else f"Before you went back to {when}"
    if record.late:
        count = len(record.late)
        told += f" · {counted(count, 'file')} {'was' if count == 1 else 'were'} written in it afterwards"
    return told


def time(info: ArchiveInfo, now: datetime.datetime) -> str:
    """Return the moment whose folder it is."""
    return clock_text(info.restore.started_at, now)


def row_sentence(info: ArchiveInfo, now: datetime.datetime) -> str:
    """Return a row as one sentence, for those who hear it."""
    return f"Folder as it was at {time(info, now)}, {size_text(info.restore.bytes)}. {reason(info, now)}."


def total(count: int, size: int) -> str:
    """Return how many there are, and how large they are together."""
    return f"{counted(count, 'archive')}, {size_text(size)}"


def ask_trash(info: ArchiveInfo, now: datetime.datetime) -> str:
    """Return the question before an archive goes to the trash."""
    return (
        f"Move the folder as it was at {time(info, now)} ({size_text(info.restore.bytes)}) to the trash? "
        "It can then no longer be brought back from here."
    )


def ask_for_good(info: ArchiveInfo, now: datetime.datetime) -> str:
    """Return the last question before an archive is gone."""
    return (
        f"Delete the folder as it was at {time(info, now)} for good? This cannot be undone. States that were kept "
        "of it stay."
    )
