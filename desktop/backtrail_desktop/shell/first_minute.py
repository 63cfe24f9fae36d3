"""The first minute: no folder yet. What this does in three sentences, and the one thing to press.

Owns the page, and the lines for a person who comes after a loss: Backtrail has nothing of theirs, but Git may. Promises
nothing about work from before a folder was added.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

TITLE = "Keep the work that is not committed yet"
SENTENCES = (
    "Backtrail watches a Git folder and keeps its states as you work, with all that is not committed.",
    "When work disappears, by a reset, a script or an agent, it says so and shows you the way back.",
    "It changes no file or branch on its own, and what going back replaces stays kept.",
)
ADD = "Add a folder…"
DROP = "or drop one here"
COPY = "Copy"
COPIED = "Copied"
AFTER_LOSS = "Did you lose something just now?"
AFTER_LOSS_TEXT = "Backtrail brings back what it saw from now on. Git may still have yours; run in that folder:"
LINES = (
    ("git reflog", "commits that no branch holds any more (after a reset or a rebase)"),
    ("git stash list", "changes that were put aside"),
    ("git fsck --lost-found", "files that were staged once; it puts them into .git/lost-found"),
)
DEMO = "Try it with a demo"
DEMO_TEXT = "A made-up folder in which an hour of work has just been lost. You bring it back."
MAKING_DEMO = "Making the demo…"
_WIDTH = 680


class FirstMinute(QScrollArea):
    """The page. add_wanted, demo_wanted: a button was pressed. copy_wanted(str): a line is to go to the clipboard."""

    add_wanted = Signal()
    demo_wanted = Signal()
    copy_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.add_button = QPushButton(ADD)
        self.add_button.setProperty("role", "primary")
        self.add_button.setDefault(True)
        self.add_button.clicked.connect(self.add_wanted)
        self.demo_button = QPushButton(DEMO)
        self.demo_button.setToolTip(DEMO_TEXT)
        self.demo_button.clicked.connect(self.demo_wanted)
        self.copy_buttons: list[QPushButton] = []
        middle = QWidget()
        middle.setMaximumWidth(_WIDTH)
        column = QVBoxLayout(middle)
        column.setSpacing(10)
        column.addWidget(_label(TITLE, "title"))
        for sentence in SENTENCES:
            column.addWidget(_label(sentence))
        column.addSpacing(6)
        column.addLayout(self._adding())
        column.addSpacing(18)
        column.addWidget(self._after_loss())
        page = QWidget()
        page.setProperty("role", "page")
        around = QVBoxLayout(page)
        around.setContentsMargins(24, 24, 24, 24)
        around.addStretch(2)
        centred = QHBoxLayout()
        centred.addStretch(1)
        centred.addWidget(middle, 100)
        centred.addStretch(1)
        around.addLayout(centred)
        around.addStretch(3)
        self.setWidget(page)

    def _adding(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self.add_button)
        row.addWidget(_label(DROP, "quiet"))
        row.addStretch(1)
        row.addWidget(self.demo_button)
        return row

    def show_making_demo(self, *, making: bool) -> None:
        """Say that the demo is being made, or offer it again."""
        self.demo_button.setText(MAKING_DEMO if making else DEMO)
        self.demo_button.setEnabled(not making)

    def _after_loss(self) -> QFrame:
        box = QFrame()
        box.setProperty("role", "card")
        column = QVBoxLayout(box)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(8)
        column.addWidget(_label(AFTER_LOSS, "strong"))
        column.addWidget(_label(AFTER_LOSS_TEXT))
        lines = QGridLayout()
        lines.setHorizontalSpacing(8)
        for at, (line, meaning) in enumerate(LINES):
            shown, button = self._line(line)
            lines.addWidget(shown, 2 * at, 0)
            lines.addWidget(button, 2 * at, 1)
            lines.addWidget(_label(meaning, "quiet"), 2 * at + 1, 0, 1, 2)
        column.addLayout(lines)
        return box

    def _line(self, line: str) -> tuple[QLineEdit, QPushButton]:
        """Return a line to copy, and its button."""
        shown = QLineEdit(line)
        shown.setReadOnly(True)
        shown.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        shown.setAccessibleName(line)
        button = QPushButton(COPY)
        button.setAccessibleName(f"{COPY} {line}")
        button.setProperty("line", line)
        button.clicked.connect(self._copy)
        self.copy_buttons.append(button)
        return shown, button

    def _copy(self) -> None:
        pressed = self.sender()
        for button in self.copy_buttons:
            button.setText(COPIED if button is pressed else COPY)
            if button is pressed:
                self.copy_wanted.emit(str(button.property("line")))


def _label(text: str, role: str = "") -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(role != "quiet" or text != DROP)
    label.setProperty("role", role)
    return label
