"""The Host's server: a Unix stream socket, one loop for all that comes in, one writer for each client.

Owns who is let in (the same user, the same protocol, a hello in time), the requests on their way to the workers, and
the events on their way to everybody. One client's silence, slowness or nonsense costs that client its connection and
nobody else anything. Runs no command itself, and does not end work that is under way when it closes: the workers are
the caller's.
"""

import concurrent.futures
import contextlib
import functools
import logging
import os
import pathlib
import selectors
import socket
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from backtrail import __version__
from backtrail.model.errors import BacktrailError
from backtrail.model.progress import Cancelled
from backtrail.wire.calls import Call, Service
from backtrail.wire.connection import Connection
from backtrail.wire.errors import Damage, FrameDamaged
from backtrail.wire.limits import LIMITS, Limits
from backtrail.wire.listening import Listener
from backtrail.wire.messages import (
    PROTOCOL,
    Alive,
    Answer,
    Cancel,
    Event,
    Failure,
    Hello,
    JsonObject,
    Refusal,
    Refused,
    Request,
    Welcome,
    frame_of,
    from_client,
    protocol_of,
)
from backtrail.wire.peer import is_own

_log = logging.getLogger(__name__)
_CLOSING_S = 2.0
_ALIVE = frame_of(Alive())


class Server:
    """Serves one data folder's socket until it is closed. Use as a context manager."""

    def __init__(self, listener: Listener, service: Service, product: str, limits: Limits) -> None:
        self._listener = listener
        self._service = service
        self._product = product
        self._limits = limits
        self._connections: set[Connection] = set()
        self._told: tuple[Connection, ...] = ()
        self._telling = threading.Lock()
        self._stopping = threading.Event()
        self._alive_at = time.monotonic() + limits.alive_s
        self._accept_at: float | None = None
        self._woken, self._waker = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        self._selector.register(self._woken, selectors.EVENT_READ, self._stopping.set)
        self._loop = threading.Thread(target=self._run, name="backtrail-wire-server", daemon=True)

    @classmethod
    def open(
        cls,
        path: pathlib.Path,
        service: Service,
        *,
        lock_held: bool,
        product: str = __version__,
        limits: Limits = LIMITS,
    ) -> Self:
        """Listen at `path` and serve. `lock_held`: the data folder's lock is, so a socket that stands there is stale.

        Raises SocketTaken, OSError.
        """
        server = cls(Listener.open(path, lock_held=lock_held), service, product, limits)
        server._loop.start()
        return server

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def running(self) -> bool:
        """Tell whether the loop is alive (case B79)."""
        return self._loop.is_alive()

    @property
    def clients(self) -> int:
        """How many clients have been welcomed and are connected."""
        return sum(connection.hello is not None for connection in tuple(self._connections))

    def publish(self, event: Event) -> None:
        """Tell all clients that want events, in the same order for each. Never waits. Raises FrameTooLong."""
        if not self._told:
            return
        frame = frame_of(event)
        with self._telling:
            for connection in self._told:
                connection.send(frame)

    def close(self) -> None:
        """Hand over what is queued, as far as clients read it, and end all connections: within 2 s."""
        self._stopping.set()
        with contextlib.suppress(OSError):
            self._waker.send(b"\0")
        self._loop.join(_CLOSING_S)
        self._waker.close()

    # The loop: everything below runs on its thread, unless it says otherwise.

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                for key, _ in self._selector.select(self._patience()):
                    key.data()
                self._on_time(time.monotonic())
        except Exception:  # noqa: BLE001 - an edge: the log says why, and every client sees the end of file
            _log.exception("the server's loop ends")
        finally:
            self._end_all()

    def _patience(self) -> float | None:
        """Return the seconds until something is due by the clock, None if nothing is."""
        due = [one.hello_by if one.hello is None else self._alive_at for one in self._connections]
        if self._accept_at is not None:
            due.append(self._accept_at)
        return max(min(due) - time.monotonic(), 0) if due else None

    def _on_time(self, now: float) -> None:
        if self._accept_at is not None and now >= self._accept_at:
            self._accept_at = None
            self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        if now >= self._alive_at:
            self._alive_at = now + self._limits.alive_s
            for connection in self._connections:
                connection.send(_ALIVE)
        for connection in [one for one in self._connections if one.hello is None and now >= one.hello_by]:
            self._end(connection)

    def _accept(self) -> None:
        try:
            sock = self._listener.accept()
        except OSError as error:  # no descriptor left: looking again at once would be a busy loop
            _log.warning("no more clients for now: %s", error)
            self._selector.unregister(self._listener)
            self._accept_at = time.monotonic() + self._limits.retry_s
            return
        if sock is None:
            return
        try:
            self._admit(sock)
        except OSError as error:
            _log.warning("a client cannot be taken: %s", error)
            sock.close()

    def _admit(self, sock: socket.socket) -> None:
        connection = Connection(sock, self._limits)
        refusal = self._refusal(sock)
        if refusal is not None:
            connection.refuse(Refused(code=refusal, product=self._product))
            connection.end()
            return
        self._selector.register(connection, selectors.EVENT_READ, functools.partial(self._read, connection))
        self._connections.add(connection)

    def _refusal(self, sock: socket.socket) -> Refusal | None:
        if not is_own(sock):
            return Refusal.OTHER_USER
        return Refusal.TOO_BUSY if len(self._connections) >= self._limits.clients else None

    def _read(self, connection: Connection) -> None:
        try:
            for body in connection.receive():
                self._take(connection, body)
        except (EOFError, OSError):
            self._end(connection)
        except BacktrailError as error:
            _log.warning("a client is dropped: %s %s", error.code, error.facts())
            self._end(connection)
        except Exception:  # noqa: BLE001 - an edge: it costs this client only
            _log.exception("a client is dropped")
            self._end(connection)

    def _take(self, connection: Connection, body: bytes) -> None:
        """Do what one message says. Raises FrameDamaged, EOFError for a client that is to go."""
        if connection.hello is None:
            self._greet(connection, body)
            return
        message = connection.parts.take(from_client(body))
        if message is None:
            return
        if isinstance(message, Request):
            self._begin(connection, Call(connection.hello, message, connection.report))
        elif isinstance(message, Cancel):
            if (call := connection.calls.get(message.number)) is not None:
                call.cancel()
        else:
            raise FrameDamaged(Damage.NOT_A_MESSAGE, "a second hello")

    def _greet(self, connection: Connection, body: bytes) -> None:
        if protocol_of(body) != PROTOCOL:
            connection.refuse(Refused(code=Refusal.OTHER_VERSION, product=self._product))
            raise EOFError
        hello = from_client(body)
        if not isinstance(hello, Hello):
            raise FrameDamaged(Damage.NOT_A_MESSAGE, "no hello")
        connection.welcome(hello, Welcome(pid=os.getpid(), product=self._product))
        if hello.events:
            with self._telling:
                self._told = (*self._told, connection)

    def _begin(self, connection: Connection, call: Call) -> None:
        if call.number in connection.calls:
            raise FrameDamaged(Damage.NOT_A_MESSAGE, "the number of a request under way")
        if len(connection.calls) >= self._limits.requests:
            connection.settle(Failure(call.number, "too-busy", {"requests": self._limits.requests}))
            return
        connection.calls[call.number] = call
        try:
            self._service.workers.submit(self._work, connection, call)
        except RuntimeError:  # the workers were ended before the server: the Host is stopping
            del connection.calls[call.number]
            connection.settle(Failure(call.number, "host-stopping"))

    def _end(self, connection: Connection) -> None:
        self._selector.unregister(connection)
        self._connections.discard(connection)
        with self._telling:
            self._told = tuple(one for one in self._told if one is not connection)
        connection.drop()
        connection.end(self._limits.close_s)

    def _end_all(self) -> None:
        self._listener.close()
        until = time.monotonic() + self._limits.close_s
        for connection in self._connections:
            connection.finish()
        for connection in self._connections:
            connection.end(until - time.monotonic())
        self._connections.clear()
        self._told = ()
        self._selector.close()
        self._woken.close()

    # The workers: everything below runs on their threads.

    def _work(self, connection: Connection, call: Call) -> None:
        def handled() -> object:
            call.check()
            return self._service.handle(call)

        self._deliver(connection, call, handled)

    def _deliver(self, connection: Connection, call: Call, work: Callable[[], object]) -> None:
        """Answer a call with what the work returns or raises, or later with what the Future that it returns does."""
        outcome: Answer | Failure
        try:
            result = work()
        except Exception as error:  # noqa: BLE001 - an edge: whatever it is, the client is told
            outcome = self._failure(call.number, error)
        else:
            if isinstance(result, concurrent.futures.Future):
                call.waits_for(result)
                result.add_done_callback(lambda done: self._deliver(connection, call, done.result))
                return
            outcome = Answer(call.number, result)
        connection.calls.pop(call.number, None)
        connection.settle(outcome)

    def _failure(self, number: int, error: Exception) -> Failure:
        if isinstance(error, Cancelled | concurrent.futures.CancelledError):
            return Failure(number, "cancelled")
        if isinstance(error, BacktrailError):
            return Failure(number, error.code, self._facts(error))
        _log.error("a request failed", exc_info=error)
        return Failure(number, "internal-error", {"kind": type(error).__name__})

    def _facts(self, error: BacktrailError) -> JsonObject:
        try:
            return self._service.facts(error)
        except Exception:  # noqa: BLE001 - the code alone still tells the client what happened
            _log.exception("the facts of %s cannot be written", error.code)
            return {}
