"""The banner that names a loss and offers the way back: the sentence this product exists for.

Owns its words' place and two buttons. Restores nothing and remembers nothing: it tells what was pressed.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QPushButton, QSizePolicy, QWidget

from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.timeline import words


class LossBanner(QFrame):
    """Says what disappeared and where it is kept. get_back: the person wants it. dismissed: put it aside."""

    get_back = Signal()
    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "warning-box")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.what = _label("warning")
        self.where = _label("quiet")
        self.get_back_button = QPushButton(words.GET_BACK)
        self.get_back_button.setProperty("role", "primary")
        self.get_back_button.clicked.connect(self.get_back)
        self.dismiss_button = QPushButton(words.DISMISS)
        self.dismiss_button.clicked.connect(self.dismissed)
        sentences = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        sentences.setSpacing(2)
        sentences.addWidget(self.what)
        sentences.addWidget(self.where)
        buttons = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        buttons.setSpacing(8)
        buttons.addWidget(self.get_back_button)
        buttons.addWidget(self.dismiss_button)
        self._layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._layout.setContentsMargins(12, 10, 12, 10)
        self._layout.setSpacing(12)
        self._layout.addLayout(sentences, 1)
        self._layout.addLayout(buttons)

    def tell(self, what: str, where: str) -> None:
        """Show two sentences."""
        self.what.setText(f"⚠ {plain_text(what)}")
        self.where.setText(plain_text(where))
        self.setAccessibleName(plain_text(f"{what} {where}"))
        self.get_back_button.setAccessibleDescription(plain_text(f"{what} {where}"))

    def show_answering(self, *, answering: bool) -> None:
        """Offer the way back only while it can be gone."""
        self.get_back_button.setEnabled(answering)
        self.get_back_button.setToolTip("" if answering else words.NOT_RUNNING)


def _label(role: str) -> QLabel:
    label = QLabel()
    label.setProperty("role", role)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
