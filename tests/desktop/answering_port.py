"""A Port and HostPort for tests: it keeps what it is asked, and the test answers when it likes.

Owns the seam's test implementation; it is no Host. As the seam promises, no callback runs before `ask` has returned,
and each question hears exactly one answer or failure. What becomes of a cancelled one is the test's to say, since a
cancel may come too late.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

from backtrail.model.commands import Command
from backtrail_desktop.client.port import Failure, Link, LinkState
from PySide6.QtCore import QObject, Signal

A = TypeVar("A")


class Question:
    """One question under way, as the test sees it."""

    def __init__(
        self,
        command: Command[Any],
        on_answer: Callable[[Any], None],
        on_failure: Callable[[Failure], None],
        on_progress: Callable[[str, int, int | None], None] | None,
    ) -> None:
        self.command = command
        self.cancelled = False
        self.settled = False
        self._on_answer = on_answer
        self._on_failure = on_failure
        self._on_progress = on_progress

    def answer(self, value: object) -> None:
        """Answer it."""
        self._settle()
        self._on_answer(value)

    def fail(self, code: str, message: str = "It failed.", remedy: str = "", **facts: object) -> None:
        """Let it fail."""
        self._settle()
        self._on_failure(Failure(code, message, remedy, facts))

    def progress(self, step: str, done: int = 0, total: int | None = None) -> None:
        """Tell how far it is."""
        if self._on_progress is not None:
            self._on_progress(step, done, total)

    def cancel(self) -> None:
        """Take note that the window wants it to stop; the test decides what becomes of it."""
        self.cancelled = True

    def _settle(self) -> None:
        assert not self.settled, f"{self.command} was answered twice"
        self.settled = True


class AnsweringPort(QObject):
    """Fills `Port` and `HostPort`."""

    link_changed = Signal(LinkState)
    happened = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[Question] = []
        self._link = LinkState(Link.READY, datetime(2026, 11, 30, 12, 0, tzinfo=UTC))

    @property
    def link(self) -> LinkState:
        """How things stand now."""
        return self._link

    def set_link(self, link: Link, since: datetime) -> None:
        """Let the Host come or go."""
        self._link = LinkState(link, since)
        self.link_changed.emit(self._link)

    def ask(
        self,
        command: Command[A],
        on_answer: Callable[[A], None],
        on_failure: Callable[[Failure], None],
        on_progress: Callable[[str, int, int | None], None] | None = None,
    ) -> Question:
        """Keep the question."""
        question = Question(command, cast("Callable[[Any], None]", on_answer), on_failure, on_progress)
        self.questions.append(question)
        return question

    def open_questions(self, kind: type[Command[Any]] | None = None) -> list[Question]:
        """Return the questions that are not answered yet, oldest first; of one kind, where it is given."""
        return [q for q in self.questions if not q.settled and (kind is None or isinstance(q.command, kind))]

    def next(self, kind: type[Command[Any]]) -> Question:
        """Return the oldest question of a kind that is not answered yet."""
        found = self.open_questions(kind)
        assert found, (
            f"nobody asks {kind.__name__}; open are {[type(q.command).__name__ for q in self.open_questions()]}"
        )
        return found[0]
