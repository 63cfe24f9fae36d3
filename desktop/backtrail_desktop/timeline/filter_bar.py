"""What a person wants to see of a timeline: text, branch, where from, since when, only losses.

Owns the controls. Knows no rows: it tells the filter it stands for. Text waits until typing rests.
"""

from collections.abc import Sequence

from backtrail.model.checkpoint import Origin
from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from backtrail_desktop.shell.plain_text import plain_path
from backtrail_desktop.timeline.rows import Filter

_REST_MS = 150

_ORIGINS: tuple[tuple[str, Origin | None], ...] = (
    ("Any origin", None),
    ("Automatically", Origin.HOST_OBSERVATION),
    ("After a session", Origin.AGENT_SESSION),
    ("By you", Origin.HUMAN_COMMAND),
)
_DAYS: tuple[tuple[str, int | None], ...] = (
    ("Any day", None),
    ("Today", 1),
    ("Last 7 days", 7),
    ("Last 30 days", 30),
)
_EVERY_BRANCH = "Any branch"


class FilterBar(QWidget):
    """Holds a `Filter`. changed: it is another one now."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = QLineEdit()
        self.text.setPlaceholderText("Search names, notes…")
        self.text.setAccessibleName("Search the timeline")
        self.text.setClearButtonEnabled(True)
        self.text.setMinimumWidth(130)
        self.branch = _choice("Branch", (_EVERY_BRANCH,))
        self._branches: list[bytes | None] = [None]
        self.origin = _choice("Where it came from", [text for text, _origin in _ORIGINS])
        self.days = _choice("Since when", [text for text, _days in _DAYS])
        self.only_losses = QCheckBox("Only losses")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 6, 12, 6)
        layout.setSpacing(6)
        layout.addWidget(self.text, 1)
        for control in (self.branch, self.origin, self.days, self.only_losses):
            layout.addWidget(control)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self.changed)
        self.text.textChanged.connect(self._rest.start)
        self.text.returnPressed.connect(self._at_once)
        for choice in (self.branch, self.origin, self.days):
            choice.currentIndexChanged.connect(self._at_once)
        self.only_losses.toggled.connect(self._at_once)

    @property
    def filter(self) -> Filter:
        """What is wished for."""
        return Filter(
            text=self.text.text().strip(),
            branch=self._branches[self.branch.currentIndex()],
            origin=_ORIGINS[self.origin.currentIndex()][1],
            days=_DAYS[self.days.currentIndex()][1],
            only_losses=self.only_losses.isChecked(),
        )

    def offer_branches(self, branches: Sequence[bytes]) -> None:
        """Let these branches be chosen besides those that are offered already."""
        for branch in branches:
            if branch not in self._branches:
                self._branches.append(branch)
                self.branch.addItem(plain_path(branch))

    def forget_branches(self) -> None:
        """Offer no branch: another folder is shown."""
        blocker = QSignalBlocker(self.branch)
        self.branch.setCurrentIndex(0)
        while self.branch.count() > 1:
            self.branch.removeItem(1)
        self._branches = [None]
        blocker.unblock()

    def clear(self) -> None:
        """Wish for everything."""
        blockers = [QSignalBlocker(one) for one in (self.text, self.branch, self.origin, self.days, self.only_losses)]
        self.text.clear()
        for choice in (self.branch, self.origin, self.days):
            choice.setCurrentIndex(0)
        self.only_losses.setChecked(False)
        for blocker in blockers:
            blocker.unblock()
        self._at_once()

    def _at_once(self) -> None:
        self._rest.stop()
        self.changed.emit()


def _choice(name: str, offers: Sequence[str]) -> QComboBox:
    choice = QComboBox()
    choice.setAccessibleName(name)
    choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    choice.setMinimumContentsLength(6)
    choice.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    choice.addItems(list(offers))
    return choice
