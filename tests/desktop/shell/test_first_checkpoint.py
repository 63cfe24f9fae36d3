"""The first checkpoint of a large folder, from a real Host in its own process to the words in the window."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from backtrail_desktop.client.host_client import HostClient
from backtrail_desktop.client.port import Link
from backtrail_desktop.client.reader_client import ReaderClient
from backtrail_desktop.shell.standing import Mark
from backtrail_desktop.shell.window import MainWindow
from core.git_oracle import new_repository
from desktop.client.background import Background
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

FILES = 8000
LONG_MS = 60_000
FAR = re.compile(r"First checkpoint(…|: (\d+) %)")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def background(
    home: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Background]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    with Background(home) as made:
        made.start()
        yield made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = new_repository(tmp_path / "notes")
    for number in range(FILES):
        (root / f"f{number}").write_text(f"{number}\n" * 200)
    return root


@pytest.fixture
def windows(home: Path, background: Background, tmp_path: Path, qtbot: QtBot) -> Iterator[list[MainWindow]]:
    """Two windows on one Host: in one of them the folder is added."""
    del background
    clients, readers, made = [], [], []
    for name in ("adding", "looking on"):
        client, reader = HostClient(home), ReaderClient()
        settings = QSettings(str(tmp_path / f"{name}.ini"), QSettings.Format.IniFormat)
        window = MainWindow(client, reader, settings=settings)
        qtbot.addWidget(window)
        client.start()
        clients.append(client)
        readers.append(reader)
        made.append(window)
    qtbot.waitUntil(lambda: all(client.link.link is Link.READY for client in clients), timeout=LONG_MS)
    yield made
    for closing in (*clients, *readers):
        closing.close()


class Watched:
    """What a window's state line and list say, each time that either may have changed."""

    def __init__(self, window: MainWindow, root: Path) -> None:
        self.said: list[str] = []
        self.second_lines: list[str] = []
        self.kept_too_soon = False
        self._window = window
        self._ours = root / ".git" / "refs" / "botharness"
        window.book.changed.connect(self._look)

    def _look(self) -> None:
        line = self._window.rooms.state_line
        kept = self._ours.exists()
        self.said.append(line.sentence.text())
        for memory in self._window.book.memories:
            self.second_lines.append(self._window.book.standing(memory).brief)
        self.kept_too_soon |= line.sign.mark is Mark.KEPT and not kept

    @property
    def percents(self) -> list[int]:
        found = [FAR.fullmatch(said) for said in self.said]
        return [int(match[2]) for match in found if match is not None and match[2] is not None]


def test_the_window_says_how_far_it_is_and_claims_nothing_before(
    windows: list[MainWindow], root: Path, qtbot: QtBot
) -> None:
    watched = [Watched(window, root) for window in windows]
    windows[0].add_folder(bytes(root))

    def all_kept() -> bool:
        return all(window.rooms.state_line.sign.mark is Mark.KEPT for window in windows)

    qtbot.waitUntil(all_kept, timeout=LONG_MS)
    for one in watched:
        assert any(said.startswith("First checkpoint: ") for said in one.said), one.said
        assert one.percents == sorted(one.percents)
        assert one.percents[-1] < 100
        assert any(re.fullmatch(r"first checkpoint: \d+ %", line) for line in one.second_lines)
        assert not one.kept_too_soon
