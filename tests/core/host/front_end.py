"""A client of a serving Host: it asks with typed commands, and waits for events."""

import contextlib
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
from backtrail.host.host import Host
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.commands import Command, Lend, ListCheckpoints, ListMemories
from backtrail.model.errors.host import HostBusy
from backtrail.wire.client import Client
from backtrail.wire.coding import answer_of, event_of, request_of
from backtrail.wire.errors import CommandFailed

A = TypeVar("A")
E = TypeVar("E", bound=msgspec.Struct)
PATIENCE_S = 30


class FrontEnd:
    """A client that asks with typed commands and waits for events."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def ask(self, command: Command[A]) -> A:
        return answer_of(command, self.client.ask(*request_of(command)))

    def refusal(self, command: Command[A]) -> str:
        with pytest.raises(CommandFailed) as failed:
            self.ask(command)
        return failed.value.code

    def event(self, kind: type[E], **facts: object) -> E:
        for message in self.client.events(PATIENCE_S):
            event = event_of(message)
            if isinstance(event, kind) and facts.items() <= msgspec.structs.asdict(event).items():
                return event
        raise AssertionError(kind)

    def borrow(self, home: Path) -> Host:
        """Take the data folder, as a command line does: the Host waits for it only a moment, and is asked again."""
        for _ in range(PATIENCE_S):
            self.ask(Lend())
            with contextlib.suppress(HostBusy):
                return Host.open(home, wait_s=1)
        raise AssertionError(home)

    def states(self) -> tuple[Checkpoint, ...]:
        return self.ask(ListCheckpoints(memory=self.ask(ListMemories()).memories[0].id)).checkpoints
