"""How a row of the timeline is painted: time, what led to it, branch and where it came from, how many files.

Owns places and strokes. Words come from the model, colours from the palette. Colour is never the only sign: a loss has
its own sentence and a mark, now a bar and a word, counts a sign. Only visible rows are painted.
"""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from backtrail_desktop.shell.palette import Colours, colours_of
from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.timeline import words
from backtrail_desktop.timeline.fonts import bold, small, tabular
from backtrail_desktop.timeline.model import TimelineModel
from backtrail_desktop.timeline.rows import Row, RowKind

_MARGIN = 16
_GAP = 14
_PAD = 5
_BAR = 3


class TimelineDelegate(QStyledItemDelegate):
    """Paints rows of a `TimelineModel`."""

    def __init__(self, model: TimelineModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._widget = parent

    def state_height(self) -> int:
        """Return the height of a state's row: two lines, and room to breathe."""
        font = self._widget.font()
        return QFontMetrics(font).height() + QFontMetrics(small(font)).height() + 2 * _PAD + 1

    def day_height(self) -> int:
        """Return the height of a day's heading."""
        return QFontMetrics(bold(small(self._widget.font()))).height() + 2 * _PAD + 4

    # Qt's overrides

    def sizeHint(  # noqa: N802 - Qt's name
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the size of a row."""
        day = self._model.row(index).kind is RowKind.DAY
        return QSize(option.rect.width(), self.day_height() if day else self.state_height())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint a row."""
        row = self._model.row(index)
        colours = colours_of(self._widget)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, colours.selected)
        if row.kind is RowKind.DAY:
            self._paint_day(painter, option.rect, row, colours)
        else:
            self._paint_state(painter, option.rect, row, colours)
        if option.state & QStyle.StateFlag.State_HasFocus and option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(colours.accent)
            painter.drawRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.restore()

    def _paint_day(self, painter: QPainter, rect: QRect, row: Row, colours: Colours) -> None:
        painter.setFont(bold(small(self._widget.font())))
        painter.setPen(colours.quiet)
        place = rect.adjusted(_MARGIN, 0, -_MARGIN, -_PAD)
        painter.drawText(place, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft, self._model.lines(row)[0])

    def _paint_state(self, painter: QPainter, rect: QRect, row: Row, colours: Colours) -> None:
        font = self._widget.font()
        time_font, small_font = tabular(bold(font) if row.kind is RowKind.NOW else font), small(font)
        left = rect.left() + _MARGIN
        time_width = QFontMetrics(tabular(font)).horizontalAdvance("00:00:00") + 2
        first_top = rect.top() + _PAD
        first_height = QFontMetrics(font).height()
        time = words.NOW
        if row.kind is RowKind.STATE and row.checkpoint is not None:
            time = words.clock_text(row.checkpoint.captured_at)
        _draw(painter, QRect(left, first_top, time_width, first_height), time, time_font, colours.text)
        if row.kind is RowKind.NOW:
            painter.fillRect(QRect(rect.left(), rect.top(), _BAR, rect.height()), colours.accent)
        text_left = left + time_width + _GAP
        right = rect.right() - _MARGIN
        counts_width = self._paint_counts(painter, QRect(text_left, first_top, right - text_left, first_height), row)
        first, second = self._model.lines(row)
        warns = self._model.warns(row)
        width = right - text_left - counts_width - (_GAP if counts_width else 0)
        line = QRect(text_left, first_top, width, first_height)
        told = f"⚠ {plain_text(first)}" if warns else plain_text(first)
        _draw(painter, line, told, font, colours.warning if warns else colours.text)
        line = QRect(text_left, first_top + first_height + 1, right - text_left, QFontMetrics(small_font).height())
        self._paint_second(painter, line, row, plain_text(second), small_font, colours)

    def _paint_second(
        self, painter: QPainter, line: QRect, row: Row, second: str, font: QFont, colours: Colours
    ) -> None:
        """Paint the quiet line; what is not kept in a state stands first and in the warning colour."""
        state = row.checkpoint if row.kind is RowKind.STATE else None
        metrics = QFontMetrics(font)
        if state is not None and self._model.looks_like_now(row):
            line = _lead(painter, line, f"{words.SAME_AS_NOW} · ", font, colours.accent, metrics)
        for warning in words.warnings(state) if state else ():
            line = _lead(painter, line, f"⚠ {plain_text(warning)} · ", font, colours.warning, metrics)
        _draw(painter, line, second, font, colours.quiet)

    def _paint_counts(self, painter: QPainter, place: QRect, row: Row) -> int:
        """Paint how many files came, changed and went, at the right; return the width taken."""
        if row.kind is not RowKind.STATE or row.checkpoint is None:
            return 0
        colours = colours_of(self._widget)
        difference = row.checkpoint.difference
        parts = [
            (f"{words.MINUS}{difference.removed}", colours.removed, difference.removed),
            (f"~{difference.changed}", colours.quiet, difference.changed),
            (f"+{difference.added}", colours.added, difference.added),
        ]
        font = tabular(small(self._widget.font()))
        metrics = QFontMetrics(font)
        right = place.right()
        for text, colour, count in parts:
            if count:
                width = metrics.horizontalAdvance(text)
                _draw(painter, QRect(right - width, place.top(), width + 1, place.height()), text, font, colour)
                right -= width + 7
        return place.right() - right


def _lead(painter: QPainter, line: QRect, text: str, font: QFont, colour: QColor, metrics: QFontMetrics) -> QRect:
    """Paint words at the beginning of a line; return what is left of it."""
    _draw(painter, line, text, font, colour)
    return line.adjusted(metrics.horizontalAdvance(text), 0, 0, 0)


def _draw(painter: QPainter, place: QRect, text: str, font: QFont, colour: QColor) -> None:
    if place.width() <= 0:
        return
    painter.setFont(font)
    painter.setPen(colour)
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine
    painter.drawText(place, flags, shown)
