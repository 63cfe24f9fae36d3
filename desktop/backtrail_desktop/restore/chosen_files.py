"""Choosing files to get back: a list with a mark before each path, and a field that narrows it.

Owns which paths are chosen; a path that the field hides stays chosen. Only files that the state holds are listed:
those that come back or change. What is staged is left alone by such a restore, so it is not listed. Where the present
could not be kept, no file is listed whose present content would be written over: nothing else would hold it.
"""

from collections.abc import Iterable
from operator import itemgetter

from backtrail.model.ids import RelPath
from backtrail.model.restore import PathChange, RestorePlan
from backtrail.wording.sentence import counted
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from backtrail_desktop.restore.marks import MarkDelegate
from backtrail_desktop.restore.path_view import PathView
from backtrail_desktop.shell.plain_text import plain_path

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_COMES_BACK = "comes back"
_CHANGES = "changes"
_FIND = "Find a path…"
_ALL = "Choose all"
_NO = "Choose none"
_SHOW = "Show how this file differs"
_EMPTY = "No file of that state is missing or different here."
_NO_MATCH = "No path matches."


class ChosenFilesModel(QAbstractTableModel):
    """Paths with their marks."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._paths: list[tuple[RelPath, str]] = []
        self._texts: list[str] | None = None
        self._shown: list[int] = []
        self._chosen: set[RelPath] = set()

    def show(self, plan: RestorePlan, chosen: Iterable[bytes]) -> None:
        """List the files of a plan, with some chosen at first."""
        self.beginResetModel()
        listed = [(c.path, _COMES_BACK) for c in plan.comes_back if not (c.staged or c.folder)]
        if plan.before is not None:
            listed += [(c.path, _CHANGES) for c in plan.changes if not (c.staged or c.folder)]
        self._paths, self._texts = sorted(listed, key=itemgetter(0)), None
        self._shown = list(range(len(self._paths)))
        self._chosen = {path for path, _ in self._paths} & set(chosen)
        self.endResetModel()
        self.changed.emit()

    def narrow(self, text: str) -> None:
        """Show only paths that hold `text`, in any case of its letters."""
        wanted = text.casefold()
        if self._texts is None:  # kept until other paths are shown, since every letter that is typed narrows anew
            self._texts = [plain_path(path).casefold() for path, _ in self._paths]
        self.beginResetModel()
        self._shown = [row for row, shown in enumerate(self._texts) if wanted in shown]
        self.endResetModel()

    def choose_shown(self, *, chosen: bool) -> None:
        """Choose all rows that are shown, or none of them."""
        shown = {self._paths[row][0] for row in self._shown}
        self._chosen = self._chosen | shown if chosen else self._chosen - shown
        if self._shown:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._shown) - 1, 0))
        self.changed.emit()

    def turn(self, row: int) -> None:
        """Choose the path in a row, or no longer."""
        if not 0 <= row < len(self._shown):
            return
        self._chosen ^= {self._paths[self._shown[row]][0]}
        self.dataChanged.emit(self.index(row, 0), self.index(row, 0))
        self.changed.emit()

    def path_at(self, row: int) -> RelPath | None:
        """Return the path in a row."""
        return self._paths[self._shown[row]][0] if 0 <= row < len(self._shown) else None

    @property
    def chosen(self) -> tuple[bytes, ...]:
        """The chosen paths, sorted."""
        return tuple(sorted(self._chosen))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to choose at all."""
        return not self._paths

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        """Return how many rows are shown."""
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        """Return the columns: the path with its mark, and what becomes of it."""
        return 0 if parent.isValid() else 2

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return what a row says."""
        if not (index.isValid() and index.row() < len(self._shown)):
            return None
        path, becomes = self._paths[self._shown[index.row()]]
        shown, is_chosen = plain_path(path), path in self._chosen
        if role == Qt.ItemDataRole.DisplayRole:
            return becomes if index.column() else shown
        if role == Qt.ItemDataRole.CheckStateRole and not index.column():
            return Qt.CheckState.Checked if is_chosen else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{shown}, {becomes}, {'chosen' if is_chosen else 'not chosen'}"
        return None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Return that a row can be stood on; its mark is set by `turn` alone."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class ChosenFiles(QWidget):
    """The list, the field above it, and how many are chosen."""

    changed = Signal()
    opened = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ChosenFilesModel(self)
        self.model.changed.connect(self._on_changed)
        self.field = QLineEdit()
        self.field.setPlaceholderText(_FIND)
        self.field.setAccessibleName(_FIND)
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._on_text)
        self._all = QPushButton(_ALL)
        self._all.clicked.connect(self._on_all)
        self._no = QPushButton(_NO)
        self._no.clicked.connect(self._on_no)
        self.view = PathView(self)
        self.view.setModel(self.model)
        self.view.setItemDelegateForColumn(0, MarkDelegate(self.view))
        header = self.view.horizontalHeader()
        header.setSectionResizeMode(1, header.ResizeMode.Fixed)
        header.resizeSection(1, self.fontMetrics().horizontalAdvance(_COMES_BACK) + 32)
        self.view.setAccessibleName("Files to get back")
        self.view.chosen.connect(self.model.turn)
        self.told = QLabel()
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        self.told.setProperty("role", "quiet")
        self.show_difference = QPushButton(_SHOW)
        self.show_difference.setProperty("role", "link")
        self.show_difference.setAutoDefault(False)
        self.show_difference.clicked.connect(self._on_show)
        self.view.selectionModel().currentRowChanged.connect(self._on_current)
        self.model.modelReset.connect(self._on_current)
        below = QHBoxLayout()
        below.addWidget(self.told, 1)
        below.addWidget(self.show_difference)
        above = QHBoxLayout()
        above.addWidget(self.field, 1)
        above.addWidget(self._all)
        above.addWidget(self._no)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(above)
        layout.addWidget(self.view, 1)
        layout.addLayout(below)

    def show_plan(self, plan: RestorePlan, chosen: Iterable[bytes]) -> None:
        """List a plan's files."""
        self.field.clear()
        self.model.show(plan, chosen)

    def _on_current(self) -> None:
        self.show_difference.setVisible(self.model.path_at(self.view.currentIndex().row()) is not None)

    def _on_show(self) -> None:
        path = self.model.path_at(self.view.currentIndex().row())
        if path is not None:
            self.opened.emit(PathChange(path, staged=False))

    def _on_text(self, text: str) -> None:
        self.model.narrow(text)
        self._on_changed()

    def _on_all(self) -> None:
        self.model.choose_shown(chosen=True)

    def _on_no(self) -> None:
        self.model.choose_shown(chosen=False)

    def _on_changed(self) -> None:
        if self.model.is_empty:
            told = _EMPTY
        elif not self.model.rowCount():
            told = _NO_MATCH
        else:
            told = f"{counted(len(self.model.chosen), 'file')} chosen. What is staged is left alone."
        self.told.setText(told)
        self.changed.emit()
