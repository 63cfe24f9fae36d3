"""The window's remembered place: whatever stands in the settings, it comes back where a person can reach it."""

from pathlib import Path

import pytest
from backtrail_desktop.shell.layout import recall, recall_splitters, remember
from PySide6.QtCore import QByteArray, QRect, QSettings, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSplitter, QWidget
from pytestqt.qtbot import QtBot

SIZE = (640, 440)


@pytest.fixture
def settings(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.setMinimumSize(*SIZE)
    made.resize(*SIZE)
    return made


@pytest.mark.parametrize(
    "stored", ["text", 7, QByteArray(b"junk"), QByteArray(b"\x01\xd9\xd0\xcb\x00\x03" + b"\xff" * 60)]
)
def test_settings_that_make_no_sense_are_no_obstacle(settings: QSettings, window: QWidget, stored: object) -> None:
    settings.setValue("window/geometry", stored)
    settings.setValue("window/upper", stored)
    recall(settings, window)
    recall_splitters(settings, {"upper": QSplitter(window)})
    window.show()
    assert _is_reachable(window)


def test_a_settings_file_that_is_torn_is_no_obstacle(tmp_path: Path, window: QWidget) -> None:
    (tmp_path / "s.ini").write_bytes(b"[window]\ngeometry=@ByteArray(\\x1\\xd9\xff\0\n=\n[")
    recall(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat), window)
    window.show()
    assert _is_reachable(window)


@pytest.mark.parametrize("place", [QRect(90_000, 90_000, 800, 600), QRect(-9_000, 40, 800, 600), QRect(0, 0, 1, 1)])
def test_a_window_of_a_screen_that_is_gone_comes_back(settings: QSettings, window: QWidget, place: QRect) -> None:
    before = QWidget()
    before.setGeometry(place)
    remember(settings, before)
    recall(settings, window)
    window.show()
    assert _is_reachable(window)


def test_size_and_place_come_back(settings: QSettings, window: QWidget) -> None:
    window.setGeometry(30, 40, 700, 500)
    remember(settings, window)
    again = QWidget()
    recall(settings, again)
    assert again.geometry() == QRect(30, 40, 700, 500)


def _is_reachable(window: QWidget) -> bool:
    """Tell whether a window is large enough, and its title where a person gets hold of it."""
    screen = QGuiApplication.primaryScreen().availableGeometry()
    title = window.geometry().intersected(screen)
    large = window.width() >= SIZE[0] and window.height() >= SIZE[1]
    return (
        large
        and title.width() >= 100
        and window.y() >= screen.y()
        and not window.windowState() & Qt.WindowState.WindowMinimized
    )
