"""The sentences of the details.

Owns every English word about one state: its heading, the ways back, the list of files, and why a difference is not
shown. Text from a repository is put in as it is; whoever shows it escapes it.
"""

import datetime

from backtrail.model.changes import ChangeStatus, FileDiff, Shown
from backtrail.model.checkpoint import Checkpoint, Origin
from backtrail.model.coverage import Coverage
from backtrail.wording.sentence import counted, size_text

from backtrail_desktop.details.comparing import Against
from backtrail_desktop.timeline import words as timeline_words
from backtrail_desktop.timeline.wish import Chosen
from backtrail_desktop.timeline.words import MINUS

CHOOSE = "Choose a state above to see what is in it."
CHOOSE_FILE = "Choose a file to see how it differs."
NOT_STAGED = "Not staged"
FILES = "Files"
STAGED = "Staged"
ONLY_STAGED = "Only in what is staged"
NOT_KEPT = "Not kept"
LOADING = "Comparing…"
LOADING_FILE = "Reading…"
NOT_RUNNING = timeline_words.NOT_RUNNING
NO_DIFFERENCE = "No file differs."
GO_BACK = "Go back to this…"
GET_FILES = "Get files back…"
GET_EARLIER_FILES = "Get files from before it…"
GET_THIS = "Get this back…"
SAVE_COPY = "Save a copy…"
HISTORY = "History of this file"
OPEN_FOLDER = "Open the folder"
COPY_PATH = "Copy the path"
CHANGED_TO = "It looks the same line by line: only the file's type or permissions differ."
ONLY_ENDS = "No line differs: only how a line or the file ends."
CUT = "… more lines differ than are shown here."
IMAGE_OTHER = "In the other state"
IMAGE_HERE = "In this state"
NOT_THE_AUTHOR = "This does not say who wrote it."

AGAINST = {
    Against.NOW: "compared with now",
    Against.BEFORE: "compared with the state before",
    Against.HEAD: "compared with HEAD",
}

_LEGENDS = {
    Against.NOW: f"+ comes back    ~ changes    {MINUS} goes away",
    Against.BEFORE: f"+ came    ~ changed    {MINUS} went",
    Against.HEAD: f"+ in this state    ~ changed    {MINUS} in HEAD",
}

SIGNS = {ChangeStatus.ADDED: "+", ChangeStatus.CHANGED: "~", ChangeStatus.REMOVED: MINUS}
SPOKEN = {ChangeStatus.ADDED: "added", ChangeStatus.CHANGED: "changed", ChangeStatus.REMOVED: "removed"}


def legend(against: Against) -> str:
    """Return what plus and minus mean."""
    return _LEGENDS[against]


def title(chosen: Chosen, today: datetime.date) -> str:
    """Return the heading of a state."""
    return f"State at {timeline_words.when_text(chosen.checkpoint.captured_at, today)}"


def before_text(before: Checkpoint, today: datetime.date) -> str:
    """Return the way back that is offered first where the folder looks like this already."""
    return f"Go back to before this change ({timeline_words.when_text(before.captured_at, today)})…"


def story(chosen: Chosen) -> str:
    """Return where a state came from, and whether the folder looks like it."""
    checkpoint = chosen.checkpoint
    parts = [timeline_words.branch(checkpoint), timeline_words.origin(checkpoint, None)]
    if checkpoint.context.origin is Origin.AGENT_SESSION:
        parts[-1] += f". {NOT_THE_AUTHOR}"
    if chosen.same_as_now:
        parts.append("the folder looks like this now")
    warnings = [f"⚠ {warning}" for warning in timeline_words.warnings(checkpoint)]
    return " · ".join([*parts, *warnings, *timeline_words.marks(checkpoint)])


def kept_text(coverage: Coverage) -> str:
    """Return what is not kept in a few words."""
    ignored = counted(coverage.ignored_count, "ignored path") + ", as Git says" if coverage.ignored_count else ""
    left = counted(len(coverage.left_out), "path") if coverage.left_out else ""
    return " · ".join(part for part in (left, ignored) if part)


def more_text(shown: int, total: int) -> str:
    """Return that not all files are listed."""
    return f"… and {total - shown} more, of {total}"


def not_shown(diff: FileDiff) -> str:
    """Return why a difference is named rather than shown; empty where it is shown."""
    sizes = _sizes(diff)
    if diff.shown is Shown.BINARY:
        return f"Not text: {sizes}."
    if diff.shown is Shown.TOO_LARGE:
        return f"Too large to show line by line: {sizes}."
    if diff.shown is Shown.MISSING:
        return "The content is not in the repository any more, so this file cannot be brought back from here."
    return ""


def no_image(side: str) -> str:
    """Return that there is no picture on one side."""
    return f"{side}: no picture that can be shown"


def _sizes(diff: FileDiff) -> str:
    if diff.old_size is None or diff.new_size is None:
        size = diff.new_size if diff.old_size is None else diff.old_size
        return "no content" if size is None else size_text(size)
    if diff.old_size == diff.new_size:
        return f"{size_text(diff.new_size)} on both sides"
    return f"{size_text(diff.old_size)} became {size_text(diff.new_size)}"
