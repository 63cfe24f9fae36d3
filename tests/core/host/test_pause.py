"""While a folder is paused nobody looks by himself and nothing is called kept; afterwards nothing is missing."""

import datetime
import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from backtrail.host.host import Host
from backtrail.host.serving import Serving
from backtrail.host.time_watch import TimeWatch
from backtrail.model.commands import (
    AddMemory,
    ListMemories,
    MoveMemory,
    PauseMemory,
    ResumeMemory,
    Scan,
    TakeCheckpoint,
)
from backtrail.model.events import CheckpointRecorded, MemoryChanged, MemoryObserved
from backtrail.model.memory import LONGEST_PAUSE, Memory, MemoryState, ProtectionState
from backtrail.wire.client import Client
from backtrail.wire.messages import Role
from core.git_oracle import git, new_repository
from core.host.front_end import FrontEnd

HOUR = datetime.timedelta(hours=1)


class SetClock:
    """The time of day, and what somebody set it forward by."""

    def __init__(self) -> None:
        self.ahead = datetime.timedelta()

    def __call__(self) -> datetime.datetime:
        return datetime.datetime.now(datetime.UTC) + self.ahead


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def front(home: Path, clock: SetClock) -> Iterator[FrontEnd]:
    with Host.open(home, clock) as host, Serving(host), Client.connect(home, Role.WINDOW, events=True) as client:
        yield FrontEnd(client)


def added(front: FrontEnd, root: Path) -> Memory:
    memory = front.ask(AddMemory(path=os.fsencode(root))).memory
    front.event(CheckpointRecorded, memory=memory.id)
    return memory


def now_of(front: FrontEnd, memory: Memory) -> Memory:
    return next(one for one in front.ask(ListMemories()).memories if one.id == memory.id)


def paused(front: FrontEnd, memory: Memory, clock: SetClock) -> Memory:
    changed = front.ask(PauseMemory(memory=memory.id, until=clock() + HOUR))
    front.event(MemoryChanged, memory=memory.id)
    return changed


def prove_that_hints_work(front: FrontEnd, other: Memory) -> None:
    """Change another folder and wait until it is kept: by then a change in a first one would have been kept too."""
    Path(os.fsdecode(other.path), "f").write_text(os.urandom(8).hex())
    front.event(CheckpointRecorded, memory=other.id)


def test_nothing_is_kept_nor_called_kept_until_it_is_resumed_and_the_loss_is_named(
    front: FrontEnd, root: Path, tmp_path: Path, clock: SetClock
) -> None:
    memory, other = added(front, root), added(front, new_repository(tmp_path / "other"))
    (root / "f").write_text("an hour of work\n")
    front.event(CheckpointRecorded, memory=memory.id)
    looked_at = now_of(front, memory).protection.looked_at
    told = paused(front, memory, clock)
    assert (told.protection.state, told.protection.reason) == (ProtectionState.NOT_PROTECTED, "paused")
    assert told.protection.since is not None
    assert looked_at is not None
    assert told.protection.since >= looked_at
    git(root, "reset", "-q", "--hard")
    prove_that_hints_work(front, other)
    assert now_of(front, memory) == told
    assert front.ask(ResumeMemory(memory=memory.id)).paused_until is None
    assert front.event(CheckpointRecorded, memory=memory.id).lost == 1
    assert front.event(MemoryObserved, memory=memory.id).protection.state is ProtectionState.PROTECTED


def test_it_ends_by_itself(front: FrontEnd, root: Path, clock: SetClock) -> None:
    memory = added(front, root)
    paused(front, memory, clock)
    (root / "f").write_text("an hour of work\n")
    clock.ahead += HOUR
    front.event(CheckpointRecorded, memory=memory.id)
    ended = now_of(front, memory)
    assert (ended.paused_until, ended.protection.state) == (None, ProtectionState.PROTECTED)


def test_a_clock_that_was_set_back_does_not_prolong_it_beyond_a_day(
    front: FrontEnd, root: Path, clock: SetClock
) -> None:
    memory = added(front, root)
    paused(front, memory, clock)
    (root / "f").write_text("an hour of work\n")
    clock.ahead -= LONGEST_PAUSE
    front.event(CheckpointRecorded, memory=memory.id)


def test_what_a_person_asks_for_is_done_and_it_goes_on(front: FrontEnd, root: Path, clock: SetClock) -> None:
    memory = added(front, root)
    until = paused(front, memory, clock).paused_until
    (root / "f").write_text("an hour of work\n")
    looked = front.ask(Scan(memory=memory.id))
    assert looked.checkpoint is not None
    assert looked.protection.reason == "paused"
    assert looked.protection.since == looked.protection.looked_at
    front.ask(TakeCheckpoint(memory=memory.id))
    after = now_of(front, memory)
    assert (after.paused_until, after.protection.reason) == (until, "paused")


def test_it_outlives_the_host(home: Path, root: Path, tmp_path: Path, clock: SetClock) -> None:
    with Host.open(home, clock) as host, Serving(host), Client.connect(home, Role.WINDOW, events=True) as client:
        front = FrontEnd(client)
        memory, other = added(front, root), added(front, new_repository(tmp_path / "other"))
        told = paused(front, memory, clock)
    (root / "f").write_text("an hour of work\n")
    with Host.open(home, clock) as host, Serving(host), Client.connect(home, Role.WINDOW, events=True) as client:
        front = FrontEnd(client)
        prove_that_hints_work(front, other)
        assert now_of(front, memory) == told
        clock.ahead += HOUR
        front.event(CheckpointRecorded, memory=memory.id)


def test_a_command_line_pauses_and_resumes_beside_the_host(
    front: FrontEnd, home: Path, root: Path, tmp_path: Path, clock: SetClock
) -> None:
    memory, other = added(front, root), added(front, new_repository(tmp_path / "other"))
    with front.borrow(home) as host:
        host.lifecycle().pause(host.memory(memory.id), clock() + HOUR)
    (root / "f").write_text("an hour of work\n")
    prove_that_hints_work(front, other)
    assert now_of(front, memory).protection.reason == "paused"
    with front.borrow(home) as host:
        host.lifecycle().resume(host.memory(memory.id))
    front.event(CheckpointRecorded, memory=memory.id)


def test_ends_that_make_no_sense_are_refused_and_detaching_ends_it(
    front: FrontEnd, root: Path, clock: SetClock
) -> None:
    memory = added(front, root)
    for wrong in (clock() - HOUR, clock() + LONGEST_PAUSE + HOUR):
        assert front.refusal(PauseMemory(memory=memory.id, until=wrong)) == "wrong-pause"
    assert now_of(front, memory).paused_until is None
    paused(front, memory, clock)
    front.ask(MoveMemory(memory=memory.id, state=MemoryState.DETACHED))
    assert now_of(front, memory).paused_until is None
    assert front.refusal(PauseMemory(memory=memory.id, until=clock() + HOUR)) == "wrong-state"


def test_after_a_sleep_everything_is_looked_at_once() -> None:
    asleep, calls, enough = itertools.chain([0.0, 0.0, 60.0, 60.5], itertools.repeat(61.0)), list[str](), Event()

    def tick() -> None:
        calls.append("tick")
        if len(calls) > 5:
            enough.set()

    watch = TimeWatch(tick, lambda: calls.append("wake"), 0.001, lambda: next(asleep))
    watch.start()
    assert enough.wait(20)
    watch.close()
    assert calls[:4] == ["tick", "tick", "wake", "tick"]
    assert calls.count("wake") == 1
