"""A request or answer that does not fit one frame, sent in parts and put together again.

Owns both ends of it, in both directions. A plan over tens of thousands of paths is one value and must arrive as one,
and so must the wish to have them back; a frame holds 1 MiB, so that a damaged length never asks for more memory.
"""

from collections.abc import Iterator
from typing import TypeVar

import msgspec

from backtrail.wire.errors import Damage, FrameDamaged, FrameTooLong
from backtrail.wire.messages import Answer, JsonObject, Message, Part, Request, frame_of

_PIECE = 128 << 10
"""Characters of JSON text in one part: at most four bytes each, twice that escaped, well below a frame."""
WHOLE_LIMIT = 64 << 20
"""The most characters of one message, and of all parts that wait for their ends."""

M = TypeVar("M", bound=Message)


def frames_of(message: Message) -> Iterator[bytes]:
    """Give a message as one frame; a long request or answer as parts.

    Raises FrameTooLong above WHOLE_LIMIT, and for another long message; TypeError for what is no JSON.
    """
    try:
        yield frame_of(message)
    except FrameTooLong:
        if not isinstance(message, Answer | Request):
            raise
        content = message.result if isinstance(message, Answer) else message.arguments
        text = msgspec.json.encode(content).decode()
        if len(text) > WHOLE_LIMIT:
            raise
        for begin in range(0, len(text), _PIECE):
            yield frame_of(Part(message.number, text[begin : begin + _PIECE]))
        if isinstance(message, Answer):
            yield frame_of(Answer(message.number, None, parts=True))
        else:
            yield frame_of(Request(message.number, message.command, {}, parts=True))


class Parts:
    """Puts the parts of messages together as they come in."""

    def __init__(self) -> None:
        self._pieces: dict[int, list[str]] = {}
        self._waiting = 0

    def take(self, message: M) -> M | None:
        """Return the message, whole; None for a part of one that is still coming. Raises FrameDamaged."""
        if isinstance(message, Part):
            self._waiting += len(message.text)
            if self._waiting > WHOLE_LIMIT:
                raise FrameDamaged(Damage.NOT_A_MESSAGE, "parts without an end")
            self._pieces.setdefault(message.number, []).append(message.text)
            return None
        if isinstance(message, Answer) and message.parts:
            return msgspec.structs.replace(message, result=self._whole(message.number, object), parts=False)
        if isinstance(message, Request) and message.parts:
            return msgspec.structs.replace(message, arguments=self._whole(message.number, JsonObject), parts=False)
        return message

    def _whole(self, number: int, kind: type[object]) -> object:
        text = "".join(self._pieces.pop(number, ()))
        self._waiting -= len(text)
        try:
            return msgspec.json.decode(text, type=kind)
        except msgspec.ValidationError as error:
            raise FrameDamaged(Damage.NOT_A_MESSAGE, str(error)) from error
        except msgspec.DecodeError as error:
            raise FrameDamaged(Damage.NOT_JSON, str(error)) from error
