"""What tells a bubble outside the window, as a small protocol: the session's bus fills it, and a test does."""

from typing import Protocol

from PySide6.QtCore import SignalInstance

from backtrail_desktop.tray.bubbles import Bubble


class Notifier(Protocol):
    """Shows bubbles. Signals of a QObject: `pressed(Bubble)`: its button; `refused(Bubble)`: nobody shows it here.

    `tray_came`: a place for icons has come to the desktop, so that an icon made before stands nowhere.
    """

    pressed: SignalInstance
    refused: SignalInstance
    tray_came: SignalInstance

    def show(self, bubble: Bubble) -> None:
        """Have it shown, in place of an earlier one about the same folder. Returns at once, come what may."""

    def close(self) -> None:
        """Let go of the desktop; nothing is told after this."""
