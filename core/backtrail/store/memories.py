"""The rows of memories, in the order in which they were added.

A memory's row is never removed: a deleted one stays as what was known of it, and its seq is never used again.
Does not decide anything about lifecycles or names.
"""

from typing import Any

from backtrail.model.errors.lookup import Unknown
from backtrail.model.ids import MemoryId, Oid
from backtrail.model.memory import Memory, Protection
from backtrail.store.columns import from_row, to_row
from backtrail.store.connection import Connection
from backtrail.store.tables import MemoryRow


class Memories:
    """The memories of one database."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, memory: Memory, first_commit: Oid | None) -> None:
        """Add one. `first_commit` tells later whether the folder still holds this repository."""
        row = to_row(memory, spread="protection")
        self._connection.change(MemoryRow.insert(row | {"first_commit": first_commit}))

    def get(self, memory_id: MemoryId) -> Memory | None:
        """Return the memory of this id."""
        return self._connection.value(MemoryRow.select().where(MemoryRow.id == memory_id), _memory)

    def all(self) -> list[Memory]:
        """Return all of them, deleted ones included."""
        return self._connection.values(MemoryRow.select().order_by(MemoryRow.number), _memory)

    def replace(self, memory: Memory) -> None:
        """Write all facts of a known memory anew. Raises Unknown."""
        self._set(memory.id, to_row(memory, spread="protection"))

    def first_commit(self, memory_id: MemoryId) -> Oid | None:
        """Return the first commit that was noted, None where there was none yet."""
        query = MemoryRow.select(MemoryRow.first_commit).where(MemoryRow.id == memory_id)
        return self._connection.value(query, _first_commit)

    def set_first_commit(self, memory_id: MemoryId, first_commit: Oid | None) -> None:
        """Note the first commit. Raises Unknown."""
        self._set(memory_id, {"first_commit": first_commit})

    def set_protection(self, memory_id: MemoryId, protection: Protection) -> None:
        """Note whether the memory is protected. Raises Unknown."""
        self._set(memory_id, {f"protection_{name}": fact for name, fact in to_row(protection).items()})

    def _set(self, memory_id: MemoryId, row: dict[str, Any]) -> None:
        if not self._connection.change(MemoryRow.update(row).where(MemoryRow.id == memory_id)):
            raise Unknown("memory", memory_id)


def _memory(row: dict[str, Any]) -> Memory:
    return from_row(row, Memory, protection=Protection)


def _first_commit(row: dict[str, Any]) -> Oid | None:
    return None if row["first_commit"] is None else Oid(row["first_commit"])
