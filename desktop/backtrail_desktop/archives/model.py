"""The archives of one folder as rows: time, size, reason.

Owns their order (as the Host tells it, newest first) and what each cell says. Asks nobody.
"""

from backtrail.model.commands import ArchiveInfo
from backtrail.wording.sentence import size_text
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QWidget

from backtrail_desktop.archives import words
from backtrail_desktop.timeline.clock import Clock

TIME, SIZE, REASON = range(3)
AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class ArchivesModel(QAbstractTableModel):
    """Rows of archives."""

    def __init__(self, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._archives: tuple[ArchiveInfo, ...] = ()

    def show(self, archives: tuple[ArchiveInfo, ...]) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self._archives = archives
        self.endResetModel()

    def archive_at(self, row: int) -> ArchiveInfo | None:
        """Return the archive in a row."""
        return self._archives[row] if 0 <= row < len(self._archives) else None

    def row_of(self, restore: str) -> int | None:
        """Return the row of the archive that a restore made."""
        return next((row for row, info in enumerate(self._archives) if info.restore.id == restore), None)

    @property
    def size(self) -> int:
        """The bytes of all archives together."""
        return sum(info.restore.bytes for info in self._archives)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        """Return how many archives there are."""
        return 0 if parent.isValid() else len(self._archives)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        """Return the columns."""
        return 0 if parent.isValid() else len(words.HEADINGS)

    def headerData(  # noqa: N802 - Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the headings."""
        known = orientation is Qt.Orientation.Horizontal and 0 <= section < len(words.HEADINGS)
        if known and role == Qt.ItemDataRole.DisplayRole:
            return words.HEADINGS[section]
        if known and role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return what a cell says."""
        info = self.archive_at(index.row())
        if info is None or not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(info, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return words.reason(info, self._clock())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return words.row_sentence(info, self._clock())
        return None

    def _text(self, info: ArchiveInfo, column: int) -> str:
        if column == SIZE:
            return size_text(info.restore.bytes)
        return words.time(info, self._clock()) if column == TIME else words.reason(info, self._clock())


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column == SIZE else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
