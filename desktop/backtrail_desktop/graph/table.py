"""The view of the graph's rows: keys, the menu of a commit, and which one a person stands on.

Owns what leads from one commit to another. A row that is chosen by the program tells nobody: only a person's choice is
told.
"""

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QFocusEvent, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QWidget

from backtrail_desktop.graph import words
from backtrail_desktop.graph.delegate import GraphDelegate
from backtrail_desktop.graph.model import GraphModel
from backtrail_desktop.shell.row_list import RowList


class GraphTable(RowList):
    """Shows a `GraphModel`. stood_on(bytes): a person chose this commit, or `NOW`."""

    stood_on = Signal(object)

    def __init__(self, model: GraphModel, parent: QWidget | None = None) -> None:
        super().__init__("Git graph", parent)
        self._model = model
        self._quietly = False
        self._delegate = GraphDelegate(model, self)
        self.verticalHeader().setDefaultSectionSize(self._delegate.height())
        self.setItemDelegate(self._delegate)
        self.setModel(model)
        self.parent_action = self._action(words.TO_PARENT, "Alt+Down", self._to_parent)
        self.child_action = self._action(words.TO_CHILD, "Alt+Up", self._to_child)
        self.head_action = self._action(words.TO_HEAD, "Alt+Home", self._to_head)
        self.copy_action = self._action(words.COPY_ID, QKeySequence.StandardKey.Copy, self._copy_id)
        self.copy_subject_action = self._action(words.COPY_SUBJECT, "", self._copy_subject)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.selectionModel().currentChanged.connect(self._current_changed)
        self._enable()

    @property
    def current(self) -> bytes | None:
        """The commit that is chosen."""
        index = self.currentIndex()
        return self._model.oid(index.row()) if index.isValid() else None

    def stand_on(self, oid: bytes) -> bool:
        """Choose a commit and tell nobody; False where it is not shown."""
        index = self._model.index_of(oid)
        if index.isValid() and index != self.currentIndex():
            self._quietly = True
            self.setCurrentIndex(index)
            self._quietly = False
            self.scrollTo(index)
        return index.isValid()

    def stand_nowhere(self) -> None:
        """Choose no commit, and tell nobody."""
        self._quietly = True
        self.setCurrentIndex(QModelIndex())
        self._quietly = False

    def go_to(self, oid: bytes) -> bool:
        """Choose a commit as a person does; False where it is not shown."""
        index = self._model.index_of(oid)
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)
        return index.isValid()

    @property
    def top(self) -> tuple[bytes, int] | None:
        """The commit in the uppermost row that is seen, and how far it is scrolled; None where there is none."""
        row = self.rowAt(0)
        return (self._model.oid(row), self.rowViewportPosition(row)) if row >= 0 else None

    def scroll_back(self, top: tuple[bytes, int]) -> None:
        """Show the same rows as when `top` was read; a graph that was at its beginning stays there."""
        index = self._model.index_of(top[0])
        if index.isValid():
            self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtTop)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """Take the keyboard without choosing the first row, as Qt would: nobody asked for it."""
        nowhere = not self.currentIndex().isValid()
        self._quietly = True
        super().focusInEvent(event)
        self._quietly = False
        if nowhere:
            self.stand_nowhere()

    def _action(self, text: str, keys: str | QKeySequence.StandardKey, slot: object) -> QAction:
        action = QAction(text, self)
        if keys:
            action.setShortcut(QKeySequence(keys))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(slot)
        self.addAction(action)
        return action

    def _to_parent(self) -> None:
        index = self.currentIndex()
        parents = self._model.rows.parents(index.row()) if index.isValid() else []
        if parents:
            self.go_to(parents[0])

    def _to_child(self) -> None:
        index = self.currentIndex()
        row = self._model.rows.child_of(index.row()) if index.isValid() else -1
        if row >= 0:
            self.go_to(self._model.oid(row))

    def _to_head(self) -> None:
        if self._model.head is not None:
            self.go_to(self._model.head)

    def _copy_id(self) -> None:
        index = self.currentIndex()
        if index.isValid() and not self._model.is_now(index.row()):
            QGuiApplication.clipboard().setText(self._model.oid(index.row()).hex())

    def _copy_subject(self) -> None:
        index = self.currentIndex()
        if index.isValid() and not self._model.is_now(index.row()):
            QGuiApplication.clipboard().setText(self._model.subject(index.row()))

    def _current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        self._enable()
        if current.isValid() and not self._quietly:
            self.stood_on.emit(self._model.oid(current.row()))

    def _enable(self) -> None:
        index = self.currentIndex()
        commit = index.isValid() and not self._model.is_now(index.row())
        self.parent_action.setEnabled(index.isValid() and bool(self._model.rows.parents(index.row())))
        for action in (self.child_action, self.copy_action, self.copy_subject_action):
            action.setEnabled(commit)
