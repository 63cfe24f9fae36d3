"""The list of files of a state: its view, how a row is painted, and what can be done with one file.

Owns keys and the menu of a file. Brings nothing back by itself: it tells what is wanted. Names are cut in the middle,
since both the folder and the end of a name tell files apart.
"""

from backtrail.model.changes import ChangeStatus
from backtrail.model.path_text import path_text
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from backtrail_desktop.details import words
from backtrail_desktop.details.comparing import FileKind, FileRow
from backtrail_desktop.details.files_model import FilesModel
from backtrail_desktop.shell.palette import Colours, colours_of
from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.shell.row_list import RowList
from backtrail_desktop.timeline.fonts import bold, small

_MARGIN = 14
_SIGN = 20
_PAD = 4
_KEYS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})


class FilesDelegate(QStyledItemDelegate):
    """Paints rows of a `FilesModel`."""

    def __init__(self, model: FilesModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._widget = parent

    def height(self) -> int:
        """Return the height of every row."""
        return QFontMetrics(self._widget.font()).height() + 2 * _PAD

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
        row, colours = self._model.row(index), colours_of(self._widget)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, colours.selected)
        self._paint_row(painter, option.rect.adjusted(_MARGIN, 0, -_MARGIN // 2, 0), row, colours)
        if option.state & QStyle.StateFlag.State_Selected and option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(colours.accent)
            painter.drawRect(option.rect.adjusted(0, 0, -1, -1))
        painter.restore()

    def _paint_row(self, painter: QPainter, place: QRect, row: FileRow, colours: Colours) -> None:
        font = self._widget.font()
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine
        text, elide, colour = plain_text(row.text), Qt.TextElideMode.ElideRight, colours.quiet
        if row.kind is FileKind.HEADING:
            font = bold(small(font))
        elif row.kind is FileKind.LEFT_OUT:
            text, colour = f"⚠ {text}", colours.warning
        elif row.change is not None:
            signs = {ChangeStatus.ADDED: colours.added, ChangeStatus.REMOVED: colours.removed}
            painter.setFont(bold(font))
            painter.setPen(signs.get(row.change.status, colours.quiet))
            painter.drawText(place, flags, words.SIGNS[row.change.status])
            place = place.adjusted(_SIGN, 0, 0, 0)
            text, elide, colour = plain_text(path_text(row.change.path)), Qt.TextElideMode.ElideMiddle, colours.text
        painter.setFont(font)
        painter.setPen(colour)
        painter.drawText(place, flags, QFontMetrics(font).elidedText(text, elide, place.width()))


class FilesTable(RowList):
    """Shows a `FilesModel`. stood_on(index); get_back(index): this file; folder(index): open where it lies.

    copy(index): save it elsewhere. history(index): show the states in which it changed.
    """

    stood_on = Signal(QModelIndex)
    get_back = Signal(QModelIndex)
    copy = Signal(QModelIndex)
    folder = Signal(QModelIndex)
    history = Signal(QModelIndex)

    def __init__(self, model: FilesModel, parent: QWidget | None = None) -> None:
        super().__init__("Files that differ", parent)
        self._model = model
        self._answering = True
        self._from_before = False
        self._delegate = FilesDelegate(model, self)
        self.verticalHeader().setDefaultSectionSize(self._delegate.height())
        self.setItemDelegate(self._delegate)
        self.setModel(model)
        self.get_action = self._action(words.GET_THIS, self._get)
        self.save_action = self._action(words.SAVE_COPY, self._save_copy)
        self.history_action = self._action(words.HISTORY, self._show_history)
        self.folder_action = self._action(words.OPEN_FOLDER, self._open_folder)
        self.copy_action = self._action(words.COPY_PATH, self._copy)
        self.copy_action.setShortcut(QKeySequence.StandardKey.Copy)
        self.copy_action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.doubleClicked.connect(self._opened)
        self.selectionModel().currentChanged.connect(self._current_changed)
        model.modelReset.connect(self._enable)
        self._enable()

    def show_answering(self, *, answering: bool) -> None:
        """Offer a file only while there is a Backtrail that can bring it back."""
        self._answering = answering
        self._enable()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Let Enter ask for the file."""
        if event.key() in _KEYS and self.currentIndex().isValid():
            self._get()
            event.accept()
            return
        super().keyPressEvent(event)

    def _action(self, text: str, slot: object) -> QAction:
        action = QAction(text, self)
        action.triggered.connect(slot)
        self.addAction(action)
        return action

    def _opened(self, _index: QModelIndex) -> None:
        self._get()

    def _get(self) -> None:
        if self.get_action.isEnabled():
            self.get_back.emit(self.currentIndex())

    def _save_copy(self) -> None:
        if self.save_action.isEnabled():
            self.copy.emit(self.currentIndex())

    def _open_folder(self) -> None:
        if self.folder_action.isEnabled():
            self.folder.emit(self.currentIndex())

    def _show_history(self) -> None:
        if self.history_action.isEnabled():
            self.history.emit(self.currentIndex())

    def _copy(self) -> None:
        index = self.currentIndex()
        row = self._model.row(index) if index.isValid() else None
        if row is not None and row.change is not None:
            QGuiApplication.clipboard().setText(path_text(row.change.path))

    def _current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        self._enable()
        self.stood_on.emit(current)

    def offer_from_before(self, *, offered: bool) -> None:
        """Offer files that are not in this state too: the state before has them."""
        self._from_before = offered
        self._enable()

    def _enable(self) -> None:
        """Offer what makes sense: a file that is in neither state that can be asked cannot be got back."""
        index = self.currentIndex()
        row = self._model.row(index) if index.isValid() else None
        change = row.change if row is not None else None
        there = change is not None and (change.new is not None or (self._from_before and change.old is not None))
        self.get_action.setEnabled(there and change is not None and not change.staged and self._answering)
        self.save_action.setEnabled(there)
        self.history_action.setEnabled(change is not None)
        self.folder_action.setEnabled(change is not None)
        self.copy_action.setEnabled(change is not None)
