"""The marks of chosen things: a box with or without a tick, in the colours of the palette.

Owns how a mark is painted, in a list and beside a sentence; a style may draw boxes that cannot be seen on a dark
ground. The state is in the tick, not in a colour.
"""

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from backtrail_desktop.shell.palette import Colours, colours_of

_SIDE = 14
_GAP = 8
_MARGIN = 4
_RADIUS = 3.0
AnyIndex = QModelIndex | QPersistentModelIndex


def paint_mark(painter: QPainter, place: QRectF, colours: Colours, *, chosen: bool) -> None:
    """Paint a box, with a tick where it is chosen."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colours.accent if chosen else colours.quiet, 1))
    painter.setBrush(colours.accent if chosen else colours.base)
    painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
    if chosen:
        painter.setPen(QPen(colours.on_accent, 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        corner = place.topLeft()
        points = [QPointF(corner.x() + x * place.width(), corner.y() + y * place.height()) for x, y in _TICK]
        painter.drawPolyline(points)
    painter.restore()


_TICK = ((0.26, 0.54), (0.43, 0.72), (0.76, 0.32))


class MarkDelegate(QStyledItemDelegate):
    """Paints the first column of a list of things to choose: a mark, and the text."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint one row."""
        widget = option.widget
        if not isinstance(widget, QWidget):
            return
        colours = colours_of(widget.window())
        place: QRect = option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(place, colours.selected)
        box = QRectF(place.left() + _MARGIN, place.center().y() - _SIDE / 2 + 0.5, _SIDE, _SIDE)
        chosen = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
        paint_mark(painter, box, colours, chosen=chosen)
        room = place.adjusted(_MARGIN + _SIDE + _GAP, 0, -_MARGIN, 0)
        shown = str(index.data(Qt.ItemDataRole.DisplayRole))
        painter.save()
        painter.setPen(colours.text)
        painter.drawText(
            room,
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine,
            option.fontMetrics.elidedText(shown, Qt.TextElideMode.ElideMiddle, room.width()),
        )
        painter.restore()


class MarkBox(QCheckBox):
    """A sentence with a mark before it."""

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Return the room for mark and sentence."""
        size = self.fontMetrics().size(Qt.TextFlag.TextSingleLine, self.text())
        return QSize(_SIDE + _GAP + size.width() + 2 * _MARGIN, max(_SIDE, size.height()) + 2 * _MARGIN)

    def hitButton(self, _: object) -> bool:  # noqa: N802 - Qt's name
        """Take a press anywhere on it."""
        return True

    def paintEvent(self, _: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paint mark and sentence, and a line around them where the keyboard is."""
        painter = QPainter(self)
        colours = colours_of(self.window())
        middle = self.height() / 2
        box = QRectF(_MARGIN, middle - _SIDE / 2, _SIDE, _SIDE)
        paint_mark(painter, box, colours, chosen=self.isChecked())
        room = self.rect().adjusted(_MARGIN + _SIDE + _GAP, 0, 0, 0)
        painter.setPen(colours.text)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, self.text())
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(colours.accent, 1))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Paint anew when light turns to dark."""
        super().changeEvent(event)
        self.update()
