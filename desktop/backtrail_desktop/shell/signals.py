"""SIGINT, SIGTERM and SIGHUP as Qt's signal: Ctrl+C in the terminal, a session that ends, a terminal that is closed.

Owns the handlers of the three, from its making to `close`.
"""

import signal
import socket
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier, Signal

_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class EndSignals(QObject):
    """came: the process is to end."""

    came = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._read, self._write = socket.socketpair()
        self._write.setblocking(False)  # noqa: FBT003 - the standard library's signature
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._woken)
        self._before = signal.set_wakeup_fd(self._write.fileno())
        for number in _NUMBERS:
            signal.signal(number, _wake)

    def close(self) -> None:
        """Hear nothing any more; the next signal ends the process as it ends any other."""
        signal.set_wakeup_fd(self._before)
        for number in _NUMBERS:
            signal.signal(number, signal.SIG_DFL)
        self._notifier.setEnabled(False)
        self._read.close()
        self._write.close()

    def _woken(self) -> None:
        self._read.recv(64)
        self.came.emit()


def _wake(number: int, frame: FrameType | None) -> None:
    """Do nothing here: the byte that Python wrote wakes Qt's loop."""
    del number, frame
