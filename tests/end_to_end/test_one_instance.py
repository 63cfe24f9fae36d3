"""A second start of the real program: no second window, the first one comes to the front and shows the folder."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from core.git_oracle import git, new_repository
from end_to_end.a_window import AWindow, need_window
from end_to_end.screen import Screen, need_screen, wait_for

pytestmark = pytest.mark.slow
PROGRAM = (sys.executable, "-m", "backtrail.cli.main", "desktop")


@pytest.fixture
def window(tmp_path: Path) -> Iterator[AWindow]:
    need_screen()
    need_window()
    with Screen(tmp_path / "screen") as screen:
        made = AWindow(tmp_path, screen)
        made.open()
        made.keep()
        yield made


def second(window: AWindow, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command, environment = [*PROGRAM, *arguments], window.screen.environment
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


def test_a_second_start_brings_the_first_window_to_the_front_with_its_folder(window: AWindow, tmp_path: Path) -> None:
    other = new_repository(tmp_path / "papers")
    git(other, "commit", "-q", "--allow-empty", "-m", "first")
    over = window.screen.start("xmessage", "-title", "over", "something else to do")
    wait_for(lambda: window.screen.is_active(window.screen.window("over")))
    done = second(window, str(other))
    assert done.returncode == 0, done.stderr
    wait_for(lambda: window.screen.is_active(window.id))
    wait_for(lambda: window.screen.title(window.id).startswith("papers"))
    over.terminate()
    assert window.close(goes_on=False) == 0


def test_a_window_that_hangs_is_told_to_the_second_start(window: AWindow) -> None:
    assert window.process is not None
    window.process.send_signal(signal.SIGSTOP)
    done = second(window, "--json")
    window.process.send_signal(signal.SIGCONT)
    assert done.returncode == 1
    assert '"window-not-answering"' in done.stdout
    assert window.close(goes_on=False) == 0
