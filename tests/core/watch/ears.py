"""What a watcher said, to be waited for."""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from backtrail.model.watching import Watching, WatchState
from backtrail.watch.memory_watch import WatchOptions
from backtrail.watch.watcher import Watcher

DEADLINE = 20.0


def ignores_build(path: bytes) -> bool:
    return os.path.basename(path) == b"build"


class Ears:
    """Listens to a watcher. Hints are counted by key, states kept in order, the calling threads noted."""

    def __init__(self, options: WatchOptions | None = None) -> None:
        self._news = threading.Condition()
        self.hints: dict[str, int] = {}
        self.states: dict[str, list[WatchState]] = {}
        self.threads: set[int] = set()
        self.watcher = Watcher(self._hint, self._state, options=options)

    def _hint(self, key: str) -> None:
        with self._news:
            self.threads.add(threading.get_ident())
            self.hints[key] = self.hints.get(key, 0) + 1
            self._news.notify_all()

    def _state(self, key: str, state: WatchState) -> None:
        with self._news:
            self.threads.add(threading.get_ident())
            self.states.setdefault(key, []).append(state)
            self._news.notify_all()

    def state(self, key: str) -> WatchState | None:
        return self.states.get(key, [None])[-1]

    def until(self, true: Callable[[], bool], deadline: float = DEADLINE) -> float:
        """Wait until something is true after a call, and return how long that took."""
        began = time.monotonic()
        with self._news:
            assert self._news.wait_for(true, deadline), (self.hints, self.states)
        return time.monotonic() - began

    def until_hints(self, key: str, count: int, deadline: float = DEADLINE) -> float:
        return self.until(lambda: self.hints.get(key, 0) >= count, deadline)

    def until_state(self, key: str, kind: type[WatchState], deadline: float = DEADLINE) -> WatchState:
        self.until(lambda: isinstance(self.state(key), kind), deadline)
        state = self.state(key)
        assert state is not None
        return state

    def watch(self, key: str, root: Path, ignored: Callable[[bytes], bool] = ignores_build) -> None:
        """Watch a repository, and wait for the hint that says that the watch stands."""
        self.watcher.add(key, os.fsencode(root), os.fsencode(root / ".git"), ignored)
        self.until_hints(key, 1)
        assert self.state(key) == Watching()


class Fence:
    """A second memory. A hint of it, caused after all else, comes after every hint that anything before could cause."""

    def __init__(self, ears: Ears, root: Path) -> None:
        self._ears = ears
        self._marker = root / "marker"
        ears.watch("fence", root)

    def pass_by(self) -> None:
        for _ in range(2):  # the two memories have a thread each: the second time leaves no doubt
            before = self._ears.hints["fence"]
            self._marker.write_text("x")
            self._ears.until_hints("fence", before + 1)
