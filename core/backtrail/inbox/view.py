"""How an observed state differs from the checkpoint it stands on, path by path.

Owns the comparison that tells the Inbox what is new, also where the state could not be captured (an unmerged index).
Reads trees; writes nothing.
"""

from backtrail.checkpoints.state_trees import StateTrees
from backtrail.git.tree_diff import TreeDiff, diff_trees
from backtrail.git.trees import Trees
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.errors.repository import ObjectMissing, RepositoryDamaged
from backtrail.model.ids import Oid, RelPath
from backtrail.model.observation import Observation, PathState


class StateView:
    """Compares one net state, given as trees, with checkpoints and observations."""

    def __init__(self, trees: StateTrees) -> None:
        self._trees = trees

    def beyond(self, base: Checkpoint | None) -> dict[RelPath, PathState]:
        """Return the paths that differ from a checkpoint; from an empty folder where there is none or it is damaged."""
        try:
            return self._beyond(base)
        except (ObjectMissing, RepositoryDamaged):
            return self._beyond(None)

    def _beyond(self, base: Checkpoint | None) -> dict[RelPath, PathState]:
        staged = self._changes(base.index_tree if base else None, self._trees.index)
        working = self._changes(base.working_tree if base else None, self._trees.working)
        paths = sorted({change.path for diff in (staged, working) for change in diff.changes})
        return {path: self._now(path) for path in paths}

    def _now(self, path: RelPath) -> PathState:
        return PathState(path, self._trees.staged_at(path), self._trees.working_at(path))

    def _changes(self, base: Oid | None, trees: Trees) -> TreeDiff:
        return diff_trees(self._trees.read, base, trees.root)

    def moved_since(self, observation: Observation | None, base: Checkpoint | None) -> dict[RelPath, PathState]:
        """Return the paths that are not as they were observed, with what stands there now."""
        now = self.beyond(base)
        then = {item.path: item for item in observation.beyond} if observation else {}
        moved = {path: item for path, item in now.items() if then.get(path) != item}
        for path in then.keys() - now.keys():
            moved[path] = self._now(path)
        return moved
