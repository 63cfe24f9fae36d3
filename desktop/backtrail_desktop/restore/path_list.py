"""The paths that come back, change or leave, as a list that opens into differences.

Owns one card of the plan: its heading with the number, and its rows, of one height, however many there are. A row only
asks to be opened; what it differs in is shown elsewhere.
"""

from backtrail.model.restore import PathChange
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from backtrail_desktop.restore.path_view import PathView
from backtrail_desktop.shell.plain_text import plain_path

STAGED = " (staged)"
_TIP = "Show how it differs"
_NONE = "none"
AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


def change_text(change: PathChange) -> str:
    """Return a path as it is listed."""
    return plain_path(change.path) + ("/" if change.folder else "") + (STAGED if change.staged else "")


class PathListModel(QAbstractTableModel):
    """The rows of one card."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._changes: tuple[PathChange, ...] = ()

    def show(self, changes: tuple[PathChange, ...]) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self._changes = changes
        self.endResetModel()

    def change_at(self, row: int) -> PathChange | None:
        """Return the change in a row."""
        return self._changes[row] if 0 <= row < len(self._changes) else None

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        """Return how many rows there are."""
        return 0 if parent.isValid() else len(self._changes)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        """Return the one column."""
        return 0 if parent.isValid() else 1

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return what a row says."""
        change = self.change_at(index.row())
        if change is None:
            return None
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return change_text(change)
        if role == Qt.ItemDataRole.StatusTipRole:
            return _TIP
        return None


class PathCard(QFrame):
    """One of the three lists of the plan."""

    opened = Signal(object)

    def __init__(self, heading: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._heading = heading
        self._label = QLabel(heading)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setProperty("role", "strong")
        self._none = QLabel(_NONE)
        self._none.setProperty("role", "quiet")
        self.model = PathListModel(self)
        self.view = PathView(self)
        self.view.setModel(self.model)
        self.view.chosen.connect(self._on_chosen)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 6, 6)
        layout.setSpacing(4)
        layout.addWidget(self._label)
        layout.addWidget(self._none)
        layout.addWidget(self.view, 1)
        layout.addStretch(0)

    def show_changes(self, changes: tuple[PathChange, ...]) -> None:
        """Show these paths; one that is there twice, in the folder and staged, is counted once."""
        self.model.show(changes)
        told = f"{self._heading} · {len({change.path for change in changes})}"
        self._label.setText(told)
        self.view.setAccessibleName(told)
        self._none.setVisible(not changes)
        self.view.setVisible(bool(changes))

    def _on_chosen(self, row: int) -> None:
        change = self.model.change_at(row)
        if change is not None:
            self.opened.emit(change)
