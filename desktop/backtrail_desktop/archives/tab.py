"""The archives of the chosen folder: what they are, and open, bring back, move to trash.

Owns the list, its empty and failed states, and the questions before one is deleted. Bringing back is only asked for:
the guide shows what it would do first. Answers about a folder that is no longer chosen are dropped.
"""

import functools

from backtrail.model.commands import ArchiveInfo, Archives, DeleteArchive, Done, ListArchives
from backtrail.model.events import ArchiveDeleted, HostEvent, MemoryChanged, RestoreFinished
from backtrail.model.memory import Memory
from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from backtrail_desktop.archives import words
from backtrail_desktop.archives.model import ArchivesModel
from backtrail_desktop.archives.question_bar import QuestionBar
from backtrail_desktop.archives.table import ArchivesTable
from backtrail_desktop.client.port import Failure, HostPort
from backtrail_desktop.restore.offers import remedy_of
from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.timeline.clock import Clock, system_clock
from backtrail_desktop.timeline.words import NOT_RUNNING

_REFRESHED_BY = (RestoreFinished, ArchiveDeleted, MemoryChanged)


class ArchivesTab(QWidget):
    """The tab. Tell it the folder with `show_memory`.

    folder_asked: bytes of an archive's folder to open. bring_back_asked: the ArchiveInfo to show in the guide.
    found: how many archives there are, so that the tab may be hidden before the first one.
    """

    folder_asked = Signal(object)
    bring_back_asked = Signal(object)
    found = Signal(int)

    def __init__(self, host: HostPort, parent: QWidget | None = None, clock: Clock = system_clock) -> None:
        super().__init__(parent)
        self._host = host
        self._clock = clock
        self._memory: Memory | None = None
        self._round = 0
        self._wanted: str | None = None
        self._asked_about: ArchiveInfo | None = None
        self._for_good = False
        self._answering = True
        self.model = ArchivesModel(clock, self)
        self.table = ArchivesTable(self.model)
        self.empty, self.explained, self.total = _label("strong"), _label("quiet"), _label("quiet")
        self.explained.setText(words.WHAT_THEY_ARE)
        self.trouble = _label("warning")
        self.question = QuestionBar()
        self.open_folder, self.bring_back = QPushButton(words.OPEN), QPushButton(words.BRING_BACK)
        self.trash, self.try_again = QPushButton(words.TRASH), QPushButton(words.TRY_AGAIN)
        self.for_good = QPushButton(words.FOR_GOOD)
        self.bring_back.setProperty("role", "primary")
        self._lay_out()
        self._connect()
        self.show_memory(None)
        self.setProperty("role", "page")

    def show_answering(self, *, answering: bool) -> None:
        """Offer what needs the Host only while it answers."""
        self._answering = answering
        self._on_current()
        if not answering:
            self._leave_question()

    @property
    def chosen(self) -> ArchiveInfo | None:
        """The archive that is selected."""
        return self.model.archive_at(self.table.currentIndex().row())

    def show_memory(self, memory: Memory | None) -> None:
        """Show the archives of a folder, or of none."""
        if memory is None or self._memory is None or memory.id != self._memory.id:
            self.model.show(())
            self._wanted = None
            self._leave_question()
        self._memory = memory
        self.refresh()

    def show_archive(self, restore: str) -> None:
        """Select the archive that a restore made, as soon as it is listed."""
        self._wanted = restore
        self.refresh()

    def refresh(self) -> None:
        """Ask for the archives anew."""
        self._round += 1
        self.trouble.hide()
        self.try_again.hide()
        self.for_good.hide()
        if self._memory is None:
            self._show_rows(words.CHOOSE)
            return
        if not self.model.rowCount():
            self._show_rows(words.LOADING)
        here = self._round
        self._host.ask(
            ListArchives(memory=self._memory.id),
            functools.partial(self._on_archives, here),
            functools.partial(self._on_not_listed, here),
        )

    def _on_archives(self, here: int, answer: Archives) -> None:
        if here != self._round:
            return
        chosen = self._wanted or (self.chosen.restore.id if self.chosen else None)
        self._wanted = None
        self.model.show(answer.archives)
        self._show_rows(words.EMPTY)
        self.table.select_row((self.model.row_of(chosen) if chosen else None) or 0)
        about = self._asked_about
        if about is not None and self.model.row_of(about.restore.id) is None:
            self._leave_question()
        self.found.emit(len(answer.archives))

    def _on_not_listed(self, here: int, failure: Failure) -> None:
        if here == self._round:
            self._show_rows("")
            self._show_trouble(failure)
            self.try_again.show()

    def _on_event(self, event: HostEvent) -> None:
        if self._memory is not None and event.memory in {None, self._memory.id} and isinstance(event, _REFRESHED_BY):
            self.refresh()

    def _on_current(self) -> None:
        known = self.chosen is not None
        self.open_folder.setEnabled(known)
        for button in (self.bring_back, self.trash, self.for_good):
            button.setEnabled(known and self._answering)
            button.setToolTip("" if self._answering else NOT_RUNNING)
        about = self._asked_about
        if about is not None and (self.chosen is None or self.chosen.restore.id != about.restore.id):
            self._leave_question()

    def _on_open(self) -> None:
        if self.chosen is not None and self.chosen.restore.archive is not None:
            self.folder_asked.emit(self.chosen.restore.archive)

    def _on_bring_back(self, _: QModelIndex | None = None) -> None:
        if self.chosen is not None:
            self.bring_back_asked.emit(self.chosen)

    def _on_trash(self) -> None:
        if self.chosen is not None:
            self._ask(self.chosen, for_good=False)

    def _on_for_good(self) -> None:
        if self.chosen is not None:
            self._ask(self.chosen, for_good=True)

    def _ask(self, info: ArchiveInfo, *, for_good: bool) -> None:
        self._asked_about, self._for_good = info, for_good
        question = words.ask_for_good if for_good else words.ask_trash
        self.question.ask(question(info, self._clock()), words.YES_FOR_GOOD if for_good else words.YES_TRASH)

    def _on_agreed(self) -> None:
        info = self._asked_about
        if info is None:
            return
        for_good = self._for_good
        self._leave_question()
        self._host.ask(
            DeleteArchive(archive=info.restore.id, for_good=for_good),
            self._on_deleted,
            functools.partial(self._on_not_deleted, info.restore.id),
        )

    def _on_deleted(self, _: Done) -> None:
        self.refresh()

    def _on_not_deleted(self, restore: str, failure: Failure) -> None:
        """Say so; only now, and only for this archive, is deleting for good offered."""
        self._show_trouble(failure)
        self.for_good.setVisible(self.chosen is not None and self.chosen.restore.id == restore)

    def _leave_question(self) -> None:
        self._asked_about = None
        had_focus = self.question.isAncestorOf(self.focusWidget()) if self.focusWidget() else False
        self.question.hide()
        self.for_good.hide()
        if had_focus:
            self.table.setFocus()

    def _show_trouble(self, failure: Failure) -> None:
        self.trouble.setText(f"⚠  {plain_text(failure.message)} {remedy_of(failure)}".rstrip())
        self.trouble.show()

    def _show_rows(self, empty: str) -> None:
        rows = self.model.rowCount()
        self.table.setVisible(rows > 0)
        self.empty.setText(empty)
        self.empty.setVisible(not rows and bool(empty))
        self.explained.setVisible(not rows and self._memory is not None)
        for button in (self.open_folder, self.bring_back, self.trash):
            button.setVisible(rows > 0)
        self.total.setText(words.total(rows, self.model.size) if rows else "")
        self._on_current()

    def _connect(self) -> None:
        self.table.selectionModel().currentRowChanged.connect(self._on_current)
        self.table.activated.connect(self._on_bring_back)
        self.open_folder.clicked.connect(self._on_open)
        self.bring_back.clicked.connect(self._on_bring_back)
        self.trash.clicked.connect(self._on_trash)
        self.for_good.clicked.connect(self._on_for_good)
        self.try_again.clicked.connect(self.refresh)
        self.question.agreed.connect(self._on_agreed)
        self.question.declined.connect(self._leave_question)
        self._host.happened.connect(self._on_event)
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.table)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self._on_trash)

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setContentsMargins(16, 8, 16, 10)
        buttons.setSpacing(8)
        buttons.addWidget(self.total, 1)
        for button in (self.trash, self.open_folder, self.bring_back):
            buttons.addWidget(button)
        self._said = QWidget()
        said = QVBoxLayout(self._said)
        said.setContentsMargins(16, 12, 16, 8)
        for widget in (self.empty, self.explained, self.trouble, self.question):
            said.addWidget(widget)
        for button in (self.try_again, self.for_good):
            said.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._said)
        layout.addWidget(self.table, 1)
        layout.addStretch(0)
        layout.addLayout(buttons)


def _label(role: str) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("role", role)
    return label
