"""The trees of a net state, made from those of the last one: a look in which little moved costs little.

Owns which entries are others than last time. Lives in the memory of the process, and is right whatever it holds: the
entries decide, never what was built before.
"""

from collections.abc import Sequence

from backtrail.git.tree_diff import Content
from backtrail.git.tree_edit import edit_trees
from backtrail.git.trees import Trees, build_trees
from backtrail.model.ids import Oid
from backtrail.model.net_state import IndexEntry, WorkingEntry

_FEW = 8
"""Up to one in so many entries, trees are edited; beyond that they are built."""

Entries = Sequence[WorkingEntry | IndexEntry]


class LastTrees:
    """The last list of entries, and its trees; None before there was one."""

    def __init__(self) -> None:
        self.entries: Entries = ()
        self.trees: Trees | None = None

    def of(self, entries: Entries, near: "LastTrees | None" = None) -> Trees:
        """Return the trees of `entries`, which are sorted by path. near: has the trees of much the same, at first.

        Raises ValueError as `build_trees` does.
        """
        trees = None
        if self.trees is not None:
            trees = _edited(self.trees, *_others(self.entries, entries), len(entries))
        elif near is not None and near.trees is not None:
            trees = _edited(near.trees, _contents(near.entries), _contents(entries), len(entries))
        if trees is None:
            trees = build_trees((entry.path, entry.mode, entry.oid) for entry in entries)
        self.entries, self.trees = entries, trees
        return trees


def _others(old: Entries, new: Entries) -> tuple[set[tuple[bytes, int, Oid]], set[tuple[bytes, int, Oid]]]:
    """Return path, mode and id of those entries that are objects of one list alone."""
    before, now = set(map(id, old)), set(map(id, new))
    if before == now:
        return set(), set()
    return _contents([e for e in old if id(e) not in now]), _contents([e for e in new if id(e) not in before])


def _contents(entries: Entries) -> set[tuple[bytes, int, Oid]]:
    return {(entry.path, entry.mode, entry.oid) for entry in entries}


def _edited(
    trees: Trees, old: set[tuple[bytes, int, Oid]], new: set[tuple[bytes, int, Oid]], count: int
) -> Trees | None:
    changes: dict[bytes, Content | None] = {path: None for path, _, _ in old - new}
    changes |= {path: (mode, oid) for path, mode, oid in new - old}
    if not changes:
        return trees
    return edit_trees(trees, changes) if len(changes) * _FEW <= count else None
