"""The table of archives: one row height, whole rows, times in figures of equal width.

Owns how the list looks and that a row is always selected where there is one. Knows no words.
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QWidget

from backtrail_desktop.archives.model import REASON, SIZE, TIME, ArchivesModel
from backtrail_desktop.shell.row_list import RowList
from backtrail_desktop.timeline.fonts import tabular

_ROOM = 14
_ROOM_AROUND = """
QTableView::item { padding: 0 16px; }
QHeaderView { background: transparent; }
QHeaderView::section { background: transparent; border: none; padding: 6px 16px; }
"""
_TIME_WIDTH, _SIZE_WIDTH = 190, 100


class ArchivesTable(RowList):
    """Archives, newest first."""

    def __init__(self, model: ArchivesModel, parent: QWidget | None = None) -> None:
        super().__init__("Archives", parent)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setModel(model)
        self.setFont(tabular(self.font()))
        self.setStyleSheet(_ROOM_AROUND)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = self.horizontalHeader()
        header.show()
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(REASON, QHeaderView.ResizeMode.Stretch)
        header.resizeSection(TIME, _TIME_WIDTH)
        header.resizeSection(SIZE, _SIZE_WIDTH)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + _ROOM)

    def select_row(self, row: int) -> None:
        """Select a row, and bring it into view."""
        index = self.model().index(row, 0)
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)
