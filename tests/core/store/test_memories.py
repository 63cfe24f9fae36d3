import msgspec
import pytest
from backtrail.model.errors.lookup import Unknown
from backtrail.model.ids import MemoryId
from backtrail.model.memory import MemoryState, Protection, ProtectionState
from backtrail.store.connection import Contradiction
from backtrail.store.database import Database
from core.store import facts


def test_a_path_that_is_not_utf8_comes_back(database: Database) -> None:
    assert database.memories.get(facts.NOTES) == facts.memory()


def test_deleted_memories_stay_and_the_order_is_that_of_adding(database: Database) -> None:
    database.memories.add(facts.memory(MemoryId("a")), None)
    gone = msgspec.structs.replace(facts.memory(), state=MemoryState.DELETED, name="other", size_cap=1 << 62)
    database.memories.replace(gone)
    assert database.memories.all() == [gone, facts.memory(MemoryId("a"))]


def test_protection_and_first_commit_move_alone(database: Database) -> None:
    protection = Protection(ProtectionState.PROTECTED)
    database.memories.set_first_commit(facts.NOTES, facts.oid(255))
    database.memories.set_protection(facts.NOTES, protection)
    assert database.memories.first_commit(facts.NOTES) == facts.oid(255)
    assert database.memories.get(facts.NOTES) == msgspec.structs.replace(facts.memory(), protection=protection)


def test_replacing_keeps_the_first_commit_and_the_seq(database: Database) -> None:
    database.memories.set_first_commit(facts.NOTES, facts.oid(7))
    database.checkpoints.raise_seq(facts.NOTES, 41)
    database.memories.replace(facts.memory())
    assert database.memories.first_commit(facts.NOTES) == facts.oid(7)
    begun = database.checkpoints.begin(facts.NOTES, facts.checkpoint(1).id, facts.checkpoint(1).context, facts.NOW)
    assert begun.seq == 42


def test_a_memory_that_is_not_there_is_said(database: Database) -> None:
    nobody = MemoryId("nobody")
    assert database.memories.get(nobody) is None
    assert database.memories.first_commit(nobody) is None
    with pytest.raises(Unknown):
        database.memories.replace(facts.memory(nobody))
    with pytest.raises(Unknown):
        database.memories.set_protection(nobody, Protection(ProtectionState.PROTECTED))


def test_an_id_is_added_once(database: Database) -> None:
    with pytest.raises(Contradiction):
        database.memories.add(facts.memory(), None)
