"""One connection to a Host, on Qt's socket: messages in, messages out, and its end.

Owns the socket and the cutting into frames. Never waits, never connects a second time, and does not know what any
message means. Who listens must be this user's process.
"""

import logging
import os
import pathlib
import socket

from backtrail.model.errors import BacktrailError
from backtrail.wire.frames import FrameReader
from backtrail.wire.messages import FromHost, Message, from_host
from backtrail.wire.parts import Parts, frames_of
from backtrail.wire.peer import is_own
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtNetwork import QLocalSocket

_log = logging.getLogger(__name__)
_AT_ONCE = 64 << 10
"""The bytes that are taken in one turn of the event loop: a plan over 50,000 paths holds nobody up."""


class HostSocket(QObject):
    """connected: somebody listens. came(object): a message. ended: no more will come; told once, also in vain."""

    connected = Signal()
    came = Signal(object)
    ended = Signal()

    def __init__(self, path: pathlib.Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._frames, self._parts = FrameReader(), Parts()
        self._over = False
        self._held: FromHost | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.timeout.connect(self._read)
        self._socket = QLocalSocket(self)
        self._socket.connected.connect(self._connected)
        self._socket.readyRead.connect(self._read)
        self._socket.disconnected.connect(self._end)
        self._socket.errorOccurred.connect(self._end)  # its state is not told yet at that moment

    @property
    def has_more(self) -> bool:
        """Whether something came that is not read yet."""
        return self._socket.bytesAvailable() > 0

    def open(self) -> None:
        """Begin to connect."""
        self._socket.connectToServer(os.fsdecode(self._path))

    def say(self, message: Message) -> None:
        """Queue a message. Raises FrameTooLong."""
        frames = list(frames_of(message))
        if not self._over:
            for frame in frames:
                self._socket.write(frame)

    def close(self) -> None:
        """Leave; `ended` is not told any more."""
        self._over = True
        self._rest.stop()
        self._socket.abort()

    def _connected(self) -> None:
        with socket.socket(fileno=os.dup(int(self._socket.socketDescriptor()))) as looked_at:
            own = is_own(looked_at)
        if own:
            self.connected.emit()
        else:
            self._finish()

    def _read(self) -> None:
        if not self._take(_AT_ONCE):
            self._finish()
        elif self.has_more or self._held is not None:
            self._rest.start()

    def _end(self) -> None:
        """Take what came before the end, then say that it was the end."""
        while self._take(self._socket.bytesAvailable()) and self._held is not None:
            pass
        self._finish()

    def _take(self, at_most: int) -> bool:
        """Tell the messages that are whole within so many bytes.

        False: what follows cannot be trusted to begin where a message begins.
        """
        held, self._held = self._held, None
        if held is not None:
            self.came.emit(held)
        data = bytes(self._socket.read(at_most).data()) if self.has_more else b""
        try:
            for body in self._frames.read(data):
                if self._over:
                    break
                told = from_host(body)
                message = self._parts.take(told)
                if message is not None and message is not told:
                    self._held = message  # putting it together took long enough for one turn
                    break
                if message is not None:
                    self.came.emit(message)
        except BacktrailError as error:
            _log.warning("the connection is given up: %s %s", error.code, error.facts())
            return False
        return True

    def _finish(self) -> None:
        if not self._over:
            self._over = True
            self._rest.stop()
            self._socket.abort()
            self.ended.emit()
