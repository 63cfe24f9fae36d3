import os
import pathlib
import subprocess
import sys

import pytest
from backtrail.store.database import Database
from core.store import facts

TESTS = pathlib.Path(__file__).parents[2]


def write_until(place: pathlib.Path, lines: int) -> int:
    """Let a process write, kill it after so many lines, and return the last number that it said was done."""
    command = [sys.executable, "-m", "core.store.endless_writer", str(place)]
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    with subprocess.Popen(command, cwd=place.parent, env=environment, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        said = [writer.stdout.readline() for _ in range(lines)]
        writer.kill()
        said += writer.stdout.read().splitlines()
    done = [int(line.split()[1]) for line in said if line.startswith("done ") and line.split()[1:]]
    return max(done, default=0)


@pytest.mark.slow
def test_sigkill_at_any_moment_leaves_whole_transactions(place: pathlib.Path) -> None:
    announced = 0
    for lines in range(1, 26):
        announced = max(announced, write_until(place, lines))
        with Database.open(place) as database:
            recorded = database.checkpoints.page(facts.NOTES, limit=10_000)
            told = database.inbox.all(facts.admission(1).bot)
            observation = database.observations.get(facts.NOTES)
            assert [event.id for _, event in told] == [f"event-{value.seq}" for value in reversed(recorded)]
            assert (observation.checkpoint if observation else None) == (recorded[0].id if recorded else None)
            assert announced <= (recorded[0].seq if recorded else 0)
            for pending in database.checkpoints.pending(facts.NOTES):
                assert pending.seq > announced
                database.checkpoints.drop_pending(pending.id)


def test_sigkill_while_it_is_made_leaves_none_or_a_whole_one(place: pathlib.Path) -> None:
    draft = place.with_name(place.name + ".new")
    draft.write_bytes(b"half a database")
    place.with_name(place.name + ".new-journal").write_bytes(b"half a journal")
    with Database.open(place) as database:
        assert database.memories.all() == []
    assert not draft.exists()
