"""How long work tells where it is. No Qt type and no terminal in it; the default does nothing.

Owns the steps of a look and how its percent is made; those of a restore are in `model.restore`.
"""

import enum
import time
from collections.abc import Callable
from typing import Protocol

_BETWEEN_S = 0.05


class Cancelled(Exception):
    """The person asked to stop. Raised between two steps that are both safe to stop at."""


class Progress(Protocol):
    """Where work reports to. Either call may raise Cancelled."""

    def step(self, name: str, total: int | None = None) -> None:
        """Begin the step `name`, of `total` bytes or pieces where that is known."""

    def advance(self, done: int) -> None:
        """Count `done` more bytes or pieces of the step."""


class Silent:
    """Progress that nobody watches."""

    def step(self, name: str, total: int | None = None) -> None:
        """Begin a step."""

    def advance(self, done: int) -> None:
        """Count."""


SILENT = Silent()


class LookStep(enum.StrEnum):
    """The steps of a look. COUNTING comes only where most files are to be read, READING has a total only after it."""

    COUNTING = "counting"
    READING = "reading"
    STORING = "storing"


FILE_COST = 1 << 14
"""A file counts as its bytes and so many more: what opening it costs beside reading it."""

_SHARES = {LookStep.READING: (0, 50), LookStep.STORING: (50, 99)}


def look_percent(step: str, done: int, total: int | None) -> int | None:
    """Return how far a look is, None where that is not known yet.

    The first half is reading all files, the second is storing those that Git has not: where it has most of them, the
    second half is short. It is never 100: what is not recorded is not kept.
    """
    share = _SHARES.get(LookStep(step)) if step in set(LookStep) else None
    if share is None or total is None:
        return None
    begin, end = share
    return begin + (end - begin) * min(done, total) // total if total else end


class PercentOfLook:
    """Progress of a look, told as its step and its percent."""

    def __init__(self, tell: Callable[[str, int | None], None]) -> None:
        self._tell = tell
        self._step = ""
        self._done = 0
        self._total: int | None = None

    def step(self, name: str, total: int | None = None) -> None:
        """Begin a step."""
        self._step, self._done, self._total = name, 0, total
        self.advance(0)

    def advance(self, done: int) -> None:
        """Count."""
        self._done += done
        self._tell(self._step, look_percent(self._step, self._done, self._total))


class Forward:
    """Hands progress on so that it only goes forward: work that is done again is told once, and no more than its total.

    Tells at most twenty times a second, so that work may count each file. now: seconds that only grow.
    """

    def __init__(self, progress: Progress, now: Callable[[], float] = time.monotonic) -> None:
        self._progress = progress
        self._now_s = now
        self._begun: list[str] = []
        self._current = ""
        self._total: int | None = None
        self._done = 0
        self._told = 0
        self._tell_at = 0.0

    def step(self, name: str, total: int | None = None) -> None:
        """Begin a step, or begin it again."""
        self._current, self._done = name, 0
        if name not in self._begun:
            self._begun.append(name)
            self._total, self._told = total, 0
            self._progress.step(name, total)

    def advance(self, done: int) -> None:
        """Count, and tell if it is time."""
        self._done += done
        now = self._now_s()
        if now < self._tell_at:
            return
        self._tell_at = now + _BETWEEN_S
        further = 0
        if self._begun and self._current == self._begun[-1]:
            reached = self._done if self._total is None else min(self._done, self._total)
            further = max(0, reached - self._told)
        self._told += further
        self._progress.advance(further)
