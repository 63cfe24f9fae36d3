"""Taking one checkpoint: objects first, then the ref; the row is finished by whoever records the look.

Order (design: engine, the hidden chain): a pending row, the objects, the ref. A kill in between leaves a pending row
that the next start finishes or drops. Captures the state that a look saw, or fails visibly; never one that was not
there: each file is read again while it is stored and must hash to what the look saw. Touches nothing but objects and
our ref.
"""

import datetime
import functools
import os
from collections.abc import Callable

import msgspec

from backtrail.checkpoints.losses import LossFinder
from backtrail.checkpoints.state_trees import StateTrees
from backtrail.checkpoints.verify import wrong_of
from backtrail.git.chain import BrokenChain, encode_chain, read_chain
from backtrail.git.collecting import gc_at_work
from backtrail.git.new_objects import ContentMoved, NewObject, add_objects
from backtrail.git.objects import Kind, Objects
from backtrail.git.refs import create_ref, read_ref, remove_ref
from backtrail.git.repository import Repository
from backtrail.git.tree_diff import TreeChange, TreeDiff, diff_trees
from backtrail.git.trees import Trees
from backtrail.model.checkpoint import (
    ASKED_FOR,
    Checkpoint,
    CheckpointState,
    Context,
    Difference,
    Lost,
    PendingCheckpoint,
)
from backtrail.model.errors.capture import DISK_FULL, CaptureFailed, NoSpace, UnmergedIndex
from backtrail.model.errors.repository import ObjectMissing, RepositoryDamaged
from backtrail.model.ids import CheckpointId, MemoryId, Oid, new_id, oid_from_hex
from backtrail.model.net_state import Mode, NetState
from backtrail.model.path_text import path_bytes
from backtrail.model.progress import FILE_COST, SILENT, LookStep, Progress
from backtrail.scan.look import Look, Looker
from backtrail.scan.reading import link_below, open_below
from backtrail.store.checkpoints import Checkpoints

_TRIES = 3
_FIRST_PATHS = 5


class Captured(msgspec.Struct, frozen=True):
    """A checkpoint whose ref exists, and the look that it holds (which may be newer than the one it was asked for)."""

    checkpoint: Checkpoint
    trees: StateTrees
    look: Look


class Capture:
    """Takes checkpoints of one memory. The caller holds that memory's lock."""

    def __init__(self, memory_id: MemoryId, looker: Looker, rows: Checkpoints) -> None:
        self._memory_id = memory_id
        self._looker = looker
        self._rows = rows
        self._repository = looker.repository
        self._root = looker.repository.root
        self._objects = Objects(looker.repository)

    def take(
        self,
        look: Look,
        context: Context,
        previous: Checkpoint | None,
        now: datetime.datetime,
        progress: Progress = SILENT,
    ) -> Captured:
        """Keep the state that `look` saw. `previous` is the newest checkpoint. progress: may stop it before the ref.

        Raises UnmergedIndex, ObjectMissing, NoSpace, CaptureFailed, or an error of a look that had to be repeated.
        """
        changing: frozenset[bytes] = frozenset()
        for attempt in range(_TRIES):
            if look.state.conflicts:
                raise UnmergedIndex(look.state.conflicts)
            pending = self._rows.begin(self._memory_id, CheckpointId(new_id()), context, now)
            try:
                return Captured(*self._write(look, pending, previous, progress), look)
            except BaseException as error:
                self._rows.drop_pending(pending.id)
                if isinstance(error, OSError):
                    raise self._refused(error) from error
                if not isinstance(error, ContentMoved):
                    raise
                if attempt == _TRIES - 2:
                    changing = frozenset({error.path})  # twice is enough: it is said to be changing, and left out
            look = self._looker.look(changing=changing, progress=progress)
        raise CaptureFailed(self._root, "files kept changing while they were read")

    def _refused(self, error: OSError) -> CaptureFailed | NoSpace:
        if error.errno in DISK_FULL:
            return NoSpace(self._root)
        return CaptureFailed(self._root, error.strerror or str(error))

    def _write(
        self, look: Look, pending: PendingCheckpoint, previous: Checkpoint | None, progress: Progress
    ) -> tuple[Checkpoint, StateTrees]:
        state = look.state
        trees = StateTrees(self._objects, state)
        working, index, read = trees.working, trees.index, trees.read
        base = previous if previous is not None and self._is_whole(previous) else None
        try:
            working_diff = diff_trees(read, base.working_tree if base else None, working.root)
            index_diff = diff_trees(read, base.index_tree if base else None, index.root)
        except (ObjectMissing, RepositoryDamaged):
            base = None  # a tree of it is gone: nothing that it holds is relied on
            working_diff, index_diff = diff_trees(read, None, working.root), diff_trees(read, None, index.root)
        wrong = self._wrong()
        wanted = self._wanted(state, (working, working_diff), (index, index_diff), wrong)
        new, here = self._split(wanted, wrong)
        at_risk = self._freshen(here, state.head, read, (working.root, index.root))
        lost: tuple[Lost, ...] = ()
        if base is not None and pending.context.cause not in ASKED_FOR:
            finder = LossFinder(self._repository, self._objects, read, self._unchanged(base))
            lost = finder.find(base, state, working_diff.changes, index_diff.changes)
        checkpoint = Checkpoint(
            id=pending.id,
            memory_id=pending.memory_id,
            seq=pending.seq,
            state=CheckpointState.RECORDED,
            commit=Oid(bytes(20)),
            branch=state.branch,
            head=state.head,
            operation=state.operation,
            index_tree=index.root,
            working_tree=working.root,
            content_token=look.token,
            context=pending.context,
            captured_at=pending.begun_at,
            coverage=state.coverage,
            difference=_difference(working_diff.changes) if base else Difference(),
            lost=lost,
            kept_in=base.id if base is not None and lost else None,
            clock_went_back=previous is not None and pending.begun_at < previous.captured_at,
            note=pending.context.note,
        )
        chain = encode_chain(checkpoint, state)
        new += [item for item in chain.objects if not self._objects.has(item.oid)]
        made_here = new + [item for oid in at_risk if (item := wanted[oid]) is not None]
        self._add(new, made_here, here, checkpoint.ref, chain.commit, progress)
        return msgspec.structs.replace(checkpoint, commit=chain.commit), trees

    def _add(
        self,
        new: list[NewObject],
        made_here: list[NewObject],
        here: list[Oid],
        ref: bytes,
        commit: Oid,
        progress: Progress,
    ) -> None:
        """Add objects, then the ref, so that no `git gc --prune=now` that runs meanwhile leaves the ref without them.

        made_here: the new ones, and those that are here already but that nothing else may hold.
        """
        folder, common_dir = self._objects.folder, self._repository.common_dir
        collecting = gc_at_work(common_dir)
        keeps: list[bytes | None] = []
        try:
            adding = made_here if collecting else new
            progress.step(LookStep.STORING, sum(item.size + FILE_COST for item in adding))
            keeps.append(add_objects(folder, adding, progress, one_pack=collecting))
            wanted = [*here, *(item.oid for item in new)]
            self._look_up_once_more(wanted)
            create_ref(common_dir, ref, commit)
            try:
                if not collecting and (gc_at_work(common_dir) or self._gone([item.oid for item in made_here])):
                    keeps.append(add_objects(folder, made_here, one_pack=True))
                    self._look_up_once_more(wanted)
            except BaseException:
                remove_ref(common_dir, ref)
                raise
        finally:
            for keep in keeps:
                if keep is not None:
                    os.unlink(keep)

    def _is_whole(self, checkpoint: Checkpoint) -> bool:
        """Tell whether the ref of a checkpoint still holds it, so that its objects need no look."""
        return read_ref(self._repository.common_dir, checkpoint.ref) == checkpoint.commit and all(
            self._objects.has(oid) for oid in (checkpoint.commit, checkpoint.working_tree, checkpoint.index_tree)
        )

    def _unchanged(self, base: Checkpoint) -> frozenset[bytes]:
        """Return the paths of `base` that Git held to be clean although their bytes were not the index's."""
        try:
            told = read_chain(self._objects, base.commit).metadata
        except BrokenChain:
            return frozenset()
        unclean = {path_bytes(text) for text in told.stat_unclean}
        filtered = diff_trees(self._objects.tree, base.index_tree, base.working_tree).changes
        return frozenset(c.path for c in filtered if c.old and c.new and c.path not in unclean)

    def _wrong(self) -> frozenset[Oid]:
        """Return the objects that were found damaged in any checkpoint and still are: they are made anew."""
        found = {item for row in self._rows.damaged(self._memory_id) for item in row.damage}
        return frozenset(oid_from_hex(item) for item in wrong_of(self._objects, found))

    def _wanted(
        self,
        state: NetState,
        working: tuple[Trees, TreeDiff],
        index: tuple[Trees, TreeDiff],
        wrong: frozenset[Oid],
    ) -> dict[Oid, NewObject | None]:
        """Return every object that the last checkpoint does not hold; None where it cannot be made from the disk.

        wrong: objects that nothing can be said to hold.
        """
        wanted: dict[Oid, NewObject | None] = {}
        for oid in (state.head, *(state.merge.heads if state.merge else ())):
            if oid is not None:
                wanted[oid] = None
        for change in index[1].changes:
            if change.new is not None and change.new[0] != Mode.GITLINK:
                wanted[change.new[1]] = None
        entries = {entry.path: entry for entry in state.working}
        changed = {change.path for change in working[1].changes if change.new is not None}
        for path in changed.union(entry.path for entry in state.working if entry.oid in wrong):
            entry = entries[path]
            if entry.mode == Mode.GITLINK:
                continue
            if entry.checked_out:
                opener = functools.partial(_open_at, self._root, entry.path, link=entry.mode == Mode.SYMLINK)
                wanted[entry.oid] = NewObject(entry.oid, Kind.BLOB, entry.size, opener, entry.path)
            else:
                wanted.setdefault(entry.oid, None)
        for trees, diff in (working, index):
            for oid in {*diff.new_trees, *(wrong & trees.objects.keys())}:
                wanted[oid] = NewObject(oid, Kind.TREE, len(trees.objects[oid]), trees.objects[oid])
        return wanted

    def _split(self, wanted: dict[Oid, NewObject | None], wrong: frozenset[Oid]) -> tuple[list[NewObject], list[Oid]]:
        """Return the objects to add, and those that are here already. Raises ObjectMissing.

        A wrong one that cannot be made anew is taken as it is: for its sake nothing else goes unkept.
        """
        new: list[NewObject] = []
        here: list[Oid] = []
        for oid, item in wanted.items():
            if self._objects.has(oid) and (item is None or oid not in wrong):
                here.append(oid)
            elif item is None:
                raise ObjectMissing(self._root, oid.hex())
            else:
                new.append(item)
        return new, here

    def _freshen(
        self, here: list[Oid], head: Oid | None, read: Callable[[Oid], bytes], roots: tuple[Oid, Oid]
    ) -> list[Oid]:
        """Keep what no commit is sure to hold from being collected before our ref does; return what that is."""
        if not here:
            return []
        head_tree = self._objects.tree_of(head)
        beyond: set[Oid] = set()
        for root in roots:
            diff = diff_trees(read, head_tree, root)
            beyond.update(diff.new_trees)
            beyond.update(change.new[1] for change in diff.changes if change.new is not None)
        at_risk = [oid for oid in here if oid in beyond]
        self._objects.freshen(at_risk)
        return at_risk

    def _look_up_once_more(self, oids: list[Oid]) -> None:
        """Raise unless every object is there: a ref to a missing one would break the person's own `git gc`."""
        if gone := self._gone(oids):
            raise RepositoryDamaged(self._root, gone[0].hex(), "it went away while it was being kept")

    def _gone(self, oids: list[Oid]) -> list[Oid]:
        """Return what is not there, as a handle opened just now sees it: an older one sees packs that are removed."""
        repository = Repository.open(self._root)
        try:
            objects = Objects(repository)
            return [oid for oid in oids if not objects.has(oid)]
        finally:
            repository.close()


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


def _difference(changes: tuple[TreeChange, ...]) -> Difference:
    return Difference(
        added=sum(change.old is None for change in changes),
        changed=sum(change.old is not None and change.new is not None for change in changes),
        removed=sum(change.new is None for change in changes),
        first=tuple(change.path for change in changes[:_FIRST_PATHS]),
    )
