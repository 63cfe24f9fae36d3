import pytest
from backtrail.model.errors.lookup import Unknown
from backtrail.model.inbox import AdmissionState
from backtrail.store.connection import Contradiction
from backtrail.store.database import Database
from core.store import facts


def test_an_event_comes_back_with_its_odd_paths(database: Database) -> None:
    database.inbox.admit(facts.event(1), facts.admission(1))
    assert database.inbox.event("event-1") == facts.event(1)
    assert database.inbox.event("event-2") is None
    assert database.inbox.pending("bot") == [(facts.admission(1), facts.event(1))]


def test_the_oldest_that_wait_come_first(database: Database) -> None:
    for number in range(30, 0, -1):
        database.inbox.admit(facts.event(number), facts.admission(number))
    database.inbox.admit(facts.event(31), facts.admission(31, "somebody else"))
    database.inbox.set_state("admission-30", AdmissionState.DELIVERED, attempts=2)
    database.inbox.set_state("admission-29", AdmissionState.NEEDS_REPAIR)
    waiting = [admission.id for admission, _ in database.inbox.pending("bot")]
    assert waiting == [f"admission-{number}" for number in range(28, 8, -1)]
    everything = database.inbox.all("bot")
    assert len(everything) == 30
    assert everything[0][0].state is AdmissionState.DELIVERED
    assert everything[0][0].attempts == 2
    assert everything[1][0].attempts == 0


def test_an_event_is_told_once(database: Database) -> None:
    database.inbox.admit(facts.event(1), facts.admission(1))
    with pytest.raises(Contradiction):
        database.inbox.admit(facts.event(1), facts.admission(1))
    with pytest.raises(Contradiction):
        database.inbox.admit(facts.event(2), facts.admission(1))
    assert database.inbox.event("event-2") is None
    assert len(database.inbox.all("bot")) == 1
    with pytest.raises(Unknown):
        database.inbox.set_state("nothing", AdmissionState.HANDLED)
