"""What a checkpoint is made of beyond the one before it, and what of that can be made anew.

Owns the list of objects, and reading a file once more while it is stored. Asks no object database and writes nothing.
"""

import functools
import os
from collections.abc import Iterator

import msgspec

from backtrail.checkpoints.state_trees import StateTrees
from backtrail.git.new_objects import ContentMoved, NewObject
from backtrail.git.objects import Kind
from backtrail.git.tree_diff import TreeDiff
from backtrail.model.ids import Oid
from backtrail.model.net_state import Mode, NetState, WorkingEntry
from backtrail.scan.reading import link_below, open_below


class Beyond(msgspec.Struct, frozen=True):
    """How a state differs from the checkpoint before it."""

    working: TreeDiff
    index: TreeDiff


class Wanted(msgspec.Struct, frozen=True):
    """The objects: such as can only be here already, files by the id of their bytes, and trees with their bytes."""

    needed: dict[Oid, None]
    files: dict[Oid, WorkingEntry]
    trees: dict[Oid, bytes]

    def oids(self) -> Iterator[Oid]:
        """Yield each id once."""
        yield from self.needed.keys() | self.files.keys() | self.trees.keys()

    def made(self, root: bytes, oid: Oid) -> NewObject | None:
        """Return an object as it can be made of what lies in the folder `root`, None where it cannot be made."""
        if (tree := self.trees.get(oid)) is not None:
            return NewObject(oid, Kind.TREE, len(tree), tree)
        if (entry := self.files.get(oid)) is None:
            return None
        opener = functools.partial(_open_at, root, entry.path, link=entry.mode == Mode.SYMLINK)
        return NewObject(oid, Kind.BLOB, entry.size, opener, entry.path)


def wanted(trees: StateTrees, beyond: Beyond | None, wrong: frozenset[Oid]) -> Wanted:
    """Return every object that the last checkpoint does not hold. beyond: None where there is none to rely on.

    wrong: objects that nothing can be said to hold.
    """
    state = trees.state
    needed = dict.fromkeys(oid for oid in (state.head, *(state.merge.heads if state.merge else ())) if oid is not None)
    if beyond is None:
        staged = (entry.oid for entry in state.index if entry.mode != Mode.GITLINK and not entry.intent_to_add)
        entries = state.working
        made = {*trees.working.folders.values(), *trees.index.folders.values()}
    else:
        changes = [change.new for change in beyond.index.changes if change.new is not None]
        staged = (oid for mode, oid in changes if mode != Mode.GITLINK)
        entries = _changed(state, beyond.working, wrong)
        made = {*beyond.working.new_trees, *beyond.index.new_trees}
        made |= wrong.intersection(trees.working.folders.values(), trees.index.folders.values())
    needed.update(dict.fromkeys(staged))
    blobs = [entry for entry in entries if entry.mode != Mode.GITLINK]
    needed.update(dict.fromkeys(entry.oid for entry in blobs if not entry.checked_out))
    files = {entry.oid: entry for entry in blobs if entry.checked_out}
    return Wanted(needed, files, {oid: trees.read(oid) for oid in made})


def _changed(state: NetState, diff: TreeDiff, wrong: frozenset[Oid]) -> tuple[WorkingEntry, ...]:
    paths = {change.path for change in diff.changes if change.new is not None}
    return tuple([entry for entry in state.working if entry.path in paths or entry.oid in wrong])


def _open_at(root: bytes, path: bytes, *, link: bool) -> int | bytes:
    """Open the file at a path of the working tree, or read the link; raise ContentMoved if there is none any more."""
    try:
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            return link_below(descriptor, path) if link else open_below(descriptor, path)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise ContentMoved(path) from error
