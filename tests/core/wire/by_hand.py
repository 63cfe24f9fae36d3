"""A client that says exactly the bytes it is told to."""

import collections
import os
import pathlib
import socket
import time
from typing import Self

from backtrail.wire.frames import FrameReader
from backtrail.wire.messages import FromHost, Hello, Message, Role, frame_of, from_host
from backtrail.wire.server import Server

PATIENCE_S = 20.0


def hello(*, events: bool = False) -> Hello:
    return Hello(role=Role.COMMAND_LINE, pid=os.getpid(), product="by hand", events=events)


def wait_for_clients(server: Server, count: int) -> None:
    """Wait until the server has seen who left, which is a moment after they did."""
    deadline = time.monotonic() + PATIENCE_S
    while server.clients != count:
        assert time.monotonic() < deadline
        os.sched_yield()


class ByHand:
    """A socket, and what came from it so far."""

    def __init__(self, path: pathlib.Path) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE_S)
        self.sock.connect(os.fsencode(path))
        self._frames = FrameReader()
        self._came: collections.deque[FromHost] = collections.deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.sock.close()

    def say(self, *messages: Message) -> None:
        """Send the messages in one write."""
        self.sock.sendall(b"".join(frame_of(message) for message in messages))

    def hear(self) -> FromHost | None:
        """Return the next message, None at the end of file."""
        while not self._came:
            try:
                data = self.sock.recv(1 << 16)
            except ConnectionResetError:
                data = b""
            if not data:
                return None
            self._came.extend(from_host(body) for body in self._frames.read(data))
        return self._came.popleft()

    def hear_all(self) -> list[FromHost]:
        """Return everything up to the end of file, which has to come."""
        return list(iter(self.hear, None))
