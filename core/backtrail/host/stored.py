"""One memory's stored states, opened to be read: files, contents, differences, and whether they are whole.

Reads only, and in whatever state the memory is: what was kept can be got back from a detached one too. Changes nothing
in the folder, takes no checkpoint, and does not bring rows and refs together.
"""

from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Self

from backtrail.checkpoints.content import HeldFile, bytes_of, chain_of, changes_between, files_of, reading
from backtrail.checkpoints.state_trees import StateTrees
from backtrail.checkpoints.verify import damage_of
from backtrail.git.objects import Objects
from backtrail.git.repository import Repository
from backtrail.git.tree_diff import content_at, diff_trees
from backtrail.host.open_memory import OpenMemory
from backtrail.model.changes import Change, TreePair
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.errors.lookup import PathNotInCheckpoint
from backtrail.model.errors.repository import ObjectMissing, RepositoryDamaged
from backtrail.model.ids import RelPath
from backtrail.model.memory import Memory
from backtrail.model.path_text import path_bytes
from backtrail.model.progress import SILENT, Progress
from backtrail.restore.files import chosen_entries, save_copy

NOTHING = TreePair(None, None)
"""The state before the first checkpoint."""


def trees_of(checkpoint: Checkpoint | None) -> TreePair:
    """Return a checkpoint as something to compare with; nothing for None."""
    return TreePair(checkpoint.index_tree, checkpoint.working_tree) if checkpoint else NOTHING


class StoredStates:
    """Use as a context manager. Raises errors of `model.errors.repository` on entering."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def __enter__(self) -> Self:
        self.repository = Repository.open(self._memory.path)
        self.objects = Objects(self.repository)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.repository.close()

    def files(self, checkpoint: Checkpoint) -> list[HeldFile]:
        """Return the files that a checkpoint holds. Raises CheckpointDamaged."""
        return files_of(self.objects, checkpoint)

    def file(self, checkpoint: Checkpoint, path: bytes) -> tuple[HeldFile, bytes]:
        """Return one file and its content. Raises PathNotInCheckpoint or CheckpointDamaged."""
        content = bytes_of(self.objects, checkpoint, path)
        found = content_at(self.objects.tree, checkpoint.working_tree, path)
        if found is None:
            raise PathNotInCheckpoint(checkpoint.id, path)
        return HeldFile(RelPath(path), found[0], found[1], len(content)), content

    def extract(self, checkpoint: Checkpoint, place: bytes, paths: list[bytes]) -> list[HeldFile]:
        """Save files to a new or empty folder. Raises FolderTaken, PathNotInCheckpoint, UnsafePath, StepFailed."""
        entries = chosen_entries(self.objects, checkpoint, paths)
        save_copy(place, self.objects, checkpoint, entries)
        return [HeldFile(entry.path, entry.mode, entry.oid, entry.size) for entry in entries]

    def holds(self, checkpoint: Checkpoint, path: bytes) -> bool:
        """Tell whether a checkpoint has anything at a path, in its files or its index. Raises CheckpointDamaged."""
        with reading(checkpoint):
            trees = (checkpoint.working_tree, checkpoint.index_tree)
            return any(content_at(self.objects.tree, tree, path) is not None for tree in trees)

    def damage(self, checkpoint: Checkpoint, progress: Progress = SILENT) -> tuple[str, ...]:
        """Return what is wrong with a checkpoint; empty when it is whole."""
        return damage_of(self.repository, checkpoint, progress)

    def changes(self, checkpoint: Checkpoint, old: TreePair, new: TreePair) -> list[Change]:
        """Return what differs between two states, by path. `checkpoint` is blamed where an object is gone."""
        with reading(checkpoint):
            return changes_between(self.objects.tree, (old.index, old.working), (new.index, new.working))

    def changes_since_head(self, checkpoint: Checkpoint) -> list[Change]:
        """Return what a checkpoint holds beyond its HEAD. What Git held to be clean is not among it (line ends)."""
        with reading(checkpoint):
            head = self.objects.tree_of(checkpoint.head)
            changes = changes_between(self.objects.tree, (head, head), (checkpoint.index_tree, checkpoint.working_tree))
            staged = {change.path for change in changes if change.staged}
            clean = self._clean_but_other_bytes(checkpoint) - staged
        return [change for change in changes if change.staged or change.path not in clean]

    def _clean_but_other_bytes(self, checkpoint: Checkpoint) -> set[RelPath]:
        unclean = {path_bytes(text) for text in chain_of(self.objects, checkpoint).metadata.stat_unclean}
        differing = diff_trees(self.objects.tree, checkpoint.index_tree, checkpoint.working_tree).changes
        return {change.path for change in differing if change.old and change.new and change.path not in unclean}

    def where_it_changed(self, newest_first: Iterable[Checkpoint], path: bytes) -> Iterator[Checkpoint]:
        """Yield the checkpoints in which a path (or anything below it) is not as in the one before."""
        after: tuple[Checkpoint, object] | None = None
        for checkpoint in newest_first:
            try:
                here = [
                    content_at(self.objects.tree, tree, path)
                    for tree in (checkpoint.index_tree, checkpoint.working_tree)
                ]
            except (ObjectMissing, RepositoryDamaged):
                continue  # a damaged one tells nothing; its neighbours are compared with each other
            if after is not None and after[1] != here:
                yield after[0]
            after = (checkpoint, here)
        if after is not None and after[1] != [None, None]:
            yield after[0]


def changes_until_now(work: OpenMemory, checkpoint: Checkpoint) -> list[Change]:
    """Return what differs between a checkpoint and the folder as it is now. Takes no checkpoint of it.

    Raises CheckpointDamaged, or an error of a look.
    """
    now = StateTrees(work.objects, work.looker.look().state)
    with reading(checkpoint):
        return changes_between(
            now.read, (checkpoint.index_tree, checkpoint.working_tree), (now.index.root, now.working.root)
        )
