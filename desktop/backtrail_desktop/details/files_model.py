"""The files of a state that differ, as a table of one column: not staged, staged, and what is not kept.

Owns the rows and their spoken sentences. Painting is the delegate's, comparing the reader's. At most as many rows as
were asked for; the last says how many more there are.
"""

from collections.abc import Sequence

from backtrail.model.changes import Change, Changes
from backtrail.model.coverage import Coverage
from backtrail.model.path_text import path_text
from backtrail.wording.coverage import left_out_text
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from backtrail_desktop.details import words
from backtrail_desktop.details.comparing import Against, FileKind, FileRow, set_apart
from backtrail_desktop.shell.plain_text import plain_text

FILE_ROLE = Qt.ItemDataRole.UserRole
"""The `FileRow` of an index."""

_ROOT = QModelIndex()

Index = QModelIndex | QPersistentModelIndex


def rows_of(changes: Changes, against: Against, coverage: Coverage) -> list[FileRow]:
    """Return the rows for an answer of the reader."""
    working, staged = set_apart(changes.changes, against)
    rows: list[FileRow] = []
    headings = (words.NOT_STAGED, words.STAGED) if against is Against.HEAD else (words.FILES, words.ONLY_STAGED)
    for heading, found in zip(headings, (working, staged), strict=True):
        if found:
            rows.append(FileRow(FileKind.HEADING, heading))
            rows += [FileRow(FileKind.CHANGE, change=change) for change in found]
    if len(changes.changes) < changes.total:
        rows.append(FileRow(FileKind.REMARK, words.more_text(len(changes.changes), changes.total)))
    if not rows:
        rows.append(FileRow(FileKind.REMARK, words.NO_DIFFERENCE))
    return [*rows, *not_kept_rows(coverage)]


def not_kept_rows(coverage: Coverage) -> list[FileRow]:
    """Return the rows for what a state does not hold."""
    told = words.kept_text(coverage)
    if not told:
        return []
    heading = FileRow(FileKind.HEADING, f"{words.NOT_KEPT} · {told}")
    return [heading, *(FileRow(FileKind.LEFT_OUT, left_out_text(item), left_out=item) for item in coverage.left_out)]


class FilesModel(QAbstractTableModel):
    """The list of files."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[FileRow] = []

    def show(self, rows: Sequence[FileRow]) -> None:
        """Show these rows instead."""
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def row(self, index: Index) -> FileRow:
        """Return the row of a valid index."""
        return self._rows[index.row()]

    def first_change(self) -> QModelIndex:
        """Return the first file, an invalid index if there is none."""
        for at, row in enumerate(self._rows):
            if row.change is not None:
                return self.index(at, 0)
        return QModelIndex()

    def find(self, wanted: Change) -> QModelIndex:
        """Return where the same path stands, on the same side of staging; an invalid index if it does not."""
        for at, row in enumerate(self._rows):
            if row.change is not None and (row.change.path, row.change.staged) == (wanted.path, wanted.staged):
                return self.index(at, 0)
        return QModelIndex()

    # Qt's overrides

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802 - Qt's name
        """Return how many rows there are."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: N802 - Qt's name
        """Return one."""
        return 0 if parent.isValid() else 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let only files be chosen."""
        if not index.isValid() or self.row(index).kind in {FileKind.HEADING, FileKind.REMARK}:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the row, its words, or all of it as one sentence."""
        if not index.isValid():
            return None
        row = self.row(index)
        if role == FILE_ROLE:
            return row
        if role not in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return None
        if row.change is None:
            return plain_text(row.text)
        path = plain_text(path_text(row.change.path))
        if role == Qt.ItemDataRole.DisplayRole:
            return path
        return f"{path}, {words.SPOKEN[row.change.status]}{', ' + words.STAGED.lower() if row.change.staged else ''}"
