"""What the window will want soon, made ready while nobody waits for it: one piece in each turn of the event loop.

Owns the order of the pieces and the pauses between them, so that no piece holds the window up for long. Nothing rests
on it: what is wanted sooner is made at that moment.
"""

import importlib
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer

from backtrail_desktop.shell.rooms import Rooms

_PAUSE_MS = 10
_OF_A_FOLDER = (
    "backtrail_desktop.folders.panel",
    "backtrail_desktop.timeline.panel",
    "backtrail_desktop.details.panel",
    "backtrail_desktop.graph.panel",
    "backtrail_desktop.graph.commit_panel",
    "backtrail_desktop.archives.tab",
    "backtrail_desktop.shell.folder_page",
)
_OF_THE_TRAY = (
    "backtrail_desktop.tray.session_bus",
    "backtrail_desktop.tray.tray",
)
_OF_THE_GUIDE = (
    "backtrail.wording.errors",
    "backtrail_desktop.restore.flow",
    "backtrail_desktop.restore.chosen_files",
    "backtrail_desktop.restore.plan_page",
    "backtrail_desktop.restore.guide",
)


class Warming(QObject):
    """Makes rooms ready, from `start` on."""

    def __init__(self, rooms: Rooms, put_up_tray: Callable[[], object], parent: QObject | None = None) -> None:
        """put_up_tray: makes the icon in the tray."""
        super().__init__(parent)
        self._pieces: list[Callable[[], object]] = [
            *(partial(importlib.import_module, name) for name in _OF_A_FOLDER),
            rooms.make_ready,
            *(partial(importlib.import_module, name) for name in _OF_THE_TRAY),
            put_up_tray,
            *(partial(importlib.import_module, name) for name in _OF_THE_GUIDE),
        ]
        self._timer = QTimer(self)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.timeout.connect(self._go_on)

    def start(self) -> None:
        """Begin after the first picture."""
        self._timer.start()

    def stop(self) -> None:
        """Leave the rest to whoever wants it."""
        self._timer.stop()

    def _go_on(self) -> None:
        if self._pieces:
            self._pieces.pop(0)()
        else:
            self._timer.stop()
