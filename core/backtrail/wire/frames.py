"""Frames: where one message ends and the next begins.

A frame is its body's length in 4 bytes, the most significant first, then the body: JSON of at most 1 MiB. Owns the
cutting only: it reads from no socket, so that a window can feed it what its own socket gave. Does not look into the
body (`messages`), and never skips a damaged frame to find the next one.
"""

from collections.abc import Iterator

from backtrail.wire.errors import Damage, FrameDamaged, FrameTooLong

LONGEST = 1 << 20
"""The most bytes that a body may have."""

_HEAD = 4


def framed(body: bytes) -> bytes:
    """Return `body` as a frame. Raises FrameTooLong."""
    if len(body) > LONGEST:
        raise FrameTooLong(len(body), LONGEST)
    return len(body).to_bytes(_HEAD, "big") + body


class FrameReader:
    """Cuts a stream into bodies, however it was split. Holds at most one frame and what was last read."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def read(self, data: bytes) -> Iterator[bytes]:
        """Take the next bytes of the stream; the iterator gives the bodies that are whole now.

        Raises FrameTooLong as soon as a length says so, after the bodies before it; the stream is of no use then.
        """
        self._buffer += data
        return self._bodies()

    def _bodies(self) -> Iterator[bytes]:
        buffer = self._buffer
        while len(buffer) >= _HEAD:
            length = int.from_bytes(buffer[:_HEAD], "big")
            if length > LONGEST:
                raise FrameTooLong(length, LONGEST)
            end = _HEAD + length
            if len(buffer) < end:
                return
            body = bytes(buffer[_HEAD:end])
            del buffer[:end]
            yield body

    def end(self) -> None:
        """Say that the stream ended here. Raises FrameDamaged if that is in the middle of a frame."""
        if self._buffer:
            raise FrameDamaged(Damage.CUT_OFF, f"{len(self._buffer)} bytes of a frame")
