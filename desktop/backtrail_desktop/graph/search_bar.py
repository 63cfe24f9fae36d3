"""The controls above the graph: which branch, and what to look for.

Owns the controls. Knows no commits: it tells what is wanted.
"""

from backtrail.model.commits import Ref, RefKind
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from backtrail_desktop.graph import words
from backtrail_desktop.shell.plain_text import plain_path, plain_text


class SearchLine(QLineEdit):
    """A line in which Enter looks further down, and Shift+Enter further up. wanted(bool): look; True for down."""

    wanted = Signal(bool)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Look on Enter."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.wanted.emit(not event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            event.accept()
            return
        super().keyPressEvent(event)


class SearchBar(QWidget):
    """Holds them. branch_chosen(bytes | None): show this alone. search_wanted(bool), given_up: as they say."""

    branch_chosen = Signal(object)
    search_wanted = Signal(bool)
    given_up = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: list[bytes | None] = [None]
        self.branch = QComboBox()
        self.branch.setAccessibleName("Branch")
        self.branch.addItem(words.EVERYTHING)
        self.branch.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.branch.setMinimumContentsLength(10)
        self.text = SearchLine()
        self.text.setPlaceholderText(words.SEARCH)
        self.text.setAccessibleName("Search commits")
        self.text.setToolTip(f"Enter: {words.FIND_NEXT.lower()}, Shift+Enter: {words.FIND_PREVIOUS.lower()}")
        self.text.setClearButtonEnabled(True)
        self.text.setMinimumWidth(90)
        self.told = QLabel()
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        self.told.setProperty("role", "quiet")
        self.missing = QLabel()
        self.missing.setTextFormat(Qt.TextFormat.PlainText)
        self.missing.setProperty("role", "quiet")
        self.missing.setWordWrap(True)
        self.missing.hide()
        controls = QHBoxLayout()
        controls.setSpacing(6)
        controls.addWidget(self.text, 1)
        controls.addWidget(self.told)
        controls.addWidget(self.branch)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 6, 12, 6)
        layout.addLayout(controls)
        layout.addWidget(self.missing)
        self.branch.currentIndexChanged.connect(self._chosen)
        self.text.wanted.connect(self._wanted)
        self.text.textChanged.connect(self._given_up)

    @property
    def name(self) -> bytes | None:
        """The branch that is to be shown alone, None for everything."""
        return self._names[self.branch.currentIndex()]

    def offer(self, refs: tuple[Ref, ...]) -> None:
        """Let these branches be chosen, and keep the choice where it is still there."""
        names: list[bytes | None] = [None, *(ref.name for ref in refs if ref.kind is not RefKind.TAG)]
        if names == self._names:
            return
        chosen = self.name
        blocker = QSignalBlocker(self.branch)
        self.branch.clear()
        self.branch.addItems([words.EVERYTHING, *(plain_path(name) for name in names if name is not None)])
        self._names = names
        self.branch.setCurrentIndex(names.index(chosen) if chosen in names else 0)
        blocker.unblock()
        if self.name != chosen:
            self._chosen()

    def forget(self) -> None:
        """Stand for everything: another folder is shown."""
        blocker = QSignalBlocker(self.branch)
        self.branch.setCurrentIndex(0)
        blocker.unblock()
        self.told.clear()

    def tell(self, sentence: str) -> None:
        """Say how the search goes."""
        self.told.setText(plain_text(sentence))

    def tell_missing(self, sentence: str) -> None:
        """Say that the commit of a state is not among the rows."""
        self.missing.setText(sentence)
        self.missing.setVisible(bool(sentence))

    def _chosen(self) -> None:
        self.branch_chosen.emit(self.name)

    def _wanted(self, down: bool) -> None:  # noqa: FBT001 - as the signal tells it
        if self.text.text().strip():
            self.search_wanted.emit(down)

    def _given_up(self) -> None:
        self.told.clear()
        self.given_up.emit()
