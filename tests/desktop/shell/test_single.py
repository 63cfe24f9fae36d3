"""One window per data folder: a second start never opens another, and never hangs at the first."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from backtrail.model.errors.desktop import WindowNotAnswering
from backtrail.wire.address import socket_to_serve
from backtrail_desktop.shell.later_starts import LaterStarts
from backtrail_desktop.shell.single import LONGEST, Single, become_single, folder_in
from pytestqt.qtbot import QtBot

HOLD = """
import pathlib, sys
from backtrail_desktop.shell.single import become_single
single = become_single(pathlib.Path(sys.argv[1]), None, background=True)
print("first" if single else "later", flush=True)
if single:
    sys.stdin.read()
"""
SECOND = """
import pathlib, sys, os
from backtrail_desktop.shell.single import become_single
became = become_single(pathlib.Path(sys.argv[1]), os.fsencode(sys.argv[2]))
print("first" if became else "later", *sys.modules, sep="\\n")
"""


@pytest.fixture
def home(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    return tmp_path / "home"


@pytest.fixture
def first(home: Path) -> Iterator[Single]:
    made = become_single(home, None)
    assert made is not None
    yield made
    made.close()


@pytest.fixture
def starts(first: Single, qtbot: QtBot) -> Iterator[LaterStarts]:
    del qtbot
    made = LaterStarts(first.listening)
    yield made
    made.close()


def start(script: str, *arguments: str | Path | bytes) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, errors="surrogateescape")


def say(home: Path, message: bytes) -> socket.socket:
    there = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    there.connect(os.fspath(socket_to_serve(home / "window")))
    there.sendall(message)
    return there


def test_the_folder_of_a_second_start_arrives_byte_for_byte(
    qtbot: QtBot, starts: LaterStarts, home: Path, tmp_path: Path
) -> None:
    folder = os.path.join(os.fsencode(tmp_path), b"not \xe9 utf-8\n")
    os.mkdir(folder)
    with qtbot.waitSignal(starts.came, timeout=20_000) as came:
        second = start(SECOND, home, folder)
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=20_000)
    said = second.communicate()[0].split("\n")
    assert bytes(came.args[0]) == os.path.realpath(folder)
    assert said[0] == "later"
    assert [name for name in said if name.startswith(("PySide6", "pygit2", "backtrail_desktop.shell.w"))] == []


def test_two_starts_at_the_same_moment_give_one_window(home: Path) -> None:
    both = [start(HOLD, home) for _ in range(6)]
    said = [process.stdout.readline().strip() for process in both if process.stdout]
    for process in both:
        process.communicate()
    assert sorted(said) == ["first", *["later"] * 5]


def test_a_socket_of_a_killed_window_is_no_obstacle(home: Path) -> None:
    killed = start(HOLD, home)
    assert killed.stdout is not None
    assert killed.stdout.readline() == "first\n"
    killed.kill()
    killed.communicate()
    assert socket_to_serve(home / "window").is_socket()
    made = become_single(home, None)
    assert made is not None
    made.close()


def test_a_window_that_hangs_is_told_within_five_seconds(home: Path) -> None:
    hanging = start(HOLD, home)
    assert hanging.stdout is not None
    assert hanging.stdout.readline() == "first\n"
    hanging.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    with pytest.raises(WindowNotAnswering):
        become_single(home, b"/")
    took = time.monotonic() - began
    hanging.send_signal(signal.SIGCONT)
    hanging.communicate()
    assert took < 5


def test_another_data_folder_has_a_window_of_its_own(first: Single, home: Path) -> None:
    other = become_single(home.with_name("other"), None)
    assert other is not None
    assert other.listening.getsockname() != first.listening.getsockname()
    other.close()


def test_nobody_else_reaches_the_socket(first: Single) -> None:
    path = Path(first.listening.getsockname())
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "message",
    [b"", b"\0\xff\n", b"show 1", b"show 2\n/", b"show 1\nrelative", b"show 1\n/a\0b", b"show 1\n/" + b"a" * LONGEST],
)
def test_what_is_no_message_does_nothing(qtbot: QtBot, starts: LaterStarts, home: Path, message: bytes) -> None:
    heard: list[object] = []
    starts.came.connect(heard.append)
    assert folder_in(message) is None
    with say(home, message) as bad, say(home, b"show 1\n/then") as good:
        bad.shutdown(socket.SHUT_WR)
        qtbot.waitUntil(lambda: not starts.children()[1:] or bool(heard), timeout=20_000)
        good.shutdown(socket.SHUT_WR)
        qtbot.waitUntil(lambda: b"/then" in heard, timeout=20_000)
    assert heard == [b"/then"]
