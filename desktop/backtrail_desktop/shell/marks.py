"""The sign of a folder's standing, painted: list, state line and tray icon show the same one.

Owns shapes and strokes. Every mark has a shape of its own, so that colour is never the only sign.
"""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from backtrail_desktop.shell.palette import Colours, colours_of
from backtrail_desktop.shell.standing import Mark

MARK_SIZE = 10
_STROKE = 1.5
_HALF_TURN = 180 * 16
_QUARTER = 90 * 16


def paint_mark(painter: QPainter, place: QRectF, mark: Mark, colours: Colours, scale: float = 1) -> None:
    """Paint a mark into a square. scale: how much thicker than beside a line of text its strokes are."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    half = _STROKE * scale / 2
    circle = place.adjusted(half, half, -half, -half)
    good, bad, quiet = colours.accent, colours.warning, colours.quiet
    painter.setPen(
        QPen(
            {Mark.KEPT: good, Mark.FIRST: good, Mark.PARTLY: bad, Mark.NOT_KEPT: bad}.get(mark, quiet), _STROKE * scale
        )
    )
    if mark is Mark.KEPT:
        painter.setBrush(good)
    if mark is Mark.UNKNOWN:
        pen = painter.pen()
        pen.setDashPattern([1.4, 1.4])
        painter.setPen(pen)
    painter.drawEllipse(circle)
    painter.setBrush(painter.pen().color())
    if mark is Mark.PARTLY:
        painter.drawPie(circle, _QUARTER, _HALF_TURN)
    elif mark is Mark.FIRST:
        painter.drawPie(circle, 0, _QUARTER)
    elif mark is Mark.PAUSED:
        inset, middle = circle.width() / 3, circle.center().x()
        for x in (middle - inset / 2, middle + inset / 2):
            painter.drawLine(QPointF(x, circle.top() + inset), QPointF(x, circle.bottom() - inset))
    elif mark is Mark.NOT_KEPT:
        inset, middle = circle.width() / 4, circle.center().y()
        painter.drawLine(QPointF(circle.left() + inset, middle), QPointF(circle.right() - inset, middle))
    painter.restore()


class MarkSign(QWidget):
    """Shows one mark beside words that say the same."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mark = Mark.UNKNOWN
        self.setFixedSize(QSize(MARK_SIZE, MARK_SIZE))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_mark(self, mark: Mark) -> None:
        """Show another mark."""
        self.mark = mark
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paint it."""
        del event
        painter = QPainter(self)
        paint_mark(painter, QRectF(self.rect()), self.mark, colours_of(self))
        painter.end()
