"""The timeline as a table of one column: now, days, states; ten thousand of them by pages as they are scrolled to.

Owns the rows and the text that is looked for. Loading is `pages`, words are `words`, painting is the delegate's. Text
is looked for in what has been loaded, by words here and by names of files in the reader, and older pages are loaded
until enough is found; no proxy model.
"""

import datetime
import enum

from backtrail.model.checkpoint import Checkpoint
from backtrail.model.ids import CheckpointId
from backtrail.model.memory import Memory, ProtectionState
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from backtrail_desktop.client.port import Failure, Port
from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.timeline import words
from backtrail_desktop.timeline.clock import Clock
from backtrail_desktop.timeline.matching import Matching
from backtrail_desktop.timeline.pages import Pages
from backtrail_desktop.timeline.rows import Filter, Row, RowKind, state_rows
from backtrail_desktop.timeline.wish import Chosen

ROW_ROLE = Qt.ItemDataRole.UserRole
"""The `Row` of an index."""

_ENOUGH = 100
_ROOT = QModelIndex()

Index = QModelIndex | QPersistentModelIndex


class Standing(enum.Enum):
    """What there is to show."""

    NO_FOLDER = "no-folder"
    LOADING = "loading"
    NOTHING_KEPT = "nothing-kept"
    NO_MATCH = "no-match"
    FAILED = "failed"
    ROWS = "rows"


class TimelineModel(QAbstractTableModel):
    """The states of one folder. standing_changed: look at `standing` and `failure`. changed: losses may have come."""

    standing_changed = Signal()
    changed = Signal()

    def __init__(self, port: Port, clock: Clock, parent: QObject | None = None, reader: Port | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._memory: Memory | None = None
        self._unknown = ""
        self._rows: list[Row] = []
        self._shown: dict[CheckpointId, int] = {}
        self._found = 0
        self._wanted_found = _ENOUGH
        self.failure: Failure | None = None
        self.pages = Pages(port, clock, self)
        self.pages.appended.connect(self._append)
        self.pages.prepended.connect(self._prepend)
        self.pages.replaced.connect(self._replace)
        self.pages.newest_changed.connect(self._now_changed)
        self.pages.failed.connect(self._failed)
        self._matching = Matching(reader, self)
        self._names = self._matching.names
        self._names.progressed.connect(self._names_progressed)
        self._names.failed.connect(self._failed)

    @property
    def memory(self) -> Memory | None:
        """The folder that is shown."""
        return self._memory

    @property
    def filter(self) -> Filter:
        """What is let through."""
        return self._matching.filter

    @property
    def standing(self) -> Standing:
        """What there is to show."""
        if self._memory is None:
            return Standing.NO_FOLDER
        if self._shown:
            return Standing.ROWS
        if self.failure is not None:
            return Standing.FAILED
        if not self.pages.started or self.pages.loading or self._names.looking:
            return Standing.LOADING
        return Standing.NOTHING_KEPT if self.filter.empty else Standing.NO_MATCH

    @property
    def now(self) -> Checkpoint | None:
        """The newest state, where the folder is known to look like it."""
        memory = self._memory
        if memory is None or self._unknown or memory.protection.state is ProtectionState.NOT_PROTECTED:
            return None
        return self.pages.newest

    def tell_unknown(self, why: str) -> None:
        """Take note of why nobody knows how the folder is now; empty: somebody looks."""
        if why != self._unknown:
            self._unknown = why
            self._now_changed()

    def show(self, memory: Memory | None) -> None:
        """Show a folder, or none; the same folder again only renews what is said of now."""
        if memory is not None and self._memory is not None and memory.id == self._memory.id:
            self._memory = memory
            self._now_changed()
            return
        self._memory, self.failure = memory, None
        self._wanted_found = _ENOUGH
        self._matching.begin(memory.path if memory else b"", self.filter)
        self.pages.show(memory.id if memory else None, self.filter.asked)

    def set_filter(self, wanted: Filter) -> None:
        """Let only some states through. What has been loaded is used again where it does."""
        if wanted == self.filter:
            return
        same_pages = wanted.asked == self.filter.asked
        self.failure, self._wanted_found = None, _ENOUGH
        self._matching.begin(self._memory.path if self._memory else b"", wanted)
        if same_pages:
            self._replace()
            self._find_more()
        else:
            self.pages.show(self._memory.id if self._memory else None, wanted.asked)

    def refresh(self) -> None:
        """Ask for what is new, or again for what could not be had."""
        if self.failure is not None and not self.pages.started:
            self.failure = None
            self.pages.load_more()
            self.standing_changed.emit()
        else:
            self.failure = None
            self.pages.refresh()

    def row(self, index: Index) -> Row:
        """Return the row of a valid index."""
        return self._rows[index.row()]

    def index_of(self, checkpoint: CheckpointId) -> QModelIndex:
        """Return where a state is shown, an invalid index if it is not."""
        place = self._shown.get(checkpoint)
        return QModelIndex() if place is None else self.index(len(self._rows) - place, 0)

    def chosen(self, index: Index) -> Chosen | None:
        """Return the state of a row with its place in the story; None for a day, and for a now that is not kept."""
        row = self.row(index) if index.isValid() else None
        if self._memory is None or row is None or row.kind is RowKind.DAY:
            return None
        now = self.now
        last = self.pages.newest if self._unknown else now
        checkpoint = last if row.kind is RowKind.NOW else row.checkpoint
        if checkpoint is None:
            return None
        before, known = self.pages.before(checkpoint)
        same = now is not None and checkpoint.content_token == now.content_token
        return Chosen(
            memory=self._memory, checkpoint=checkpoint, before=before, before_known=known, now=now, same_as_now=same
        )

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802 - Qt's name
        """Return how many rows are loaded."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: N802 - Qt's name
        """Return one: the delegate lays the row out."""
        return 0 if parent.isValid() else 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let a day be no place to stand on."""
        if not index.isValid() or self.row(index).kind is RowKind.DAY:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the row, its main words, or all of it as one sentence for those who hear it."""
        if not index.isValid():
            return None
        row = self.row(index)
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return plain_text(self.lines(row)[0])
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return plain_text(self._sentence(row))
        return None

    def canFetchMore(self, parent: Index) -> bool:  # noqa: N802 - Qt's name
        """Tell whether scrolling on would load older states."""
        return not parent.isValid() and self.failure is None and self.pages.more and not self.pages.loading

    def fetchMore(self, parent: Index) -> None:  # noqa: N802 - Qt's name
        """Load older states."""
        if self.canFetchMore(parent):
            self._wanted_found = self._found + _ENOUGH
            self.pages.load_more()

    def lines(self, row: Row) -> tuple[str, str]:
        """Return the two lines of a row; not yet escaped."""
        today = self._clock().astimezone().date()
        if row.kind is RowKind.DAY and row.day is not None:
            return words.day_text(row.day, today), ""
        if row.kind is RowKind.NOW:
            return self._now_lines(today)[:2]
        checkpoint = row.checkpoint
        if checkpoint is None:
            return "", ""
        before, _known = self.pages.before(checkpoint)
        second = [words.branch(checkpoint), words.origin(checkpoint, self._followed(checkpoint))]
        return words.led_to(checkpoint, before), " · ".join([*second, *words.marks(checkpoint)])

    def warns(self, row: Row) -> bool:
        """Tell whether the main words of a row are a warning."""
        if row.kind is RowKind.NOW:
            return self._now_lines(self._clock().astimezone().date())[2]
        return row.checkpoint is not None and bool(row.checkpoint.lost) and row.kind is RowKind.STATE

    def looks_like_now(self, row: Row) -> bool:
        """Tell whether a state's row looks as the folder does now."""
        now = self.now
        return row.checkpoint is not None and now is not None and row.checkpoint.content_token == now.content_token

    def _now_lines(self, today: datetime.date) -> tuple[str, str, bool]:
        if self._memory is None:
            return "", "", False
        return words.now_lines(self._memory, self.pages.newest, today, self._unknown)

    def _sentence(self, row: Row) -> str:
        if row.kind is RowKind.STATE and row.checkpoint is not None:
            before, _known = self.pages.before(row.checkpoint)
            return words.row_sentence(row.checkpoint, before, self._followed(row.checkpoint))
        first, second = self.lines(row)
        return f"{words.NOW}: {first}, {second}" if row.kind is RowKind.NOW else first

    def _followed(self, checkpoint: Checkpoint) -> datetime.datetime | None:
        of = self.pages.find(checkpoint.context.cause_id)
        return of.captured_at if of else None

    def _append(self, checkpoints: list[Checkpoint]) -> None:
        self.failure = None
        passed = [checkpoint for checkpoint in checkpoints if self._matching.passes(checkpoint)]
        last = self._rows[-1].checkpoint if self._shown else None
        rows = state_rows(passed, last.captured_at.astimezone().date() if last else None)
        self._insert(len(self._rows), rows)
        self._find_more()
        self.standing_changed.emit()
        self.changed.emit()

    def _prepend(self, checkpoints: list[Checkpoint]) -> None:
        passed = [checkpoint for checkpoint in checkpoints if self._matching.passes(checkpoint)]
        top = self._rows[1].day if len(self._rows) > 1 else None
        rows = state_rows(passed, None)
        headings = [at for at, row in enumerate(rows) if row.kind is RowKind.DAY]
        if rows and rows[headings[-1]].day == top:
            self._insert(2, rows[headings[-1] + 1 :])  # below the heading that is there
            rows = rows[: headings[-1]]
        self._insert(1, rows)
        self._find_more()
        self.standing_changed.emit()
        self.changed.emit()

    def _replace(self) -> None:
        self.beginResetModel()
        passed = [checkpoint for checkpoint in self.pages.loaded if self._matching.passes(checkpoint)]
        self._rows = [Row(RowKind.NOW)] if self._memory else []
        self._rows += state_rows(passed, None)
        self._count()
        self.endResetModel()
        self.standing_changed.emit()
        self.changed.emit()

    def _insert(self, at: int, rows: list[Row]) -> None:
        if not rows:
            return
        self.beginInsertRows(QModelIndex(), at, at + len(rows) - 1)
        self._rows[at:at] = rows
        self._count()
        self.endInsertRows()

    def _count(self) -> None:
        """Note where each state is, counted from the end: new ones on top then move nothing."""
        length = len(self._rows)
        self._shown = {row.checkpoint.id: length - at for at, row in enumerate(self._rows) if row.checkpoint}
        self._found = len(self._shown)

    def _find_more(self) -> None:
        if not self.filter.text or not self.pages.started:
            return
        self._names.look_at(self.pages.loaded, complete=not self.pages.more and self.filter.days is None)
        if self.pages.more and self._found < self._wanted_found and not self._names.looking:
            self.pages.load_more()

    def _names_progressed(self, found: bool) -> None:  # noqa: FBT001 - a signal's argument
        if found:
            self._replace()
        self._find_more()
        self.standing_changed.emit()

    def _now_changed(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, 0))
            self.changed.emit()

    def _failed(self, failure: Failure) -> None:
        self.failure = failure
        self.standing_changed.emit()
