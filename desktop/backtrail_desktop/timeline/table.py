"""The view of the timeline's rows.

Owns heights, keys and what a double click means: nothing more than that a person wants that row. Rows keep one height
by kind, since a list that measures its rows takes a second to show a long story.
"""

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from backtrail_desktop.shell.row_list import RowList
from backtrail_desktop.timeline.delegate import TimelineDelegate
from backtrail_desktop.timeline.model import TimelineModel
from backtrail_desktop.timeline.rows import RowKind

_KEYS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})


class TimelineTable(RowList):
    """Shows a `TimelineModel`. opened(index): a double click or Enter on a row. stood_on(index): the chosen row.

    Its actions are those of the chosen row, and its menu.
    """

    opened = Signal(QModelIndex)
    stood_on = Signal(QModelIndex)

    def __init__(self, model: TimelineModel, parent: QWidget | None = None) -> None:
        super().__init__("Timeline", parent)
        self._model = model
        self._delegate = TimelineDelegate(model, self)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setItemDelegate(self._delegate)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setModel(model)
        self._measure()
        model.rowsInserted.connect(self._rows_inserted)
        model.modelReset.connect(self._rows_reset)
        self.doubleClicked.connect(self.opened)
        self.selectionModel().currentChanged.connect(self._current_changed)

    def stand_on(self, index: QModelIndex) -> None:
        """Choose a row."""
        self.setCurrentIndex(index)
        self.scrollTo(index)

    # Qt's overrides

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Let Enter mean a double click, on every system."""
        if event.key() in _KEYS and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            if self.currentIndex().isValid():
                self.opened.emit(self.currentIndex())
            event.accept()
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Measure anew when the font changes."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange and hasattr(self, "_delegate"):
            self._measure()

    def _measure(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._delegate.state_height())
        self.verticalScrollBar().setSingleStep(self._delegate.state_height())
        self._rows_reset()

    def _rows_inserted(self, _parent: QModelIndex, first: int, last: int) -> None:
        for at in range(first, last + 1):
            if self._model.row(self._model.index(at, 0)).kind is RowKind.DAY:
                self.verticalHeader().resizeSection(at, self._delegate.day_height())

    def _rows_reset(self) -> None:
        self._rows_inserted(QModelIndex(), 0, self._model.rowCount() - 1)

    def _current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        self.stood_on.emit(current)
