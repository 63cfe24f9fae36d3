"""One path's difference inside the guide, with a way back to the plan.

Owns the heading and the back button; the lines are shown by the view of the details room.
"""

from backtrail.model.changes import FileDiff
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from backtrail_desktop.details.diff_view import DiffView

BACK = "Back to the plan"
_READING = "Reading…"
_DIRECTION = "- as now   + as in the state to go to"


class DiffPage(QWidget):
    """How one path differs."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.back = QPushButton(BACK)
        self.back.setAutoDefault(False)
        self.path = QLabel()
        self.path.setTextFormat(Qt.TextFormat.PlainText)
        self.path.setProperty("role", "strong")
        direction = QLabel(_DIRECTION)
        direction.setProperty("role", "quiet")
        self.view = DiffView()
        above = QHBoxLayout()
        above.setSpacing(12)
        above.addWidget(self.back)
        above.addWidget(self.path, 1)
        above.addWidget(direction)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(26, 18, 26, 20)
        layout.addLayout(above)
        layout.addWidget(self.view, 1)

    def begin(self, path: str) -> None:
        """Show that a path is being read. `path` is ready to be shown."""
        self.path.setText(path)
        self.view.say(_READING)
        self.back.setFocus()

    def show_diff(self, diff: FileDiff) -> None:
        """Show a difference."""
        self.view.show_diff(diff)

    def show_reason(self, reason: str) -> None:
        """Say why there is nothing to show."""
        self.view.say(reason)
