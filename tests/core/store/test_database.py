import pathlib
import sqlite3
import stat
import threading

import msgspec
import peewee
import pytest
from backtrail.model.checkpoint import OBSERVED
from backtrail.model.errors.host import DatabaseNewer, DataFolderUnusable, HostBusy
from backtrail.model.ids import CheckpointId, MemoryId
from backtrail.store.database import Database
from backtrail.store.migrations import STEPS
from backtrail.store.tables import TABLES
from core.store import facts


def test_only_the_person_can_read_it(database: Database, place: pathlib.Path) -> None:
    database.memories.set_first_commit(facts.NOTES, facts.oid(1))
    files = [file for file in place.parent.iterdir() if file.name.startswith(place.name)]
    assert len(files) == 3
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_what_is_announced_is_on_the_disk(database: Database) -> None:
    pragmas = ("journal_mode", "synchronous", "foreign_keys")
    assert [database._connection.sql(f"PRAGMA {name}") for name in pragmas] == [[("wal",)], [(2,)], [(1,)]]


def test_everything_is_there_when_it_is_opened_again(place: pathlib.Path) -> None:
    for _ in range(2):
        with Database.open(place) as database:
            if not database.memories.all():
                database.memories.add(facts.memory(), facts.oid(1))
    with Database.open(place) as database:
        assert database.memories.all() == [facts.memory()]


def test_a_transaction_that_fails_half_way_leaves_nothing(database: Database) -> None:
    def half() -> None:
        with database.transaction():
            database.checkpoints.record(facts.checkpoint(1))
            database.observations.put(facts.observation())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert database.checkpoints.get(facts.checkpoint(1).id) is None
    assert database.observations.get(facts.NOTES) is None
    assert database.checkpoints.begin(facts.NOTES, CheckpointId("a"), OBSERVED, facts.NOW).seq == 1


def test_an_inner_transaction_that_fails_leaves_the_outer_one(database: Database) -> None:
    def inner() -> None:
        with database.transaction():
            database.checkpoints.record(facts.checkpoint(2))
            raise LookupError

    with database.transaction():
        database.checkpoints.record(facts.checkpoint(1))
        with pytest.raises(LookupError):
            inner()
    assert [value.seq for value in database.checkpoints.page(facts.NOTES, limit=9)] == [1]


def test_a_transaction_that_sqlite_ended_by_itself_takes_no_more(database: Database) -> None:
    def go_on() -> None:
        with database.transaction():
            database.checkpoints.record(facts.checkpoint(1))
            database._connection.sql("ROLLBACK")  # as SQLite does when the disk is full
            with pytest.raises(DataFolderUnusable):
                database.checkpoints.record(facts.checkpoint(2))

    with pytest.raises(DataFolderUnusable):
        go_on()
    assert database.checkpoints.count(facts.NOTES) == 0
    database.checkpoints.record(facts.checkpoint(3))


def test_an_error_of_the_caller_inside_a_transaction_stays_what_it_is(database: Database) -> None:
    for error in (msgspec.ValidationError("on the wire"), sqlite3.DatabaseError("elsewhere")):
        with pytest.raises(type(error), match=str(error)), database.transaction():
            raise error


def test_two_open_databases_do_not_mix(tmp_path: pathlib.Path) -> None:
    with Database.open(tmp_path / "one") as one, Database.open(tmp_path / "two") as two:
        one.memories.add(facts.memory(MemoryId("1")), None)
        with one.transaction():
            two.memories.add(facts.memory(MemoryId("2")), None)
            one.memories.add(facts.memory(MemoryId("3")), None)
        assert [memory.id for memory in one.memories.all()] == ["1", "3"]
        assert [memory.id for memory in two.memories.all()] == ["2"]


def test_another_thread_is_not_drawn_into_a_transaction(database: Database) -> None:
    seen: list[int] = []
    reader = threading.Thread(target=lambda: seen.append(database.checkpoints.count(facts.NOTES)))

    def half() -> None:
        with database.transaction():
            database.checkpoints.record(facts.checkpoint(1))
            reader.start()
            raise LookupError

    with pytest.raises(LookupError):
        half()
    reader.join()
    assert seen == [0]


def test_threads_take_each_seq_once(database: Database) -> None:
    def take(name: int) -> None:
        for number in range(50):
            database.checkpoints.begin(facts.NOTES, CheckpointId(f"{name}-{number}"), OBSERVED, facts.NOW)

    threads = [threading.Thread(target=take, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [pending.seq for pending in database.checkpoints.pending(facts.NOTES)] == list(range(1, 201))


def test_a_closed_database_says_so(database: Database) -> None:
    database.close()
    database.close()
    with pytest.raises(DataFolderUnusable):
        database.memories.all()
    with pytest.raises(DataFolderUnusable), database.transaction():
        pass


def test_a_database_of_a_newer_version_is_left_alone(place: pathlib.Path) -> None:
    Database.open(place).close()
    with sqlite3.connect(place) as raw:
        raw.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    raw.close()
    before = place.read_bytes()
    with pytest.raises(DatabaseNewer) as caught:
        Database.open(place)
    assert (caught.value.found, caught.value.known) == (len(STEPS) + 1, len(STEPS))
    assert place.read_bytes() == before


def test_somebody_else_who_writes_is_named(database: Database, place: pathlib.Path) -> None:
    database._connection.sql("PRAGMA busy_timeout = 10")
    other = sqlite3.connect(place, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(HostBusy):
        database.memories.set_first_commit(facts.NOTES, facts.oid(1))
    other.execute("ROLLBACK")
    other.close()
    database.memories.set_first_commit(facts.NOTES, facts.oid(1))


def test_the_log_of_a_database_that_is_gone_is_not_played_into_a_new_one(place: pathlib.Path) -> None:
    old = Database.open(place)
    old.memories.add(facts.memory(), None)
    log = place.with_name(place.name + "-wal")
    kept = log.read_bytes()
    old.close()
    place.unlink()
    log.write_bytes(kept)
    with Database.open(place) as new:
        assert new.memories.all() == []
    assert place.with_name(place.name + "-wal.orphan").read_bytes() == kept


def test_a_folder_that_is_not_there_is_named(tmp_path: pathlib.Path) -> None:
    with pytest.raises(DataFolderUnusable):
        Database.open(tmp_path / "nowhere" / "backtrail.db")


def test_tables_and_migrations_tell_the_same(database: Database) -> None:
    made = {name for (name,) in database._connection.sql("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert made == {table._meta.table_name for table in TABLES}
    for table in TABLES:
        columns = database._connection.sql(f"PRAGMA table_info({table._meta.table_name})")
        there = [
            (name, kind, bool(needed)) for _, name, kind, needed, _, key in columns if kind != "INTEGER" or not key
        ]
        fields = [field for field in table._meta.sorted_fields if not isinstance(field, peewee.AutoField)]
        assert there == [(field.column_name, field.field_type, not field.null) for field in fields]
