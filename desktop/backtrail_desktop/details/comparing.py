"""With what a state is compared, and its files set apart: not staged, staged, not kept.

Owns the question to the reader and the reading of its answer. Pure. The state is always the new side: what is added is
in it and not in the other. Against HEAD, what is not staged is compared with the index, as Git does.
"""

import enum

import msgspec
from backtrail.model.changes import Change, ChangeStatus, ListChanges, TreePair
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.coverage import LeftOut

from backtrail_desktop.timeline.wish import Chosen


class Against(enum.Enum):
    """What a state is compared with."""

    NOW = "now"
    BEFORE = "before"
    HEAD = "head"


class FileKind(enum.Enum):
    """What a row of the list of files shows."""

    HEADING = "heading"
    CHANGE = "change"
    LEFT_OUT = "left-out"
    REMARK = "remark"


class FileRow(msgspec.Struct, frozen=True):
    """One row: a heading or remark with its text, a change, or a path that is not kept."""

    kind: FileKind
    text: str = ""
    change: Change | None = None
    left_out: LeftOut | None = None


def can_compare(chosen: Chosen, against: Against) -> bool:
    """Tell whether there is something to compare with."""
    if against is Against.NOW:
        return chosen.now is not None and not chosen.same_as_now
    if against is Against.BEFORE:  # before the first state there is none; without a commit it is all there is to show
        return chosen.before_known and (chosen.before is not None or chosen.checkpoint.head is None)
    return chosen.checkpoint.head is not None


def question(chosen: Chosen, against: Against) -> ListChanges:
    """Return what to ask the reader."""
    new = trees(chosen.checkpoint)
    root = chosen.memory.path
    if against is Against.HEAD:
        return ListChanges(root=root, old=None, new=new, head=chosen.checkpoint.head)
    other = chosen.now if against is Against.NOW else chosen.before
    return ListChanges(root=root, old=None if other is None else trees(other), new=new)


def trees(checkpoint: Checkpoint) -> TreePair:
    """Return a state by its two trees."""
    return TreePair(checkpoint.index_tree, checkpoint.working_tree)


def set_apart(changes: tuple[Change, ...], against: Against) -> tuple[list[Change], list[Change]]:
    """Return the changes of files and those of the index, each by path; what says the same twice is said once."""
    staged = [change for change in changes if change.staged]
    working = [change for change in changes if not change.staged]
    if against is Against.HEAD:
        return _against_index(working, staged), staged
    said = {(change.path, change.old, change.new) for change in working}
    return working, [change for change in staged if (change.path, change.old, change.new) not in said]


def _against_index(working: list[Change], staged: list[Change]) -> list[Change]:
    """Turn changes of files against HEAD into changes against the index."""
    index = {change.path: change for change in staged}
    files = {change.path: change for change in working}
    found = []
    for path in sorted({*index, *files}):
        in_index, in_file = index.get(path), files.get(path)
        head = in_file.old if in_file else in_index.old if in_index else None
        old = in_index.new if in_index else head
        new = in_file.new if in_file else head
        if old != new:
            found.append(Change(path, _status(old, new), staged=False, old=old, new=new))
    return found


def _status(old: bytes | None, new: bytes | None) -> ChangeStatus:
    if old is None:
        return ChangeStatus.ADDED
    return ChangeStatus.REMOVED if new is None else ChangeStatus.CHANGED
