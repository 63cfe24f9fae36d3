"""What stands where the timeline has no rows: a sentence, and where it helps one button.

Owns the words' place alone. Every empty or odd state has a sentence and an action.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from backtrail_desktop.shell.plain_text import plain_text


class EmptyNote(QWidget):
    """Says why there is nothing. pressed: its button was."""

    pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = QLabel()
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.label.setProperty("role", "quiet")
        self.button = QPushButton()
        self.button.clicked.connect(self.pressed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(32, 24, 32, 24)
        layout.addStretch(1)
        layout.addWidget(self.label)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(2)

    def tell(self, sentence: str, action: str = "") -> None:
        """Say a sentence, with a button if `action` names one."""
        self.label.setText(plain_text(sentence))
        self.setAccessibleName(plain_text(sentence))
        self.button.setText(action)
        self.button.setVisible(bool(action))
