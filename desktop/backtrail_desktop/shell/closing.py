"""What becomes of everything when a person closes the window, and when they quit.

Owns two questions: one that is asked once, whose answer is remembered and can be changed in the menu; and one before a
quit that would stop keeping, whose answer is for that time. While there is an icon in the tray, closing the window only
hides it. Nothing is asked where no Host would end. Who is told to end by a signal is not asked either: then the Host
stops, unless a person has said that it goes on. Ends nothing itself.
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
QUIT = "Quit Backtrail"
QUIT_AND_GO_ON = "Quit, but go on keeping"
_ONCE = "You are asked once. The answer can be changed in the menu."
_KEPT_STAYS = "What is kept stays. What changes from then on is not kept until Backtrail runs again."


def _no() -> bool:
    return False


class Closing(QObject):
    """Asks before the window is closed. close_wanted: it may be closed now.

    ends_host: tells whether closing would end the Host. hides: tells whether closing only hides the window.
    `by_signal` is set where nobody can be asked, `ending` where a person quits.
    """

    close_wanted = Signal()

    def __init__(self, window: QWidget, settings: QSettings, dialogs: Dialogs, action: QAction) -> None:
        super().__init__(window)
        self._window, self._settings, self._dialogs = window, settings, dialogs
        self._take_back: Callable[[], None] | None = None
        self._may = False
        self._this_time: bool | None = None
        self.by_signal = False
        self.ending = False
        self.ends_host: Callable[[], bool] = _no
        self.hides: Callable[[], bool] = _no
        action.setCheckable(True)
        action.setChecked(self.goes_on)
        action.toggled.connect(self._remember)
        self._action = action

    @property
    def goes_on(self) -> bool:
        """Whether a person has said that the Host goes on: of this end, else of every end."""
        if self._this_time is not None:
            return self._this_time
        return str(self._settings.value(_GOES_ON, "")) == "yes"

    def only_hides(self) -> bool:
        """Tell whether closing the window now only hides it."""
        return not (self.by_signal or self.ending) and self.hides()

    def may_close(self, folders: int) -> bool:
        """Tell whether the window may be closed at once; else the person is asked first."""
        if self.by_signal:
            if self._take_back is not None:
                self._take_back()
            return True
        if self._take_back is not None:
            return False
        answered = self._may or (self.goes_on if self.ending else bool(self._settings.value(_GOES_ON, "")))
        if answered or not folders or not self.ends_host():
            return True
        stop = f"Stop keeping {counted(folders, 'folder')}"
        if self.ending:
            asked = GoingOn(f"{QUIT}?", f"{stop}?", _KEPT_STAYS, QUIT_AND_GO_ON, f"Quit, and s{stop[1:]}")
        else:
            asked = GoingOn(f"{GO_ON}?", QUESTION, _ONCE, GO_ON, stop)
        self._take_back = self._dialogs.ask_going_on(self._window, asked, self._answered)
        return False

    def _answered(self, goes_on: bool | None) -> None:  # noqa: FBT001 - the answer
        self._take_back = None
        if goes_on is None:
            self.ending = False
            return
        if self.ending:
            self._this_time = goes_on
        else:
            self._remember(goes_on)
        self._may = True
        self.close_wanted.emit()

    def _remember(self, goes_on: bool) -> None:  # noqa: FBT001 - the answer
        self._settings.setValue(_GOES_ON, "yes" if goes_on else "no")
        self._settings.sync()
        self._action.setChecked(goes_on)
