"""The timeline of one folder: banner, filters, rows, and the way from a row to a wish.

Owns how these work together. Restores nothing: a double click asks for the guide. A row that looks like now asks for
the state before it, since people open the row where it went wrong.
"""

import datetime
from functools import partial

import msgspec
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.events import FirstCheckpoint, HostEvent
from backtrail.model.ids import CheckpointId, RelPath
from backtrail.model.memory import Memory
from backtrail.model.path_text import path_text
from PySide6.QtCore import QModelIndex, QSettings, Qt, QTimer, Signal
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from backtrail_desktop.client.port import HostPort, Link, LinkState, Port
from backtrail_desktop.timeline import words
from backtrail_desktop.timeline.clock import Clock, system_clock
from backtrail_desktop.timeline.empty_note import EmptyNote
from backtrail_desktop.timeline.filter_bar import FilterBar
from backtrail_desktop.timeline.loss_banner import LossBanner
from backtrail_desktop.timeline.losses import Dismissed, open_losses, paths_to_get
from backtrail_desktop.timeline.model import Standing, TimelineModel
from backtrail_desktop.timeline.table import TimelineTable
from backtrail_desktop.timeline.wish import Chosen, Wanted, Wish


class TimelinePanel(QWidget):
    """Shows what happened in a folder.

    chosen(Chosen | None): the state stood on. wished(Wish): open the guide. counted(int): how many states are kept.
    `loss_place` holds the banner; whoever has more room for it may put it elsewhere.
    """

    chosen = Signal(object)
    wished = Signal(object)
    counted = Signal(int)

    def __init__(
        self,
        host: HostPort,
        settings: QSettings,
        clock: Clock = system_clock,
        parent: QWidget | None = None,
        reader: Port | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._clock = clock
        self._dismissed = Dismissed(settings)
        self._loss: Checkpoint | None = None
        self._standing_on: CheckpointId | None = None
        self._on_now = True
        self._last: Chosen | None = None
        self._known_losses: list[Checkpoint] = []
        self.model = TimelineModel(host, clock, self, reader)
        self.banner = LossBanner(self)
        self.filters = FilterBar(self)
        self.table = TimelineTable(self.model, self)
        self.note = EmptyNote(self)
        self.note.pressed.connect(self._note_pressed)
        self._lay_out()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.model.refresh)
        self.banner.get_back.connect(self._get_back)
        self.banner.dismissed.connect(self._dismiss)
        self.filters.changed.connect(self._filter_changed)
        self.table.stood_on.connect(self._stood_on)
        self.table.opened.connect(self._opened)
        self.model.standing_changed.connect(self._standing_changed)
        self.model.changed.connect(self._rows_changed)
        host.happened.connect(self._happened)
        host.link_changed.connect(self._link_changed)
        self._standing_changed()

    def show_memory(self, memory: Memory | None) -> None:
        """Show a folder; the same one again only renews what is said of now."""
        shown = self.model.memory
        if memory is None or shown is None or memory.id != shown.id:
            self._standing_on, self._on_now, self._known_losses = None, True, []
            self._tell_loss([])
            self.filters.forget_branches()
            self.model.set_filter(self.filters.filter)
            self._choose(None)
        self.model.show(memory)
        self._standing_changed()

    def show_answering(self, *, answering: bool) -> None:
        """Offer what was lost only while there is a Backtrail that can bring it back."""
        self.banner.show_answering(answering=answering)

    def show_losses(self) -> None:
        """Let only the rows with losses through."""
        self.filters.only_losses.setChecked(True)

    def search(self) -> None:
        """Let the person type what to look for."""
        self.filters.text.setFocus()
        self.filters.text.selectAll()

    def show_history(self, path: RelPath) -> None:
        """Let only the states through in which a file changed."""
        self.filters.text.setText(path_text(path))
        self.filters.text.setFocus()

    def stand_on(self, checkpoint: CheckpointId) -> bool:
        """Choose a state's row; False where it is not loaded or not let through."""
        index = self.model.index_of(checkpoint)
        if index.isValid():
            self.table.stand_on(index)
        return index.isValid()

    def stand_on_now(self) -> None:
        """Choose the row of now."""
        if self.model.rowCount():
            self.table.stand_on(self.model.index(0, 0))

    # a row

    def _stood_on(self, index: QModelIndex) -> None:
        chosen = self.model.chosen(index) if index.isValid() else None
        if index.isValid():
            self._on_now = index.row() == 0
            self._standing_on = chosen.checkpoint.id if chosen else None
        last = self._last if self._last is not None and self._last.before_known else None
        if chosen and last and not chosen.before_known and last.checkpoint.id == chosen.checkpoint.id:
            chosen = msgspec.structs.replace(chosen, before=last.before, before_known=True)
        self._choose(chosen)
        if chosen is not None and not chosen.before_known:
            self.model.pages.ask_before(chosen.checkpoint, partial(self._before_told, chosen))

    def _choose(self, chosen: Chosen | None) -> None:
        if chosen is None or chosen != self._last:
            self._last = chosen
            self.chosen.emit(chosen)

    def _opened(self, index: QModelIndex) -> None:
        chosen = self.model.chosen(index)
        if chosen is None:
            return
        if not chosen.same_as_now:
            self.wished.emit(Wish(chosen.checkpoint.id, Wanted.WHOLE))
        elif chosen.before_known:
            self._wish_before(chosen.before)
        else:
            self.model.pages.ask_before(chosen.checkpoint, self._wish_before)

    def _wish_before(self, before: Checkpoint | None) -> None:
        if before is not None:
            self.wished.emit(Wish(before.id, Wanted.WHOLE))

    def _before_told(self, chosen: Chosen, before: Checkpoint | None) -> None:
        if self._last is not None and chosen.checkpoint.id == self._last.checkpoint.id:
            self._choose(msgspec.structs.replace(self._last, before=before, before_known=True))

    # what there is

    def _standing_changed(self) -> None:
        standing = self.model.standing
        failure = self.model.failure
        self.filters.setEnabled(standing is not Standing.NO_FOLDER)
        if standing is Standing.ROWS:
            self._pages.setCurrentWidget(self.table)
            return
        if standing is Standing.FAILED and failure is not None:
            self.note.tell(f"{failure.message} {failure.remedy}".strip(), words.TRY_AGAIN)
        elif standing is Standing.NO_MATCH:
            self.note.tell(words.NO_MATCH, words.SHOW_EVERYTHING)
        else:
            looking = words.STILL_LOOKING if self.model.pages.loaded else words.LOADING
            sentences = {Standing.NO_FOLDER: words.NO_FOLDER, Standing.NOTHING_KEPT: words.NO_STATES}
            self.note.tell(sentences.get(standing, looking))
        self._pages.setCurrentWidget(self.note)

    def _note_pressed(self) -> None:
        if self.model.standing is Standing.NO_MATCH:
            self.filters.clear()
        else:
            self.model.refresh()
            self._standing_changed()

    def _rows_changed(self) -> None:
        self.filters.offer_branches([state.branch for state in self.model.pages.loaded if state.branch is not None])
        self.counted.emit(self.model.pages.total)
        memory = self.model.memory
        if self.model.pages.started and memory is not None:
            if self.model.filter.asked.empty:
                self._known_losses = open_losses(self.model.pages.loaded, self._dismissed.up_to(memory.id))
            self._tell_loss(self._known_losses)
        self._stand_again()

    def _stand_again(self) -> None:
        """After rows were made anew, stand where the person stood; at first, on now."""
        if not self.model.pages.started or not self.model.rowCount():
            return
        index = self.model.index(0, 0) if self._on_now else QModelIndex()
        if not self._on_now and self._standing_on is not None:
            index = self.model.index_of(self._standing_on)
        if not index.isValid():
            return
        if self.table.currentIndex() != index:
            self.table.setCurrentIndex(index)
        else:
            self._stood_on(index)

    # the loss

    def _tell_loss(self, losses: list[Checkpoint]) -> None:
        self._loss = losses[0] if losses else None
        for widget in (self.loss_place, self.banner):
            widget.setVisible(self._loss is not None)
        if self._loss is None:
            return
        today = self._today()
        kept = self.model.pages.find(self._loss.kept_in)
        what, where = words.banner_text(
            self._loss.lost,
            words.when_text(self._loss.captured_at, today),
            words.when_text(kept.captured_at, today) if kept else None,
            len(losses) - 1,
        )
        self.banner.tell(what, where)

    def _get_back(self) -> None:
        if self._loss is None:
            return
        if self._loss.kept_in is not None:
            self.wished.emit(Wish(self._loss.kept_in, Wanted.LOST, paths_to_get(self._loss.lost)))
        else:
            self.model.pages.ask_before(self._loss, self._wish_before)

    def _dismiss(self) -> None:
        if self._loss is not None:
            self._dismissed.put_aside(self._loss)
            self._known_losses = []
            self._tell_loss([])
            self.table.setFocus()

    # what happens elsewhere

    def _filter_changed(self) -> None:
        self.model.set_filter(self.filters.filter)

    def _happened(self, event: HostEvent) -> None:
        memory = self.model.memory
        if memory is not None and event.memory in {None, memory.id} and not isinstance(event, FirstCheckpoint):
            self._soon.start()

    def _link_changed(self, state: LinkState) -> None:
        if state.link is Link.READY:
            self._soon.start()

    def _today(self) -> datetime.date:
        return self._clock().astimezone().date()

    def _lay_out(self) -> None:
        self._pages = QStackedLayout()
        self._pages.addWidget(self.table)
        self._pages.addWidget(self.note)
        self.loss_place = QWidget()
        banner = QVBoxLayout(self.loss_place)
        banner.setContentsMargins(12, 10, 12, 4)
        banner.addWidget(self.banner)
        self.banner.hide()
        self.loss_place.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.loss_place)
        layout.addWidget(self.filters)
        layout.addLayout(self._pages, 1)
