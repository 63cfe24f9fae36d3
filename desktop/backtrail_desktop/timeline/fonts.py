"""The two text sizes of the window and their kinds, made from the font a widget has.

Owns how much smaller the quiet size is, and the figures of equal width that let times stand in a column.
"""

from PySide6.QtGui import QFont, QFontDatabase

_SMALL = 0.88


def small(font: QFont) -> QFont:
    """Return the smaller of the two sizes."""
    found = QFont(font)
    if font.pointSizeF() > 0:
        found.setPointSizeF(font.pointSizeF() * _SMALL)
    else:
        found.setPixelSize(max(1, round(font.pixelSize() * _SMALL)))
    return found


def bold(font: QFont) -> QFont:
    """Return the same font, stronger."""
    found = QFont(font)
    found.setWeight(QFont.Weight.DemiBold)
    return found


def tabular(font: QFont) -> QFont:
    """Return the same font with figures of equal width."""
    found = QFont(font)
    found.setFeature(QFont.Tag("tnum"), 1)
    return found


def fixed(font: QFont) -> QFont:
    """Return the system's font of equal widths, as large as the smaller size."""
    found = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    quiet = small(font)
    if quiet.pointSizeF() > 0:
        found.setPointSizeF(quiet.pointSizeF())
    else:
        found.setPixelSize(quiet.pixelSize())
    return found
