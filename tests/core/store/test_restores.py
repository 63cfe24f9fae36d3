import datetime

import msgspec
from backtrail.model.ids import MemoryId, RestoreId
from backtrail.model.restore import RestoreState
from backtrail.store.database import Database
from core.store import facts


def test_a_record_comes_back_with_its_odd_paths(database: Database) -> None:
    database.restores.put(facts.restore(1))
    assert database.restores.get(RestoreId("restore-1")) == facts.restore(1)
    assert database.restores.get(RestoreId("restore-")) is None


def test_a_record_written_again_keeps_its_place(database: Database) -> None:
    for number in (1, 2, 3):
        earlier = facts.NOW - datetime.timedelta(days=number)  # the clock goes back (case B81)
        record = msgspec.structs.replace(facts.restore(number), started_at=earlier, state=RestoreState.RUNNING)
        database.restores.put(record)
    finished = msgspec.structs.replace(facts.restore(1), late=(), undo_of=RestoreId("restore-0"))
    database.restores.put(finished)
    records = database.restores.of_memory(facts.NOTES)
    assert [record.id for record in records] == ["restore-3", "restore-2", "restore-1"]
    assert records[2] == finished
    assert database.restores.of_memory(MemoryId("other")) == []


def test_wildcards_in_an_id_prefix_do_not_act(database: Database) -> None:
    database.restores.put(facts.restore(1))
    database.restores.put(facts.restore(2))
    assert [record.id for record in database.restores.find("restore-")] == ["restore-1", "restore-2"]
    assert database.restores.find("%") == database.restores.find("restore_") == []
