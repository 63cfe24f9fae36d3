"""What stands in the way of a restore, and what should be known first: each with what to do about it.

Owns one box per blocker with its buttons, one line per caution, and the mark by which a person goes on although
programs write in the folder. Whether the restore may run is told by `is_clear`; nothing here runs it.
"""

from collections.abc import Sequence

from backtrail.model.restore import Blocker, Caution
from backtrail.wording.cautions import CAUTION_CODES, caution_text
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from backtrail_desktop.restore.marks import MarkBox
from backtrail_desktop.restore.offers import Advice, Offer, advice_on
from backtrail_desktop.shell.plain_text import plain_text

_DESPITE = "Go on all the same: what they write from now on ends in the archive"
_MARK = "⚠"


class Obstacles(QWidget):
    """Blockers and cautions of a plan."""

    pressed = Signal(object)
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(8)
        self.despite: MarkBox | None = None
        self._hard = 0

    @property
    def is_clear(self) -> bool:
        """Whether nothing stands in the way, or only what the person waved through."""
        return not self._hard and (self.despite is None or self.despite.isChecked())

    @property
    def despite_in_use(self) -> bool:
        """Whether the person waved through that programs write here."""
        return self.despite is not None and self.despite.isChecked()

    def show_obstacles(self, blockers: Sequence[Blocker], cautions: Sequence[Caution], *, can_leave: bool) -> None:
        """Show these. can_leave: there are ignored files that could stay in the archive alone."""
        self._clear()
        for blocker in blockers:
            self._layout.addWidget(self._box(advice_on(blocker), can_leave=can_leave))
        for caution in cautions:
            self._layout.addWidget(_line(caution))
        self.setVisible(bool(blockers or cautions))
        self.changed.emit()

    def _box(self, advice: Advice, *, can_leave: bool) -> QFrame:
        box = QFrame()
        box.setProperty("role", "warning-box")
        layout = QVBoxLayout(box)
        layout.setContentsMargins(12, 10, 12, 10)
        message = _label(f"{_MARK}  {advice.message}", "warning")
        layout.addWidget(message)
        if advice.remedy:
            layout.addWidget(_label(advice.remedy, ""))
        if advice.waivable:
            self.despite = MarkBox(_DESPITE)
            self.despite.toggled.connect(self._on_toggled)
            layout.addWidget(self.despite)
        else:
            self._hard += 1
        row = QHBoxLayout()
        for offer in advice.offers:
            if offer is Offer.LEAVE_IGNORED and not can_leave:
                continue
            button = OfferButton(offer)
            button.offered.connect(self.pressed)
            row.addWidget(button)
        row.addStretch(1)
        layout.addLayout(row)
        return box

    def _on_toggled(self) -> None:
        self.changed.emit()

    def _clear(self) -> None:
        self.despite, self._hard = None, 0
        while (item := self._layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()


class OfferButton(QPushButton):
    """A button that tells which offer it is."""

    offered = Signal(object)

    def __init__(self, offer: Offer, parent: QWidget | None = None) -> None:
        super().__init__(offer.value, parent)
        self.offer = offer
        self.setAutoDefault(False)
        self.clicked.connect(self._on_clicked)

    def _on_clicked(self) -> None:
        self.offered.emit(self.offer)


def _line(caution: Caution) -> QLabel:
    known = caution.code in CAUTION_CODES
    return _label(f"{_MARK}  {plain_text(caution_text(caution) if known else caution.code)}", "warning")


def _label(text: str, role: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("role", role)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
