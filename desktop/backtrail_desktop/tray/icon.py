"""The icon in the tray, as a small protocol and by Qt's means.

Owns when there is an icon, and how it is painted: the sign of the worst folder on a plate of its own, since the colour
of the panel is not known. What its menu holds is not its business.
"""

import functools
from typing import Protocol

from PySide6.QtCore import QObject, QRectF, Qt, Signal, SignalInstance
from PySide6.QtGui import QIcon, QPainter
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from backtrail_desktop.shell.marks import paint_mark
from backtrail_desktop.shell.painted_icon import painted_icon
from backtrail_desktop.shell.palette import Colours
from backtrail_desktop.shell.standing import Mark

_SIZES = (16, 22, 24, 32, 48, 64)
_PLATE = 0.22
_MESSAGE_MS = 30_000


class TrayPort(Protocol):
    """A place for an icon. Signals of a QObject: `opened`: the icon was clicked; `message_pressed`: its message was."""

    opened: SignalInstance
    message_pressed: SignalInstance

    def is_available(self) -> bool:
        """Tell whether the desktop has a place for icons now."""

    def put(self, menu: QMenu) -> None:
        """Put the icon there, anew if one was put before."""

    def take_away(self) -> None:
        """Take it away."""

    def show(self, mark: Mark, tip: str, colours: Colours) -> None:
        """Show a sign, and this text where the mouse rests on it."""

    def tell(self, title: str, body: str) -> bool:
        """Show a message of the icon's own; False where that cannot be."""


class QtTray(QObject):
    """Fills `TrayPort`."""

    opened = Signal()
    message_pressed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._icon: QSystemTrayIcon | None = None
        self._shown: tuple[Mark, str, Colours] | None = None

    def is_available(self) -> bool:
        """Ask the desktop."""
        return QSystemTrayIcon.isSystemTrayAvailable()

    def put(self, menu: QMenu) -> None:
        """Make the icon: one that was made before the desktop had a place for it never appears."""
        self.take_away()
        self._icon = QSystemTrayIcon(self)
        self._icon.setContextMenu(menu)
        self._icon.activated.connect(self._activated)
        self._icon.messageClicked.connect(self.message_pressed)
        if self._shown is not None:
            self._paint(*self._shown)
        self._icon.show()

    def take_away(self) -> None:
        """Hide the icon and let it go."""
        if self._icon is not None:
            self._icon.hide()
            self._icon.deleteLater()
            self._icon = None

    def show(self, mark: Mark, tip: str, colours: Colours) -> None:
        """Paint it, if it is not painted so already."""
        if (mark, tip, colours) != self._shown:
            self._shown = (mark, tip, colours)
            self._paint(mark, tip, colours)

    def tell(self, title: str, body: str) -> bool:
        """Show it as Qt does."""
        if self._icon is None or not QSystemTrayIcon.supportsMessages():
            return False
        self._icon.showMessage(title, body, self._icon.icon(), _MESSAGE_MS)
        return True

    def _paint(self, mark: Mark, tip: str, colours: Colours) -> None:
        if self._icon is not None:
            self._icon.setIcon(mark_icon(mark, colours))
            self._icon.setToolTip(tip)

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason is QSystemTrayIcon.ActivationReason.Trigger:
            self.opened.emit()


def mark_icon(mark: Mark, colours: Colours) -> QIcon:
    """Return a mark as an icon of the sizes that panels ask for."""
    return painted_icon(_SIZES, functools.partial(_paint_on_plate, mark, colours))


def _paint_on_plate(mark: Mark, colours: Colours, painter: QPainter, size: int) -> None:
    plate, inset = QRectF(0, 0, size, size), size * _PLATE
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours.window)
    painter.drawRoundedRect(plate, inset, inset)
    paint_mark(painter, plate.adjusted(inset, inset, -inset, -inset), mark, colours, size / 16)
