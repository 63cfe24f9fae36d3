"""A queue for each memory, with a thread of its own: one odd repository never stops the others.

Owns the threads, and that of calls which need to be made only once at most one waits. What they do is not known here.
"""

import concurrent.futures
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from backtrail.model.ids import MemoryId

P = ParamSpec("P")
R = TypeVar("R")


class Queues:
    """Runs calls about one memory one at a time, in the order in which they came. Call `close` at the end."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._queues: dict[MemoryId, concurrent.futures.ThreadPoolExecutor] = {}
        self._waiting: dict[MemoryId, concurrent.futures.Future[None]] = {}

    def submit(
        self, memory_id: MemoryId, call: Callable[P, R], *arguments: P.args, **named: P.kwargs
    ) -> concurrent.futures.Future[R]:
        """Have a call made when its turn comes; return what will come of it."""
        return self._of(memory_id).submit(call, *arguments, **named)

    def submit_once(self, memory_id: MemoryId, call: Callable[[MemoryId], None], argument: MemoryId) -> None:
        """Have a call made when its turn comes, unless one that was submitted so waits already."""
        queue = self._of(memory_id)
        with self._guard:
            waiting = self._waiting.get(memory_id)
            if waiting is None or waiting.done() or waiting.running():
                self._waiting[memory_id] = queue.submit(call, argument)

    def close(self) -> None:
        """Let what runs come to its end, and drop what waits."""
        with self._guard:
            queues = list(self._queues.values())
        for queue in queues:
            queue.shutdown(wait=True, cancel_futures=True)

    def _of(self, memory_id: MemoryId) -> concurrent.futures.ThreadPoolExecutor:
        with self._guard:
            if memory_id not in self._queues:
                self._queues[memory_id] = concurrent.futures.ThreadPoolExecutor(1, f"backtrail-{memory_id[:8]}")
            return self._queues[memory_id]
