"""An answer that does not fit one frame, sent in parts and put together again.

Owns both ends of it. A plan over tens of thousands of paths is one value and must arrive as one; a frame holds 1 MiB,
so that a damaged length never asks for more memory. Lists that a person scrolls come in pages instead (`paging`).
"""

from collections.abc import Iterator

import msgspec

from backtrail.wire.errors import Damage, FrameDamaged, FrameTooLong
from backtrail.wire.messages import Answer, FromHost, Part, frame_of

_PIECE = 128 << 10
"""Characters of JSON text in one part: at most four bytes each, twice that escaped, well below a frame."""
ANSWER_LIMIT = 64 << 20
"""The most characters of one answer."""


def frames_of(answer: Answer) -> Iterator[bytes]:
    """Give an answer as one frame, or as parts. Raises FrameTooLong above ANSWER_LIMIT; TypeError for no JSON."""
    try:
        yield frame_of(answer)
    except FrameTooLong:
        text = msgspec.json.encode(answer.result).decode()
        if len(text) > ANSWER_LIMIT:
            raise
        for begin in range(0, len(text), _PIECE):
            yield frame_of(Part(answer.number, text[begin : begin + _PIECE]))
        yield frame_of(Answer(answer.number, None, parts=True))


class Parts:
    """Puts the parts of answers together as they come in."""

    def __init__(self) -> None:
        self._pieces: dict[int, list[str]] = {}

    def take(self, message: FromHost) -> FromHost | None:
        """Return the message, whole; None for a part of one that is still coming. Raises FrameDamaged."""
        if isinstance(message, Part):
            self._pieces.setdefault(message.number, []).append(message.text)
            return None
        if isinstance(message, Answer) and message.parts:
            text = "".join(self._pieces.pop(message.number, ()))
            try:
                return Answer(message.number, msgspec.json.decode(text))
            except msgspec.DecodeError as error:
                raise FrameDamaged(Damage.NOT_JSON, str(error)) from error
        return message
