"""The second page of the guide: the named steps of a restore while it runs.

Owns the list of steps, the bar and Cancel, which works until the switch and says so. Tells nothing of how it ended.
"""

from backtrail.model.restore import Step
from backtrail.wording.sentence import size_text
from backtrail.wording.steps import step_text
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from backtrail_desktop.client.port import Link, LinkState
from backtrail_desktop.shell.plain_text import plain_text

_GOING = "Going back…"
_FILES = "Getting files back…"
_UNTIL = "Until the switch, nothing in the folder is touched, and it can be cancelled."
_ONE_BY_ONE = "What is in their place now is kept first. This cannot be stopped halfway."
_NO_MORE = "The folders are being switched: it can no longer be cancelled. It can be undone afterwards."
_STOPPING = "Stopping…"
_CHECKING = "It stopped. Looking at the folder to see that all is as it was…"
_SILENT = "Backtrail is not answering since {time}. What it began, it finishes or takes back when it runs again."
CANCEL = "Cancel"
_DONE, _HERE, _TO_COME = "✓", "→", "·"
_THOUSANDTHS = 1000


class ProgressPage(QWidget):
    """Where a running restore is."""

    cancel_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = _label("title")
        self.told = _label("quiet")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("How far this step is")
        self.amount = _label("quiet")
        self.trouble = _label("warning")
        self.trouble.hide()
        self.cancel = QPushButton(CANCEL)
        self.cancel.setAutoDefault(False)
        self.cancel.clicked.connect(self._on_cancel)
        self._marks: dict[str, QLabel] = {}
        self._names: dict[str, QLabel] = {}
        self._steps = QWidget()
        grid = QGridLayout(self._steps)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setColumnStretch(1, 1)
        for row, step in enumerate(Step):
            words = step_text(step)
            mark, name = _label("quiet"), _label("quiet")
            name.setText(words[:1].upper() + words[1:])
            mark.setFixedWidth(18)
            grid.addWidget(mark, row, 0)
            grid.addWidget(name, row, 1)
            self._marks[step], self._names[step] = mark, name
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(26, 22, 26, 20)
        layout.setSpacing(10)
        for widget in (self.title, self.told, self._steps, self.bar, self.amount, self.trouble):
            layout.addWidget(widget)
        layout.addStretch(1)
        layout.addLayout(buttons)

    def begin(self, *, whole: bool) -> None:
        """Show that it has begun."""
        self.title.setText(_GOING if whole else _FILES)
        self.told.setText(_UNTIL if whole else _ONE_BY_ONE)
        self._steps.setVisible(whole)
        self.cancel.setVisible(whole)
        self.cancel.setEnabled(whole)
        self.cancel.setText(CANCEL)
        self.amount.clear()
        self.trouble.hide()
        self.bar.show()
        self.bar.setRange(0, 0)
        self._point_to(None)

    def show_progress(self, step: str, done: int, total: int | None) -> None:
        """Show where it is: `done` of `total` bytes, or no total where that is not known."""
        self._point_to(step)
        if total:
            self.bar.setRange(0, _THOUSANDTHS)
            self.bar.setValue(min(_THOUSANDTHS, done * _THOUSANDTHS // total))
            self.amount.setText(f"{size_text(done)} of {size_text(total)}")
        else:
            self.bar.setRange(0, 0)
            self.amount.setText(size_text(done) if done else "")
        if step in {Step.SWITCHED, Step.RECORDED, Step.SETTLED}:
            self.cancel.setEnabled(False)
            self.told.setText(_NO_MORE)

    def show_checking(self) -> None:
        """Show that it has stopped and the folder is being looked at."""
        self.told.setText(_CHECKING)
        self._steps.hide()
        self.amount.clear()
        self.cancel.setEnabled(False)
        self.bar.setRange(0, 0)

    def show_link(self, state: LinkState) -> None:
        """Say it where the Host does not answer."""
        silent = state.link in {Link.NOT_ANSWERING, Link.STOPPED}
        self.trouble.setText(_SILENT.format(time=f"{state.since.astimezone():%H:%M:%S}"))
        self.trouble.setVisible(silent)

    def _on_cancel(self) -> None:
        self.cancel.setEnabled(False)
        self.cancel.setText(_STOPPING)
        self.cancel_asked.emit()

    def _point_to(self, step: str | None) -> None:
        known = list(self._marks)
        here = known.index(step) if step in known else -1
        for place, name in enumerate(known):
            state = _DONE if place < here else _HERE if place == here else _TO_COME
            self._marks[name].setText(state)
            font = self._names[name].font()
            font.setBold(place == here)
            self._names[name].setFont(font)
        if step is not None and here < 0:
            self.amount.setText(plain_text(step))


def _label(role: str) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("role", role)
    return label
