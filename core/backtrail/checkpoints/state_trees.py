"""A net state as two trees in memory: the one built once per look, for the capture and for the Inbox alike.

Owns what goes into each tree. Intent-to-add entries are in no tree. Nothing is written here.
"""

from backtrail.git.objects import Objects
from backtrail.git.trees import Trees, build_trees
from backtrail.model.ids import Oid
from backtrail.model.net_state import NetState

_THEIRS = 3


class StateTrees:
    """The trees of one net state. `staged` is what the index holds by path; of a conflict one side stands for all."""

    def __init__(self, objects: Objects, state: NetState) -> None:
        self._objects = objects
        self.state = state
        self.working: Trees = build_trees((entry.path, entry.mode, entry.oid) for entry in state.working)
        # a conflicted index is only compared, never stored: the comparison asks whether a path moved, not to what
        entries = {entry.path: entry for entry in state.index if entry.stage == _THEIRS}
        entries |= {entry.path: entry for entry in state.index if entry.stage < _THEIRS and not entry.intent_to_add}
        self.staged = {path: (entry.mode, entry.oid) for path, entry in entries.items()}
        self.index: Trees = build_trees((path, mode, oid) for path, (mode, oid) in self.staged.items())

    def read(self, oid: Oid) -> bytes:
        """Return a tree's raw bytes, from this state or from the repository. Raises ObjectMissing."""
        content = self.working.objects.get(oid)
        if content is None:
            content = self.index.objects.get(oid)
        return self._objects.tree(oid) if content is None else content
