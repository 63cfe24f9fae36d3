"""One request under way at the Host: what it asks, how far it is, whether it was cancelled.

Owns the bridge between the engine's `Progress` and the wire: a `Call` is given to the engine as its progress. What was
asked for is done even if the client leaves meanwhile: only a Cancel stops it. Never runs anything itself.
"""

import concurrent.futures
import threading
import time
from collections.abc import Callable
from typing import Protocol

from backtrail.model.errors import BacktrailError
from backtrail.model.progress import Cancelled
from backtrail.wire.messages import Hello, JsonObject, Progress, Request

_BETWEEN_S = 0.1


class Service(Protocol):
    """What the Host gives the server: who does the work, and on which threads."""

    @property
    def workers(self) -> concurrent.futures.Executor:
        """The threads that `handle` runs on. They are the caller's, who also ends them."""

    def handle(self, call: "Call") -> object:
        """Do what the call asks and return the result as JSON values, or a Future of it for work that is queued.

        A BacktrailError is answered with its code and facts; Cancelled with the code `cancelled`.
        """

    def facts(self, error: BacktrailError) -> JsonObject:
        """Return the facts of an error as JSON values."""


class Call:
    """A request as its handler sees it. Also a `model.progress.Progress`; from any one thread at a time."""

    def __init__(self, client: Hello, request: Request, report: Callable[[Progress], None]) -> None:
        self.client = client
        self.number = request.number
        self.command = request.command
        self.arguments = request.arguments
        self._report = report
        self._cancelled = threading.Event()
        self._to_stop: Callable[[], object] | None = None
        self._step: str = ""
        self._done = 0
        self._total: int | None = None
        self._told_at = 0.0

    def step(self, name: str, total: int | None = None) -> None:
        """Begin the step `name`. Raises Cancelled."""
        self.check()
        self._step, self._done, self._total = name, 0, total
        self._tell()

    def advance(self, done: int) -> None:
        """Count `done` more; told at most ten times a second, and when the step is full. Raises Cancelled."""
        self.check()
        before, self._done = self._done, self._done + done
        filled = self._total is not None and before < self._total <= self._done
        if filled or time.monotonic() - self._told_at >= _BETWEEN_S:
            self._tell()

    def _tell(self) -> None:
        self._told_at = time.monotonic()
        self._report(Progress(self.number, self._step, self._done, self._total))

    def check(self) -> None:
        """Raise Cancelled if the client said so."""
        if self._cancelled.is_set():
            raise Cancelled

    def cancel(self) -> None:
        """Let the next report of progress, or the wait for a thread, end the work."""
        self._cancelled.set()
        if self._to_stop is not None:
            self._to_stop()

    def waits_for(self, result: "concurrent.futures.Future[object]") -> None:
        """Say what the answer comes from: cancelled before it begins, it never does."""
        self._to_stop = result.cancel
        if self._cancelled.is_set():
            result.cancel()
