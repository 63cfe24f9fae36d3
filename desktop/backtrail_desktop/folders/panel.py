"""The list of folders at the left: which one is shown, and the way to add one.

Owns which folder is chosen, and keeps it chosen while rows come and go. Adds nothing itself: it tells what was wished.
"""

from backtrail.model.ids import MemoryId
from backtrail.model.memory import Memory
from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QMenu, QPushButton, QVBoxLayout, QWidget

from backtrail_desktop.folders.book import FolderBook
from backtrail_desktop.folders.delegate import FolderDelegate
from backtrail_desktop.folders.model import FolderModel
from backtrail_desktop.shell.row_list import RowList

ADD = "+ Add a folder…"


class FoldersPanel(QWidget):
    """Shows the folders. chosen(Memory | None): another one, or other facts of the same. add_wanted: the button was."""

    chosen = Signal(object)
    add_wanted = Signal()

    def __init__(self, book: FolderBook, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._book = book
        self._chosen: Memory | None = None
        self._wanted: MemoryId | None = None
        self._placing = False
        self._menu: list[QAction] = []
        self.setProperty("role", "side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.model = FolderModel(book, self)
        self.table = _Table(self)
        self.table.setModel(self.model)
        self.delegate = FolderDelegate(self.model, self.table)
        self.table.setItemDelegate(self.delegate)
        self.table.verticalHeader().setDefaultSectionSize(self.delegate.row_height())
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._open_menu)
        self.table.selectionModel().currentChanged.connect(self._stood_on)
        self.add_button = QPushButton(ADD)
        self.add_button.setProperty("role", "quiet-button")
        self.add_button.clicked.connect(self.add_wanted)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 0, 8)
        layout.setSpacing(6)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.add_button)
        book.changed.connect(self._renewed)
        self._renewed()

    @property
    def memory(self) -> Memory | None:
        """The folder that is chosen."""
        return self._chosen

    def choose(self, memory_id: MemoryId | None) -> None:
        """Choose a folder, at once or as soon as it is listed."""
        self._wanted = memory_id
        self._renewed()

    def step(self, by: int) -> None:
        """Choose the folder `by` rows further, staying within the list."""
        rows = self.model.rowCount()
        if rows:
            at = min(max(self.table.currentIndex().row() + by, 0), rows - 1)
            self.table.setCurrentIndex(self.model.index(at, 0))

    def offer(self, actions: list[QAction]) -> None:
        """Offer these actions on a folder's row."""
        self._menu = actions

    def _renewed(self) -> None:
        """Stand where the person stood; at first on the folder that was shown last, else on the first one."""
        wished = self._book.memory(self._wanted)
        kept = wished or (self._book.memory(self._chosen.id) if self._chosen else None)
        memory = kept or (self._book.memories[0] if self._book.memories else None)
        if wished is not None:
            self._wanted = None
        index = self.model.index_of(memory)
        if self.table.currentIndex() != index:
            self._placing = True
            self.table.setCurrentIndex(index)
            self._placing = False
        self._tell(memory)

    def _stood_on(self, index: QModelIndex, _: QModelIndex) -> None:
        if not self._placing and index.isValid() and (memory := self.model.row(index).memory) is not None:
            self._wanted = None
            self._tell(memory)

    def _tell(self, memory: Memory | None) -> None:
        if memory == self._chosen:
            return
        self._chosen = memory
        self.chosen.emit(memory)

    def _open_menu(self, at: QPoint) -> None:
        if not self._menu or not self.table.indexAt(at).isValid():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(self._menu)
        menu.popup(self.table.viewport().mapToGlobal(at))


class _Table(RowList):
    """A table of one column that looks like a list; Home and End go to the first and the last folder."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("Folders", parent)
        self.setProperty("role", "side")
        self.setMouseTracking(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Take Home and End for the ends of the list."""
        ends = {Qt.Key.Key_Home.value: 0, Qt.Key.Key_End.value: self.model().rowCount() - 1}
        if event.key() in ends and self.model().rowCount():
            self.setCurrentIndex(self.model().index(ends[event.key()], 0))
            return
        super().keyPressEvent(event)
