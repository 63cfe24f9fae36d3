"""The bar at the top: which folder is shown, and the few actions that are worth a button.

Owns places only; buttons and menu are the registry's actions. In a narrow window the path makes room.
"""

from backtrail.model.memory import Memory
from backtrail.model.path_text import path_text
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QSizePolicy, QToolButton, QWidget

from backtrail_desktop.shell.plain_text import plain_text

MENU = "Menu"
_NARROW = 700


class TopBar(QFrame):
    """Names the folder that is shown."""

    def __init__(self, save: QAction, folder: QAction, menu: QMenu, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self.name, self.path = QLabel(), QLabel()
        self.name.setProperty("role", "strong")
        self.path.setProperty("role", "quiet")
        for label in (self.name, self.path):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.path.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.path.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.save = _ActionButton(save)
        self.folder = _ActionButton(folder)
        self.menu_button = QToolButton()
        self.menu_button.setText(MENU)
        self.menu_button.setMenu(menu)
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setShortcut("F10")
        self.menu_button.setToolTip("All actions (F10)")
        self.menu_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 6, 14, 6)
        layout.setSpacing(8)
        layout.addWidget(self.name)
        layout.addSpacing(4)
        layout.addWidget(self.path, 1)
        layout.addWidget(self.folder)
        layout.addWidget(self.save)
        layout.addWidget(self.menu_button)

    def show_memory(self, memory: Memory | None) -> None:
        """Name a folder; of none, the program."""
        self.name.setText(plain_text(memory.name) if memory else "Backtrail")
        told = plain_text(path_text(memory.path)) if memory else ""
        self.path.setText(told)
        self.path.setToolTip(told)
        for button in (self.save, self.folder):
            button.setVisible(memory is not None)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Make room where there is little."""
        self.path.setVisible(event.size().width() >= _NARROW)
        super().resizeEvent(event)


class _ActionButton(QPushButton):
    """A button that is an action: words, tip and whether it may be pressed are the action's."""

    def __init__(self, action: QAction) -> None:
        super().__init__(action.text())
        self._action = action
        self.clicked.connect(action.trigger)
        action.changed.connect(self._changed)
        self._changed()

    def _changed(self) -> None:
        self.setEnabled(self._action.isEnabled())
        self.setToolTip(self._action.toolTip())
