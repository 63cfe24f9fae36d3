"""The menu's "Start with the session": its tick is what the disk says, before and after each press.

Owns the action's tick, and the sentence where the entry cannot be written or read. Remembers nothing itself.
"""

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction

from backtrail_desktop.shell.autostart import Autostart
from backtrail_desktop.shell.notice import Notice

NOT_CHANGED = "Whether Backtrail starts with the session could not be changed."


class SessionStart(QObject):
    """told: what could not be done, as a Notice."""

    told = Signal(object)

    def __init__(self, action: QAction, autostart: Autostart, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._action, self._autostart = action, autostart
        action.setCheckable(True)
        action.triggered.connect(self._pressed)
        self.read()

    def read(self) -> None:
        """Look at the disk again."""
        try:
            on = self._autostart.is_on()
        except OSError:  # what cannot be read starts nothing; a press tells why
            on = False
        self._action.setChecked(on)

    def _pressed(self, on: bool) -> None:  # noqa: FBT001 - Qt's signature
        try:
            self._autostart.put_on() if on else self._autostart.put_off()
        except OSError as error:
            reason = f"{self._autostart.path}: {error.strerror}. See that this user may write there, and try again."
            self.told.emit(Notice(NOT_CHANGED, reason, warns=True))
        self.read()
