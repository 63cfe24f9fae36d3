"""Light or dark, as the system has it: dresses a window and follows the system when it turns.

Owns when palette and style sheet are put on. A window that cannot tell the system's scheme is as dark as the palette
it was given by the system.
"""

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from backtrail_desktop.shell.palette import DARK, LIGHT, Colours, qt_palette
from backtrail_desktop.shell.sheet import sheet


def dress(widget: QWidget, colours: Colours) -> None:
    """Give a widget and all in it these colours."""
    widget.setPalette(qt_palette(colours))
    widget.setStyleSheet(sheet(colours, QApplication.font()))


def system_colours() -> Colours:
    """Return the palette that suits the system's colour scheme."""
    scheme = QGuiApplication.styleHints().colorScheme()
    if scheme is Qt.ColorScheme.Unknown:
        palette = QGuiApplication.palette()
        window, text = palette.color(QPalette.ColorRole.Window), palette.color(QPalette.ColorRole.WindowText)
        return DARK if window.lightness() < text.lightness() else LIGHT
    return DARK if scheme is Qt.ColorScheme.Dark else LIGHT


class Theme(QObject):
    """Keeps one window in the system's colour scheme."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._turned)
        self._turned()

    def _turned(self) -> None:
        dress(self._window, system_colours())
