"""How one path of a plan differs between now and the state to go to, as the reader tells it.

Owns two questions: what differs between the two states (once per plan), and the one file's difference. A path that is
not kept in both states cannot be shown: it says so. Answers for a path that is no longer asked for are dropped.
"""

import functools

from backtrail.model.changes import Change, Changes, FileDiff, ListChanges, ReadDiff, TreePair
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.ids import RelPath
from backtrail.model.restore import PathChange
from PySide6.QtCore import QObject, Signal

from backtrail_desktop.client.port import Failure, Port
from backtrail_desktop.restore.flow import Proposal

NOT_KEPT_NOW = "The folder as it is now is not kept as a state, so it cannot be compared. The archive will hold it."
NOT_LISTED = "It is in none of the two states: the archive will hold it."
FOLDER = "It is a folder, which is empty or has other permissions. There is no content to compare."
SAME_CONTENT = "Its content is the same in both states. Its permissions or what Git notes about it differ."
TOO_MANY = "It is one of very many paths, and cannot be shown here. Look at the state itself to see it."


class Differences(QObject):
    """The differences of one plan."""

    shown = Signal(object)
    not_shown = Signal(str)

    def __init__(self, root: bytes, reader: Port, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._root = root
        self._reader = reader
        self._now: Checkpoint | None = None
        self._target: Checkpoint | None = None
        self._leaves: frozenset[PathChange] = frozenset()
        self._changes: dict[tuple[RelPath, bool], Change] | None = None
        self._cut = False
        self._round = 0

    def use(self, proposal: Proposal) -> None:
        """Turn to a plan; nothing is asked before a path is opened."""
        self._now, self._target, self._changes = proposal.before, proposal.plan.target, None
        self._leaves = frozenset(proposal.plan.leaves)
        self.forget()

    def forget(self) -> None:
        """Hear nothing more of what was asked."""
        self._round += 1

    def open(self, wanted: PathChange) -> None:
        """Ask how a path differs."""
        self.forget()
        if self._now is None or self._target is None:
            self.not_shown.emit(NOT_KEPT_NOW)
        elif self._changes is None:
            self._reader.ask(
                ListChanges(root=self._root, old=_trees(self._now), new=_trees(self._target)),
                functools.partial(self._on_changes, self._round, wanted),
                functools.partial(self._on_failure, self._round),
            )
        else:
            self._read(wanted)

    def _on_changes(self, here: int, wanted: PathChange, found: Changes) -> None:
        if here == self._round:
            self._changes = {(one.path, one.staged): one for one in found.changes}
            self._cut = found.total > len(found.changes)
            self._read(wanted)

    def _read(self, wanted: PathChange) -> None:
        change = (self._changes or {}).get((wanted.path, wanted.staged))
        if change is None:
            self.not_shown.emit(self._why_not(wanted))
            return
        self._reader.ask(
            ReadDiff(root=self._root, old=change.old, new=change.new),
            functools.partial(self._on_diff, self._round),
            functools.partial(self._on_failure, self._round),
        )

    def _why_not(self, wanted: PathChange) -> str:
        if wanted in self._leaves:
            return TOO_MANY if self._cut and not wanted.folder else NOT_LISTED
        if wanted.folder:
            return FOLDER
        return TOO_MANY if self._cut else SAME_CONTENT

    def _on_diff(self, here: int, diff: FileDiff) -> None:
        if here == self._round:
            self.shown.emit(diff)

    def _on_failure(self, here: int, failure: Failure) -> None:
        if here == self._round:
            self.not_shown.emit(failure.message)


def _trees(checkpoint: Checkpoint) -> TreePair:
    return TreePair(checkpoint.index_tree, checkpoint.working_tree)
