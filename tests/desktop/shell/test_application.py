"""The application with a real Host behind it: what it starts, and what it says when it cannot."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from backtrail_desktop.client.port import Link
from backtrail_desktop.shell.application import NOT_STARTED, Running
from core.git_oracle import new_repository
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

LONG_MS = 20_000


@pytest.fixture
def home(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of its own, and settings and runtime folder that are nobody's."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, str(tmp_path / "settings"))
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return new_repository(tmp_path / "notes")


@pytest.fixture
def running(qtbot: QtBot, qapp: QApplication, home: Path, folder: Path) -> Iterator[Running]:
    made = Running(qapp, home, str(folder))
    qtbot.addWidget(made.window)
    yield made
    made.end_by_signal()
    assert not made.window.isVisible()
    made.end()


def test_the_folder_named_at_the_start_is_kept_and_shown(qtbot: QtBot, running: Running, folder: Path) -> None:
    running.begin()
    qtbot.waitUntil(lambda: bool(running.window.book.memories), timeout=LONG_MS)
    assert running.window.book.memories[0].path == os.fsencode(folder)
    qtbot.waitUntil(lambda: running.window.windowTitle().startswith("notes"), timeout=LONG_MS)


def test_a_host_that_cannot_start_is_told_with_its_reason(qtbot: QtBot, running: Running, home: Path) -> None:
    home.mkdir()
    (home / "memories").write_text("in the way")
    running.begin()
    qtbot.waitUntil(lambda: running.window.rooms.notice.notice is not None, timeout=LONG_MS)
    notice = running.window.rooms.notice.notice
    assert notice is not None
    assert notice.what == NOT_STARTED
    assert "cannot be used" in notice.remedy
    assert running.host.link.link is Link.STOPPED
