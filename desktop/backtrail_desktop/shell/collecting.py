"""Python's cyclic collector, run in the UI thread only: elsewhere it would end Qt's objects in the wrong thread.

Owns when it runs: by a timer, and only as deep as there is something to do.
"""

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 5000


class Collecting(QObject):
    """Turns the collector's own runs off for the process, and collects from then on."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect the oldest generation that has come to its threshold."""
        due = [
            at for at, (count, most) in enumerate(zip(gc.get_count(), gc.get_threshold(), strict=True)) if count > most
        ]
        if due:
            gc.collect(due[-1])
