"""One style sheet for the whole window: what each role of a widget looks like.

Owns the roles (the dynamic property `role`): labels may be title, strong, quiet, warning; buttons primary, link,
segment, quiet-button; boxes card, warning-box, bar, side; line is a thin rule. Two text sizes: the system's and one
quieter. Colours come from the palette.
"""

import pathlib

import backtrail_resources
from PySide6.QtGui import QFont

from backtrail_desktop.shell.palette import DARK, Colours

QUIET_SIZE = 0.88
"""How much smaller the second of the two text sizes is."""


def sheet(colours: Colours, font: QFont) -> str:
    """Return the style sheet for a palette and the system's font."""
    words = {name: colour.name() for name, colour in vars(colours).items()}
    size = font.pointSizeF()
    words["small"] = f"{size * QUIET_SIZE:.1f}pt" if size > 0 else f"{round(font.pixelSize() * QUIET_SIZE)}px"
    theme = "dark" if colours is DARK else "light"
    for icon in ("down", "check"):
        words[icon] = f'url("{_ICONS}/{icon}-{theme}.svg")'
    found = _SHEET
    for name, value in words.items():
        found = found.replace(f"@{name};", f"{value};")
    return found


_ICONS = pathlib.Path(backtrail_resources.__file__).parent / "icons"
_SHEET = """
QLabel, QCheckBox, QRadioButton { color: @text; }
QLabel[role="title"] { font-weight: 600; }
QLabel[role="strong"] { font-weight: 600; }
QLabel[role="quiet"] { color: @quiet; font-size: @small; }
QLabel[role="warning"] { color: @warning; font-weight: 600; }

QPushButton, QToolButton {
    background: @button; color: @text; border: 1px solid; border-color: @line; border-radius: 6px; padding: 5px 12px;
}
QToolButton { padding: 5px 10px; }
QToolButton::menu-indicator { image: none; }
QPushButton:hover, QToolButton:hover { background: @hover; }
QPushButton:pressed, QToolButton:pressed { background: @selected; }
QPushButton:focus, QToolButton:focus { border-color: @accent; }
QPushButton:disabled, QToolButton:disabled { color: @quiet; background: @window; }
QPushButton[role="primary"] { background: @accent; color: @on_accent; border-color: @accent; font-weight: 600; }
QPushButton[role="primary"]:focus { border: 2px solid; border-color: @text; padding: 4px 11px; }
QPushButton[role="primary"]:disabled { background: @window; color: @quiet; border-color: @line; }
QPushButton[role="quiet-button"], QToolButton[role="quiet-button"] {
    background: transparent; border-color: transparent; color: @quiet; text-align: left;
}
QPushButton[role="quiet-button"]:hover, QToolButton[role="quiet-button"]:hover { color: @text; background: @hover; }
QPushButton[role="quiet-button"]:focus, QToolButton[role="quiet-button"]:focus { border-color: @accent; }
QPushButton[role="link"] {
    background: transparent; border: 1px solid transparent; border-radius: 3px; color: @accent; padding: 1px 3px;
    text-decoration: underline; text-align: left;
}
QPushButton[role="link"]:focus { border-color: @accent; }
QPushButton[role="segment"]:checked { background: @selected; border-color: @accent; font-weight: 600; }

QFrame[role="card"] { background: @base; border: 1px solid; border-color: @line; border-radius: 8px; }
QFrame[role="warning-box"] {
    background: @warning_fill; border: 1px solid; border-color: @warning_line; border-radius: 8px;
}
QFrame[role="line"] { background: @line; border: none; max-height: 1px; min-height: 1px; }
QWidget[role="bar"] { background: @window; }
QWidget[role="side"] { background: @window; }
QWidget[role="page"] { background: @base; }

QLineEdit, QComboBox {
    background: @base; color: @text; border: 1px solid; border-color: @line; border-radius: 6px; padding: 4px 8px;
    selection-background-color: @selected; selection-color: @text;
}
QLineEdit:focus, QComboBox:focus { border-color: @accent; }
QComboBox { background: @button; }
QComboBox:hover { background: @hover; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: @down; width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: @base; color: @text; selection-background-color: @selected; }

QAbstractItemView {
    background: @base; color: @text; border: none; outline: 0;
    selection-background-color: @selected; selection-color: @text;
}
QAbstractItemView[role="side"] { background: @window; selection-background-color: transparent; }
QPlainTextEdit, QTextEdit { background: @base; color: @text; border: none; }

QTabWidget::pane { border: none; border-top: 1px solid; border-top-color: @line; background: @base; }
QTabWidget::tab-bar { left: 8px; }
QTabBar { background: @base; }
QTabBar::tab {
    background: transparent; color: @quiet; border: none; border-bottom: 2px solid transparent;
    padding: 8px 4px 7px 4px; margin: 0 8px;
}
QTabBar::tab:selected { color: @text; border-bottom-color: @accent; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:focus { color: @accent; }

QCheckBox::indicator {
    width: 12px; height: 12px; border: 1px solid; border-color: @quiet; border-radius: 3px; background: @base;
}
QCheckBox::indicator:checked { background: @accent; border-color: @accent; image: @check; }
QCheckBox:focus { color: @accent; }

QSplitter::handle { background: @line; }
QMenu { background: @base; color: @text; border: 1px solid; border-color: @line; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 12px; border-radius: 4px; }
QMenu::item:selected { background: @selected; }
QMenu::item:disabled { color: @quiet; }
QMenu::separator { background: @line; height: 1px; margin: 4px 8px; }
QToolTip { background: @window; color: @text; border: 1px solid; border-color: @line; }
QProgressBar { background: @window; border: 1px solid; border-color: @line; border-radius: 4px; text-align: center; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }

QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @line; border-radius: 4px; margin: 1px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: @quiet; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
"""
