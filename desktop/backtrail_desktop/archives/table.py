"""The table of archives: one row height, whole rows, times in figures of equal width.

Owns how the list looks and that a row is always selected where there is one. Knows no words.
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from backtrail_desktop.archives.model import REASON, SIZE, TIME, ArchivesModel
from backtrail_desktop.timeline.fonts import tabular

_ROOM = 14
_ROOM_AROUND = """
QTableView::item { padding: 0 16px; }
QHeaderView { background: transparent; }
QHeaderView::section { background: transparent; border: none; padding: 6px 16px; }
"""
_TIME_WIDTH, _SIZE_WIDTH = 190, 100


class ArchivesTable(QTableView):
    """Archives, newest first."""

    def __init__(self, model: ArchivesModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setAccessibleName("Archives")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(tabular(self.font()))
        self.setShowGrid(False)
        self.setStyleSheet(_ROOM_AROUND)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(REASON, QHeaderView.ResizeMode.Stretch)
        header.resizeSection(TIME, _TIME_WIDTH)
        header.resizeSection(SIZE, _SIZE_WIDTH)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + _ROOM)

    def select_row(self, row: int) -> None:
        """Select a row, and bring it into view."""
        index = self.model().index(row, 0)
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)
