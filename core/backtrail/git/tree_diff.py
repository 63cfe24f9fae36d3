"""Two trees compared, path by path, without reading what is equal.

Owns the one comparison that captures, losses, plans and events are drawn from. Works on stored trees and on trees that
are not written yet. Finds no renames.
"""

from collections.abc import Callable

import msgspec

from backtrail.git.trees import parse_tree
from backtrail.model.errors.repository import RepositoryDamaged
from backtrail.model.ids import Oid, RelPath
from backtrail.model.net_state import Mode

Content = tuple[int, Oid]
"""Mode and id of what stands at a path."""


class TreeChange(msgspec.Struct, frozen=True, gc=False):
    """A path that is not the same in two trees. None where there is nothing (or a folder)."""

    path: RelPath
    old: Content | None
    new: Content | None


class TreeDiff(msgspec.Struct, frozen=True):
    """All changes, in path order within each folder, and the trees of the new side that the old one does not have."""

    changes: tuple[TreeChange, ...]
    new_trees: tuple[Oid, ...]


def diff_trees(read: Callable[[Oid], bytes], old: Oid | None, new: Oid | None) -> TreeDiff:
    """Compare two trees by id; None stands for the empty tree. `read` returns a tree's raw bytes.

    Raises what `read` raises, and RepositoryDamaged for a tree that is none.
    """
    changes: list[TreeChange] = []
    new_trees: list[Oid] = []
    waiting: list[tuple[bytes, Oid | None, Oid | None]] = [(b"", old, new)]
    while waiting:
        prefix, before, after = waiting.pop()
        if before == after:
            continue
        if after is not None:
            new_trees.append(after)
        there = _entries(read, before)
        here = _entries(read, after)
        for name in there.keys() | here.keys():
            was, now = there.get(name), here.get(name)
            if was == now:
                continue
            path = RelPath(prefix + name)
            was_folder = was is not None and was[0] == Mode.FOLDER
            now_folder = now is not None and now[0] == Mode.FOLDER
            if was_folder or now_folder:
                waiting.append(
                    (path + b"/", was[1] if was and was_folder else None, now[1] if now and now_folder else None)
                )
            old_content = None if was_folder else was
            new_content = None if now_folder else now
            if old_content is not None or new_content is not None:
                changes.append(TreeChange(path, old_content, new_content))
    changes.sort(key=lambda change: change.path)
    return TreeDiff(tuple(changes), tuple(new_trees))


def _entries(read: Callable[[Oid], bytes], tree: Oid | None) -> dict[bytes, Content]:
    if tree is None:
        return {}
    try:
        return {name: (mode, oid) for mode, name, oid in parse_tree(read(tree))}
    except ValueError as error:
        raise RepositoryDamaged(b"", tree.hex(), str(error)) from error


def tree_entries(read: Callable[[Oid], bytes], tree: Oid) -> dict[bytes, Content]:
    """Return everything below a tree that is not a folder, by path."""
    return {change.path: change.new for change in diff_trees(read, None, tree).changes if change.new is not None}


def content_at(read: Callable[[Oid], bytes], tree: Oid, path: bytes) -> Content | None:
    """Return what stands at one path of a tree, folders too, or None."""
    here: Content | None = (Mode.FOLDER, tree)
    for part in path.split(b"/"):
        if here is None or here[0] != Mode.FOLDER:
            return None
        here = _entries(read, here[1]).get(part)
    return here
