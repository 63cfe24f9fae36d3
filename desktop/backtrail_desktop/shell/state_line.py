"""The line at the bottom that always says whether the work is kept.

Owns the places of mark, sentence, the one button beside it and the quiet figures at the right. Says only what it is
given; the sentences are made in `standing`.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from backtrail_desktop.shell.marks import MarkSign
from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.shell.standing import Mark, Remedy, Standing

BUTTONS = {
    Remedy.START: "Start",
    Remedy.WHICH: "Which…",
    Remedy.WHAT_TO_DO: "What to do…",
    Remedy.LOOK_NOW: "Look now",
    Remedy.ATTACH: "Keep it again",
    Remedy.TRY_AGAIN: "Try again",
    Remedy.RESUME: "Resume",
}
_LEAST = 80
_WARNS = frozenset({Mark.NOT_KEPT})


class StateLine(QFrame):
    """Shows a standing. pressed(Remedy): its button was."""

    pressed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.standing: Standing | None = None
        self.setProperty("role", "bar")
        self.sign = MarkSign(self)
        self.sentence = _Sentence()
        self.looked = _label("quiet")
        self.button = QPushButton()
        self.button.setProperty("role", "link")
        self.button.clicked.connect(self._pressed)
        stays = self.button.sizePolicy()
        stays.setRetainSizeWhenHidden(True)  # the line is as high without it
        self.button.setSizePolicy(stays)
        self.button.hide()
        self.figures = _label("quiet")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 5, 14, 5)
        layout.setSpacing(9)
        layout.addWidget(self.sign)
        layout.addWidget(self.sentence)
        layout.addWidget(self.button)
        layout.addStretch(1)
        layout.addWidget(self.looked)
        layout.addWidget(self.figures)

    def show_standing(self, standing: Standing) -> None:
        """Show an answer."""
        self.standing = standing
        self.sign.show_mark(standing.mark)
        told = plain_text(standing.sentence)
        self.sentence.setText(told)
        self.sentence.setToolTip(told)
        role = "warning" if standing.mark in _WARNS else ""
        if self.sentence.property("role") != role:
            self.sentence.setProperty("role", role)
            self.sentence.style().unpolish(self.sentence)
            self.sentence.style().polish(self.sentence)
        self.looked.setText(standing.looked)
        self.looked.setVisible(bool(standing.looked))
        self.button.setText(BUTTONS.get(standing.remedy, ""))
        self.button.setVisible(standing.remedy is not Remedy.NONE)
        self.button.setAccessibleDescription(told)
        self.setAccessibleName(f"{told} {standing.looked}".strip())

    def show_figures(self, text: str) -> None:
        """Show the quiet figures at the right."""
        self.figures.setText(text)
        self.figures.setVisible(bool(text))

    def _pressed(self) -> None:
        if self.standing is not None and self.standing.remedy is not Remedy.NONE:
            self.pressed.emit(self.standing.remedy)


class _Sentence(QLabel):
    """One line that ends in an ellipsis where there is no room for it; the tip then holds all of it."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setMinimumWidth(_LEAST)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paint what there is room for."""
        del event
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
        painter.end()


def _label(role: str) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("role", role)
    return label
