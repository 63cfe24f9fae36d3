"""What a checkpoint holds, read back: its files, one file's bytes, and what differs between two states.

Reads only. Paths are bytes of the trees; nothing of the disk is touched. Renames are not guessed.
"""

import contextlib
from collections.abc import Callable, Iterator

import msgspec

from backtrail.git.chain import BrokenChain, StoredChain, read_chain
from backtrail.git.objects import Objects
from backtrail.git.tree_diff import TreeChange, content_at, diff_trees, tree_entries
from backtrail.model.changes import Change, ChangeStatus
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.errors.lookup import PathNotInCheckpoint
from backtrail.model.errors.repository import ObjectMissing, RepositoryDamaged
from backtrail.model.errors.restore import CheckpointDamaged
from backtrail.model.ids import Oid, RelPath
from backtrail.model.net_state import Mode


class HeldFile(msgspec.Struct, frozen=True):
    """A file that a checkpoint holds. size: in bytes; 0 for a submodule."""

    path: RelPath
    mode: int
    oid: Oid
    size: int


@contextlib.contextmanager
def reading(checkpoint: Checkpoint) -> Iterator[None]:
    """Turn damage that is met while objects of a checkpoint are read into CheckpointDamaged."""
    try:
        yield
    except ObjectMissing as error:
        raise CheckpointDamaged(checkpoint.id, (error.oid,)) from error
    except RepositoryDamaged as error:
        raise CheckpointDamaged(checkpoint.id, (error.part,)) from error
    except BrokenChain as error:
        raise CheckpointDamaged(checkpoint.id, (checkpoint.commit.hex(),)) from error


def chain_of(objects: Objects, checkpoint: Checkpoint) -> StoredChain:
    """Return the stored chain of a checkpoint. Raises CheckpointDamaged if it cannot be read."""
    with reading(checkpoint):
        return read_chain(objects, checkpoint.commit)


def files_of(objects: Objects, checkpoint: Checkpoint) -> list[HeldFile]:
    """Return the files of the working tree that a checkpoint holds, by path. Raises CheckpointDamaged."""
    with reading(checkpoint):
        held = tree_entries(objects.tree, checkpoint.working_tree)
        return [
            HeldFile(RelPath(path), mode, oid, 0 if mode == Mode.GITLINK else objects.size(oid))
            for path, (mode, oid) in sorted(held.items())
        ]


def bytes_of(objects: Objects, checkpoint: Checkpoint, path: bytes) -> bytes:
    """Return the content of one file, or a link's target. Raises PathNotInCheckpoint, CheckpointDamaged."""
    with reading(checkpoint):
        found = content_at(objects.tree, checkpoint.working_tree, path)
        if found is None or found[0] in (Mode.FOLDER, Mode.GITLINK):
            raise PathNotInCheckpoint(checkpoint.id, path)
        return objects.read(found[1])[1]


def changes_between(
    read: Callable[[Oid], bytes], old: tuple[Oid | None, Oid | None], new: tuple[Oid | None, Oid | None]
) -> list[Change]:
    """Return what differs between two states, each given as (index tree, working tree), by path.

    `read` returns a tree's raw bytes, also of one that is not written yet.
    """
    staged, working = (diff_trees(read, old[at], new[at]).changes for at in (0, 1))
    changes = [_change(change, staged=True) for change in staged]
    changes += [_change(change, staged=False) for change in working]
    return sorted(changes, key=lambda change: (change.path, change.staged))


def _change(change: TreeChange, *, staged: bool) -> Change:
    status = ChangeStatus.CHANGED
    if change.old is None:
        status = ChangeStatus.ADDED
    elif change.new is None:
        status = ChangeStatus.REMOVED
    return Change(
        change.path, status, staged, change.old[1] if change.old else None, change.new[1] if change.new else None
    )
