"""The rows of the folder list.

Owns how the book's folders become rows, and keeps rows in place where only what is said of them changed. Holds no
state of its own beyond that.
"""

import os

import msgspec
from backtrail.model.memory import Memory
from backtrail.model.path_text import path_text
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from backtrail_desktop.folders.book import FolderBook
from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.shell.standing import Standing, first_checkpoint

LOST = "lost work"
_NOWHERE = QModelIndex()


class FolderRow(msgspec.Struct, frozen=True):
    """One row. memory: None for a folder that is still being added. badge: a word in a frame, or nothing."""

    memory: Memory | None
    path: bytes
    name: str
    standing: Standing
    badge: str = ""


class FolderModel(QAbstractTableModel):
    """Tells a view the folders."""

    def __init__(self, book: FolderBook, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._book = book
        self._rows: tuple[FolderRow, ...] = ()
        book.changed.connect(self.renew)
        self.renew()

    def row(self, index: QModelIndex | QPersistentModelIndex) -> FolderRow:
        """Return the row at an index of this model."""
        return self._rows[index.row()]

    def index_of(self, memory: Memory | None) -> QModelIndex:
        """Return where a folder stands; invalid if it does not."""
        for at, row in enumerate(self._rows):
            if memory is not None and row.memory is not None and row.memory.id == memory.id:
                return self.index(at, 0)
        return QModelIndex()

    def renew(self) -> None:
        """Take the rows from the book anew."""
        rows = tuple(self._made())
        if [_key(row) for row in rows] != [_key(row) for row in self._rows]:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
            return
        before, self._rows = self._rows, rows
        for at, (old, new) in enumerate(zip(before, rows, strict=True)):
            if old != new:
                self.dataChanged.emit(self.index(at, 0), self.index(at, 0))

    # Qt's overrides

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        """Return how many folders there are."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        """Return one: the delegate paints a row as a whole."""
        return 0 if parent.isValid() else 1

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the name, one sentence for those who hear it, or the path."""
        if not index.isValid():
            return None
        row = self.row(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return plain_text(row.name)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            badge = f"{row.badge}, " if row.badge else ""
            return plain_text(f"{row.name}: {badge}{row.standing.sentence}")
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{plain_text(path_text(row.path))}\n{plain_text(row.standing.sentence)}"
        return None

    def _made(self) -> list[FolderRow]:
        rows = [
            FolderRow(one, one.path, one.name, self._book.standing(one), LOST if self._book.has_loss(one) else "")
            for one in self._book.memories
        ]
        return rows + [
            FolderRow(None, path, path_text(os.path.basename(path)), first_checkpoint(percent))
            for path, percent in self._book.coming.items()
        ]


def _key(row: FolderRow) -> object:
    return row.path if row.memory is None else row.memory.id
