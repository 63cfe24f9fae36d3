"""A notice above the folder's content: what a person must know now, and what to do; with a list where there is one.

Owns the place of sentence, list, one button and Dismiss. Takes the place of a dialog: it is in nobody's way. A warning,
and what offers something, stays until it is put aside; good news goes by itself.
"""

import msgspec
from backtrail.model.ids import MemoryId, RelPath
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from backtrail_desktop.client.port import Failure
from backtrail_desktop.shell.plain_text import plain_text

DISMISS = "Dismiss"
_LINES_AT_MOST = 6
PASSING_MS = 10_000


class Notice(msgspec.Struct, frozen=True):
    """What to show. warns: something is not kept or failed. action: the button's words, empty for none.

    about, paths: of whom and of what the button is.
    """

    what: str
    remedy: str = ""
    items: tuple[str, ...] = ()
    warns: bool = False
    action: str = ""
    about: MemoryId | None = None
    paths: tuple[RelPath, ...] = ()


def notice_of(failure: Failure, what: str = "") -> Notice:
    """Return the notice of a failure; `what` says first what did not come about."""
    return Notice(f"{what} {failure.message}".strip(), failure.remedy, warns=True)


class NoticeBar(QFrame):
    """Shows one notice at a time. pressed: its button was. dismissed: it was put aside."""

    pressed = Signal()
    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.notice: Notice | None = None
        self._passing = QTimer(self)
        self._passing.setSingleShot(True)
        self._passing.setInterval(PASSING_MS)
        self._passing.timeout.connect(self.put_aside)
        self.what, self.remedy = _label(), _label()
        self.remedy.setProperty("role", "quiet")
        self._items: QPlainTextEdit | None = None
        self.action_button, self.dismiss_button = QPushButton(), QPushButton(DISMISS)
        self.action_button.clicked.connect(self.pressed)
        self.dismiss_button.clicked.connect(self.put_aside)
        self._told = QVBoxLayout()
        self._told.setSpacing(3)
        for widget in (self.what, self.remedy):
            self._told.addWidget(widget)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(10)
        layout.addLayout(self._told, 1)
        layout.addWidget(self.action_button, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.dismiss_button, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    @property
    def items(self) -> QPlainTextEdit:
        """The list, made with the first notice that has one."""
        if self._items is None:
            self._items = QPlainTextEdit()
            self._items.setReadOnly(True)
            self._items.setAccessibleName("Paths")
            self._items.setTabChangesFocus(True)
            self._items.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
            self._told.addWidget(self._items)
        return self._items

    def tell(self, notice: Notice) -> None:
        """Show a notice in place of the one before."""
        self.notice = notice
        self._passing.stop()
        if not notice.warns and not notice.action:
            self._passing.start()
        self.setProperty("role", "warning-box" if notice.warns else "card")
        self.style().unpolish(self)
        self.style().polish(self)
        self.what.setText(plain_text(f"⚠ {notice.what}" if notice.warns else notice.what))
        self.remedy.setText(plain_text(notice.remedy))
        self.remedy.setVisible(bool(notice.remedy))
        if notice.items:
            self.items.setPlainText("\n".join(plain_text(item) for item in notice.items))
            lines = min(_LINES_AT_MOST, len(notice.items)) + 1
            self.items.setFixedHeight(self.items.fontMetrics().lineSpacing() * lines + 8)
        if self._items is not None:
            self._items.setVisible(bool(notice.items))
        self.action_button.setText(notice.action)
        self.action_button.setVisible(bool(notice.action))
        self.setAccessibleName(plain_text(f"{notice.what} {notice.remedy}".strip()))
        self.show()

    def put_aside(self) -> None:
        """Show nothing any more."""
        self.notice = None
        self._passing.stop()
        self.hide()
        self.dismissed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Put it aside by Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.put_aside()
            return
        super().keyPressEvent(event)


def _label() -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
