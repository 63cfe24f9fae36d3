"""What the rooms of the window need of the Host and the reader, as two small protocols.

Owns the seam only: `host_client` and `reader_client` fill it over socket and pipe. Everything is asynchronous; nothing
here may block. Callbacks run in the UI thread, never before `ask` returns.
"""

import datetime
import enum
from collections.abc import Callable
from typing import Protocol, TypeVar

import msgspec
from backtrail.model.commands import Command
from PySide6.QtCore import SignalInstance

A = TypeVar("A")


class Link(enum.Enum):
    """How things stand with the Host, as the window sees it."""

    STARTING = "starting"
    READY = "ready"
    NOT_ANSWERING = "not-answering"
    STOPPED = "stopped"
    OTHER_VERSION = "other-version"


class LinkState(msgspec.Struct, frozen=True):
    """The link, and since when it is so."""

    link: Link
    since: datetime.datetime


class Failure(msgspec.Struct, frozen=True):
    """Why a question was not answered: a code of `model.errors` and its sentences, ready to be shown as plain text."""

    code: str
    message: str
    remedy: str
    facts: dict[str, object] = {}


class Asked(Protocol):
    """A question under way."""

    def cancel(self) -> None:
        """Ask for it to stop; the failure callback hears code `cancelled`, unless it was answered first."""


class Port(Protocol):
    """Something that answers commands: the Host, or the reader."""

    def ask(
        self,
        command: Command[A],
        on_answer: Callable[[A], None],
        on_failure: Callable[[Failure], None],
        on_progress: Callable[[str, int, int | None], None] | None = None,
    ) -> Asked:
        """Send a command. Exactly one of the two callbacks is called, once. Progress: step, done, total."""


class HostPort(Port, Protocol):
    """The Host. Both signals are of a QObject: `link_changed(LinkState)` and `happened(model.events.HostEvent)`."""

    link_changed: SignalInstance
    happened: SignalInstance

    @property
    def link(self) -> LinkState:
        """How things stand now."""
