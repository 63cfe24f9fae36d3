"""What the guide shows while it looks at the folder and makes the plan.

Owns one sentence, a bar and Cancel. Says it where the Host does not answer, so that nobody waits for nothing.
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from backtrail_desktop.client.port import Link, LinkState

_LOOKING = "Looking at the folder as it is now…"
_SAFE = "Nothing is changed by looking. You see what would happen before anything does."
_TROUBLE = {
    Link.NOT_ANSWERING: "Backtrail is not answering since {time}.",
    Link.STOPPED: "Backtrail stopped at {time}.",
    Link.OTHER_VERSION: "The Backtrail in the background is of another version than this window.",
}


class LookingPage(QWidget):
    """The page before the plan."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        title, told = QLabel(_LOOKING), QLabel(_SAFE)
        title.setProperty("role", "title")
        told.setProperty("role", "quiet")
        told.setWordWrap(True)
        bar = QProgressBar()
        bar.setRange(0, 0)
        bar.setTextVisible(False)
        bar.setAccessibleName(_LOOKING)
        self.trouble = QLabel()
        self.trouble.setTextFormat(Qt.TextFormat.PlainText)
        self.trouble.setWordWrap(True)
        self.trouble.setProperty("role", "warning")
        self.trouble.hide()
        self.cancel = QPushButton("Cancel")
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(26, 22, 26, 20)
        layout.setSpacing(10)
        for widget in (title, told, bar, self.trouble):
            layout.addWidget(widget)
        layout.addStretch(1)
        layout.addLayout(buttons)

    def show_link(self, state: LinkState) -> None:
        """Say it where the Host does not answer."""
        told = _TROUBLE.get(state.link, "")
        self.trouble.setText(f"⚠  {told.format(time=f'{state.since.astimezone():%H:%M:%S}')}" if told else "")
        self.trouble.setVisible(bool(told))
