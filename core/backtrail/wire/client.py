"""A blocking client of the Host, for the command line and for hooks.

Owns one connection, used from one thread: hello, requests and their answers, events. Tells a Host that is not
answering (nothing came for 6 s, not even a sign of life) from one that stopped (end of file). Never starts a Host,
never connects again by itself. The window has its own client, on Qt's socket, over the same frames and messages.
"""

import collections
import contextlib
import os
import pathlib
import socket
import struct
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Self

from backtrail import __version__
from backtrail.model.progress import Cancelled
from backtrail.wire.address import sockets_of
from backtrail.wire.errors import (
    CommandFailed,
    Damage,
    FrameDamaged,
    HostNotAnswering,
    HostOfAnotherUser,
    HostRefused,
    HostStopped,
    NoHost,
    TookTooLong,
)
from backtrail.wire.frames import FrameReader
from backtrail.wire.limits import LIMITS, Limits
from backtrail.wire.messages import (
    Answer,
    Cancel,
    Event,
    Failure,
    FromHost,
    Hello,
    JsonObject,
    Message,
    Progress,
    Refused,
    Request,
    Role,
    Welcome,
    from_host,
)
from backtrail.wire.parts import Parts, frames_of
from backtrail.wire.peer import is_own, peer_uid

OnProgress = Callable[[Progress], None]
"""Told of each Progress of a request. It may raise Cancelled: the request is cancelled, and its end waited for."""

_AT_ONCE = 1 << 16
_WAITS = 4
"""Silence is waited for in so many parts. One that ends late counts no more than another: while the whole machine stood
still, the Host could not speak."""


class Client:
    """A connection to the Host. Use as a context manager."""

    def __init__(self, sock: socket.socket, limits: Limits) -> None:
        self._sock = sock
        self._limits = limits
        self._frames = FrameReader()
        self._parts = Parts()
        self._came: collections.deque[FromHost] = collections.deque()
        self._events: collections.deque[Event] = collections.deque()
        self._under_way: dict[int, str] = {}
        self._settled: dict[int, Answer | Failure] = {}
        self._last = 0
        self._waited_for: int | None = None
        self._in_vain_s = 0.0
        self.welcome: Welcome

    @classmethod
    def connect(
        cls,
        home: pathlib.Path,
        role: Role,
        *,
        events: bool = False,
        limit_s: float | None = None,
        product: str = __version__,
        limits: Limits = LIMITS,
    ) -> Self:
        """Connect to the Host of the data folder `home`, within `limit_s` seconds.

        events: be told them; then they have to be read. Raises NoHost, HostOfAnotherUser, HostRefused,
        HostNotAnswering, HostStopped, FrameDamaged.
        """
        hello = Hello(role=role, pid=os.getpid(), product=product, events=events)
        for path in sockets_of(home):
            with contextlib.suppress(NoHost):
                return cls.at(path, hello, limit_s=limit_s, limits=limits)
        raise NoHost(str(home))

    @classmethod
    def at(cls, path: pathlib.Path, hello: Hello, *, limit_s: float | None = None, limits: Limits = LIMITS) -> Self:
        """Connect to the Host that listens at `path`. Raises as `connect` does."""
        limit_s = limits.silent_s if limit_s is None else limit_s
        until = time.monotonic() + limit_s
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            _connect(sock, path, limit_s)
            if not is_own(sock):
                raise HostOfAnotherUser(peer_uid(sock))
            client = cls(sock, limits)
            with contextlib.suppress(HostStopped):  # a Host that refuses does not wait for the hello
                client._say(hello)
            client._be_welcomed(until, limit_s)
        except BaseException:
            sock.close()
            raise
        return client

    def _be_welcomed(self, until: float, limit_s: float) -> None:
        answer = self._next(until)
        if answer is None:
            raise HostNotAnswering(limit_s)
        if isinstance(answer, Refused):
            raise HostRefused(answer.code, answer.protocol, answer.product)
        if not isinstance(answer, Welcome):
            raise FrameDamaged(Damage.NOT_A_MESSAGE, "no welcome")
        self.welcome = answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave. Requests under way go on at the Host."""
        self._sock.close()

    def ask(
        self,
        command: str,
        arguments: JsonObject | None = None,
        on_progress: OnProgress | None = None,
        limit_s: float | None = None,
    ) -> object:
        """Have the Host do something, and return the result. Raises as `wait` does, and FrameTooLong."""
        return self.wait(self.begin(command, arguments), on_progress, limit_s)

    def begin(self, command: str, arguments: JsonObject | None = None) -> int:
        """Send a request and return its number, for `wait`. Raises FrameTooLong, HostNotAnswering, HostStopped."""
        request = Request(self._last + 1, command, arguments or {})
        self._say(request)
        self._last = request.number
        self._under_way[request.number] = command
        return request.number

    def wait(self, number: int, on_progress: OnProgress | None = None, limit_s: float | None = None) -> object:
        """Return the result of a request, whatever order the answers come in.

        Without `limit_s` it waits for as long as the Host is alive. Raises CommandFailed (`cancelled` among its
        codes), TookTooLong, HostNotAnswering, HostStopped, FrameDamaged.
        """
        until = None if limit_s is None else time.monotonic() + limit_s
        self._waited_for = number
        while number not in self._settled:
            message = self._next(until)
            if message is None:
                raise TookTooLong(self._under_way.pop(number), limit_s or 0.0)
            if isinstance(message, Progress) and message.number == number and on_progress is not None:
                try:
                    on_progress(message)
                except Cancelled:
                    self.cancel()
            else:
                self._sort(message)
        self._waited_for = None
        del self._under_way[number]
        outcome = self._settled.pop(number)
        if isinstance(outcome, Failure):
            raise CommandFailed(outcome.code, outcome.facts)
        return outcome.result

    def cancel(self, number: int | None = None) -> None:
        """Ask the Host to stop a request, by default the one that is waited for. Its end is still to be waited for.

        May be called from a signal handler while `ask` or `wait` waits.
        """
        number = self._waited_for if number is None else number
        if number is not None:
            self._say(Cancel(number))

    def events(self, limit_s: float) -> Iterator[Event]:
        """Give the events of the next `limit_s` seconds as they come, those first that came during requests.

        Raises HostNotAnswering, HostStopped, FrameDamaged.
        """
        until = time.monotonic() + limit_s
        while True:
            while self._events:
                yield self._events.popleft()
            message = self._next(until)
            if message is None:
                return
            self._sort(message)

    def _sort(self, message: FromHost) -> None:
        """Put a message where it is looked for. An answer that nobody waits for any more is let go."""
        if isinstance(message, Event):
            self._events.append(message)
        elif isinstance(message, Answer | Failure) and message.number in self._under_way:
            self._settled[message.number] = message

    def _say(self, message: Message) -> None:
        self._sock.settimeout(self._limits.silent_s)
        try:
            for frame in frames_of(message):
                self._sock.sendall(frame)
        except TimeoutError:
            raise HostNotAnswering(self._limits.silent_s) from None
        except OSError:
            raise HostStopped from None

    def _next(self, until: float | None) -> FromHost | None:
        """Return the next message, None if none came by `until` (monotonic)."""
        while not self._came:
            if not self._read(until):
                return None
        return self._came.popleft()

    def _read(self, until: float | None) -> bool:
        """Read once, or wait in vain for a while. False if nothing came by `until`.

        Silence is the time that was waited in vain, in one piece or several. Time in which this client did not look
        does not count, and a Host once said to be silent gets the whole time again: it may have come back.
        """
        wait = min(self._limits.silent_s / _WAITS, self._limits.silent_s - self._in_vain_s)
        if until is not None:
            wait = min(wait, until - time.monotonic())
        wait = max(wait, 0.0)
        self._sock.settimeout(wait)
        try:
            data = self._sock.recv(_AT_ONCE)
        except (BlockingIOError, TimeoutError):
            self._in_vain_s += wait
            if self._in_vain_s < self._limits.silent_s:
                return until is None or time.monotonic() < until
            silent_s, self._in_vain_s = self._in_vain_s, 0.0
            raise HostNotAnswering(silent_s) from None
        except OSError:  # reset: it closed without having read all that was said to it
            raise HostStopped from None
        if not data:
            raise HostStopped
        self._in_vain_s = 0.0
        came = (self._parts.take(from_host(body)) for body in self._frames.read(data))
        self._came.extend(message for message in came if message is not None)
        return True


def _connect(sock: socket.socket, path: pathlib.Path, limit_s: float) -> None:
    """Connect within `limit_s`. Raises NoHost, HostNotAnswering.

    A Unix socket whose queue of newcomers is full refuses at once unless it may wait, and only this option bounds
    that wait. A signal ends the wait, and Python then takes the socket for connected.
    """
    until = time.monotonic() + limit_s
    try:
        while not _is_connected(sock):
            seconds, part = divmod(max(until - time.monotonic(), 0.001), 1)
            bound = struct.pack("ll", int(seconds), int(part * 1_000_000))
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, bound)
            sock.connect(os.fsencode(path))
    except BlockingIOError:
        raise HostNotAnswering(limit_s) from None
    except (ConnectionRefusedError, FileNotFoundError):
        raise NoHost(str(path)) from None
    except PermissionError:
        raise HostOfAnotherUser(None) from None


def _is_connected(sock: socket.socket) -> bool:
    try:
        sock.getpeername()
    except OSError:
        return False
    return True
