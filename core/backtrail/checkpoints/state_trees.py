"""A net state as two trees in memory: the one built once per look, for the capture and for the Inbox alike.

Owns what goes into each tree. Intent-to-add entries are in no tree. Nothing is written here.
"""

from backtrail.git.objects import Objects
from backtrail.git.tree_diff import Content, content_at
from backtrail.git.trees import Trees
from backtrail.model.ids import Oid
from backtrail.model.net_state import IndexEntry, Mode, NetState
from backtrail.model.paths import folders_above
from backtrail.scan.stat_cache import StatCache

_THEIRS = 3


class StateTrees:
    """The trees of one net state. Of a conflict one side stands for all."""

    def __init__(self, objects: Objects, state: NetState, cache: StatCache | None = None) -> None:
        """cache: has the trees of the state before, and gets these."""
        cache = cache or StatCache()
        self._objects = objects
        self.state = state
        self.index: Trees = cache.index_trees.of(_staged(state.index))
        self.working: Trees = cache.working_trees.of(state.working, near=cache.index_trees)

    def staged_at(self, path: bytes) -> Content | None:
        """Return mode and id of what the index holds at a path. Raises ObjectMissing."""
        return self._at(self.index, path)

    def working_at(self, path: bytes) -> Content | None:
        """Return mode and id of what stands in the folder at a path. Raises ObjectMissing."""
        return self._at(self.working, path)

    def _at(self, trees: Trees, path: bytes) -> Content | None:
        found = content_at(self.read, trees.root, path)
        return None if found is None or found[0] == Mode.FOLDER else found

    def read(self, oid: Oid) -> bytes:
        """Return a tree's raw bytes, from this state or from the repository. Raises ObjectMissing."""
        content = self.working.objects.get(oid)
        if content is None:
            content = self.index.objects.get(oid)
        return self._objects.tree(oid) if content is None else content


def _staged(index: tuple[IndexEntry, ...]) -> tuple[IndexEntry, ...]:
    """Return what goes into the index's tree.

    A conflicted index is only compared, never stored: the comparison asks whether a path moved, not to what. Where a
    file is in conflict with a folder, the folder stands for both.
    """
    if not any(entry.stage or entry.intent_to_add for entry in index):
        return index
    entries = {entry.path: entry for entry in index if entry.stage == _THEIRS}
    entries |= {entry.path: entry for entry in index if entry.stage < _THEIRS and not entry.intent_to_add}
    folders = folders_above(entries)
    return tuple(entries[path] for path in sorted(entries) if path not in folders)
