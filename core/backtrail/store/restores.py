"""The rows of restores, in the order in which they began.

The journal of a restore decides what happened; these rows tell of it. Does not read archives.
"""

from typing import Any

from backtrail.model.ids import MemoryId, RestoreId
from backtrail.model.restore import RestoreRecord
from backtrail.store.columns import from_row, to_row
from backtrail.store.connection import Connection
from backtrail.store.prefix import has_prefix
from backtrail.store.tables import RestoreRow


class Restores:
    """The restores of one database."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, record: RestoreRecord) -> None:
        """Add a record, or write all its facts anew: its place in the order stays. Raises Contradiction."""
        row = to_row(record)
        self._connection.change(RestoreRow.insert(row).on_conflict(conflict_target=[RestoreRow.id], update=row))

    def get(self, restore_id: RestoreId) -> RestoreRecord | None:
        """Return the record of exactly this id."""
        return self._connection.value(RestoreRow.select().where(RestoreRow.id == restore_id), _record)

    def find(self, prefix: str) -> list[RestoreRecord]:
        """Return the records whose id begins with `prefix`, by id."""
        query = RestoreRow.select().where(has_prefix(RestoreRow.id, prefix)).order_by(RestoreRow.id)
        return self._connection.values(query, _record)

    def of_memory(self, memory_id: MemoryId) -> list[RestoreRecord]:
        """Return the records of a memory, newest first: in the order of writing, for a clock may go back (B81)."""
        query = RestoreRow.select().where(RestoreRow.memory_id == memory_id).order_by(RestoreRow.number.desc())
        return self._connection.values(query, _record)


def _record(row: dict[str, Any]) -> RestoreRecord:
    return from_row(row, RestoreRecord)
