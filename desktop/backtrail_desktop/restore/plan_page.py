"""The first page of the guide: what would happen, before anything does.

Owns the choice between the whole folder and only some files, and the one button that begins. Cancel is the default
button: Enter never restores by itself. Everything that is shown is of one plan; asking for another one is the flow's.
"""

import datetime

from backtrail.model.restore import Ignored, RestorePlan
from backtrail.wording.sentence import counted
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from backtrail_desktop.restore.chosen_files import ChosenFiles
from backtrail_desktop.restore.facts import Facts
from backtrail_desktop.restore.flow import Proposal
from backtrail_desktop.restore.moved_strip import MovedStrip
from backtrail_desktop.restore.obstacles import Obstacles
from backtrail_desktop.restore.offers import Offer
from backtrail_desktop.restore.path_list import PathCard
from backtrail_desktop.restore.sentences import files_headline, files_safety, headline, safety

WHOLE = "Whole folder"
FILES = "Only these files…"
GO = "Back up and go back"
CANCEL = "Cancel"
_BACK, _CHANGES, _LEAVES = "Comes back", "Changes", "Leaves to the archive"
_SAME = "The folder already looks like this: there is nothing to go back to."
_HINT = "Choose a file above to see how it differs."
_CARDS_HEIGHT = 132
_SEGMENT_EDGES = 36


class PlanPage(QWidget):
    """A plan, and what a person may say to it."""

    go_asked = Signal(bool)
    files_asked = Signal(object)
    cancel_asked = Signal()
    look_again_asked = Signal()
    ignored_chosen = Signal(object)
    path_opened = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plan: RestorePlan | None = None
        self._same = self._has_moved = False
        self._headlines = ("", "")
        self.headline = _label("title")
        self.promise = _label("quiet")
        self.whole = _segment(WHOLE)
        self.only_files = _segment(FILES)
        self._ways = QButtonGroup(self)
        self._ways.addButton(self.whole)
        self._ways.addButton(self.only_files)
        self.whole.setChecked(True)
        self._ways.buttonClicked.connect(self._on_way)
        self.comes_back, self.changes, self.leaves = PathCard(_BACK), PathCard(_CHANGES), PathCard(_LEAVES)
        for card in (self.comes_back, self.changes, self.leaves):
            card.opened.connect(self.path_opened)
            card.setFixedHeight(_CARDS_HEIGHT)
        self.hint = _label("quiet")
        self.hint.setText(_HINT)
        self.facts = Facts()
        self.facts.ignored_chosen.connect(self.ignored_chosen)
        self.obstacles = Obstacles()
        self.obstacles.pressed.connect(self._on_offer)
        self.obstacles.changed.connect(self._tell_buttons)
        self.moved = MovedStrip()
        self.moved.look_again.clicked.connect(self.look_again_asked)
        self.files = ChosenFiles()
        self.files.changed.connect(self._tell_buttons)
        self.files.opened.connect(self.path_opened)
        self.cancel = QPushButton(CANCEL)
        self.cancel.clicked.connect(self.cancel_asked)
        self.go = QPushButton(GO)
        self.go.setProperty("role", "primary")
        self.go.clicked.connect(self._on_go)
        self._body = QStackedWidget()
        self._lay_out()

    def show_proposal(
        self, folder: str, proposal: Proposal, chosen: tuple[bytes, ...], now: datetime.datetime, *, files_first: bool
    ) -> None:
        """Show a plan. files_first: offer only some files, `chosen` of them, before the whole folder."""
        plan = self._plan = proposal.plan
        self._has_moved = False
        self.moved.hide()
        self._headlines = (headline(folder, plan, now), files_headline(folder, plan, now))
        self._same = proposal.before is not None and proposal.before.content_token == plan.target.content_token
        self.comes_back.show_changes(plan.comes_back)
        self.changes.show_changes(plan.changes)
        self.leaves.show_changes(plan.leaves)
        self.facts.show_proposal(proposal)
        can_leave = plan.carry_over.choice is Ignored.CARRY and plan.carry_over.bytes > 0
        self.obstacles.show_obstacles(plan.blockers, plan.cautions, can_leave=can_leave)
        self.files.show_plan(plan, chosen)
        can_choose = plan.target.seq > 0 and not self.files.model.is_empty
        self.only_files.setEnabled(can_choose)
        (self.only_files if files_first and can_choose else self.whole).setChecked(True)
        self._on_way()
        self.cancel.setDefault(True)
        self.cancel.setFocus()

    def show_moved(self) -> None:
        """Say that what is shown is not true any more, and offer a fresh look instead of the button."""
        self._has_moved = True
        self.moved.show()
        self._tell_buttons()

    def _on_way(self) -> None:
        only_files = self.only_files.isChecked()
        self._body.setCurrentIndex(1 if only_files else 0)
        self.headline.setText(self._headlines[only_files])
        if self._plan is not None:
            self.promise.setText(files_safety(self._plan) if only_files else safety(self._plan))
        self._tell_buttons()

    def _tell_buttons(self) -> None:
        if self._plan is None:
            return
        if self.only_files.isChecked():
            count = len(self.files.model.chosen)
            self.go.setText(f"Get {counted(count, 'file')} back" if count else "Get files back")
            self.go.setEnabled(count > 0 and not self._has_moved)
            return
        self.go.setText(GO)
        self.go.setEnabled(self.obstacles.is_clear and not self._same and not self._has_moved)
        self.go.setToolTip(_SAME if self._same else "")
        if self._same:
            self.promise.setText(_SAME)

    def _on_go(self) -> None:
        if self.only_files.isChecked():
            self.files_asked.emit(self.files.model.chosen)
        else:
            self.go_asked.emit(self.obstacles.despite_in_use)

    def _on_offer(self, offer: Offer) -> None:
        match offer:
            case Offer.LOOK_AGAIN:
                self.look_again_asked.emit()
            case Offer.LEAVE_IGNORED:
                self.ignored_chosen.emit(Ignored.LEAVE)
            case Offer.ONLY_FILES:
                self.only_files.setChecked(True)
                self._on_way()

    def _lay_out(self) -> None:
        ways = QHBoxLayout()
        ways.setSpacing(6)
        ways.addWidget(self.whole)
        ways.addWidget(self.only_files)
        ways.addStretch(1)
        cards = QHBoxLayout()
        cards.setSpacing(12)
        for card in (self.comes_back, self.changes, self.leaves):
            cards.addWidget(card, 1)
        inside = QWidget()
        inside.setProperty("role", "page")
        whole = QVBoxLayout(inside)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(12)
        whole.addWidget(self.obstacles)
        whole.addLayout(cards)
        whole.addWidget(self.hint)
        whole.addWidget(self.facts)
        whole.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inside)
        self._body.addWidget(scroll)
        self._body.addWidget(self.files)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.go)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(26, 22, 26, 20)
        layout.setSpacing(6)
        layout.addWidget(self.headline)
        layout.addWidget(self.promise)
        layout.addWidget(self.moved)
        layout.addSpacing(8)
        layout.addLayout(ways)
        layout.addSpacing(6)
        layout.addWidget(self._body, 1)
        layout.addSpacing(10)
        layout.addLayout(buttons)


def _label(role: str) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("role", role)
    return label


def _segment(text: str) -> QPushButton:
    button = QPushButton(text)
    button.setCheckable(True)
    button.setAutoDefault(False)
    button.setProperty("role", "segment")
    bold = button.font()
    bold.setWeight(QFont.Weight.DemiBold)
    button.setMinimumWidth(QFontMetrics(bold).horizontalAdvance(text) + _SEGMENT_EDGES)
    return button
