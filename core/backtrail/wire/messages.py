"""The messages between the Host and its clients, as frozen values, and their JSON.

Owns the protocol's version and what is said in it. A client says Hello, then Request and Cancel; the Host says Welcome
or Refused, then Answer, Failure, Progress, Event and Alive. `Hello.protocol` and `Refused` stay as they are in every
later version, so that two versions can tell each other so. Knows no command: what arguments, results and facts hold is
between those who ask and those who answer.
"""

import enum
from typing import TypeVar

import msgspec

from backtrail.wire.errors import Damage, FrameDamaged
from backtrail.wire.frames import framed

PROTOCOL = 1
"""Raised by one with every change that an older client or Host would misunderstand."""

JsonObject = dict[str, object]

_T = TypeVar("_T")


class Role(enum.StrEnum):
    """What kind of program a client is."""

    WINDOW = "window"
    COMMAND_LINE = "command-line"
    HOOK = "hook"


class Refusal(enum.StrEnum):
    """Why a client is not taken."""

    OTHER_VERSION = "other-version"
    OTHER_USER = "other-user"
    TOO_BUSY = "too-busy"


class Message(msgspec.Struct, frozen=True, tag_field="kind", tag=str.lower):
    """One message. In JSON `kind` is the name of its class in small letters."""


class Hello(Message, frozen=True, kw_only=True):
    """A client's first message. `events`: it wants to be told events; one that does not read them is dropped."""

    protocol: int = PROTOCOL
    role: Role
    pid: int
    product: str
    events: bool = True


class Welcome(Message, frozen=True, kw_only=True):
    """The Host takes the client."""

    protocol: int = PROTOCOL
    pid: int
    product: str


class Refused(Message, frozen=True, kw_only=True):
    """The Host does not take the client, and closes. Protocol and product version are the Host's."""

    code: Refusal
    protocol: int = PROTOCOL
    product: str


class Request(Message, frozen=True):
    """Do this. The number is the client's, and unique among its requests under way.

    `parts`: its arguments are the JSON text of the parts that came before.
    """

    number: int
    command: str
    arguments: JsonObject = {}
    parts: bool = False


class Cancel(Message, frozen=True):
    """Stop the request where that is safe. It is answered all the same, with what became of it."""

    number: int


class Answer(Message, frozen=True):
    """A request is done. `parts`: its result is the JSON text of the parts that came before."""

    number: int
    result: object = None
    parts: bool = False


class Part(Message, frozen=True):
    """A piece of the JSON text of a result, or of arguments, too long for one frame; see `parts`."""

    number: int
    text: str


class Failure(Message, frozen=True):
    """A request was refused or failed, with the stable code and the facts of the error."""

    number: int
    code: str
    facts: JsonObject = {}


class Progress(Message, frozen=True):
    """How far a request is: `done` of `total` bytes or pieces of the step; no total where it is not known."""

    number: int
    step: str
    done: int = 0
    total: int | None = None


class Event(Message, frozen=True):
    """What the Host tells unasked (`model.events`). Who wants more than the facts asks."""

    name: str
    memory_id: str | None = None
    facts: JsonObject = {}


class Alive(Message, frozen=True):
    """The Host's sign of life."""


FromClient = Hello | Request | Part | Cancel
FromHost = Welcome | Refused | Answer | Part | Failure | Progress | Event | Alive


class _Opening(Message, frozen=True, tag="hello"):
    """What even a Hello of another version holds."""

    protocol: int


_encoder = msgspec.json.Encoder()
_opening = msgspec.json.Decoder(_Opening)
_from_client: msgspec.json.Decoder[FromClient] = msgspec.json.Decoder(FromClient)
_from_host: msgspec.json.Decoder[FromHost] = msgspec.json.Decoder(FromHost)


def frame_of(message: Message) -> bytes:
    """Return the message as a frame. Raises FrameTooLong; TypeError or ValueError for a value that is not JSON."""
    return framed(_encoder.encode(message))


def protocol_of(body: bytes) -> int:
    """Return the protocol version of a Hello, of whichever version it is. Raises FrameDamaged."""
    return _decoded(_opening, body).protocol


def from_client(body: bytes) -> FromClient:
    """Return what a client said. Raises FrameDamaged."""
    return _decoded(_from_client, body)


def from_host(body: bytes) -> FromHost:
    """Return what the Host said. Raises FrameDamaged."""
    return _decoded(_from_host, body)


def _decoded(decoder: msgspec.json.Decoder[_T], body: bytes) -> _T:
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise FrameDamaged(Damage.NOT_A_MESSAGE, str(error)) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise FrameDamaged(Damage.NOT_JSON, str(error)) from error
