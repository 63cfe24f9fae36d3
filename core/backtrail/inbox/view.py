"""How an observed state differs from the checkpoint it stands on, path by path.

Owns the comparison that tells the Inbox what is new, also where the state could not be captured (an unmerged index).
Reads trees; writes nothing.
"""

from backtrail.git.objects import Objects
from backtrail.git.tree_diff import TreeDiff, diff_trees
from backtrail.git.trees import Trees, build_trees
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.errors.repository import ObjectMissing
from backtrail.model.ids import Oid, RelPath
from backtrail.model.net_state import NetState
from backtrail.model.observation import Observation, PathState

_THEIRS = 3


class StateView:
    """A net state as two trees in memory, so that it can be compared with stored ones."""

    def __init__(self, objects: Objects, state: NetState) -> None:
        self.state = state
        self._objects = objects
        self.working = build_trees((entry.path, entry.mode, entry.oid) for entry in state.working)
        # of a conflict one side stands for all: the comparison asks whether a path moved, not to what
        staged = {entry.path: entry for entry in state.index if not entry.intent_to_add and entry.stage < _THEIRS}
        staged = {entry.path: entry for entry in state.index if entry.stage == _THEIRS} | staged
        self._staged = {path: (entry.mode, entry.oid) for path, entry in staged.items()}
        self.index = build_trees((path, mode, oid) for path, (mode, oid) in self._staged.items())

    def read(self, oid: Oid) -> bytes:
        """Return a tree's raw bytes, from this state or from the repository."""
        for trees in (self.working, self.index):
            if (content := trees.objects.get(oid)) is not None:
                return content
        return self._objects.tree(oid)

    def beyond(self, base: Checkpoint | None) -> dict[RelPath, PathState]:
        """Return the paths that differ from a checkpoint; from an empty folder where there is none or it is damaged."""
        try:
            return self._beyond(base)
        except ObjectMissing:
            return self._beyond(None)

    def _beyond(self, base: Checkpoint | None) -> dict[RelPath, PathState]:
        staged = self._changes(base.index_tree if base else None, self.index)
        working = self._changes(base.working_tree if base else None, self.working)
        here = {entry.path: (entry.mode, entry.oid) for entry in self.state.working}
        found: dict[RelPath, PathState] = {}
        for path in sorted({change.path for diff in (staged, working) for change in diff.changes}):
            found[path] = PathState(path, self._staged.get(path), here.get(path))
        return found

    def _changes(self, base: Oid | None, trees: Trees) -> TreeDiff:
        return diff_trees(self.read, base, trees.root)

    def moved_since(self, observation: Observation | None, base: Checkpoint | None) -> dict[RelPath, PathState]:
        """Return the paths that are not as they were observed, with what stands there now."""
        now = self.beyond(base)
        then = {item.path: item for item in observation.beyond} if observation else {}
        here = {entry.path: (entry.mode, entry.oid) for entry in self.state.working}
        moved = {path: item for path, item in now.items() if then.get(path) != item}
        for path in then.keys() - now.keys():
            moved[path] = PathState(path, self._staged.get(path), here.get(path))
        return moved
