"""The window starts the Host where there is none; it never has two, and ends only its own."""

import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from backtrail.model.commands import ListMemories
from backtrail_desktop.client.host_client import HostClient
from backtrail_desktop.client.port import Link
from backtrail_desktop.client.starting import HostStarter
from desktop.client.background import Background
from desktop.client.hearing import Hearing, Reply
from pytestqt.qtbot import QtBot

LONG_MS = 20_000


@pytest.fixture
def starter(client: HostClient, home: pathlib.Path) -> Iterator[HostStarter]:
    made = HostStarter(client, home)
    yield made
    made.stop()


def test_a_host_is_started_outlives_no_wish_to_stop_it_and_is_started_again(
    qtbot: QtBot, client: HostClient, starter: HostStarter, hearing: Hearing
) -> None:
    client.start()
    qtbot.waitUntil(lambda: hearing.is_(Link.READY), timeout=LONG_MS)
    pid = starter.pid
    assert pid is not None
    assert os.getsid(pid) == pid, "Ctrl+C at the window's terminal must not end it"
    asked = Reply(client, ListMemories())
    qtbot.waitUntil(lambda: bool(asked.answers), timeout=LONG_MS)
    os.kill(pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: hearing.is_(Link.STOPPED), timeout=LONG_MS)
    client.start()
    qtbot.waitUntil(lambda: hearing.is_(Link.READY), timeout=LONG_MS)
    again = starter.pid
    assert again not in {None, pid}
    starter.stop()
    assert starter.pid is None
    qtbot.waitUntil(lambda: hearing.is_(Link.STOPPED), timeout=LONG_MS)


def test_a_host_that_serves_already_is_used_and_left_running(
    qtbot: QtBot, background: Background, client: HostClient, starter: HostStarter, hearing: Hearing
) -> None:
    background.start()
    client.start()
    qtbot.waitUntil(lambda: hearing.is_(Link.READY), timeout=LONG_MS)
    assert starter.pid is None
    starter.stop()
    assert background.process is not None
    assert background.process.poll() is None


def test_a_host_that_another_window_uses_goes_on_when_the_one_that_started_it_is_closed(
    qtbot: QtBot, client: HostClient, starter: HostStarter, hearing: Hearing, home: pathlib.Path
) -> None:
    client.start()
    qtbot.waitUntil(lambda: hearing.is_(Link.READY), timeout=LONG_MS)
    client_of_other = HostClient(home)
    other = HostStarter(client_of_other, home)
    client_of_other.start()
    qtbot.waitUntil(lambda: client_of_other.link.link is Link.READY, timeout=LONG_MS)
    starter.stop()
    assert starter.pid is not None
    asked = Reply(client_of_other, ListMemories())
    qtbot.waitUntil(lambda: bool(asked.answers), timeout=LONG_MS)
    client_of_other.close()
    other.stop()
    assert starter.pid is not None, "it is not the other window's to end"
    starter.stop()
    assert starter.pid is None


def test_why_it_cannot_start_is_told(
    qtbot: QtBot, client: HostClient, starter: HostStarter, hearing: Hearing, home: pathlib.Path
) -> None:
    home.mkdir()
    (home / "memories").write_text("in the way")
    with qtbot.waitSignal(starter.failed, timeout=LONG_MS) as told:
        client.start()
    assert "cannot be used" in told.args[0]
    assert hearing.is_(Link.STOPPED)
    (home / "memories").unlink()
    client.start()
    qtbot.waitUntil(lambda: hearing.is_(Link.READY), timeout=LONG_MS)


def test_a_data_folder_that_cannot_be_made_is_told(qtbot: QtBot, tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("")
    client = HostClient(tmp_path / "file" / "home")
    starter = HostStarter(client, tmp_path / "file" / "home")
    with qtbot.waitSignal(starter.failed, timeout=LONG_MS) as told:
        client.start()
    assert told.args[0] == "Not a directory"
    assert client.link.link is Link.STOPPED
    client.close()


def test_the_window_never_loads_what_reads_repositories_or_databases() -> None:
    script = """
import sys
import backtrail_desktop.shell.application
print("\\n".join(sys.modules))
"""
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pygit2", "peewee", "watchdog", "psutil", "isal"} & {name.split(".")[0] for name in loaded}
    ours = {name.split(".")[1] for name in loaded if name.startswith("backtrail.")}
    assert ours == {"model", "wire", "wording"}
