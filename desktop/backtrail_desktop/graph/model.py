"""The graph's rows as Qt's model: the working state, then the commits.

Owns what a row says and how it is drawn; loading is `loading`'s, painting the delegate's. Rows appear in groups, so
that a long history does not tell the view of each piece.
"""

import datetime

from backtrail.model.commands import HeadCount
from backtrail.model.commits import Refs
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer

from backtrail_desktop.client.port import Port
from backtrail_desktop.graph import words
from backtrail_desktop.graph.commit_rows import NOW, CommitRows
from backtrail_desktop.graph.lanes import Row
from backtrail_desktop.graph.names import Label, labels_by_commit
from backtrail_desktop.graph.texts import CommitTexts
from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.timeline.clock import Clock, system_clock

Index = QModelIndex | QPersistentModelIndex
MOST_LANES = 24
"""More lanes than these are not drawn beside each other."""
_BLOCK = 64
_BLOCKS_KEPT = 32
_TOGETHER_MS = 60
_ROOT = QModelIndex()


class GraphModel(QAbstractTableModel):
    """One column of commits."""

    def __init__(self, reader: Port, clock: Clock = system_clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._rows = CommitRows()
        self._count = 0
        self._refs = Refs(None, None, ())
        self._labels: dict[bytes, list[Label]] = {}
        self._states: dict[bytes, HeadCount] = {}
        self._drawn: dict[int, list[Row]] = {}
        self.texts = CommitTexts(reader, self)
        self.texts.came.connect(self._said_otherwise)
        self._together = QTimer(self)
        self._together.setSingleShot(True)
        self._together.setInterval(_TOGETHER_MS)
        self._together.timeout.connect(self.take_in)

    # what is shown

    def show(self, rows: CommitRows) -> None:
        """Show these rows instead."""
        self._together.stop()
        self.beginResetModel()
        self._rows, self._count = rows, len(rows)
        self._drawn.clear()
        self.endResetModel()

    def grew(self) -> None:
        """Take in rows that were added, soon."""
        if not self._together.isActive():
            self._together.start()

    def take_in(self) -> None:
        """Take in rows that were added, now."""
        self._together.stop()
        if len(self._rows) > self._count:
            self.beginInsertRows(_ROOT, self._count, len(self._rows) - 1)
            self._drawn.pop(self._count // _BLOCK, None)
            self._count = len(self._rows)
            self.endInsertRows()

    def show_refs(self, refs: Refs) -> None:
        """Show these labels."""
        self._refs = refs
        self._labels = labels_by_commit(refs)
        self._said_otherwise()

    def show_states(self, states: dict[bytes, HeadCount]) -> None:
        """Show how many states were kept at which commit."""
        self._states = states
        self._said_otherwise()

    # a row

    @property
    def today(self) -> datetime.date:
        """The day it is here."""
        return self._clock().astimezone().date()

    @property
    def rows(self) -> CommitRows:
        """The rows behind this, those included that are not taken in yet."""
        return self._rows

    @property
    def head(self) -> bytes | None:
        """The commit that is checked out."""
        return self._refs.head

    def oid(self, row: int) -> bytes:
        """Return the commit of a row."""
        return self._rows.oid(row)

    def is_now(self, row: int) -> bool:
        """Tell whether a row is the working state's."""
        return row == 0 and self._rows.oid(0) == NOW

    def index_of(self, oid: bytes) -> QModelIndex:
        """Return where a commit stands; an invalid index where it is not shown."""
        row = self._rows.row_of(oid)
        if row >= self._count:
            self.take_in()
        return self.index(row, 0) if row >= 0 else QModelIndex()

    def labels(self, row: int) -> list[Label]:
        """Return the names beside a commit."""
        return self._labels.get(self._rows.oid(row), [])

    def states(self, row: int) -> HeadCount | None:
        """Return the states kept at a commit, None where there are none."""
        return self._states.get(self._rows.oid(row))

    def drawn(self, row: int) -> Row:
        """Return how the lanes go in a row."""
        block, at = divmod(row, _BLOCK)
        rows = self._drawn.get(block)
        if rows is None or at >= len(rows):
            rows = self._rows.drawn(block * _BLOCK, _BLOCK, MOST_LANES)
            self._drawn[block] = rows
            if len(self._drawn) > _BLOCKS_KEPT:
                del self._drawn[next(iter(self._drawn))]
        return rows[at]

    def subject(self, row: int) -> str:
        """Return the words of a row."""
        if self.is_now(row):
            return words.now_text(self._refs.branch)
        oid = self._rows.oid(row)
        if not self.texts.knows(oid):
            return words.LOADING_LINE
        line = self.texts.line(oid)
        return words.NOT_HERE if line is None else line.subject

    def date(self, row: int) -> str:
        """Return when the commit of a row was made, as it is shown."""
        line = None if self.is_now(row) else self.texts.line(self._rows.oid(row))
        return "" if line is None else words.date_text(line.committed_at, self.today)

    def sentence(self, row: int) -> str:
        """Return all that a row says as one sentence."""
        subject, line = self.subject(row), self.texts.line(self._rows.oid(row))
        if line is None:
            return subject
        states = self.states(row)
        names = [label.text for label in self.labels(row)]
        return words.spoken(line, names, states.count if states else 0, self.today)

    def _said_otherwise(self) -> None:
        if self._count:
            self.dataChanged.emit(self.index(0, 0), self.index(self._count - 1, 0))

    # Qt's overrides

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802 - Qt's name
        """Return how many rows there are."""
        return 0 if parent.isValid() else self._count

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: N802 - Qt's name
        """Return one."""
        return 0 if parent.isValid() else 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let every row be chosen."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a row's words, or all of it as one sentence."""
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return plain_text(self.subject(index.row()))
        if role in {Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole}:
            return plain_text(self.sentence(index.row()))
        return None
