"""The colours of the window, light and dark: quiet greys, one accent, one warning colour.

Owns every colour there is; no other module names one. The warning colour is kept for losses and for what is not kept,
and is never the only sign. Which of the two palettes holds is read from the widget, so that a widget painted alone and
one in the window look the same.
"""

from dataclasses import dataclass

from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QWidget

_MIDDLE = 128


@dataclass(frozen=True)
class Colours:
    """One palette. `*_fill` and `*_ground` lie behind text, `*_mark` behind the part of a line that changed.

    `line` separates; `hover` and `selected` lie behind what is pointed at or chosen.
    """

    window: QColor
    base: QColor
    text: QColor
    quiet: QColor
    line: QColor
    button: QColor
    hover: QColor
    selected: QColor
    accent: QColor
    on_accent: QColor
    warning: QColor
    warning_fill: QColor
    warning_line: QColor
    added: QColor
    added_ground: QColor
    added_mark: QColor
    removed: QColor
    removed_ground: QColor
    removed_mark: QColor
    hunk_ground: QColor


LIGHT = Colours(
    window=QColor("#f3f3f1"),
    base=QColor("#fbfbf9"),
    text=QColor("#1c1c1a"),
    quiet=QColor("#696965"),
    line=QColor("#dfdfda"),
    button=QColor("#fdfdfc"),
    hover=QColor("#ececea"),
    selected=QColor("#e1eeea"),
    accent=QColor("#2d6d5d"),
    on_accent=QColor("#ffffff"),
    warning=QColor("#97470f"),
    warning_fill=QColor("#fdf0e2"),
    warning_line=QColor("#efc79c"),
    added=QColor("#2a7548"),
    added_ground=QColor("#e0eae2"),
    added_mark=QColor("#a9cbb8"),
    removed=QColor("#ad3f37"),
    removed_ground=QColor("#f5e2e0"),
    removed_mark=QColor("#e2aca8"),
    hunk_ground=QColor("#f1f1ef"),
)
DARK = Colours(
    window=QColor("#26272a"),
    base=QColor("#1e1f21"),
    text=QColor("#e8e8e6"),
    quiet=QColor("#a8a8a5"),
    line=QColor("#3a3b3e"),
    button=QColor("#2a2b2e"),
    hover=QColor("#333437"),
    selected=QColor("#2b3d39"),
    accent=QColor("#7cc4b0"),
    on_accent=QColor("#12211d"),
    warning=QColor("#f0b27a"),
    warning_fill=QColor("#3a2b1f"),
    warning_line=QColor("#6b4b2d"),
    added=QColor("#7fc79a"),
    added_ground=QColor("#2a3632"),
    added_mark=QColor("#3f6553"),
    removed=QColor("#e79088"),
    removed_ground=QColor("#3b2c2c"),
    removed_mark=QColor("#764743"),
    hunk_ground=QColor("#26282a"),
)


_LANES_LIGHT = tuple(QColor(name) for name in ("#2d6d5d", "#5b6ea8", "#8a6a9e", "#7a7a52", "#4f8794", "#9a6b6b"))
_LANES_DARK = tuple(QColor(name) for name in ("#7cc4b0", "#93a5dc", "#bb9dd0", "#b3b380", "#85b9c6", "#cb9b9b"))


def lane_colours(colours: Colours) -> tuple[QColor, ...]:
    """Return the colours of a graph's lanes, so that neighbours are told apart."""
    return _LANES_DARK if colours is DARK else _LANES_LIGHT


def colours_of(widget: QWidget) -> Colours:
    """Return the palette that a widget is shown in: the dark one where its background is dark."""
    background = widget.palette().color(QPalette.ColorRole.Window)
    return DARK if background.lightness() < _MIDDLE else LIGHT


def qt_palette(colours: Colours) -> QPalette:
    """Return the colours in Qt's roles, for what Qt paints itself."""
    role = QPalette.ColorRole
    palette = QPalette()
    for where, colour in (
        (role.Window, colours.window),
        (role.WindowText, colours.text),
        (role.Base, colours.base),
        (role.AlternateBase, colours.window),
        (role.Text, colours.text),
        (role.PlaceholderText, colours.quiet),
        (role.Button, colours.button),
        (role.ButtonText, colours.text),
        (role.BrightText, colours.warning),
        (role.ToolTipBase, colours.window),
        (role.ToolTipText, colours.text),
        (role.Highlight, colours.selected),
        (role.HighlightedText, colours.text),
        (role.Accent, colours.accent),
        (role.Link, colours.accent),
        (role.LinkVisited, colours.accent),
        (role.Light, colours.button),
        (role.Midlight, colours.hover),
        (role.Mid, colours.line),
        (role.Dark, colours.line),
        (role.Shadow, colours.line),
    ):
        palette.setColor(where, colour)
    for where in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, where, colours.quiet)
    return palette
