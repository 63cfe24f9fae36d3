"""The Git graph in the real window, by keyboard: what is chosen is read from the clipboard and judged by Git."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.make_history import make_history
from core.git_oracle import ask, git
from end_to_end.a_window import AWindow, need_window
from end_to_end.screen import Screen, need_screen, wait_for

pytestmark = pytest.mark.slow
COMMITS = 20_000
READ_CLIPBOARD = """
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
app = QGuiApplication([])
def read():
    print(app.clipboard().text(), flush=True)
    app.quit()
QTimer.singleShot(200, read)
app.exec()
"""


@pytest.fixture
def screen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
    need_screen()
    need_window()
    with Screen(tmp_path_factory.mktemp("s") / "screen") as made:
        yield made


class Graph:
    """A window over a repository, and what stands in the clipboard once a commit's id was copied."""

    def __init__(self, window: AWindow, root: Path) -> None:
        self.window, self.root = window, root
        self.window.open(str(root))
        wait_for(lambda: window.screen.title(window.id).startswith(root.name))
        wait_for(window.says_kept)

    def copied(self, *keys: str) -> str:
        """Press keys in the graph, copy, and return what was copied."""
        self.window.screen.press("ctrl+3", *keys, "ctrl+c")
        command, environment = [sys.executable, "-c", READ_CLIPBOARD], self.window.screen.environment
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    def oid(self, name: str) -> str:
        return ask(self.root, "rev-parse", name, "--").decode().split()[0]

    def is_copied(self, name: str, *keys: str) -> None:
        wait_for(lambda: self.copied(*keys) == self.oid(name))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_commits_are_reached_and_copied_by_keyboard(
    screen: Screen, tmp_path_factory: pytest.TempPathFactory, *, dark: bool
) -> None:
    root = tmp_path_factory.mktemp("r") / "long"
    make_history(str(root), COMMITS)
    graph = Graph(AWindow(tmp_path_factory.mktemp("w"), screen, dark=dark), root)
    graph.is_copied("HEAD", "alt+Home")
    graph.is_copied("HEAD~1", "alt+Home", "alt+Down")
    for width, height in ((800, 600), (1280, 800)):
        screen.resize(graph.window.id, width, height)
        graph.is_copied("HEAD~2", "alt+Home", "alt+Down", "alt+Down")
        screen.keep_picture(f"graph-{'dark' if dark else 'light'}-{width}x{height}", graph.window.id)
    git(root, "-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-q", "--allow-empty", "-m", "new")
    graph.is_copied("HEAD", "alt+Home")
    assert graph.oid("HEAD~1") == graph.copied("alt+Home", "alt+Down")
