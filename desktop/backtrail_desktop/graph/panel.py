"""The Git graph of one folder: controls, commits, and how it keeps its place while it changes.

Owns how these work together. Moves no ref and writes nothing. While rows are loaded or refs move, the commit that is
chosen stays chosen, and what is seen stays where it was.
"""

import time

from backtrail.model.events import FirstCheckpoint, HostEvent
from backtrail.model.ids import CheckpointId
from backtrail.model.memory import Memory
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from backtrail_desktop.client.port import HostPort, Port
from backtrail_desktop.graph import words
from backtrail_desktop.graph.commit_rows import CommitRows
from backtrail_desktop.graph.finding import Finding
from backtrail_desktop.graph.heads import Heads
from backtrail_desktop.graph.loading import Loading
from backtrail_desktop.graph.model import GraphModel
from backtrail_desktop.graph.search_bar import SearchBar
from backtrail_desktop.graph.table import GraphTable
from backtrail_desktop.timeline.clock import Clock, system_clock
from backtrail_desktop.timeline.empty_note import EmptyNote

_REST_MS = 120
_AGAIN_MS = 5000
_SHARE = 200
"""Refs are read again after at least so many times what reading them took."""


class GraphPanel(QWidget):
    """Shows the commits of a folder.

    chosen(bytes, CheckpointId | None): a person chose this commit (or `NOW`), and the newest state kept there.
    """

    chosen = Signal(object, object)

    def __init__(
        self, host: HostPort, reader: Port, clock: Clock = system_clock, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._memory: Memory | None = None
        self._wanted: bytes | None = None
        self._unread = False
        self._began = time.monotonic()
        self.model = GraphModel(reader, clock, self)
        self.loading = Loading(reader, self)
        self.heads = Heads(host, self)
        self.finding = Finding(reader, self)
        self.bar = SearchBar(self)
        self.table = GraphTable(self.model, self)
        self.note = EmptyNote(self)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_REST_MS)
        self._soon.timeout.connect(self._refresh)
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.timeout.connect(self._refresh)
        self._lay_out()
        self._connect(host)
        self._say(words.NO_FOLDER)

    def show_memory(self, memory: Memory | None) -> None:
        """Show a folder; the same one again changes nothing."""
        before, self._memory = self._memory, memory
        if before is not None and memory is not None and (before.id, before.path) == (memory.id, memory.path):
            return
        self._wanted = None
        self.finding.stop()
        self.bar.forget()
        self.model.show(CommitRows())
        self.model.texts.show(memory.path if memory else None)
        self.heads.show(memory.id if memory else None)
        self._say(words.LOADING if memory else words.NO_FOLDER)
        self._load()

    def stand_on(self, oid: bytes | None) -> bool:
        """Choose a commit for the person; one that has not come yet is chosen once it has, one that is not told so."""
        found = oid is not None and self.table.stand_on(oid)
        self._wanted = None if found else oid
        if not found:
            self.table.stand_nowhere()
        self._tell_missing()
        return found

    def search(self) -> None:
        """Let the person type what to look for."""
        self.bar.text.setFocus()
        self.bar.text.selectAll()

    def close_processes(self) -> None:
        """End what runs for this; for the end of the window."""
        self.loading.close()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Read what was not read while nobody saw it."""
        super().showEvent(event)
        if self._unread:
            self._load()
        else:
            self._soon.start()

    # rows

    def _load(self) -> None:
        """Load the rows; nothing is read for a graph that nobody sees."""
        self._unread = not self.isVisible()
        self._began = time.monotonic()
        self.loading.show(self._memory.path if self._memory and not self._unread else None, self.bar.name)

    def _refresh(self) -> None:
        if self.isVisible() and not self._unread:
            self._began = time.monotonic()
            self.loading.refresh()
            self.heads.refresh()

    def _replaced(self, rows: CommitRows) -> None:
        self.finding.stop()
        top, chosen = self.table.top, self._wanted or self.table.current
        scrolled = self.table.verticalScrollBar().value() > 0
        self.model.show(rows)
        self._pages.setCurrentWidget(self.table)
        if chosen is not None:
            self._wanted = None if self.table.stand_on(chosen) else chosen
        if top is not None and scrolled:
            self.table.scroll_back(top)
        elif not scrolled:
            self.table.verticalScrollBar().setValue(0)

    def _grew(self) -> None:
        self.model.grew()

    def _more_rows(self) -> None:
        if self._wanted is not None and self.table.stand_on(self._wanted):
            self._wanted = None

    def _tell_missing(self) -> None:
        """Say so where the commit of the chosen state has no row."""
        missing = self._wanted is not None and bool(self.model.rowCount()) and not self.loading.loading
        alone = self.bar.name is not None
        self.bar.tell_missing((words.NOT_ON_THIS_BRANCH if alone else words.ON_NO_BRANCH) if missing else "")

    def _refs_changed(self) -> None:
        refs = self.loading.refs
        if refs is not None:
            self.model.show_refs(refs)
            self.bar.offer(refs.refs)

    def _finished(self) -> None:
        """Take in the last rows, and see again in a while whether refs moved: nobody tells of a fetch."""
        self.model.take_in()
        self._tell_missing()
        took_ms = int(1000 * (time.monotonic() - self._began))
        self._again.start(max(_AGAIN_MS, _SHARE * took_ms))

    def _failed(self, reason: str) -> None:
        self._again.stop()
        self.model.show(CommitRows())
        self._say(reason, words.TRY_AGAIN)

    def _say(self, sentence: str, action: str = "") -> None:
        self.note.tell(sentence, action)
        self._pages.setCurrentWidget(self.note)

    # what a person does

    def _stood_on(self, oid: bytes) -> None:
        self._wanted = None
        states = self.model.states(self.table.currentIndex().row())
        newest: CheckpointId | None = states.newest if states is not None else None
        self.chosen.emit(oid, newest)

    def _branch_chosen(self) -> None:
        self._wanted = self._wanted or self.table.current
        self.finding.stop()
        self._load()

    def _search(self, down: bool) -> None:  # noqa: FBT001 - as the signal tells it
        if self._memory is not None:
            self.bar.tell(words.SEARCHING)
            begin = self.table.currentIndex().row()
            self.finding.look(self._memory.path, self.model.rows, self.bar.text.text().strip(), begin, down=down)

    def _found(self, oid: bytes) -> None:
        self.bar.tell("")
        self.table.go_to(oid)

    def _missed(self, reason: str) -> None:
        self.bar.tell(reason or words.NOTHING_FOUND)

    # what happens elsewhere

    def _happened(self, event: HostEvent) -> None:
        memory = self._memory
        if memory is not None and event.memory in {None, memory.id} and not isinstance(event, FirstCheckpoint):
            self._soon.start()

    def _connect(self, host: HostPort) -> None:
        self.loading.replaced.connect(self._replaced)
        self.loading.grew.connect(self._grew)
        self.loading.refs_changed.connect(self._refs_changed)
        self.loading.finished.connect(self._finished)
        self.loading.failed.connect(self._failed)
        self.model.rowsInserted.connect(self._more_rows)
        self.heads.told.connect(self.model.show_states)
        self.finding.found.connect(self._found)
        self.finding.missed.connect(self._missed)
        self.table.stood_on.connect(self._stood_on)
        self.bar.branch_chosen.connect(self._branch_chosen)
        self.bar.search_wanted.connect(self._search)
        self.bar.given_up.connect(self.finding.stop)
        self.note.pressed.connect(self._load)
        host.happened.connect(self._happened)
        host.link_changed.connect(self._soon.start)
        find = QShortcut(QKeySequence.StandardKey.FindNext, self)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.activated.connect(self._search_down)

    def _search_down(self) -> None:
        self._search(down=True)

    def _lay_out(self) -> None:
        self._pages = QStackedLayout()
        self._pages.addWidget(self.table)
        self._pages.addWidget(self.note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.bar)
        layout.addLayout(self._pages, 1)
