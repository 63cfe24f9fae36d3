"""The last page of the guide: what was done, or that it did not happen, and the next thing to do.

Owns headline, sentences and buttons of each ending. "Nothing was changed" is said only of a stop whose fresh look has
proved it; where the look showed something else, or nothing, it says just that.
"""

import datetime
import enum

from backtrail.model.restore import RestoreRecord
from backtrail.wording.sentence import counted
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from backtrail_desktop.client.port import Failure
from backtrail_desktop.restore.flow import FilesBack, Proof, Stopped
from backtrail_desktop.restore.offers import remedy_of, without_claim
from backtrail_desktop.restore.sentences import SAME_SHELL, clock_text, paths_text, place_text, still_standing
from backtrail_desktop.shell.plain_text import plain_text

_STOPPED = {
    Proof.UNCHANGED: "Nothing was changed",
    Proof.ARRIVED: "The folder is as you wanted it",
    Proof.MOVED: "It did not go as planned: the folder is different now",
    Proof.UNKNOWN: "It is not known yet how this ended",
}
_PROVED = {
    Proof.UNCHANGED: "The folder was looked at again at {time}, and all of it is as it was.",
    Proof.ARRIVED: "The folder was looked at again at {time}: it looks as it did at the state you chose.",
    Proof.MOVED: "The folder was looked at again at {time}: it is not as it was when you saw the plan.",
    Proof.UNKNOWN: "The folder could not be looked at again. Every state that was kept is still kept, and the folder "
    "as it was stands either in its place or whole in the archive.",
}
_NOT_SWITCHED = "It was not switched: what is different, somebody else wrote."
_STAGING = "What is staged was left alone. Going back as a whole also brings back what was staged then."
_SOME_BACK = "Some of the files may be back already."
_VOUCHED = frozenset({"state-changed", "cancelled", "checkpoint-damaged", "copy-differs"})
_CANCELLED = "You cancelled it."
_UNEXPLAINED = {"cancelled": _CANCELLED}
_NOT_RUNNING = "host-stopped"
_WHILE_AWAY = (
    "Backtrail stopped while it was under way. Once it runs again it settles what it began, and it is said here."
)


class Press(enum.Enum):
    """What can be pressed at the end; the value is the label."""

    OPEN_FOLDER = "Open folder"
    SHOW_ARCHIVE = "Show archive"
    UNDO = "Undo this…"
    REVIEW = "Look at the plan again"
    LOOK_AGAIN = "Look again"
    START = "Start"
    CLOSE = "Close"


class EndPage(QWidget):
    """How it ended."""

    pressed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = _label("title")
        self.sentences = QVBoxLayout()
        self._said: list[str] = []
        self.sentences.setSpacing(8)
        self.copy = QPushButton(f"Copy  {SAME_SHELL}")
        self.copy.setAutoDefault(False)
        self.copy.clicked.connect(self._on_copy)
        self.buttons: dict[Press, QPushButton] = {}
        row = QHBoxLayout()
        for press in Press:
            button = _PressButton(press)
            button.was_pressed.connect(self.pressed)
            self.buttons[press] = button
            if press is Press.CLOSE:
                row.addStretch(1)
            row.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(26, 22, 26, 20)
        layout.setSpacing(12)
        layout.addWidget(self.title)
        layout.addLayout(self.sentences)
        layout.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch(1)
        layout.addLayout(row)

    def text(self) -> str:
        """Return all that the page says."""
        return "\n".join([self.title.text(), *self._said])

    def show_restored(self, folder: str, target: str, record: RestoreRecord) -> None:
        """Say what a restore did. target: the time of the state, as words."""
        self._begin(f"“{plain_text(folder)}” is back as it was at {target}")
        if record.archive is not None:
            self._say(f"The folder as it was until now is whole, in {place_text(record.archive)}")
        if record.late:
            paths = paths_text([late.path for late in record.late])
            count = counted(len(record.late), "file")
            was = "was" if len(record.late) == 1 else "were"
            self._warn(f"{count} {was} written in the archive after the switch: {paths}")
        if record.not_carried:
            self._warn(f"Only in the archive, since it could not be carried over: {paths_text(record.not_carried)}")
        standing = still_standing(record.inside)
        if standing:
            self._warn(standing)
        self.copy.setVisible(SAME_SHELL in standing)
        self._offer(Press.OPEN_FOLDER, Press.SHOW_ARCHIVE, Press.UNDO)

    def show_files(self, folder: str, target: str, back: FilesBack) -> None:
        """Say which files are back."""
        count = counted(len(back.paths), "file")
        self._begin(f"{count} of “{plain_text(folder)}” {'is' if len(back.paths) == 1 else 'are'} back")
        self._say(f"As at {target}: {paths_text(back.paths)}")
        self._say(_STAGING)
        if back.before is not None:
            self._say("What was in their place is kept in the state before.")
            self._offer(Press.OPEN_FOLDER, Press.UNDO)
        else:
            self._offer(Press.OPEN_FOLDER)

    def show_stopped(self, stopped: Stopped, now: datetime.datetime) -> None:
        """Say that it did not happen, and what the look after it showed."""
        failure = stopped.failure
        self._begin(_STOPPED[stopped.proof])
        if failure.code == _NOT_RUNNING:
            self._show_stopped_host(stopped, now)
            return
        self._say(_UNEXPLAINED.get(failure.code) or without_claim(failure.message))
        proved = _PROVED[stopped.proof].format(time=clock_text(now, now))
        if stopped.proof is Proof.UNKNOWN:
            self._warn(proved)
        else:
            self._say(proved)
        if stopped.proof is Proof.MOVED and failure.code in _VOUCHED:
            self._say(_NOT_SWITCHED)
        elif stopped.proof is not Proof.UNCHANGED and not stopped.whole:
            self._warn(_SOME_BACK)
        self._say(remedy_of(failure))
        self._offer(Press.REVIEW if stopped.fresh is not None else Press.LOOK_AGAIN)

    def _show_stopped_host(self, stopped: Stopped, now: datetime.datetime) -> None:
        proved = _PROVED[stopped.proof].format(time=clock_text(now, now))
        if stopped.proof is Proof.UNKNOWN:
            self._say(_WHILE_AWAY)
            self._warn(proved)
            self._offer(Press.START)
        else:
            self._say(proved)
            self._offer(Press.REVIEW)

    def show_not_planned(self, failure: Failure) -> None:
        """Say why there is no plan. Nothing was asked for yet but to look."""
        self._begin("There is no plan yet")
        self._warn(without_claim(failure.message))
        self._say(remedy_of(failure))
        self._offer(Press.START if failure.code == _NOT_RUNNING else Press.LOOK_AGAIN)

    def tell(self, sentence: str) -> None:
        """Say something more, once."""
        if sentence not in self._said:
            self._say(plain_text(sentence))

    @property
    def waits_for_start(self) -> bool:
        """Whether this goes on once Backtrail runs in the background."""
        return not self.buttons[Press.START].isHidden()

    def _begin(self, title: str) -> None:
        self.title.setText(title)
        self.setAccessibleName(title)
        self.copy.hide()
        self._said.clear()
        while (item := self.sentences.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _say(self, text: str, role: str = "") -> None:
        if text:
            label = _label(role)
            label.setText(text)
            self._said.append(text)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self.sentences.addWidget(label)

    def _warn(self, text: str) -> None:
        self._say(f"⚠  {text}" if text else "", "warning")

    def _offer(self, *presses: Press) -> None:
        for press, button in self.buttons.items():
            button.setVisible(press in presses or press is Press.CLOSE)
        self.buttons[Press.CLOSE].setDefault(True)
        self.buttons[Press.CLOSE].setFocus()

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(SAME_SHELL)


class _PressButton(QPushButton):
    """A button that tells what it is."""

    was_pressed = Signal(object)

    def __init__(self, press: Press) -> None:
        super().__init__(press.value)
        self._press = press
        self.setAutoDefault(False)
        self.clicked.connect(self._on_clicked)

    def _on_clicked(self) -> None:
        self.was_pressed.emit(self._press)


def _label(role: str) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("role", role)
    return label
