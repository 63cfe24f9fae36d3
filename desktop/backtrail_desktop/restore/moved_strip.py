"""A strip that says that a plan is of an earlier moment, with the one button that helps."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

MOVED = "The folder changed after this plan was made."
LOOK_AGAIN = "Look again"


class MovedStrip(QFrame):
    """Hidden until it is true."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "warning-box")
        self.setAccessibleName(MOVED)
        told = QLabel(f"⚠ {MOVED}")
        told.setTextFormat(Qt.TextFormat.PlainText)
        told.setWordWrap(True)
        self.look_again = QPushButton(LOOK_AGAIN)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.addWidget(told, 1)
        layout.addWidget(self.look_again)
        self.hide()
