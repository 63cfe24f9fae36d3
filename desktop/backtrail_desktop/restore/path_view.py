"""A table of paths without grid and headings, with one row height: a long list costs no more than a short one.

Owns how such a list looks and is moved in; Enter, Space or a click chooses a row. Knows no model.
"""

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from backtrail_desktop.shell.row_list import RowList

_ROOM = 6


class PathView(RowList):
    """Rows of paths, the last column as wide as there is room."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Paths", parent)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + _ROOM)
        self.clicked.connect(self._on_clicked)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Choose the current row by Enter or Space."""
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if event.key() in keys and self.currentIndex().isValid():
            self.chosen.emit(self.currentIndex().row())
            event.accept()
            return
        super().keyPressEvent(event)

    def _on_clicked(self, index: QModelIndex) -> None:
        self.chosen.emit(index.row())
