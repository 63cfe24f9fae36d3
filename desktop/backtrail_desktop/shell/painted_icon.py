"""An icon that is painted, once in each size that desktops ask for."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap


def painted_icon(sizes: Iterable[int], paint: Callable[[QPainter, int], None]) -> QIcon:
    """Return the icon. paint: paints a square of so many pixels, on nothing."""
    icon = QIcon()
    for size in sizes:
        picture = QPixmap(size, size)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint(painter, size)
        painter.end()
        icon.addPixmap(picture)
    return icon
