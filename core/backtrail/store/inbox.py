"""The rows of Source Events and of their Admissions to PersonaBots, in the order of arrival.

An event is written once and never changed; only the state of its delivery moves (record: memory changes enter the
Inbox). Does not deliver anything and does not decide what is told.
"""

from typing import Any

import peewee

from backtrail.model.errors.lookup import Unknown
from backtrail.model.inbox import Admission, AdmissionState, SourceEvent
from backtrail.store.columns import from_row, to_row
from backtrail.store.connection import Connection, Contradiction
from backtrail.store.tables import AdmissionRow, EventRow


class Inbox:
    """The Inboxes of all PersonaBots of one database."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def admit(self, event: SourceEvent, admission: Admission) -> None:
        """Write an event and its admission, both or neither. Raises Contradiction for an event written before."""
        if admission.event_id != event.id:
            raise Contradiction(f"the admission {admission.id} is of the event {admission.event_id}, not {event.id}")
        with self._connection.transaction():
            self._connection.change(EventRow.insert(to_row(event)))
            self._connection.change(AdmissionRow.insert(to_row(admission)))

    def pending(self, bot: str, limit: int = 20) -> list[tuple[Admission, SourceEvent]]:
        """Return at most `limit` of the admissions that wait for delivery to `bot`, oldest first."""
        query = _of(bot).where(AdmissionRow.state == AdmissionState.PENDING).limit(limit)
        return self._connection.values(query, _admitted)

    def all(self, bot: str) -> list[tuple[Admission, SourceEvent]]:
        """Return everything that was ever admitted to `bot`, oldest first."""
        return self._connection.values(_of(bot), _admitted)

    def event(self, event_id: str) -> SourceEvent | None:
        """Return the event of this id."""
        return self._connection.value(EventRow.select().where(EventRow.id == event_id), _event)

    def set_state(self, admission_id: str, state: AdmissionState, attempts: int | None = None) -> None:
        """Note where the delivery stands; `attempts` stays as it is where it is not given. Raises Unknown."""
        row: dict[str, Any] = {"state": state} if attempts is None else {"state": state, "attempts": attempts}
        if not self._connection.change(AdmissionRow.update(row).where(AdmissionRow.id == admission_id)):
            raise Unknown("admission", admission_id)


def _of(bot: str) -> peewee.Query:
    facts = (EventRow.memory_id, EventRow.kind, EventRow.at, EventRow.change)
    return (
        AdmissionRow.select(AdmissionRow, *facts)
        .join(EventRow, on=(AdmissionRow.event_id == EventRow.id))
        .where(AdmissionRow.bot == bot)
        .order_by(AdmissionRow.number)
    )


def _admitted(row: dict[str, Any]) -> tuple[Admission, SourceEvent]:
    return from_row(row, Admission), _event(row | {"id": row["event_id"]})


def _event(row: dict[str, Any]) -> SourceEvent:
    return from_row(row, SourceEvent)
