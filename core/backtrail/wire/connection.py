"""One client as the Host's server sees it: its socket, its half-read frame, its outbox, its requests under way.

Owns the client's descriptor. Reading and ending are for the server's loop alone; sending and dropping are for any
thread. Never waits for the client, except for what is queued when the Host stops.
"""

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Iterator

from backtrail.wire.calls import Call
from backtrail.wire.errors import FrameTooLong
from backtrail.wire.frames import FrameReader
from backtrail.wire.limits import Limits
from backtrail.wire.messages import Answer, Failure, Hello, Progress, Refused, Welcome, frame_of
from backtrail.wire.outbox import Outbox
from backtrail.wire.parts import Parts, frames_of

_log = logging.getLogger(__name__)
_AT_ONCE = 1 << 16


class Connection:
    """A connected client. `hello` is None until it has said who it is, which it has to by `hello_by` (monotonic).

    parts: of requests that are still coming.
    """

    def __init__(self, sock: socket.socket, limits: Limits) -> None:
        self._sock = sock
        self._limits = limits
        self._frames = FrameReader()
        self.parts = Parts()
        self._outbox: Outbox | None = None
        self._open = threading.Lock()
        self._closed = False
        self.hello: Hello | None = None
        self.hello_by = time.monotonic() + limits.hello_s
        self.calls: dict[int, Call] = {}

    def fileno(self) -> int:
        """Return the descriptor, for a selector."""
        return self._sock.fileno()

    def receive(self) -> Iterator[bytes]:
        """Read once, without waiting; the iterator gives the message bodies that are whole now.

        Raises EOFError, OSError, FrameTooLong: in each case the client is to be ended.
        """
        try:
            data = self._sock.recv(_AT_ONCE)
        except BlockingIOError:
            return iter(())
        if not data:
            raise EOFError
        return self._frames.read(data)

    def welcome(self, hello: Hello, answer: Welcome) -> None:
        """Take the client: from here on there is an outbox."""
        self._outbox = Outbox(self._sock, self._limits)
        self.send(frame_of(answer))
        self.hello = hello

    def refuse(self, answer: Refused) -> None:
        """Say why the client is not taken, if it listens. Nothing was written before: this fits the socket's buffer."""
        with contextlib.suppress(OSError):
            self._sock.send(frame_of(answer))

    def send(self, frame: bytes) -> None:
        """Queue a frame. A client that lets its queue fill up is dropped; it may come back and ask again."""
        if self._outbox is not None and not self._outbox.put(frame):
            self.drop()

    def report(self, progress: Progress) -> None:
        """Queue how far a request is."""
        self.send(frame_of(progress))

    def settle(self, outcome: Answer | Failure) -> None:
        """Queue how a request ended.

        An answer that cannot be written as one message of JSON becomes a failure that says so; a failure
        keeps its code.
        """
        code = outcome.code if isinstance(outcome, Failure) else None
        try:
            frames = list(frames_of(outcome)) if isinstance(outcome, Answer) else [frame_of(outcome)]
        except FrameTooLong as error:
            frames = [frame_of(Failure(outcome.number, code or "answer-too-long", error.facts()))]
        except Exception as error:  # noqa: BLE001 - not JSON, a fault of the handler: the client is told all the same
            _log.exception("a result cannot be written as JSON")
            frames = [frame_of(Failure(outcome.number, code or "internal-error", {"kind": type(error).__name__}))]
        for frame in frames:
            self.send(frame)

    def drop(self) -> None:
        """Let the client go, from any thread: the loop reads an end of file and ends it."""
        if self._outbox is not None:
            self._outbox.abandon()
        with self._open, contextlib.suppress(OSError):
            if not self._closed:
                self._sock.shutdown(socket.SHUT_RDWR)

    def finish(self) -> None:
        """Take no more to send; what is queued goes out, then the client sees the end of file."""
        if self._outbox is not None:
            self._outbox.finish()

    def end(self, wait_s: float = 0.0) -> None:
        """Wait so long at most for what is queued to go out, then close. The client sees the end of file."""
        if self._outbox is not None and not self._outbox.join(wait_s):
            self.drop()
            if not self._outbox.join(self._limits.close_s):  # the descriptor is in use: better kept than taken away
                _log.error("the writer of a client does not end")
                return
        with self._open:
            self._closed = True
            self._sock.close()
