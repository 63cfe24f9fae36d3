"""The last observation of each memory: one row per memory, replaced as a whole.

Does not decide when an observation moves; that is one transaction with the Inbox, made elsewhere.
"""

from typing import Any

from backtrail.model.ids import MemoryId
from backtrail.model.observation import Observation
from backtrail.store.columns import from_row, to_row
from backtrail.store.connection import Connection
from backtrail.store.tables import ObservationRow


class Observations:
    """The observations of one database."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, memory_id: MemoryId) -> Observation | None:
        """Return what was last observed of a memory."""
        query = ObservationRow.select().where(ObservationRow.memory_id == memory_id)
        return self._connection.value(query, _observation)

    def put(self, observation: Observation) -> None:
        """Write down what was observed, instead of what was there. Raises Contradiction for an unknown memory."""
        self._connection.change(ObservationRow.insert(to_row(observation)).on_conflict_replace())


def _observation(row: dict[str, Any]) -> Observation:
    return from_row(row, Observation)
