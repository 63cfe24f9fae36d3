"""SIGKILL at every step of a capture, and at random moments: no checkpoint is lost, and none is half there."""

import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from backtrail.git.new_objects import LOOSE_BELOW
from backtrail.model.checkpoint import CheckpointState
from core.git_oracle import damage, leftovers, recovery_refs, self_proof, tree_entries
from core.keeping import Keeping

TESTS = Path(__file__).parents[2]
BEYOND_ALL = 1_000_000


class Killed:
    """The other process, which looks at the folder and is killed."""

    def __init__(self, asked: IO[str], told: IO[str]) -> None:
        self._asked = asked
        self._told = told

    def before_step(self, number: int) -> bool:
        """Look once; tell whether the child was killed before it was done."""
        self._ask(number)
        return self._told.readline().startswith("killed")

    def after(self, seconds: float) -> None:
        """Look again and again, and kill in the midst of it."""
        self._ask(0)
        child = int(self._told.readline())
        select.select([], [], [], seconds)
        os.kill(child, signal.SIGKILL)
        assert self._told.readline() == "ended\n"

    def _ask(self, number: int) -> None:
        self._asked.write(f"{number}\n")
        self._asked.flush()


@pytest.fixture
def killed(keeping: Keeping) -> Iterator[Killed]:
    command = [sys.executable, "-m", "core.host.killed_capture", str(keeping.home), str(keeping.root)]
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        yield Killed(process.stdin, process.stdout)


def check(keeping: Keeping, announced: dict[str, str]) -> None:
    """Start up again: everything that was announced is there, everything that is there is whole."""
    observed = keeping.scan()
    assert observed.failure is None
    rows = keeping.timeline()
    assert {row.id: row.commit.hex() for row in rows} == recovery_refs(keeping.root)
    assert all(row.state is CheckpointState.RECORDED for row in rows)
    assert len({row.seq for row in rows}) == len(rows)
    assert announced.items() <= recovery_refs(keeping.root).items()
    assert keeping.damaged() == {}
    assert leftovers(keeping.root) == []
    with keeping.opened() as work:
        assert work.database.checkpoints.pending(work.memory.id) == []
    assert observed.latest is not None
    keeping.compare(observed.latest)
    announced.update(recovery_refs(keeping.root))


@pytest.mark.slow
@pytest.mark.parametrize("new_files", [0, LOOSE_BELOW])
def test_killed_before_any_step(keeping: Keeping, killed: Killed, new_files: int) -> None:
    """Pending row, objects (loose or one pack), ref, transaction: whatever comes next never comes."""
    keeping.checkpoint()
    announced: dict[str, str] = {}
    reached = 0
    step = 0
    while True:
        step += 1
        (keeping.root / "f").write_bytes(b"state %d\n" % step)
        for number in range(new_files):
            (keeping.root / f"n{number}").write_bytes(b"state %d of %d\n" % (step, number))
        with self_proof(keeping.root):
            was_killed = killed.before_step(step)
        check(keeping, announced)
        if not was_killed:
            break
        reached = step
    assert reached > 12
    assert damage(keeping.root) == b""
    seen = {tree_entries(keeping.root, commit)[b"f"] for commit in announced.values()}
    assert len(seen) == step + 1


@pytest.mark.slow
def test_killed_at_random_moments(keeping: Keeping, killed: Killed) -> None:
    keeping.checkpoint()
    begun = time.monotonic()
    assert not killed.before_step(BEYOND_ALL)
    a_look_s = time.monotonic() - begun
    chance = random.Random(28)  # noqa: S311 - moments, not secrets
    announced: dict[str, str] = {}
    for _ in range(20):
        killed.after(chance.uniform(0, 4 * a_look_s))
        check(keeping, announced)
    assert damage(keeping.root) == b""
    assert len(announced) > 1


def test_a_kill_after_the_ref_finishes_the_row_and_tells_the_inbox(keeping: Keeping, killed: Killed) -> None:
    keeping.checkpoint()
    (keeping.root / "f").write_bytes(b"more\n")
    before = set(recovery_refs(keeping.root))
    step = 1
    while killed.before_step(step) and set(recovery_refs(keeping.root)) == before:
        check_refs = recovery_refs(keeping.root)
        assert set(check_refs) == before
        step += 1
    (new,) = set(recovery_refs(keeping.root)) - before
    assert keeping.events() == []
    assert keeping.scan().checkpoint is None
    assert [row.id for row in keeping.timeline()][-1] == new
    assert keeping.timeline()[-1].state is CheckpointState.RECORDED
    assert keeping.events() == ["Working: f."]
    keeping.scan()
    assert len(keeping.events()) == 1
