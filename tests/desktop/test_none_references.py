"""PySide6 6.12.0 drops a reference to None with every void call and aborts after some 5,000: the pin keeps it out."""

import sys

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

CALLS = 3000


def test_void_calls_do_not_use_up_none(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    before = sys.getrefcount(None)
    for number in range(CALLS):
        widget.resize(number % 7 + 1, 1)
    assert abs(sys.getrefcount(None) - before) < CALLS // 10
