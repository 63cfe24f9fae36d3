"""One commit: what it says, its parents, and the files that differ from its first parent, each with its difference.

Owns the order of questions to the reader. An answer for a commit that is no longer chosen is dropped. Asks only once a
choice has rested. Changes nothing.
"""

from functools import partial

from backtrail.model.changes import Change, Changes, FileDiff, ListChanges, ReadDiff, TreePair
from backtrail.model.commits import CommitDetails, ReadCommit
from backtrail.model.coverage import Coverage
from backtrail.model.ids import Oid
from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QSplitter, QVBoxLayout, QWidget

from backtrail_desktop.client.port import Asked, Failure, Port
from backtrail_desktop.details.comparing import Against, FileKind, FileRow
from backtrail_desktop.details.diff_view import DiffView
from backtrail_desktop.details.files_model import FilesModel, rows_of
from backtrail_desktop.details.files_table import FilesTable
from backtrail_desktop.graph import words
from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.timeline.fonts import bold

_REST_MS = 60
_MOST_PARENTS = 8
_MESSAGE_LINES = 5
_NOTHING_LEFT_OUT = Coverage((), 0)


class CommitPanel(QWidget):
    """Shows a commit. commit_wanted(bytes): a parent was pressed."""

    commit_wanted = Signal(object)

    def __init__(self, reader: Port, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._reader = reader
        self._root = b""
        self._oid: bytes | None = None
        self._asked: list[Asked] = []
        self._asked_file: Asked | None = None
        self._stood_on: Change | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._ask)
        self.title = _label("")
        self.title.setFont(bold(self.title.font()))
        self.title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.who = _label("quiet")
        self.who.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.message = QPlainTextEdit()
        self.message.setReadOnly(True)
        self.message.setFrameShape(QFrame.Shape.NoFrame)
        self.message.setAccessibleName("Message of the commit")
        self.parents = QHBoxLayout()
        self.files_model = FilesModel(self)
        self.files = FilesTable(self.files_model, self)
        for action in (
            self.files.get_action,
            self.files.save_action,
            self.files.history_action,
            self.files.folder_action,
        ):
            self.files.removeAction(action)  # what is in the folder is no part of a commit
        self.diff = DiffView()
        self.files.stood_on.connect(self._file_stood_on)
        self._lay_out()

    @property
    def oid(self) -> bytes | None:
        """The commit that is shown."""
        return self._oid

    def show_commit(self, root: bytes, oid: bytes) -> None:
        """Show a commit of the repository at `root`."""
        if (root, oid) == (self._root, self._oid):
            return
        self._drop()
        self._root, self._oid = root, oid
        self.title.setText(oid.hex()[:10])
        self.who.setText(words.LOADING_LINE)
        self.message.clear()
        self._show_parents(())
        self.files_model.show([])
        self.diff.say("")
        self._rest.start()

    def clear(self) -> None:
        """Show nothing any more."""
        self._drop()
        self._oid = None

    # questions

    def _drop(self) -> None:
        self._rest.stop()
        for asked in [*self._asked, *([self._asked_file] if self._asked_file else [])]:
            asked.cancel()
        self._asked, self._asked_file, self._stood_on = [], None, None

    def _ask(self) -> None:
        if self._oid is not None:
            question = ReadCommit(root=self._root, oid=Oid(self._oid))
            self._asked = [self._reader.ask(question, self._told, partial(self._failed, self._oid))]

    def _told(self, commit: CommitDetails) -> None:
        if commit.oid != self._oid:
            return
        subject, _, body = commit.message.strip().partition("\n")
        self.title.setText(plain_text(f"{commit.oid.hex()[:10]}  {subject}"))
        self.title.setToolTip(commit.oid.hex())
        same = (commit.author.name, commit.author.email) == (commit.committer.name, commit.committer.email)
        who = words.person_text(commit.author)
        self.who.setText(plain_text(who if same else f"{who}, {words.committed_text(commit.committer)}"))
        self.message.setPlainText("\n".join(plain_text(line) for line in body.strip("\n").split("\n")))
        self.message.setVisible(bool(body.strip()))
        self._show_parents(commit.parents)
        old, new = commit.parent_tree, commit.tree
        asked = ListChanges(root=self._root, old=TreePair(old, old), new=TreePair(new, new))
        self._asked = [self._reader.ask(asked, partial(self._compared, commit.oid), partial(self._failed, commit.oid))]

    def _compared(self, oid: bytes, changes: Changes) -> None:
        if oid != self._oid:
            return
        self._asked = []
        self.files_model.show(rows_of(changes, Against.BEFORE, _NOTHING_LEFT_OUT))
        index = self.files_model.first_change()
        if index.isValid():
            self.files.setCurrentIndex(index)
        else:
            self.diff.say(words.NO_FILES)

    def _failed(self, oid: bytes, failure: Failure) -> None:
        if oid == self._oid and failure.code != "cancelled":
            self._asked = []
            told = f"{failure.message} {failure.remedy}".strip()
            self.who.setText(plain_text(told))
            self.files_model.show([FileRow(FileKind.REMARK, told)])
            self._oid = None  # choosing it again asks again

    def _file_stood_on(self, index: QModelIndex) -> None:
        if self._asked_file is not None:
            self._asked_file.cancel()
            self._asked_file = None
        change = self.files_model.row(index).change if index.isValid() else None
        self._stood_on = change
        if change is None:
            self.diff.say(words.CHOOSE_FILE)
            return
        self._asked_file = self._reader.ask(
            ReadDiff(root=self._root, old=change.old, new=change.new),
            partial(self._file_read, change),
            partial(self._file_failed, change),
        )

    def _file_read(self, change: Change, diff: FileDiff) -> None:
        if change is self._stood_on:
            self._asked_file = None
            self.diff.show_diff(diff)

    def _file_failed(self, change: Change, failure: Failure) -> None:
        if change is self._stood_on and failure.code != "cancelled":
            self._asked_file = None
            self.diff.say(f"{failure.message} {failure.remedy}".strip())

    # parents

    def _show_parents(self, parents: tuple[Oid, ...]) -> None:
        while (item := self.parents.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        for number, oid in enumerate(parents[:_MOST_PARENTS], 1):
            button = QPushButton(words.parent_text(number, len(parents) > 1, oid))
            button.clicked.connect(partial(self._parent_pressed, oid))
            self.parents.addWidget(button)
        self.parents.addStretch(1)

    def _parent_pressed(self, oid: Oid, _checked: bool = False) -> None:  # noqa: FBT001, FBT002 - as Qt tells it
        self.commit_wanted.emit(oid)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Give a long message no more than a few lines."""
        super().resizeEvent(event)
        self.message.setMaximumHeight(_MESSAGE_LINES * self.message.fontMetrics().lineSpacing() + 10)

    def _lay_out(self) -> None:
        line = QFrame()
        line.setFrameShape(QFrame.Shape.HLine)
        line.setProperty("role", "line")
        head = QVBoxLayout()
        head.setContentsMargins(14, 10, 14, 8)
        head.setSpacing(4)
        for widget in (self.title, self.who, self.message):
            head.addWidget(widget)
        head.addLayout(self.parents)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(1)
        self.splitter.addWidget(self.files)
        self.splitter.addWidget(self.diff)
        self.splitter.setStretchFactor(0, 2)
        self.splitter.setStretchFactor(1, 5)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(line)
        column.addWidget(self.splitter, 1)


def _label(role: str) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    if role:
        label.setProperty("role", role)
    return label
