"""The end of a session: nothing is asked, the window's place is written down, and no Host is left behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from backtrail.wire.address import socket_to_serve, sockets_of
from backtrail_desktop.shell.application import Running
from core.git_oracle import new_repository
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

PROGRAM = (sys.executable, "-m", "backtrail.cli.main")
LONG_S = 60


class Place:
    """Folders of nobody, and the program in them."""

    def __init__(self, tmp_path: Path, run: Path) -> None:
        self.home, self.config = tmp_path / "home", tmp_path / "config"
        left_out = ("GIT_", "XDG_", "DISPLAY", "WAYLAND_", "DBUS_")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
        self.environment |= {
            "QT_QPA_PLATFORM": "offscreen",
            "BACKTRAIL_HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.config),
            "XDG_RUNTIME_DIR": str(run),
        }
        self.folder = new_repository(tmp_path / "notes")
        self.window = subprocess.Popen([*PROGRAM, "desktop", str(self.folder)], env=self.environment)

    def run(self, *words: str) -> str:
        command = [*PROGRAM, *words]
        return subprocess.run(
            command, env=self.environment, check=True, capture_output=True, text=True, timeout=LONG_S
        ).stdout

    def has_window(self) -> bool:
        """Tell whether the window is the one of its data folder."""
        return socket_to_serve(self.home / "window").is_socket()

    @property
    def settings(self) -> str:
        found = list(self.config.rglob("*.conf"))
        return found[0].read_text() if found else ""


@pytest.fixture
def place(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    run = tmp_path_factory.mktemp("run")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(run))
    made = Place(tmp_path, run)
    yield made
    made.window.kill()
    made.window.wait(LONG_S)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_session_that_ends_loses_neither_the_place_of_the_window_nor_leaves_a_host(
    qtbot: QtBot, place: Place, number: signal.Signals
) -> None:
    qtbot.waitUntil(place.has_window, timeout=LONG_S * 1000)
    assert "shown" in place.run("desktop", "--json")  # it has answered: its loop runs
    qtbot.waitUntil(lambda: "notes" in place.run("memory", "list"), timeout=LONG_S * 1000)
    assert "geometry" not in place.settings
    place.window.send_signal(number)
    assert place.window.wait(LONG_S) == 0
    assert "geometry" in place.settings
    qtbot.waitUntil(lambda: not sockets_of(place.home), timeout=LONG_S * 1000)


@pytest.fixture
def running(qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, str(tmp_path / "settings"))
    made = Running(qapp, tmp_path / "home", None)
    qtbot.addWidget(made.window)
    yield made
    made.end()


def test_a_session_manager_s_question_has_the_window_s_place_written_down_and_asks_nobody(running: Running) -> None:
    running.window.closing.ends_host = lambda: pytest.fail("somebody would be asked")
    assert QSettings().value("window/geometry") is None
    running._session_ends()
    assert QSettings().value("window/geometry") is not None
    running.window.close()
    assert not running.window.isVisible()


def test_a_session_that_goes_on_after_all_asks_again(running: Running) -> None:
    running._session_ends()
    running._state_changed(Qt.ApplicationState.ApplicationActive)
    assert not running.window.closing.by_signal
