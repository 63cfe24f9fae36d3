"""The sentences of the graph.

Owns every English word about commits. Text from a repository is put in as it is; whoever shows it escapes it.
"""

import datetime

from backtrail.model.commits import CommitLine, Person
from backtrail.model.path_text import path_text
from backtrail.wording.sentence import counted
from PySide6.QtCore import QDate, QLocale

EVERYTHING = "All branches"
SEARCH = "Search commits…"
NOW = "Now"
LOADING = "Reading the commits…"
LOADING_LINE = "…"
NOT_HERE = "This commit is not here, or cannot be read."
NO_FOLDER = "Choose a folder to see its commits."
TRY_AGAIN = "Try again"
DETACHED = "not on a branch"
HEAD = "HEAD"
COPY_ID = "Copy the id"
COPY_SUBJECT = "Copy the subject"
TO_PARENT = "Go to the parent"
TO_CHILD = "Go to the child"
TO_HEAD = "Go to what is checked out"
FIND_NEXT = "Find the next"
FIND_PREVIOUS = "Find the one before"
NOTHING_FOUND = "Not found"
SEARCHING = "Searching…"
ON_NO_BRANCH = "The commit of this state is on no branch any more."
NOT_ON_THIS_BRANCH = "The commit of this state is not on this branch."
CHOOSE_FILE = "Choose a file to see how it differs."
NO_FILES = "No file differs from the parent."
STATES_MARK = "◇"


def states_text(count: int) -> str:
    """Return how many states were kept at a commit."""
    return f"{counted(count, 'state')} kept here"


def now_text(branch: bytes | None) -> str:
    """Return the line of the working state."""
    return f"{NOW} · {DETACHED if branch is None else path_text(branch)}"


def date_text(at: datetime.datetime, today: datetime.date) -> str:
    """Return when a commit was made: the clock for today, else the day."""
    local = at.astimezone()
    if local.date() == today:
        return f"{local:%H:%M}"
    form = "d MMM" if local.year == today.year else "d MMM yyyy"
    return QLocale().toString(QDate(local.year, local.month, local.day), form)


def spoken(line: CommitLine, refs: list[str], states: int, today: datetime.date) -> str:
    """Return one sentence for a commit's row."""
    parts = [line.subject, line.author, date_text(line.committed_at, today), *refs]
    return ", ".join([part for part in parts if part] + ([states_text(states)] if states else []))


def person_text(person: Person) -> str:
    """Return who, and when where they were."""
    there = person.at.astimezone(datetime.timezone(datetime.timedelta(minutes=person.offset_minutes)))
    address = f" <{person.email}>" if person.email else ""
    return f"{person.name}{address} · {there:%Y-%m-%d %H:%M:%S %z}"


def committed_text(person: Person) -> str:
    """Return who committed what somebody else wrote."""
    return f"committed by {person_text(person)}"


def parent_text(number: int, several: bool, oid: bytes) -> str:  # noqa: FBT001 - plain facts
    """Return the words of the button that leads to a parent."""
    return f"Parent {number}: {oid.hex()[:10]}" if several else f"Parent {oid.hex()[:10]}"
