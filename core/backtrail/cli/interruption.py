"""Ctrl+C and SIGTERM while something is under way that is to be there whole or not at all.

Owns the handlers of both for that while. A signal is only noted, and stops the work at its next report of progress,
which is a place where it can be taken back; after the last one it comes too late and is forgotten.
"""

import signal
from types import FrameType, TracebackType
from typing import Self

from backtrail.model.progress import Cancelled, Progress

_NUMBERS = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """Progress that hands on what it is told, and raises Cancelled once a signal came. Use as a context manager."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._came = False
        self._before = {number: signal.getsignal(number) for number in _NUMBERS}

    def __enter__(self) -> Self:
        for number, handler in self._before.items():
            if handler is not signal.SIG_IGN:  # a run in the background ignores SIGINT
                signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def step(self, name: str, total: int | None = None) -> None:
        """Begin a step. Raises Cancelled."""
        self._check()
        self._progress.step(name, total)

    def advance(self, done: int) -> None:
        """Count. Raises Cancelled."""
        self._check()
        self._progress.advance(done)

    def _note(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._came = True

    def _check(self) -> None:
        if self._came:
            raise Cancelled
