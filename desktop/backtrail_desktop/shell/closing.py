"""What becomes of the Host when the window that started it is closed: it goes on keeping, or stops.

Owns the question, which is asked once, and the answer, which is remembered and can be changed in the menu. Nothing is
asked where closing ends no Host. Who is told to end by a signal is not asked either: then the Host stops, unless a
person has said that it goes on. Ends nothing itself.
"""

from collections.abc import Callable

from backtrail.wording.sentence import counted
from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from backtrail_desktop.shell.dialogs import Dialogs, GoingOn

_GOES_ON = "window/goes-on-when-closed"
QUESTION = "Go on keeping your work while this window is closed?"
GO_ON = "Go on keeping"


def _ends_nothing() -> bool:
    return False


class Closing(QObject):
    """Asks before the window is closed. close_wanted: it may be closed now.

    ends_host: tells whether closing would end the Host. `by_signal` is set where nobody can be asked.
    """

    close_wanted = Signal()

    def __init__(self, window: QWidget, settings: QSettings, dialogs: Dialogs, action: QAction) -> None:
        super().__init__(window)
        self._window, self._settings, self._dialogs = window, settings, dialogs
        self._take_back: Callable[[], None] | None = None
        self.by_signal = False
        self.ends_host: Callable[[], bool] = _ends_nothing
        action.setCheckable(True)
        action.setChecked(self.goes_on)
        action.toggled.connect(self._remember)
        self._action = action

    @property
    def goes_on(self) -> bool:
        """Whether a person has said that the Host goes on."""
        return str(self._settings.value(_GOES_ON, "")) == "yes"

    def may_close(self, folders: int) -> bool:
        """Tell whether the window may be closed at once; else the person is asked first."""
        if self.by_signal:
            if self._take_back is not None:
                self._take_back()
            return True
        if self._take_back is not None:
            return False
        answered = bool(self._settings.value(_GOES_ON, ""))
        if answered or not folders or not self.ends_host():
            return True
        stop = f"Stop keeping {counted(folders, 'folder')}"
        question = GoingOn(QUESTION, "You are asked once. The answer can be changed in the menu.", GO_ON, stop)
        self._take_back = self._dialogs.ask_going_on(self._window, question, self._answered)
        return False

    def _answered(self, goes_on: bool | None) -> None:  # noqa: FBT001 - the answer
        self._take_back = None
        if goes_on is not None:
            self._remember(goes_on)
            self.close_wanted.emit()

    def _remember(self, goes_on: bool) -> None:  # noqa: FBT001 - the answer
        self._settings.setValue(_GOES_ON, "yes" if goes_on else "no")
        self._settings.sync()
        self._action.setChecked(goes_on)
