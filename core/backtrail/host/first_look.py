"""Telling everybody how far the first checkpoint of a memory is, while it is made.

Owns how often that is told, and that a look which nobody asked for ends when the Host is to stop: the next start makes
it again.
"""

import time
from collections.abc import Callable

from backtrail.model.events import FirstCheckpoint
from backtrail.model.ids import MemoryId
from backtrail.model.progress import Cancelled, PercentOfLook, Progress

_BETWEEN_S = 0.25


class FirstLook:
    """Progress of a first look.

    tell: publishes an event. asker: is told all of it besides. now: seconds that only grow.
    """

    def __init__(
        self,
        memory_id: MemoryId,
        tell: Callable[[FirstCheckpoint], None],
        asker: Progress,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._memory_id = memory_id
        self._tell = tell
        self._asker = asker
        self._now = now
        self._percent = PercentOfLook(self._publish)
        self._told: FirstCheckpoint | None = None
        self._tell_at = 0.0

    def step(self, name: str, total: int | None = None) -> None:
        """Begin a step."""
        self._asker.step(name, total)
        self._percent.step(name, total)

    def advance(self, done: int) -> None:
        """Count."""
        self._asker.advance(done)
        self._percent.advance(done)

    def _publish(self, step: str, percent: int | None) -> None:
        del step
        now = self._now()
        if now < self._tell_at:
            return
        event = FirstCheckpoint(memory=self._memory_id, percent=percent)
        if event != self._told:
            self._told, self._tell_at = event, now + _BETWEEN_S
            self._tell(event)


class UntilStopped:
    """Progress that nobody asked for: it raises Cancelled once the Host is to stop."""

    def __init__(self, stopping: Callable[[], bool]) -> None:
        self._stopping = stopping

    def step(self, name: str, total: int | None = None) -> None:
        """Begin a step."""
        del name, total
        self.advance(0)

    def advance(self, done: int) -> None:
        """Go on, or stop."""
        del done
        if self._stopping():
            raise Cancelled
