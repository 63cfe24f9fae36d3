"""One guide at a time, over the window.

Owns when the guide is there. Opening it restores nothing: it asks for a plan and shows it. What the guide is made of
is imported when it is first wanted: the window's first picture has nothing of it.
"""

from typing import TYPE_CHECKING

from backtrail.model.ids import RestoreId
from backtrail.model.memory import Memory
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from backtrail_desktop.client.port import HostPort, Port
from backtrail_desktop.timeline.clock import Clock, system_clock
from backtrail_desktop.timeline.wish import Wish

if TYPE_CHECKING:
    from backtrail_desktop.restore.guide import RestoreGuide


class Guiding(QObject):
    """Opens the guide. folder_wanted(bytes): open it. archive_wanted(str): show it. closed: the guide is gone.

    start_wanted: Backtrail is to run in the background.
    """

    folder_wanted = Signal(object)
    archive_wanted = Signal(str)
    start_wanted = Signal()
    closed = Signal()

    def __init__(self, window: QWidget, host: HostPort, reader: Port, clock: Clock = system_clock) -> None:
        super().__init__(window)
        self._window = window
        self._host = host
        self._reader = reader
        self._clock = clock
        self.guide: RestoreGuide | None = None

    def fulfil(self, memory: Memory, wish: Wish) -> None:
        """Show what fulfilling a wish would do; nothing while a guide is open."""
        if self.guide is None:
            self._made(memory).fulfil(wish)

    def bring_back(self, memory: Memory, restore: RestoreId) -> None:
        """Show what going back to the archive of a restore would do; nothing while a guide is open."""
        if self.guide is None:
            self._made(memory).bring_back(restore)

    def _made(self, memory: Memory) -> "RestoreGuide":
        from backtrail_desktop.restore.guide import RestoreGuide  # noqa: PLC0415 - see above

        guide = RestoreGuide(memory, self._host, self._reader, self._window, self._clock)
        guide.folder_asked.connect(self.folder_wanted)
        guide.start_asked.connect(self.start_wanted)
        guide.archive_asked.connect(self.archive_wanted)
        guide.finished.connect(self._finished)
        self.guide = guide
        return guide

    def _finished(self) -> None:
        guide, self.guide = self.guide, None
        if guide is not None:
            guide.deleteLater()
        self.closed.emit()
