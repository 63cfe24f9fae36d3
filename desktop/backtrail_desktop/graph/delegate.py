"""How a commit's row is painted: lanes, the commit, what points at it, the states kept at it, its subject and date.

Owns places and strokes. Words come from the model, colours from the palette. Lanes beyond the room for them end in a
dotted edge, and a commit that stands out there is drawn hollow at that edge. Only visible rows are painted.
"""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from backtrail_desktop.graph import words
from backtrail_desktop.graph.lanes import Row
from backtrail_desktop.graph.model import MOST_LANES, GraphModel
from backtrail_desktop.graph.names import Label, LabelKind
from backtrail_desktop.shell.palette import Colours, colours_of, lane_colours
from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.timeline.fonts import bold, small, tabular

_MARGIN = 12
_LANE = 13
_DOT = 4.0
_STROKE = 1.6
_BEND = 5.0
_PAD = 5
_GAP = 7
_FEWEST_LANES = 3
_SHARE = 0.45
_MOST_LABELS = 3
_LONGEST_LABEL = 150


class GraphDelegate(QStyledItemDelegate):
    """Paints rows of a `GraphModel`."""

    def __init__(self, model: GraphModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._widget = parent

    def height(self) -> int:
        """Return the height of every row."""
        return QFontMetrics(self._widget.font()).height() + 2 * _PAD

    # Qt's overrides

    def sizeHint(  # noqa: N802 - Qt's name
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the size of a row."""
        del index
        return QSize(option.rect.width(), self.height())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint a row."""
        row, rect, colours = index.row(), option.rect, colours_of(self._widget)
        painter.save()
        painter.setClipRect(rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, colours.selected)
        drawn = self._model.drawn(row)
        most = max(_FEWEST_LANES, min(MOST_LANES, int(rect.width() * _SHARE) // _LANE))
        self._paint_lanes(painter, rect, drawn, most, hollow=self._model.is_now(row), colours=colours)
        left = rect.left() + _MARGIN + min(_width(drawn), most) * _LANE + _GAP
        self._paint_words(painter, QRect(left, rect.top(), rect.right() - _MARGIN - left, rect.height()), row, colours)
        if option.state & QStyle.StateFlag.State_HasFocus and option.state & QStyle.StateFlag.State_Selected:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(colours.accent)
            painter.drawRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.restore()

    # the lanes

    def _paint_lanes(
        self, painter: QPainter, rect: QRect, row: Row, most: int, *, hollow: bool, colours: Colours
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top, middle, bottom = float(rect.top()), rect.top() + rect.height() / 2, float(rect.bottom() + 1)

        def across(lane: int) -> float:
            return rect.left() + _MARGIN + min(lane, most - 1) * _LANE + _LANE / 2

        here = across(row.lane)
        for lane in row.through:
            if lane < most:
                _stroke(painter, _lane_colour(lane, colours), dotted=lane == most - 1 < _width(row) - 1)
                painter.drawLine(QPointF(across(lane), top), QPointF(across(lane), bottom))
        for lanes, end in ((row.above, top), (row.below, bottom)):
            for lane in lanes:
                _stroke(painter, _lane_colour(max(lane, row.lane), colours), dotted=lane >= most)
                painter.drawPath(_bend(across(lane), end, here, middle))
        colour = _lane_colour(row.lane, colours)
        painter.setPen(QPen(colour, _STROKE))
        outside = row.lane >= most
        painter.setBrush(colours.base if hollow or outside else colour)
        painter.drawEllipse(QPointF(here, middle), _DOT, _DOT)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    # the words

    def _paint_words(self, painter: QPainter, place: QRect, row: int, colours: Colours) -> None:
        font = self._widget.font()
        date, quiet = self._model.date(row), tabular(small(font))
        width = QFontMetrics(quiet).horizontalAdvance(date)
        if date and place.width() > 3 * width:
            _draw(
                painter,
                QRect(place.right() - width, place.top(), width + 1, place.height()),
                date,
                quiet,
                colours.quiet,
            )
            place = place.adjusted(0, 0, -width - _GAP, 0)
        place = self._paint_labels(painter, place, self._model.labels(row), colours)
        states = self._model.states(row)
        if states is not None:
            text = f"{words.STATES_MARK}{states.count}"
            _draw(painter, place, text, quiet, colours.accent)
            place = place.adjusted(QFontMetrics(quiet).horizontalAdvance(text) + _GAP, 0, 0, 0)
        now = self._model.is_now(row)
        _draw(painter, place, plain_text(self._model.subject(row)), bold(font) if now else font, colours.text)

    def _paint_labels(self, painter: QPainter, place: QRect, labels: list[Label], colours: Colours) -> QRect:
        """Paint the first labels, and how many more there are; return the room that is left."""
        metrics = QFontMetrics(small(self._widget.font()))
        room = place.width() // 2
        shown = labels if len(labels) <= _MOST_LABELS else labels[: _MOST_LABELS - 1]
        texts = [(label.kind, plain_text(label.text)) for label in shown]
        if len(shown) < len(labels):
            texts.append((LabelKind.TAG, f"+{len(labels) - len(shown)}"))
        for kind, whole in texts:
            text = metrics.elidedText(whole, Qt.TextElideMode.ElideMiddle, min(_LONGEST_LABEL, max(room, 24)))
            width = metrics.horizontalAdvance(text) + 10
            if width > place.width():
                break
            box = QRectF(
                place.left() + 0.5, place.center().y() - metrics.height() / 2 - 0.5, width, metrics.height() + 1
            )
            self._paint_label(painter, box, kind, text, colours)
            place = place.adjusted(width + 5, 0, 0, 0)
            room -= width
        return place.adjusted(2, 0, 0, 0) if labels else place

    def _paint_label(self, painter: QPainter, box: QRectF, kind: LabelKind, text: str, colours: Colours) -> None:
        line = {LabelKind.HEAD: colours.accent, LabelKind.BRANCH: colours.accent}.get(kind, colours.line)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(line, 1))
        painter.setBrush(colours.accent if kind is LabelKind.HEAD else colours.base)
        painter.drawRoundedRect(box, 4, 4)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setFont(small(self._widget.font()))
        painter.setPen(colours.on_accent if kind is LabelKind.HEAD else colours.text)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, text)


def _width(row: Row) -> int:
    """Return how many lanes a row needs, those that pass by beyond the edge left out."""
    return 1 + max([row.lane, *row.above, *row.below, *row.through])


def _lane_colour(lane: int, colours: Colours) -> QColor:
    lanes = lane_colours(colours)
    return lanes[lane % len(lanes)]


def _stroke(painter: QPainter, colour: QColor, *, dotted: bool) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, _STROKE, Qt.PenStyle.DotLine if dotted else Qt.PenStyle.SolidLine))


def _bend(x: float, y: float, here: float, middle: float) -> QPainterPath:
    """Return the way from a lane's end at the row's edge to the commit: down the lane, round, and across."""
    path = QPainterPath(QPointF(x, y))
    if x == here:
        path.lineTo(here, middle)
        return path
    inwards = -_BEND if x > here else _BEND
    path.lineTo(x, middle + (_BEND if y > middle else -_BEND))
    path.quadTo(QPointF(x, middle), QPointF(x + inwards, middle))
    path.lineTo(here, middle)
    return path


def _draw(painter: QPainter, place: QRect, text: str, font: QFont, colour: QColor) -> None:
    if place.width() <= 0:
        return
    painter.setFont(font)
    painter.setPen(colour)
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine
    painter.drawText(place, flags, shown)
