import os
import pathlib
import random
import sqlite3
from collections.abc import Callable

import pytest
from backtrail.model.errors.host import DatabaseDamaged, DatabaseNewer
from backtrail.model.ids import CheckpointId, RestoreId
from backtrail.store.database import Database
from core.store import facts

PAGE = 4096
ROWS = 60
CHANCE = random.Random(1)  # noqa: S311 - the same bytes in each run


@pytest.fixture
def whole(place: pathlib.Path) -> bytes:
    """The bytes of a sound database with rows in every table; the file is at `place`."""
    with Database.open(place) as database, database.transaction():
        database.memories.add(facts.memory(), facts.oid(1))
        for number in range(1, ROWS):
            database.checkpoints.record(facts.with_loss(facts.checkpoint(number)))
            database.inbox.admit(facts.event(number), facts.admission(number))
            database.restores.put(facts.restore(number))
        database.checkpoints.begin(facts.NOTES, CheckpointId("p"), facts.checkpoint(1).context, facts.NOW)
        database.observations.put(facts.observation())
    return place.read_bytes()


def read_everything(database: Database) -> None:
    database.memories.all()
    database.checkpoints.find("")
    database.checkpoints.page(facts.NOTES, limit=1000)
    database.checkpoints.pending(facts.NOTES)
    database.observations.get(facts.NOTES)
    database.inbox.all("bot")
    database.restores.find("")
    database.restores.of_memory(facts.NOTES)


KINDS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "zero bytes": lambda _: bytes(PAGE),
    "one byte": lambda _: b"x",
    "rubbish": lambda _: CHANCE.randbytes(3 * PAGE),
    "text": lambda _: b"SQLite format 3, or so they say\n" * 200,
    "header only": lambda sound: sound[:100],
    "first page only": lambda sound: sound[:PAGE],
    "cut in half": lambda sound: sound[: len(sound) // 2],
    "cut by one page": lambda sound: sound[:-PAGE],
    "cut within a page": lambda sound: sound[:-100],
    "first page lost": lambda sound: bytes(PAGE) + sound[PAGE:],
    "torn page": lambda sound: sound[: 5 * PAGE] + bytes(PAGE) + sound[6 * PAGE :],
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_named_and_not_touched(place: pathlib.Path, whole: bytes, kind: str) -> None:
    damaged = KINDS[kind](whole)
    place.write_bytes(damaged)
    with pytest.raises(DatabaseDamaged) as caught:
        Database.open(place)
    assert caught.value.path == str(place)
    assert place.read_bytes() == damaged


def test_every_single_page_that_is_torn_is_noticed(place: pathlib.Path, whole: bytes) -> None:
    for at in range(0, len(whole), PAGE):
        place.write_bytes(whole[:at] + bytes(PAGE) + whole[at + PAGE :])
        with pytest.raises(DatabaseDamaged):
            Database.open(place)


def test_bytes_that_went_bad_never_raise_what_is_not_ours(place: pathlib.Path, whole: bytes) -> None:
    noticed = 0
    for _ in range(400):
        place.with_name(place.name + "-wal").unlink(missing_ok=True)
        place.with_name(place.name + "-shm").unlink(missing_ok=True)
        at, length = CHANCE.randrange(len(whole)), CHANCE.choice((1, 8, 512))
        place.write_bytes(whole[:at] + CHANCE.randbytes(length) + whole[at + length :])
        try:
            with Database.open(place) as database:
                read_everything(database)
        except DatabaseDamaged:
            noticed += 1
        except DatabaseNewer:  # the version number went bad
            continue
    assert noticed > 100


def other_program(place: pathlib.Path, *statements: str) -> None:
    raw = sqlite3.connect(place, isolation_level=None)
    for statement in statements:
        raw.execute(statement)
    raw.close()


def test_the_database_of_another_program_is_not_touched(place: pathlib.Path) -> None:
    other_program(place, "CREATE TABLE memory (id TEXT)", "PRAGMA user_version = 1")
    before = place.read_bytes()
    with pytest.raises(DatabaseDamaged):
        Database.open(place)
    assert place.read_bytes() == before


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE observation",
        "DROP INDEX admission_by_bot",
        "ALTER TABLE checkpoint ADD COLUMN colour TEXT",
        "CREATE TRIGGER later AFTER INSERT ON memory BEGIN DELETE FROM checkpoint; END",
        "PRAGMA user_version = 0",
    ],
)
def test_a_wrong_schema_is_named(place: pathlib.Path, whole: bytes, statement: str) -> None:
    assert whole
    other_program(place, statement)
    with pytest.raises(DatabaseDamaged):
        Database.open(place)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE checkpoint SET state = 'splendid'",
        "UPDATE checkpoint SET commit_ = 1",
        "UPDATE checkpoint SET coverage = x'c1'",
        "UPDATE checkpoint SET coverage = 'text'",
        "UPDATE checkpoint SET seq = 'seven' WHERE seq = 59",
        "UPDATE checkpoint SET pinned = 7",
        "UPDATE checkpoint SET captured_at = 9223372036854775807",
        "UPDATE checkpoint SET captured_at = 'now'",
        "UPDATE checkpoint SET content_token = CAST(x'ff' AS TEXT)",
        "UPDATE checkpoint SET content_token = x'ff'",
    ],
)
def test_a_row_that_says_what_cannot_be_is_damage(place: pathlib.Path, whole: bytes, statement: str) -> None:
    assert whole
    other_program(place, statement.replace("commit_", '"commit"'))
    with Database.open(place) as database:
        with pytest.raises(DatabaseDamaged):
            database.checkpoints.page(facts.NOTES, limit=5)
        assert database.restores.get(RestoreId("restore-1")) == facts.restore(1)


def test_what_is_no_file_is_named_at_once(tmp_path: pathlib.Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(DatabaseDamaged):
            Database.open(tmp_path / name)
