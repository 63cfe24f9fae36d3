"""How a folder's row is painted: mark, name, badge, and below it whether the work is kept.

Owns places and strokes. Words come from the model, colours from the palette, the mark's shape from `marks`.
"""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from backtrail_desktop.folders.model import FolderModel
from backtrail_desktop.shell.marks import MARK_SIZE, paint_mark
from backtrail_desktop.shell.palette import Colours, colours_of
from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.shell.standing import Mark
from backtrail_desktop.timeline.fonts import small, tabular

_SIDE = 8
_PAD = 8
_GAP = 9
_END, _MIDDLE = Qt.TextElideMode.ElideRight, Qt.TextElideMode.ElideMiddle  # a time stands at the end, and is not cut
_WARNS = frozenset({Mark.NOT_KEPT, Mark.PARTLY})


class FolderDelegate(QStyledItemDelegate):
    """Paints rows of a `FolderModel`."""

    def __init__(self, model: FolderModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._widget = parent

    def row_height(self) -> int:
        """Return the height of every row: two lines, and room to breathe."""
        font = self._widget.font()
        return QFontMetrics(font).height() + QFontMetrics(small(font)).height() + 2 * _PAD + 2

    def sizeHint(  # noqa: N802 - Qt's name
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the size of a row."""
        del index
        return QSize(option.rect.width(), self.row_height())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint a row."""
        row, colours = self._model.row(index), colours_of(self._widget)
        box = option.rect.adjusted(_SIDE, 1, -_SIDE, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, option, box, colours)
        font = self._widget.font()
        first, second = QFontMetrics(font).height(), QFontMetrics(small(font)).height()
        top, left = box.top() + _PAD - 1, box.left() + _PAD
        sign = QRectF(left, top + (first - MARK_SIZE) / 2, MARK_SIZE, MARK_SIZE)
        paint_mark(painter, sign, row.standing.mark, colours)
        left += MARK_SIZE + _GAP
        width = box.right() - _PAD - left
        badge = self._badge_width(row.badge)
        used = _draw(painter, QRect(left, top, width - badge, first), plain_text(row.name), font, colours.text, _END)
        if row.badge:
            self._paint_badge(painter, QRect(left + used + _GAP, top, badge - _GAP, first), row.badge, colours)
        quiet = colours.warning if row.standing.mark in _WARNS else colours.quiet
        below = QRect(left, top + first + 1, width, second)
        _draw(painter, below, plain_text(row.standing.brief), tabular(small(font)), quiet, _MIDDLE)
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, box: QRect, colours: Colours) -> None:
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours.selected if selected else colours.hover)
            painter.drawRoundedRect(box, 6, 6)
        if selected and option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(colours.accent, 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)

    def _badge_width(self, badge: str) -> int:
        if not badge:
            return 0
        return QFontMetrics(small(self._widget.font())).horizontalAdvance(badge) + 14 + _GAP

    def _paint_badge(self, painter: QPainter, place: QRect, badge: str, colours: Colours) -> None:
        painter.setPen(QPen(colours.warning, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        frame = QRectF(place).adjusted(0.5, 1.5, -0.5, -1.5)
        painter.drawRoundedRect(frame, frame.height() / 2, frame.height() / 2)
        painter.setFont(small(self._widget.font()))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, badge)


def _draw(painter: QPainter, place: QRect, text: str, font: QFont, colour: QColor, cut: Qt.TextElideMode) -> int:
    """Paint one line of text, cut with an ellipsis; return the width it took."""
    metrics = QFontMetrics(font)
    shown = metrics.elidedText(text, cut, max(0, place.width()))
    painter.setFont(font)
    painter.setPen(colour)
    painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
    return metrics.horizontalAdvance(shown)
