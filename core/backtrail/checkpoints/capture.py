"""Taking one checkpoint: objects first, then the ref; the row is finished by whoever records the look.

Order (design: engine, the hidden chain): a pending row, the objects, the ref. A kill in between leaves a pending row
that the next start finishes or drops. Captures the state that a look saw, or fails visibly; never one that was not
there: each file is read again while it is stored and must hash to what the look saw. Touches nothing but objects and
our ref.
"""

import contextlib
import datetime
import os

import msgspec

from backtrail.checkpoints.losses import LossFinder
from backtrail.checkpoints.state_trees import StateTrees
from backtrail.checkpoints.verify import wrong_of
from backtrail.checkpoints.wanted import Beyond, Wanted, wanted
from backtrail.git.chain import BrokenChain, encode_chain, read_chain
from backtrail.git.collecting import gc_at_work
from backtrail.git.new_objects import ContentMoved, NewObject, add_objects
from backtrail.git.objects import Objects
from backtrail.git.refs import create_ref, read_ref, remove_ref
from backtrail.git.repository import Repository
from backtrail.git.tree_diff import TreeChange, diff_trees
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
from backtrail.model.path_text import path_bytes
from backtrail.model.progress import FILE_COST, SILENT, LookStep, Progress
from backtrail.scan.look import Look, Looker
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
        trees = StateTrees(self._objects, state, self._looker.cache)
        base = previous if previous is not None and self._is_whole(previous) else None
        beyond = None
        if base is not None:
            try:
                beyond = Beyond(
                    diff_trees(trees.read, base.working_tree, trees.working.root),
                    diff_trees(trees.read, base.index_tree, trees.index.root),
                )
            except (ObjectMissing, RepositoryDamaged):
                base = None  # a tree of it is gone: nothing that it holds is relied on
        wrong = self._wrong()
        all_wanted = wanted(trees, beyond, wrong)
        new, here = self._split(all_wanted, wrong)
        at_risk = self._freshen(here, state.head, trees)
        lost: tuple[Lost, ...] = ()
        if base is not None and beyond is not None and pending.context.cause not in ASKED_FOR:
            finder = LossFinder(self._repository, self._objects, trees.read, self._unchanged(base))
            with contextlib.suppress(ObjectMissing, RepositoryDamaged):  # what cannot be read keeps no new work away
                lost = finder.find(base, state, beyond.working.changes, beyond.index.changes)
        checkpoint = Checkpoint(
            id=pending.id,
            memory_id=pending.memory_id,
            seq=pending.seq,
            state=CheckpointState.RECORDED,
            commit=Oid(bytes(20)),
            branch=state.branch,
            head=state.head,
            operation=state.operation,
            index_tree=trees.index.root,
            working_tree=trees.working.root,
            content_token=look.token,
            context=pending.context,
            captured_at=pending.begun_at,
            coverage=state.coverage,
            difference=_difference(beyond.working.changes) if beyond else Difference(),
            lost=lost,
            kept_in=base.id if base is not None and lost else None,
            clock_went_back=previous is not None and pending.begun_at < previous.captured_at,
            note=pending.context.note,
        )
        chain = encode_chain(checkpoint, state)
        new += [item for item in chain.objects if not self._objects.has(item.oid)]
        made_here = new + [item for oid in at_risk if (item := all_wanted.made(self._root, oid)) is not None]
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
            filtered = diff_trees(self._objects.tree, base.index_tree, base.working_tree).changes
        except (BrokenChain, ObjectMissing, RepositoryDamaged):
            return frozenset()
        unclean = {path_bytes(text) for text in told.stat_unclean}
        return frozenset(c.path for c in filtered if c.old and c.new and c.path not in unclean)

    def _wrong(self) -> frozenset[Oid]:
        """Return the objects that were found damaged in any checkpoint and still are: they are made anew."""
        found = {item for row in self._rows.damaged(self._memory_id) for item in row.damage}
        return frozenset(oid_from_hex(item) for item in wrong_of(self._objects, found))

    def _split(self, all_wanted: Wanted, wrong: frozenset[Oid]) -> tuple[list[NewObject], list[Oid]]:
        """Return the objects to add, and those that are here already. Raises ObjectMissing.

        A wrong one that cannot be made anew is taken as it is: for its sake nothing else goes unkept.
        """
        new: list[NewObject] = []
        here: list[Oid] = []
        for oid in all_wanted.oids():
            is_here = self._objects.has(oid)
            if is_here and oid not in wrong:
                here.append(oid)
            elif (item := all_wanted.made(self._root, oid)) is not None:
                new.append(item)
            elif is_here:
                here.append(oid)
            else:
                raise ObjectMissing(self._root, oid.hex())
        return new, here

    def _freshen(self, here: list[Oid], head: Oid | None, trees: StateTrees) -> list[Oid]:
        """Keep what no commit is sure to hold from being collected before our ref does; return what that is."""
        if not here:
            return []
        head_tree = self._objects.tree_of(head)
        beyond: set[Oid] = set()
        for root in {trees.working.root, trees.index.root}:
            diff = diff_trees(trees.read, head_tree, root)
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


def _difference(changes: tuple[TreeChange, ...]) -> Difference:
    return Difference(
        added=sum(change.old is None for change in changes),
        changed=sum(change.old is not None and change.new is not None for change in changes),
        removed=sum(change.new is None for change in changes),
        first=tuple(change.path for change in changes[:_FIRST_PATHS]),
    )
