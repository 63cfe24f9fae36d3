"""Repositories and a watcher that is closed at the end."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from backtrail.watch.memory_watch import WatchOptions
from core.git_oracle import new_repository
from core.watch.ears import DEADLINE, Ears, Fence

QUICK = WatchOptions(quiet=0.1, longest=0.6, guard=0.1)


@pytest.fixture
def listen() -> Iterator[Callable[..., Ears]]:
    made: list[Ears] = []

    def start(options: WatchOptions | None = QUICK) -> Ears:
        made.append(Ears(options))
        return made[-1]

    before = set(threading.enumerate())
    yield start
    for ears in made:
        ears.watcher.close()
    for thread in set(threading.enumerate()) - before:  # it may still be about to end where a machine stood still
        thread.join(DEADLINE)
    assert set(threading.enumerate()) <= before


@pytest.fixture
def ears(listen: Callable[..., Ears]) -> Ears:
    return listen()


@pytest.fixture
def fence(ears: Ears, tmp_path: Path) -> Fence:
    return Fence(ears, new_repository(tmp_path / "fence"))
