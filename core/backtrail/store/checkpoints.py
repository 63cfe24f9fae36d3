"""The rows of checkpoints, pending and recorded, and the numbers that order them.

Owns `seq`: a number per memory that is taken once, whatever becomes of the checkpoint (case B81).
Never says that a checkpoint exists: its ref does. Does not handle thinning or verifying; it stores their outcome.
"""

import datetime
from typing import Any

import peewee

from backtrail.model.checkpoint import Checkpoint, CheckpointState, Context, Origin, PendingCheckpoint
from backtrail.model.commands import HeadCount
from backtrail.model.errors.lookup import Unknown
from backtrail.model.ids import CheckpointId, MemoryId
from backtrail.store.columns import from_row, to_row
from backtrail.store.connection import Connection, Contradiction
from backtrail.store.prefix import has_prefix
from backtrail.store.tables import CheckpointRow, MemoryRow, PendingRow

USABLE = (CheckpointState.RECORDED, CheckpointState.RECOVERED)
"""The states of a checkpoint that others may be compared with."""


class Checkpoints:
    """The checkpoints of one database."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def begin(
        self, memory_id: MemoryId, checkpoint_id: CheckpointId, context: Context, at: datetime.datetime
    ) -> PendingCheckpoint:
        """Write down that a checkpoint begins, with the memory's next seq. Raises Unknown."""
        with self._connection.transaction():
            taken = MemoryRow.update(last_seq=MemoryRow.last_seq + 1).where(MemoryRow.id == memory_id)
            if not self._connection.change(taken):
                raise Unknown("memory", memory_id)
            query = MemoryRow.select(MemoryRow.last_seq).where(MemoryRow.id == memory_id)
            seq = self._connection.values(query, lambda row: int(row["last_seq"]))[0]
            pending = PendingCheckpoint(id=checkpoint_id, memory_id=memory_id, seq=seq, context=context, begun_at=at)
            self._connection.change(PendingRow.insert(to_row(pending, spread="context")))
        return pending

    def record(self, checkpoint: Checkpoint) -> None:
        """Turn a pending checkpoint into a recorded one, or add one that never was pending (a rebuild).

        Raises Contradiction where the id or the seq is taken: an id never comes to mean another state (case B06).
        """
        with self._connection.transaction():
            query = PendingRow.select(PendingRow.memory_id, PendingRow.seq).where(PendingRow.id == checkpoint.id)
            begun = self._connection.value(query, lambda row: (row["memory_id"], row["seq"]))
            if begun not in (None, (checkpoint.memory_id, checkpoint.seq)):
                raise Contradiction(f"{checkpoint.id} began as another one: {begun}")
            self.drop_pending(checkpoint.id)
            self._connection.change(CheckpointRow.insert(to_row(checkpoint, spread="context")))
            self.raise_seq(checkpoint.memory_id, checkpoint.seq)

    def drop_pending(self, checkpoint_id: CheckpointId) -> None:
        """Forget a pending checkpoint, if there is one. Its seq stays taken."""
        self._connection.change(PendingRow.delete().where(PendingRow.id == checkpoint_id))

    def pending(self, memory_id: MemoryId) -> list[PendingCheckpoint]:
        """Return the checkpoints of a memory that began and were neither recorded nor dropped, oldest first."""
        query = PendingRow.select().where(PendingRow.memory_id == memory_id).order_by(PendingRow.seq)
        return self._connection.values(query, _pending)

    def get(self, checkpoint_id: CheckpointId) -> Checkpoint | None:
        """Return the checkpoint of exactly this id, pending ones left out."""
        return self._connection.value(CheckpointRow.select().where(CheckpointRow.id == checkpoint_id), _checkpoint)

    def find(self, prefix: str, memory_id: MemoryId | None = None) -> list[Checkpoint]:
        """Return the checkpoints whose id begins with `prefix`, by id; of one memory where that is given."""
        query = CheckpointRow.select().where(has_prefix(CheckpointRow.id, prefix)).order_by(CheckpointRow.id)
        if memory_id is not None:
            query = query.where(CheckpointRow.memory_id == memory_id)
        return self._connection.values(query, _checkpoint)

    def latest(self, memory_id: MemoryId) -> Checkpoint | None:
        """Return the usable checkpoint of the highest seq."""
        return self._connection.value(_newest_first(memory_id).where(_usable()), _checkpoint)

    def before(self, memory_id: MemoryId, seq: int) -> Checkpoint | None:
        """Return the usable checkpoint of the highest seq below `seq`."""
        query = _newest_first(memory_id).where(_usable(), CheckpointRow.seq < seq)
        return self._connection.value(query, _checkpoint)

    def page(
        self,
        memory_id: MemoryId,
        *,
        limit: int,
        below_seq: int | None = None,
        branch: bytes | None = None,
        origin: Origin | None = None,
        since: datetime.datetime | None = None,
        with_losses: bool = False,
    ) -> list[Checkpoint]:
        """Return at most `limit` checkpoints of a memory, newest first, damaged ones included, pending ones not.

        The next page is the one with `below_seq` set to the last seq of this one. Every filter that is given narrows.
        """
        query = _newest_first(memory_id).limit(limit)
        if below_seq is not None:
            query = query.where(CheckpointRow.seq < below_seq)
        if branch is not None:
            query = query.where(CheckpointRow.branch == branch)
        if origin is not None:
            query = query.where(CheckpointRow.context_origin == origin)
        if since is not None:
            query = query.where(CheckpointRow.captured_at >= since)
        if with_losses:
            query = query.where(CheckpointRow.lost.is_null(is_null=False))
        return self._connection.values(query, _checkpoint)

    def count(self, memory_id: MemoryId) -> int:
        """Return how many checkpoints a memory has, damaged ones included, pending ones not."""
        query = CheckpointRow.select(peewee.fn.COUNT(CheckpointRow.id).alias("rows"))
        found = self._connection.values(query.where(CheckpointRow.memory_id == memory_id), lambda row: int(row["rows"]))
        return found[0]

    def heads(self, memory_id: MemoryId, limit: int, below_seq: int | None = None) -> list[HeadCount]:
        """Return how many checkpoints sit at each commit, by the newest of them, newest first.

        The next page is the one with `below_seq` set to the last `newest_seq` of this one.
        """
        newest = peewee.fn.MAX(CheckpointRow.seq)
        query = CheckpointRow.select(  # SQLite takes the id from the row that holds the maximum
            CheckpointRow.head, CheckpointRow.id, newest.alias("newest_seq"), peewee.fn.COUNT().alias("rows")
        ).where(CheckpointRow.memory_id == memory_id, CheckpointRow.head.is_null(is_null=False))
        query = query.group_by(CheckpointRow.head).order_by(newest.desc()).limit(limit)
        if below_seq is not None:
            query = query.having(newest < below_seq)
        return self._connection.values(query, _head_count)

    def damaged(self, memory_id: MemoryId) -> list[Checkpoint]:
        """Return the damaged checkpoints of a memory, newest first."""
        query = _newest_first(memory_id).where(CheckpointRow.state == CheckpointState.DAMAGED)
        return self._connection.values(query, _checkpoint)

    def set_damage(self, checkpoint_id: CheckpointId, damage: tuple[str, ...]) -> None:
        """Note what is wrong with it; nothing means that it is whole. Raises Unknown."""
        state = CheckpointState.DAMAGED if damage else CheckpointState.RECORDED
        self._set(checkpoint_id, {"state": state, "damage": damage})

    def set_state(self, checkpoint_id: CheckpointId, state: CheckpointState) -> None:
        """Note how far the row can be trusted. Raises Unknown."""
        self._set(checkpoint_id, {"state": state})

    def set_note(self, checkpoint_id: CheckpointId, note: str | None) -> None:
        """Note what the person says about it. Raises Unknown."""
        self._set(checkpoint_id, {"note": note})

    def set_pinned(self, checkpoint_id: CheckpointId, pinned: bool) -> None:  # noqa: FBT001 - the value, not a switch
        """Note whether it is never thinned. Raises Unknown."""
        self._set(checkpoint_id, {"pinned": pinned})

    def delete(self, checkpoint_id: CheckpointId) -> None:
        """Forget a checkpoint, if there is one."""
        self._connection.change(CheckpointRow.delete().where(CheckpointRow.id == checkpoint_id))

    def raise_seq(self, memory_id: MemoryId, at_least: int) -> None:
        """See to it that the next seq of a memory is above `at_least`. It never sinks."""
        behind = (MemoryRow.id == memory_id) & (MemoryRow.last_seq < at_least)
        self._connection.change(MemoryRow.update(last_seq=at_least).where(behind))

    def _set(self, checkpoint_id: CheckpointId, row: dict[str, Any]) -> None:
        if not self._connection.change(CheckpointRow.update(row).where(CheckpointRow.id == checkpoint_id)):
            raise Unknown("checkpoint", checkpoint_id)


def _newest_first(memory_id: MemoryId) -> peewee.Query:
    return CheckpointRow.select().where(CheckpointRow.memory_id == memory_id).order_by(CheckpointRow.seq.desc())


def _usable() -> peewee.Expression:
    return CheckpointRow.state.in_(USABLE)


def _head_count(row: dict[str, Any]) -> HeadCount:
    return HeadCount(row["head"], int(row["rows"]), row["id"], int(row["newest_seq"]))


def _checkpoint(row: dict[str, Any]) -> Checkpoint:
    return from_row(row, Checkpoint, context=Context)


def _pending(row: dict[str, Any]) -> PendingCheckpoint:
    return from_row(row, PendingCheckpoint, context=Context)
