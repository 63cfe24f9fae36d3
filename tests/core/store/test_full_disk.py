import gc
import os
import pathlib
import subprocess
from collections.abc import Iterator

import pytest
from backtrail.model.errors import BacktrailError
from backtrail.model.errors.capture import NoSpace
from backtrail.store.database import Database
from core.store import facts

SIZE = 1 << 20


@pytest.fixture
def small(tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    """A file system of 1 MiB."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small file system")
    folder = tmp_path / "small"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], capture_output=True, text=True, check=False
    )
    if made.returncode:
        pytest.skip(f"no small file system here: {made.stderr.strip()}")
    yield folder
    gc.collect()  # a failed statement keeps the file open as long as its traceback lives
    subprocess.run(["umount", folder], check=True)


def fill(folder: pathlib.Path, leave: int = 0) -> pathlib.Path:
    """Fill the file system but for `leave` bytes."""
    filler = folder / "filler"
    room = os.statvfs(folder)
    with filler.open("wb") as file:
        file.write(bytes(room.f_bavail * room.f_bsize - leave))
    return filler


def write_until_full(database: Database) -> int:
    """Write transactions until one fails; return how many were done."""
    for seq in range(1, 10_000):
        with database.transaction():
            database.checkpoints.record(facts.checkpoint(seq))
            database.inbox.admit(facts.event(seq), facts.admission(seq))
            database.observations.put(facts.observation(facts.checkpoint(seq).id))
    raise AssertionError("the disk did not fill up")


def check_whole(database: Database) -> int:
    recorded = database.checkpoints.page(facts.NOTES, limit=10_000)
    observation = database.observations.get(facts.NOTES)
    assert len(database.inbox.all("bot")) == len(recorded)
    assert observation is not None
    assert observation.checkpoint == recorded[0].id
    return len(recorded)


def test_a_disk_that_fills_up_loses_no_row_and_keeps_no_half(small: pathlib.Path) -> None:
    place = small / "backtrail.db"
    with Database.open(place) as database:
        database.memories.add(facts.memory(), None)
        with pytest.raises(NoSpace) as caught:
            write_until_full(database)
        assert caught.value.path == os.fsencode(place)
        done = check_whole(database)
        assert done > 10
        (small / "more").write_bytes(b"")
    os.truncate(small / "more", 0)
    with Database.open(place) as database:
        assert check_whole(database) == done


def test_it_goes_on_once_there_is_room(small: pathlib.Path) -> None:
    with Database.open(small / "backtrail.db") as database:
        database.memories.add(facts.memory(), None)
        filler = fill(small, leave=64 << 10)
        with pytest.raises(NoSpace):
            write_until_full(database)
        done = check_whole(database)
        filler.unlink()
        database.checkpoints.record(facts.checkpoint(done + 1))
        assert database.checkpoints.count(facts.NOTES) == done + 1


def test_a_caller_who_goes_on_after_the_disk_was_full_keeps_no_half(small: pathlib.Path) -> None:
    """SQLite may end the transaction by itself: the rest must not be written outside of it."""
    with Database.open(small / "backtrail.db") as database:
        database.memories.add(facts.memory(), None)
        filler = fill(small, leave=64 << 10)

        def stubborn() -> None:
            with database.transaction():
                for seq in range(1, 5_000):
                    try:
                        database.checkpoints.record(facts.checkpoint(seq))
                    except NoSpace:
                        filler.unlink()
                        break
                database.checkpoints.record(facts.checkpoint(6_000))

        try:
            stubborn()
        except BacktrailError:
            assert database.checkpoints.count(facts.NOTES) == 0
        else:
            assert database.checkpoints.get(facts.checkpoint(1).id) is not None


@pytest.mark.parametrize("leave", [0, 4 << 10, 16 << 10, 32 << 10])
def test_a_full_disk_makes_no_half_database(small: pathlib.Path, leave: int) -> None:
    filler = fill(small, leave)
    with pytest.raises(NoSpace):
        Database.open(small / "backtrail.db")
    filler.unlink()
    with Database.open(small / "backtrail.db") as database:
        assert database.memories.all() == []


def test_a_sound_database_on_a_full_disk_is_not_called_damaged(small: pathlib.Path) -> None:
    with Database.open(small / "backtrail.db") as database:
        database.memories.add(facts.memory(), None)
    fill(small)
    with pytest.raises(NoSpace):
        Database.open(small / "backtrail.db")
