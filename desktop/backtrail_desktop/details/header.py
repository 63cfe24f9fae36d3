"""The heading of a state: its time, where it came from, with what it is compared, and the two ways back.

Owns the controls and which of them makes sense. Where the folder looks like this state already, the first way back is
to before it. Nothing here restores: it tells what was pressed.
"""

import datetime

import msgspec
from backtrail.model.checkpoint import CheckpointState
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from backtrail_desktop.details import words
from backtrail_desktop.details.comparing import Against, can_compare
from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.timeline.fonts import bold, tabular
from backtrail_desktop.timeline.wish import Chosen, Wanted, Wish

_NARROW = 720
_ORDER = (Against.NOW, Against.BEFORE, Against.HEAD)


class Offers(msgspec.Struct, frozen=True):
    """The two ways back of a state; None where there is none. The first is the one to press."""

    whole: Wish | None
    whole_text: str
    files: Wish | None
    files_text: str


def offers(chosen: Chosen, today: datetime.date) -> Offers:
    """Return the ways back: to this state, or to before it where the folder looks like this already."""
    if chosen.same_as_now:
        before = chosen.other_before
        if before is None:
            return Offers(None, words.GO_BACK, None, words.GET_FILES)
        return Offers(
            Wish(before.id, Wanted.WHOLE),
            words.before_text(before, today),
            Wish(before.id, Wanted.FILES),
            words.GET_EARLIER_FILES,
        )
    if chosen.checkpoint.state is CheckpointState.DAMAGED:
        return Offers(None, words.GO_BACK, Wish(chosen.checkpoint.id, Wanted.FILES), words.GET_FILES)
    this = chosen.checkpoint.id
    return Offers(Wish(this, Wanted.WHOLE), words.GO_BACK, Wish(this, Wanted.FILES), words.GET_FILES)


class DetailsHeader(QWidget):
    """Shows a state's heading. wished(Wish): a way back was pressed. compared(Against): another comparison."""

    wished = Signal(object)
    compared = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offers: Offers | None = None
        self._answering = True
        self.title = _label()
        self.title.setFont(tabular(bold(self.title.font())))
        self.story = _label()
        self.story.setProperty("role", "quiet")
        self.story.setWordWrap(True)
        self.against = QComboBox()
        self.against.setAccessibleName("Compared with")
        self.against.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for one in _ORDER:
            self.against.addItem(words.AGAINST[one])
        self.files = QPushButton(words.GET_FILES)
        self.whole = QPushButton(words.GO_BACK)
        self.whole.setProperty("role", "primary")
        self.files.clicked.connect(self._files_pressed)
        self.whole.clicked.connect(self._whole_pressed)
        self.against.activated.connect(self._compared)
        self._lay_out()

    def show_state(self, chosen: Chosen, against: Against, today: datetime.date) -> None:
        """Show a state."""
        self._offers = offers(chosen, today)
        self._enable()
        self.title.setText(words.title(chosen, today))
        self.story.setText(plain_text(words.story(chosen)))
        self.whole.setText(self._offers.whole_text)
        self.files.setText(self._offers.files_text)
        blocker = QSignalBlocker(self.against)
        self.against.setCurrentIndex(_ORDER.index(against))
        for at, one in enumerate(_ORDER):
            item = self.against.model().index(at, 0)
            possible = can_compare(chosen, one)
            self.against.model().setData(item, None if possible else 0, Qt.ItemDataRole.UserRole - 1)
        blocker.unblock()

    def show_answering(self, *, answering: bool) -> None:
        """Offer the ways back only while there is a Backtrail that can go them."""
        self._answering = answering
        self._enable()

    def _enable(self) -> None:
        found = self._offers
        for button, wish in ((self.whole, found and found.whole), (self.files, found and found.files)):
            button.setEnabled(wish is not None and self._answering)
            button.setToolTip("" if self._answering else words.NOT_RUNNING)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Put the ways back below the title where there is little room."""
        narrow = event.size().width() < _NARROW
        direction = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if self._outer.direction() is not direction:
            self._outer.setDirection(direction)
        super().resizeEvent(event)

    def _files_pressed(self) -> None:
        if self._offers is not None and self._offers.files is not None:
            self.wished.emit(self._offers.files)

    def _whole_pressed(self) -> None:
        if self._offers is not None and self._offers.whole is not None:
            self.wished.emit(self._offers.whole)

    def _compared(self, at: int) -> None:
        self.compared.emit(_ORDER[at])

    def _lay_out(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(10)
        first.addWidget(self.title)
        first.addWidget(self.against)
        first.addStretch(1)
        told = QVBoxLayout()
        told.setSpacing(2)
        told.addLayout(first)
        told.addWidget(self.story)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self.files)
        buttons.addWidget(self.whole)
        self._outer = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._outer.setContentsMargins(14, 8, 14, 8)
        self._outer.setSpacing(8)
        self._outer.addLayout(told, 1)
        self._outer.addLayout(buttons)
        QWidget.setTabOrder(self.against, self.files)
        QWidget.setTabOrder(self.files, self.whole)


def _label() -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
