"""How long work tells where it is. No Qt type and no terminal in it; the default does nothing."""

from typing import Protocol


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
