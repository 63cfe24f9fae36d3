"""What the tests of the window share: no screen, this machine's time zone out of the way, and no window left behind."""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot


@pytest.fixture(autouse=True)
def no_window_is_left(qtbot: QtBot) -> Iterator[None]:
    """Fail a test that leaves a window open which nobody closes."""
    del qtbot
    yield
    QApplication.processEvents()
    left = [widget for widget in QApplication.topLevelWidgets() if widget.isVisible()]
    for widget in left:
        widget.hide()
    assert not left, f"left open: {left}"
