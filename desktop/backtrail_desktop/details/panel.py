"""What is in a state, and how it differs: heading, files, one file's difference.

Owns the order of questions to the reader: files first, then the difference of the one that is stood on. An answer for
a state that is no longer chosen is dropped. Asks only once a choice has rested, so that walking through the timeline
by key does not queue a question per row. Restores nothing.
"""

import os
from functools import partial
from typing import TYPE_CHECKING

from backtrail.model.changes import Change, Changes, Contents, FileDiff, ListChanges, ReadContents, ReadDiff, Shown
from backtrail.model.ids import RelPath
from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QLabel, QSplitter, QStackedLayout, QStackedWidget, QVBoxLayout, QWidget

from backtrail_desktop.client.port import Asked, Failure, Port
from backtrail_desktop.details import words
from backtrail_desktop.details.comparing import Against, FileKind, FileRow, can_compare, question
from backtrail_desktop.details.diff_view import DiffView
from backtrail_desktop.details.files_model import FilesModel, not_kept_rows, rows_of
from backtrail_desktop.details.files_table import FilesTable
from backtrail_desktop.details.header import DetailsHeader
from backtrail_desktop.timeline.clock import Clock, system_clock
from backtrail_desktop.timeline.wish import Chosen, Wanted, Wish

if TYPE_CHECKING:
    from backtrail_desktop.details.image_pair import ImagePair

_REST_MS = 60


class DetailsPanel(QWidget):
    """Shows a chosen state. wished(Wish): open the guide. folder_wanted(bytes): open this folder.

    copy_wanted(bytes, RelPath, Oid): save this content of a file of this folder elsewhere.
    history_wanted(RelPath): show the states in which this file changed.
    """

    wished = Signal(object)
    copy_wanted = Signal(object, object, object)
    folder_wanted = Signal(object)
    history_wanted = Signal(object)

    def __init__(self, reader: Port, clock: Clock = system_clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._reader = reader
        self._clock = clock
        self._chosen: Chosen | None = None
        self._wanted_against = Against.NOW
        self._generation = 0
        self._question: ListChanges | None = None
        self._asked: Asked | None = None
        self._asked_file: Asked | None = None
        self._stood_on: Change | None = None
        self.header = DetailsHeader(self)
        self.files_model = FilesModel(self)
        self.files = FilesTable(self.files_model, self)
        self.legend = _quiet_label()
        self.diff = DiffView()
        self.pictures: ImagePair | None = None
        self._shown = QStackedWidget()
        self._shown.addWidget(self.diff)
        self.nothing = _quiet_label()
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setText(words.CHOOSE)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._ask)
        self.header.wished.connect(self.wished)
        self.header.compared.connect(self._compare)
        self.files.stood_on.connect(self._file_stood_on)
        self.files.get_back.connect(self._file_wanted)
        self.files.copy.connect(self._copy_of_file)
        self.files.folder.connect(self._folder_of_file)
        self.files.history.connect(self._history_of_file)
        self._lay_out()

    @property
    def against(self) -> Against:
        """With what the state is compared: what was wished for, or else what there is."""
        chosen = self._chosen
        order = (self._wanted_against, Against.BEFORE, Against.HEAD)
        return next((one for one in order if chosen is not None and can_compare(chosen, one)), Against.BEFORE)

    def show_chosen(self, chosen: Chosen | None) -> None:
        """Show a state, or that none is chosen."""
        if chosen is None:
            self._drop()
            self._chosen = None
            self._pages.setCurrentIndex(0)
            return
        self._chosen = chosen
        self._show_again()
        self._pages.setCurrentIndex(1)

    def show_answering(self, *, answering: bool) -> None:
        """Offer the ways back only while there is a Backtrail that can go them."""
        self.header.show_answering(answering=answering)
        self.files.show_answering(answering=answering)

    # questions

    def _show_again(self) -> None:
        chosen = self._chosen
        if chosen is None:
            return
        self.header.show_state(chosen, self.against, self._clock().astimezone().date())
        self.legend.setText(words.legend(self.against))
        wanted = question(chosen, self.against) if can_compare(chosen, self.against) else None
        if wanted is None or wanted != self._question:
            self._drop()
            self._question = wanted
            self.files_model.show([])  # what is listed must never be of another state than the heading
            self._say_instead("")
            self._rest.start()

    def _drop(self) -> None:
        self._rest.stop()
        self._generation += 1
        self._question = None
        for asked in (self._asked, self._asked_file):
            if asked is not None:
                asked.cancel()
        self._asked, self._asked_file = None, None

    def _ask(self) -> None:
        if self._question is None:
            self._say(words.LOADING)
            return
        generation = self._generation
        self._asked = self._reader.ask(
            self._question, partial(self._compared, generation), partial(self._failed, generation)
        )

    def _compared(self, generation: int, changes: Changes) -> None:
        if generation != self._generation or self._chosen is None:
            return
        self._asked = None
        wanted = self._stood_on
        self.files.offer_from_before(offered=self.against is Against.BEFORE and self._chosen.before is not None)
        self.files_model.show(rows_of(changes, self.against, self._chosen.checkpoint.coverage))
        again = self.files_model.find(wanted) if wanted is not None else QModelIndex()
        index = again if again.isValid() else self.files_model.first_change()
        if index.isValid():
            self.files.setCurrentIndex(index)
            self.files.scrollTo(index)
        else:
            self._say_instead(words.NO_DIFFERENCE)

    def _failed(self, generation: int, failure: Failure) -> None:
        if generation != self._generation:
            return
        self._asked, self._question = None, None  # choosing it again asks again
        self._say(f"{failure.message} {failure.remedy}".strip())

    def _say_instead(self, sentence: str) -> None:
        """Say a sentence where a difference or pictures stood."""
        self._shown.setCurrentWidget(self.diff)
        self.diff.say(sentence)

    def _say(self, sentence: str) -> None:
        coverage = self._chosen.checkpoint.coverage if self._chosen else None
        rows = [FileRow(FileKind.REMARK, sentence)]
        self.files_model.show(rows + (not_kept_rows(coverage) if coverage is not None else []))
        self._say_instead(sentence)

    def _file_stood_on(self, index: QModelIndex) -> None:
        chosen, change = self._chosen, self._change(index)
        self._shown.setCurrentWidget(self.diff)
        if self._asked_file is not None:
            self._asked_file.cancel()
            self._asked_file = None
        if chosen is None or not index.isValid():
            return
        if change is None:
            self._say_instead(self.files_model.row(index).text)
            return
        self._stood_on = change
        if change.old == change.new:
            self._say_instead(words.CHANGED_TO)
            return
        self._asked_file = self._reader.ask(
            ReadDiff(root=chosen.memory.path, old=change.old, new=change.new),
            partial(self._file_read, self._generation, change),
            partial(self._file_failed, self._generation, change),
        )

    def _file_read(self, generation: int, change: Change, diff: FileDiff) -> None:
        if generation != self._generation or change != self._stood_on or self._chosen is None:
            return
        self._asked_file = None
        self.diff.show_diff(diff)
        if diff.shown is Shown.BINARY or diff.shown is Shown.TOO_LARGE:
            self._ask_for_pictures(self._chosen.memory.path, generation, change)

    def _ask_for_pictures(self, root: bytes, generation: int, change: Change) -> None:
        from backtrail_desktop.details.image_pair import LIMIT, may_be_picture  # noqa: PLC0415 - few files are pictures

        if may_be_picture(change.path):
            self._asked_file = self._reader.ask(
                ReadContents(root=root, old=change.old, new=change.new, limit=LIMIT),
                partial(self._pictures_read, generation, change),
                partial(self._file_failed, generation, change),
            )

    def _pictures_read(self, generation: int, change: Change, contents: Contents) -> None:
        if generation == self._generation and change == self._stood_on:
            from backtrail_desktop.details.image_pair import ImagePair  # noqa: PLC0415 - as above

            self._asked_file = None
            if self.pictures is None:
                self.pictures = ImagePair()
                self._shown.addWidget(self.pictures)
            if self.pictures.show_contents(contents):
                self._shown.setCurrentWidget(self.pictures)

    def _file_failed(self, generation: int, change: Change, failure: Failure) -> None:
        if generation == self._generation and change == self._stood_on and failure.code != "cancelled":
            self._asked_file = None
            self._say_instead(f"{failure.message} {failure.remedy}".strip())

    # what a person does

    def _compare(self, against: Against) -> None:
        self._wanted_against = against
        self._show_again()

    def _file_wanted(self, index: QModelIndex) -> None:
        change = self._change(index)
        if self._chosen is not None and change is not None:
            before = self._chosen.before if change.new is None and self.against is Against.BEFORE else None
            state = before or self._chosen.checkpoint
            self.wished.emit(Wish(state.id, Wanted.FILES, (RelPath(change.path),)))

    def _copy_of_file(self, index: QModelIndex) -> None:
        change = self._change(index)
        content = None if change is None else change.new or (change.old if self.against is Against.BEFORE else None)
        if self._chosen is not None and change is not None and content is not None:
            self.copy_wanted.emit(self._chosen.memory.path, change.path, content)

    def _folder_of_file(self, index: QModelIndex) -> None:
        change = self._change(index)
        if self._chosen is not None and change is not None:
            self.folder_wanted.emit(os.path.dirname(os.path.join(self._chosen.memory.path, change.path)))

    def _history_of_file(self, index: QModelIndex) -> None:
        change = self._change(index)
        if change is not None:
            self.history_wanted.emit(change.path)

    def _change(self, index: QModelIndex) -> Change | None:
        return self.files_model.row(index).change if index.isValid() else None

    def _lay_out(self) -> None:
        left = QWidget()
        listed = QVBoxLayout(left)
        listed.setContentsMargins(0, 4, 0, 0)
        listed.setSpacing(0)
        self.legend.setContentsMargins(14, 2, 14, 2)
        listed.addWidget(self.legend)
        listed.addWidget(self.files, 1)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(1)
        self.splitter.addWidget(left)
        self.splitter.addWidget(self._shown)
        self.splitter.setStretchFactor(0, 2)
        self.splitter.setStretchFactor(1, 5)
        line = QFrame()
        line.setFrameShape(QFrame.Shape.HLine)
        line.setProperty("role", "line")
        state = QWidget()
        column = QVBoxLayout(state)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(line)
        column.addWidget(self.splitter, 1)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self.nothing)
        self._pages.addWidget(state)


def _quiet_label() -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("role", "quiet")
    return label
