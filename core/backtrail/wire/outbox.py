"""What waits to be written to one client, and the thread that writes it.

Owns a bounded queue and its writer. Putting never blocks: a client that does not read fills its own queue, nobody
else's time. Never cuts or reorders frames. Does not close the socket: the server's loop does, after the writer ended.
"""

import collections
import contextlib
import enum
import select
import socket
import threading

from backtrail.wire.limits import Limits

_AT_ONCE = 1 << 18
"""Frames are joined up to about so many bytes into one write."""
_WAIT_MS = 100
"""A client's time is counted in waits of so many milliseconds. One that ends late counts no more than another: while
the whole machine stood still, this client could not read."""


class _State(enum.Enum):
    OPEN = enum.auto()
    FINISHING = enum.auto()
    ABANDONED = enum.auto()


class Outbox:
    """The frames for one client, in order."""

    def __init__(self, sock: socket.socket, limits: Limits) -> None:
        self._sock = sock
        self._limits = limits
        self._frames: collections.deque[bytes] = collections.deque()
        self._bytes = 0
        self._in_vain_ms = 0
        self._state = _State.OPEN
        self._changed = threading.Condition()
        self._writer = threading.Thread(target=self._write_all, name="backtrail-wire-writer", daemon=True)
        self._writer.start()

    def put(self, frame: bytes) -> bool:
        """Queue a frame, from any thread. False if it does not fit or the outbox has ended: the client is to go."""
        with self._changed:
            if self._state is not _State.OPEN or self._is_full(len(frame)):
                return False
            self._frames.append(frame)
            self._bytes += len(frame)
            self._changed.notify()
            return True

    def _is_full(self, more: int) -> bool:
        if self._bytes + more > self._limits.queue_bytes:
            return True
        return len(self._frames) >= self._limits.queue and self._in_vain_ms >= self._limits.grace_s * 1000

    def finish(self) -> None:
        """Take no more; the writer ends once everything is written."""
        self._turn(_State.FINISHING)

    def abandon(self) -> None:
        """Take no more, and forget what waits. A write under way ends when the socket is shut down."""
        self._turn(_State.ABANDONED)

    def _turn(self, state: _State) -> None:
        with self._changed:
            if self._state is not _State.ABANDONED:
                self._state = state
            if state is _State.ABANDONED:
                self._frames.clear()
                self._bytes = 0
            self._changed.notify()

    def join(self, wait_s: float) -> bool:
        """Wait for the writer's end; tell whether it came."""
        self._writer.join(max(wait_s, 0))
        return not self._writer.is_alive()

    def _write_all(self) -> None:
        try:
            while (data := self._take()) is not None:
                self._write(data)
        except OSError:  # the client left, or did not read for too long: the loop sees the end of file
            self.abandon()
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)

    def _take(self) -> bytes | None:
        """Wait for frames and return some of them joined, None at the end."""
        with self._changed:
            while not self._frames and self._state is _State.OPEN:
                self._changed.wait()
            if not self._frames:
                return None
            taken = [self._frames.popleft()]
            size = len(taken[0])
            while self._frames and size < _AT_ONCE:
                taken.append(self._frames.popleft())
                size += len(taken[-1])
            self._bytes -= size
        return b"".join(taken)

    def _write(self, data: bytes) -> None:
        """Write all of it. Raises TimeoutError when the client takes nothing for too long, OSError when it is gone."""
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self._sock.send(rest) :]
                self._in_vain_ms = 0
            except BlockingIOError:
                self._wait_for_room()

    def _wait_for_room(self) -> None:
        """Wait until the client takes something. Raises TimeoutError when it does not for too long."""
        room = select.poll()
        room.register(self._sock, select.POLLOUT)
        while not room.poll(_WAIT_MS):
            self._in_vain_ms += _WAIT_MS
            if self._in_vain_ms >= self._limits.stall_s * 1000:
                raise TimeoutError
