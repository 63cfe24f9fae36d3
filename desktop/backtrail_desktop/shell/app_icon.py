"""Backtrail's own sign, for title bars and task lists: an arrow that turns back.

Owns how it is painted. Says nothing of how a folder stands: those are the marks.
"""

import functools
import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPen, QPolygonF

from backtrail_desktop.shell.painted_icon import painted_icon
from backtrail_desktop.shell.palette import Colours

_SIZES = (16, 24, 32, 48, 64, 128)
_FROM, _SPAN = 75, 270  # degrees, against the clock, from three o'clock


def app_icon(colours: Colours) -> QIcon:
    """Return the sign in every size that desktops ask for."""
    return painted_icon(_SIZES, functools.partial(_paint, colours))


def _paint(colours: Colours, painter: QPainter, size: int) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours.accent)
    painter.drawRoundedRect(QRectF(0, 0, size, size), size * 0.22, size * 0.22)
    painter.translate(size, 0)
    painter.scale(-1, 1)  # back is to the left
    middle, radius = QPointF(size / 2, size / 2), size * 0.27
    around = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colours.on_accent, size * 0.1, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    painter.drawArc(around, _FROM * 16, _SPAN * 16)
    angle, head = math.radians(_FROM), size * 0.2
    outward = QPointF(math.cos(angle), -math.sin(angle))
    onward = QPointF(math.sin(angle), math.cos(angle))
    begin = middle + outward * radius
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours.on_accent)
    painter.drawPolygon(QPolygonF([begin + outward * head, begin - outward * head, begin + onward * 1.4 * head]))
