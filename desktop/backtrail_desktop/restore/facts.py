"""The rows of the plan that say in words what lists do not: a name on the left, a sentence on the right.

Owns their order and which are shown. A row without anything to say is left out, except where silence would mislead:
commits, ignored files and who works here are always answered. The one link asks; the page decides.
"""

from collections.abc import Sequence

from backtrail.model.restore import Ignored
from backtrail.wording.coverage import left_out_text
from backtrail.wording.sentence import counted
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from backtrail_desktop.restore.flow import Proposal
from backtrail_desktop.restore.sentences import (
    branch_text,
    commits_text,
    ignored_text,
    saved_text,
    space_text,
    working_here,
)
from backtrail_desktop.shell.plain_text import plain_text

_LEAVE = "Leave them in the archive instead"
_CARRY = "Keep them in the folder instead"
_COMMITS_NAMED = 5
_LEFT_OUT_NAMED = 5


class Facts(QFrame):
    """The rows."""

    ignored_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnMinimumWidth(0, 128)
        self._grid.setColumnStretch(1, 1)
        self._other = Ignored.LEAVE
        self._told: dict[str, str] = {}

    def show_proposal(self, proposal: Proposal) -> None:
        """Say what this plan means."""
        self._clear()
        plan = proposal.plan
        if proposal.before is not None and proposal.before.branch != plan.target.branch:
            self._row("Branch", f"from {branch_text(proposal.before)} to {branch_text(plan.target)}")
        commits = [commits_text(plan)]
        commits += [f"{one.oid.hex()[:8]}  {plain_text(one.subject)}" for one in plan.commits_leaving[:_COMMITS_NAMED]]
        if plan.commits_leaving_count > _COMMITS_NAMED and plan.commits_leaving:
            commits.append(f"and {plan.commits_leaving_count - _COMMITS_NAMED} more")
        self._row("Commits", commits[0], more=commits[1:], is_warning=plan.commits_leaving_count > 0)
        can_turn = bool(plan.carry_over.count) or plan.carry_over.choice is Ignored.LEAVE
        self._row("Ignored files", ignored_text(plan), self._link(plan.carry_over.choice) if can_turn else None)
        self._row("Working here", working_here(plan.inside), is_warning=any(one.writes for one in plan.inside))
        if plan.not_in_target:
            told = [plain_text(left_out_text(item)) for item in plan.not_in_target[:_LEFT_OUT_NAMED]]
            if len(plan.not_in_target) > _LEFT_OUT_NAMED:
                told.append(f"and {len(plan.not_in_target) - _LEFT_OUT_NAMED} more")
            count = counted(len(plan.not_in_target), "path")
            goes = "is carried over" if plan.carry_over.choice is Ignored.CARRY else "stays in the archive"
            self._row("Not kept", f"{count} not in that state: what is here now {goes}", more=told)
        self._row("Saved", saved_text(plan.target))
        self._row("Room on disk", space_text(plan))

    def texts(self) -> dict[str, str]:
        """Return what the rows say, by name."""
        return dict(self._told)

    def _link(self, choice: Ignored) -> QPushButton:
        self._other = Ignored.LEAVE if choice is Ignored.CARRY else Ignored.CARRY
        link = QPushButton(_LEAVE if choice is Ignored.CARRY else _CARRY)
        link.setProperty("role", "link")
        link.setCursor(Qt.CursorShape.PointingHandCursor)
        link.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        link.clicked.connect(self._on_link)
        return link

    def _on_link(self) -> None:
        self.ignored_chosen.emit(self._other)

    def _row(
        self,
        name: str,
        text: str,
        link: QPushButton | None = None,
        *,
        more: Sequence[str] = (),
        is_warning: bool = False,
    ) -> None:
        self._told[name] = text
        row = self._grid.rowCount()
        line = QFrame()
        line.setProperty("role", "line")
        line.setFixedHeight(1)
        self._grid.addWidget(line, row, 0, 1, 2)
        label = QLabel(name)
        label.setContentsMargins(0, 8, 0, 8)
        cell = QWidget()
        inside = QVBoxLayout(cell)
        inside.setContentsMargins(0, 8, 0, 8)
        inside.setSpacing(2)
        inside.addWidget(_told(name, text, "warning" if is_warning else "quiet"))
        if more:
            inside.addWidget(_told(name, "\n".join(more), "quiet"))
        if link is not None:
            inside.addWidget(link)
        self._grid.addWidget(label, row + 1, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(cell, row + 1, 1)

    def _clear(self) -> None:
        self._told.clear()
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()


def _told(name: str, text: str, role: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("role", role)
    label.setAccessibleName(f"{name}: {text}")
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
