"""What can go wrong between two processes.

Owns the errors that a client of the Host may see, and those of one frame. What a command itself was refused for
arrives as `CommandFailed`, with the code and the facts that the Host gave. The sentences are in `wording`.
"""

import enum
from dataclasses import dataclass
from typing import ClassVar

from backtrail.model.errors import BacktrailError


class Damage(enum.StrEnum):
    """What is wrong with a frame."""

    CUT_OFF = "cut-off"
    NOT_JSON = "not-json"
    NOT_A_MESSAGE = "not-a-message"


@dataclass(eq=False)
class FrameDamaged(BacktrailError):
    """What came is no message of this protocol. `damage` is a `Damage`."""

    code: ClassVar[str] = "message-damaged"
    damage: Damage
    detail: str = ""


@dataclass(eq=False)
class FrameTooLong(BacktrailError):
    """A message is longer than a frame may be."""

    code: ClassVar[str] = "message-too-long"
    bytes: int
    limit: int


@dataclass(eq=False)
class SocketFolderUnsafe(BacktrailError):
    """No folder for the socket is this user's alone. `tried` says why not, by folder."""

    code: ClassVar[str] = "socket-folder-unsafe"
    tried: dict[str, str]


@dataclass(eq=False)
class SocketTaken(BacktrailError):
    """Something stands where the socket belongs: a Host's socket, or what is no socket at all."""

    code: ClassVar[str] = "socket-taken"
    path: str


@dataclass(eq=False)
class NoHost(BacktrailError):
    """No Host listens for this data folder."""

    code: ClassVar[str] = "no-host"
    home: str


@dataclass(eq=False)
class HostOfAnotherUser(BacktrailError):
    """What listens is not this user's process. `uid` is None where the system does not tell."""

    code: ClassVar[str] = "host-of-another-user"
    uid: int | None


@dataclass(eq=False)
class HostRefused(BacktrailError):
    """The Host does not take this client. `why` is a `Refusal`; protocol and product are the Host's."""

    code: ClassVar[str] = "host-refused"
    why: str
    protocol: int
    product: str


@dataclass(eq=False)
class HostNotAnswering(BacktrailError):
    """The Host's process is there, but nothing came from it for so long."""

    code: ClassVar[str] = "host-not-answering"
    silent_s: float


@dataclass(eq=False)
class HostStopped(BacktrailError):
    """The Host closed the connection: it stopped, or this client did not read what it was sent."""

    code: ClassVar[str] = "host-stopped"


@dataclass(eq=False)
class TookTooLong(BacktrailError):
    """The answer did not come within the time that the asker has. The Host goes on with the work."""

    code: ClassVar[str] = "took-too-long"
    command: str
    limit_s: float


class CommandFailed(BacktrailError):
    """The Host refused or failed. It looks like the error that was raised there: same code, same facts as JSON."""

    code: ClassVar[str] = "command-failed"

    def __init__(self, code: str, facts: dict[str, object]) -> None:
        super().__init__(code)
        self.code = code  # type: ignore[misc]  # wording asks any error for its code, wherever it was raised
        self._facts = facts

    def facts(self) -> dict[str, object]:
        """Return what the Host said of it."""
        return dict(self._facts)
