import msgspec
import pytest
from backtrail.model.ids import CheckpointId, MemoryId
from backtrail.store.connection import Contradiction
from backtrail.store.database import Database
from core.store import facts


def test_the_last_observation_replaces_the_one_before(database: Database) -> None:
    assert database.observations.get(facts.NOTES) is None
    database.observations.put(facts.observation(CheckpointId("c")))
    assert database.observations.get(facts.NOTES) == facts.observation(CheckpointId("c"))
    later = msgspec.structs.replace(facts.observation(), beyond=(), branch=None, head=facts.oid(3))
    database.observations.put(later)
    assert database.observations.get(facts.NOTES) == later


def test_an_observation_of_nobody_is_refused(database: Database) -> None:
    with pytest.raises(Contradiction):
        database.observations.put(facts.observation(memory_id=MemoryId("nobody")))
