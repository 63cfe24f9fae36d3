"""One question under way: whom to tell, and that it is told once.

Owns the promise of the port that exactly one callback is called, once. What goes wrong in a callback is logged and
stops nobody else's answer. Knows nothing of socket or pipe.
"""

import logging
from collections.abc import Callable
from typing import Any

from backtrail.model.commands import Command
from backtrail.wire.coding import NotACommand, answer_of

from backtrail_desktop.client.failures import CANCELLED, NOT_UNDERSTOOD, told_failure
from backtrail_desktop.client.port import Failure

_log = logging.getLogger(__name__)


class Question:
    """Fills `Asked`. give_up: told when the asker wants it to stop."""

    def __init__(
        self,
        command: Command[Any],
        on_answer: Callable[[Any], None],
        on_failure: Callable[[Failure], None],
        on_progress: Callable[[str, int, int | None], None] | None,
        give_up: Callable[["Question"], None],
    ) -> None:
        self.command = command
        self.settled = False
        self._on_answer = on_answer
        self._on_failure = on_failure
        self._on_progress = on_progress
        self._give_up = give_up

    def cancel(self) -> None:
        """Ask for it to stop."""
        if not self.settled:
            self._give_up(self)

    def answer(self, result: object) -> None:
        """Tell the answer, from its JSON values."""
        try:
            answer = answer_of(self.command, result)
        except NotACommand as error:
            _log.warning("an answer to %s: %s", type(self.command).__name__, error)
            self.fail(told_failure(NOT_UNDERSTOOD))
            return
        self._settle(self._on_answer, answer)

    def fail(self, failure: Failure) -> None:
        """Tell why there is no answer."""
        self._settle(self._on_failure, failure)

    def cancelled(self) -> None:
        """Tell that it was stopped."""
        self.fail(told_failure(CANCELLED))

    def progress(self, step: str, done: int, total: int | None) -> None:
        """Tell how far it is."""
        if self._on_progress is not None and not self.settled:
            told = self._on_progress
            self._call(lambda: told(step, done, total))

    def _settle(self, tell: Callable[[Any], None], value: object) -> None:
        if not self.settled:
            self.settled = True
            self._call(lambda: tell(value))

    def _call(self, callback: Callable[[], None]) -> None:
        try:
            callback()
        except Exception:  # noqa: BLE001 - the edge of the rooms: it is logged, and the next message is still read
            _log.exception("an answer to %s", type(self.command).__name__)
