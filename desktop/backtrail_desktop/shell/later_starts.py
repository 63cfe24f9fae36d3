"""What later starts say to the window that is there: to come to the front, and maybe which folder to show.

Owns the connections. Lets in only processes of this user. What is no message is dropped without an answer, and so is
who stays silent.
"""

import contextlib
import socket

from backtrail.wire.peer import is_own
from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Signal

from backtrail_desktop.shell.single import LONGEST, TAKEN, folder_in

_PATIENCE_MS = 5000
_PIECE = 4096


class LaterStarts(QObject):
    """came: another start wants the window shown. Its value: the folder's bytes, empty for none."""

    came = Signal(bytes)

    def __init__(self, listening: socket.socket, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._listening = listening
        self._notifier = QSocketNotifier(listening.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._knocked)

    def close(self) -> None:
        """Hear nobody any more. The listening socket stays its maker's."""
        self._notifier.setEnabled(False)
        for hearing in self.findChildren(_Hearing):
            hearing.end()

    def _knocked(self) -> None:
        try:
            there, _ = self._listening.accept()
        except (BlockingIOError, ConnectionAbortedError):  # who knocked has gone
            return
        if not is_own(there):
            there.close()
            return
        _Hearing(there, self)


class _Hearing(QObject):
    """One later start, until it has said everything."""

    def __init__(self, there: socket.socket, starts: LaterStarts) -> None:
        super().__init__(starts)
        there.setblocking(False)  # noqa: FBT003 - the standard library's signature
        self._there, self._starts, self._message = there, starts, b""
        self._notifier = QSocketNotifier(there.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._said)
        QTimer.singleShot(_PATIENCE_MS, self, self.end)

    def end(self) -> None:
        """Let go of it."""
        self._notifier.setEnabled(False)
        self._there.close()
        self.deleteLater()

    def _said(self) -> None:
        try:
            piece = self._there.recv(_PIECE)
        except ConnectionResetError:
            self.end()
            return
        self._message += piece
        if piece and len(self._message) <= LONGEST:
            return
        folder = folder_in(self._message)
        if folder is not None:
            self._starts.came.emit(folder)
            with contextlib.suppress(BrokenPipeError):  # it did not wait for the answer
                self._there.send(TAKEN)
        self.end()
