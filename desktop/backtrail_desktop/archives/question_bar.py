"""A question inside the tab before an archive goes: no dialog, and keeping is what Enter does.

Owns its words' place and two buttons. Deletes nothing: it tells what was pressed.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from backtrail_desktop.archives import words


class QuestionBar(QFrame):
    """Asks, and tells `agreed` or `declined`."""

    agreed = Signal()
    declined = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "warning-box")
        self.question = QLabel()
        self.question.setTextFormat(Qt.TextFormat.PlainText)
        self.question.setWordWrap(True)
        self.yes, self.no = QPushButton(), QPushButton(words.KEEP)
        self.yes.clicked.connect(self.agreed)
        self.no.clicked.connect(self.declined)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(12)
        layout.addWidget(self.question, 1)
        layout.addWidget(self.no)
        layout.addWidget(self.yes)
        self.hide()

    def ask(self, question: str, yes: str) -> None:
        """Show a question; keeping has the focus."""
        self.question.setText(f"⚠  {question}")
        self.setAccessibleName(question)
        self.no.setAccessibleDescription(question)
        self.yes.setText(yes)
        self.show()
        self.no.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Press the button with the focus by Enter, and decline by Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.declined.emit()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            (self.yes if self.yes.hasFocus() else self.no).click()
        else:
            super().keyPressEvent(event)
            return
        event.accept()
