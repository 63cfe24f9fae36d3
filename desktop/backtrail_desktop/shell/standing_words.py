"""The words of "is my work kept?", and times as this machine's clock shows them."""

import datetime

from backtrail.model.memory import MemoryState
from PySide6.QtCore import QDate, QLocale

STOPPED = "Backtrail is not running in the background"
STOPPED_BRIEF = "not watched now"
OTHER_VERSION = "The Backtrail in the background is of another version than this window; stop it and start it again"
OTHER_VERSION_BRIEF = "unknown: another version is running"
NOT_ANSWERING = "Backtrail is not answering"
STARTING = "Waiting for Backtrail…"
STARTING_BRIEF = "waiting for Backtrail…"
NO_FOLDER = "No folder is kept yet"
NOT_LOOKED_YET = "Not kept yet: nobody has looked at this folder"
NOT_LOOKED_YET_BRIEF = "not looked at yet"
SOME_PATHS = "some files"
NO_REASON = "no reason was told"
_STATES = {
    MemoryState.DETACHED: "Not watched: you stopped keeping this folder",
    MemoryState.ARCHIVED: "Not watched: this folder is archived",
    MemoryState.DELETED: "Not watched: this folder was removed from the list",
}


def not_looked_at(state: MemoryState) -> tuple[str, str]:
    """Return sentence and brief form for a folder that is not attached."""
    return _STATES[state], "not watched"


def when(at: datetime.datetime, today: datetime.date) -> str:
    """Return a time with seconds, by the local clock; with its day where that is not today."""
    return _with_day(at, today, "%H:%M:%S")


def minute(at: datetime.datetime, today: datetime.date) -> str:
    """Return a time without seconds, by the local clock; with its day where that is not today."""
    return _with_day(at, today, "%H:%M")


def _with_day(at: datetime.datetime, today: datetime.date, form_of_clock: str) -> str:
    here = at.astimezone()
    clock = here.strftime(form_of_clock)
    day = here.date()
    if day == today:
        return clock
    if day == today - datetime.timedelta(days=1):
        return f"yesterday {clock}"
    if day == today + datetime.timedelta(days=1):
        return f"tomorrow {clock}"
    form = "d MMM" if day.year == today.year else "d MMM yyyy"
    return f"{QLocale().toString(QDate(day.year, day.month, day.day), form)} {clock}"
