"""What is painted must be readable, and text of a repository must not steer the screen."""

import pytest
from backtrail_desktop.shell.palette import DARK, LIGHT, Colours, colours_of, qt_palette
from backtrail_desktop.shell.plain_text import plain_path, plain_text
from backtrail_desktop.shell.sheet import sheet
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot


def _light(colour: QColor) -> float:
    parts = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in colour.getRgbF()[:3]]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def _contrast(one: QColor, other: QColor) -> float:
    high, low = sorted((_light(one), _light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_no_text_is_too_faint_to_read(colours: Colours) -> None:
    pairs = [(text, ground) for text in ("text", "quiet", "warning", "accent") for ground in ("window", "base")]
    pairs += [("text", "selected"), ("quiet", "selected"), ("warning", "selected"), ("warning", "warning_fill")]
    pairs += [("quiet", "warning_fill"), ("on_accent", "accent"), ("text", "added_ground"), ("text", "removed_ground")]
    pairs += [("text", "added_mark"), ("text", "removed_mark"), ("added", "base"), ("removed", "base")]
    for text, ground in pairs:
        assert _contrast(getattr(colours, text), getattr(colours, ground)) >= 4.5, (text, ground)


def test_the_sheet_leaves_no_colour_unnamed() -> None:
    assert "@" not in sheet(LIGHT, QFont())


def test_a_widget_knows_whether_it_is_dark(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    for colours in (LIGHT, DARK):
        widget.setPalette(qt_palette(colours))
        assert colours_of(widget) is colours


def test_names_cannot_turn_the_line_around_or_break_it() -> None:
    assert plain_text("gpj.\u202eexe") == "gpj.\\u202eexe"
    assert plain_text("a\nb\tc\x1b[31m") == "a\\nb\\tc\\u001b[31m"
    assert plain_text("<b>é 漢</b>") == "<b>é 漢</b>"
    assert plain_path(b"caf\xe9\n") == "caf\\xe9\\n"
