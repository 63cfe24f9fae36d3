"""What a client tells, kept for a test: links, events, answers, failures and progress."""

from typing import Any, TypeVar

from backtrail.model.commands import Command
from backtrail.model.events import HostEvent
from backtrail_desktop.client.host_client import HostClient
from backtrail_desktop.client.port import Failure, Link, LinkState, Port

E = TypeVar("E")


class Reply:
    """One question, and what came of it."""

    def __init__(self, port: Port, command: Command[Any]) -> None:
        self.answers: list[Any] = []
        self.failures: list[Failure] = []
        self.steps: list[tuple[str, int, int | None]] = []
        self.question = port.ask(command, self.answers.append, self.failures.append, self._progress)
        assert not self.done, "told before `ask` returned"

    @property
    def done(self) -> bool:
        return len(self.answers) + len(self.failures) == 1

    @property
    def code(self) -> str | None:
        return self.failures[0].code if self.failures else None

    def _progress(self, step: str, done: int, total: int | None) -> None:
        self.steps.append((step, done, total))


class Hearing:
    """Listens to a client of the Host."""

    def __init__(self, client: HostClient) -> None:
        self.client = client
        self.links: list[LinkState] = []
        self.events: list[HostEvent] = []
        client.link_changed.connect(self.links.append)
        client.happened.connect(self.events.append)

    def is_(self, link: Link) -> bool:
        return self.client.link.link is link

    def told(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]
