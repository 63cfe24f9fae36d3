"""Bringing rows and refs of one memory together again: after a kill, a lost database, a foreign `git update-ref -d`.

Owns the rule that the refs hold the content and the rows are an index of them:
- a pending row with its ref is finished, without one it is dropped;
- a row whose ref or commit is gone is damaged; if it is sure that objects are gone, and not only unreadable for a
  while, its ref leaves `refs/`, so that `git gc` goes on working;
- a row in which less was found wrong stays damaged, with its ref, until that is there again: the rest can be read;
- a ref that no row tells of gives a row marked `recovered-from-ref`.
"""

import contextlib

import msgspec

from backtrail.checkpoints.verify import still_damaged
from backtrail.git.chain import BrokenChain, read_chain
from backtrail.git.head import read_head
from backtrail.git.objects import Objects
from backtrail.git.refs import drop_lock, refs_below, remove_ref
from backtrail.git.repository import Repository
from backtrail.model.checkpoint import Checkpoint, CheckpointState
from backtrail.model.errors.repository import AnotherRepository, ObjectMissing, RepositoryDamaged
from backtrail.model.ids import RECOVERY_REFS, CheckpointId, MemoryId, Oid
from backtrail.store.database import Database

_ALL = 1 << 40


class Reconciled(msgspec.Struct, frozen=True):
    """What was mended: ids of checkpoints."""

    finished: tuple[CheckpointId, ...] = ()
    dropped: tuple[CheckpointId, ...] = ()
    damaged: tuple[CheckpointId, ...] = ()
    recovered: tuple[CheckpointId, ...] = ()


def reconcile(
    repository: Repository, memory_id: MemoryId, database: Database, foreign: frozenset[MemoryId]
) -> Reconciled:
    """Bring rows and refs together. `foreign`: other memories, whose checkpoints may share these refs (case B43).

    Raises AnotherRepository if the repository knows nothing of what the rows tell.
    """
    objects = Objects(repository)
    refs = recovery_refs(repository)
    rows = {row.id: row for row in database.checkpoints.page(memory_id, limit=_ALL)}
    _refuse_another(repository, objects, list(rows.values()), refs)
    pending = {item.id: item for item in database.checkpoints.pending(memory_id)}
    _refuse_unreadable(repository, objects)
    held = {row.id for row in rows.values() if _held(objects, refs, row)}
    for row in rows.values():
        if row.state is CheckpointState.DAMAGED and row.id in held and not still_damaged(repository, row):
            database.checkpoints.set_damage(row.id, ())
    damaged = [row for row in rows.values() if row.state is not CheckpointState.DAMAGED and row.id not in held]
    for row in damaged:
        database.checkpoints.set_state(row.id, CheckpointState.DAMAGED)
    if any(row.id in refs for row in damaged) and objects.is_readable():
        for row in damaged:
            with contextlib.suppress(FileExistsError):  # git holds packed-refs just now: doctor tells of it
                remove_ref(repository.common_dir, row.ref)
    unannounced = {name: oid for name, oid in refs.items() if name not in rows}
    finished: list[CheckpointId] = []
    recovered: list[CheckpointId] = []
    taken = {row.seq for row in rows.values()}
    for checkpoint in _unannounced(objects, unannounced, memory_id, foreign):
        if checkpoint.id in pending:
            finished.append(checkpoint.id)
            database.checkpoints.record(msgspec.structs.replace(checkpoint, state=CheckpointState.RECORDED))
        else:
            # a ref that came by a fetch or a copied repository may carry a number that is in use here
            seq = max(taken) + 1 if checkpoint.seq in taken else checkpoint.seq
            recovered.append(checkpoint.id)
            database.checkpoints.record(msgspec.structs.replace(checkpoint, seq=seq))
            taken.add(seq)
    dropped = [checkpoint_id for checkpoint_id in pending if checkpoint_id not in refs]
    for checkpoint_id in dropped:
        drop_lock(repository.common_dir, RECOVERY_REFS + checkpoint_id.encode())
        database.checkpoints.drop_pending(checkpoint_id)
    return Reconciled(tuple(finished), tuple(dropped), tuple(row.id for row in damaged), tuple(recovered))


def _refuse_unreadable(repository: Repository, objects: Objects) -> None:
    """Raise if not even HEAD's commit is there: then it is the objects that cannot be reached, not the checkpoints."""
    head = read_head(repository).oid
    if head is not None and not objects.has(head):
        raise RepositoryDamaged(repository.root, head.hex(), "the commit that HEAD names is missing")


def recovery_refs(repository: Repository) -> dict[CheckpointId, Oid]:
    """Return the commit of every recovery ref, by the id that its name holds."""
    return {
        CheckpointId(name.removeprefix(RECOVERY_REFS).decode("ascii", "replace")): oid
        for name, oid in refs_below(repository.common_dir, RECOVERY_REFS).items()
    }


def _held(objects: Objects, refs: dict[CheckpointId, Oid], row: Checkpoint) -> bool:
    return refs.get(row.id) == row.commit and all(
        objects.has(oid) for oid in (row.commit, row.working_tree, row.index_tree)
    )


def _unannounced(
    objects: Objects,
    refs: dict[CheckpointId, Oid],
    memory_id: MemoryId,
    foreign: frozenset[MemoryId],
) -> list[Checkpoint]:
    """Return the checkpoints that only refs tell of, by their own order. What is not readable stays as it is."""
    found: list[Checkpoint] = []
    for checkpoint_id, commit in refs.items():
        try:
            checkpoint = read_chain(objects, commit).checkpoint
        except (BrokenChain, ObjectMissing, RepositoryDamaged):
            continue
        if checkpoint.id == checkpoint_id and checkpoint.memory_id not in foreign:
            found.append(msgspec.structs.replace(checkpoint, memory_id=memory_id))
    return sorted(found, key=lambda checkpoint: (checkpoint.seq, checkpoint.captured_at))


def _refuse_another(
    repository: Repository, objects: Objects, rows: list[Checkpoint], refs: dict[CheckpointId, Oid]
) -> None:
    """Raise if another repository stands in the folder's place: nothing of what is known is in it."""
    whole = [row for row in rows if row.state is not CheckpointState.DAMAGED]
    heads = {row.head for row in whole if row.head is not None}
    if heads and not any(row.id in refs for row in whole) and not any(objects.has(head) for head in heads):
        raise AnotherRepository(repository.root)
