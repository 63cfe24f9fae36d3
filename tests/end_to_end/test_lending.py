"""A command line and a serving Host on one data folder: neither keeps the other out."""

import subprocess
import time
from pathlib import Path

import pytest
from backtrail.host.host import Host
from backtrail.host.serving import Serving
from end_to_end.command_line import PROGRAM, CommandLine

PATIENCE_S = 20.0
WAITS_S = 0.2


def wait_until_it_waits_for(lock: Path, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a process has had the lock's file open for a while: it has asked for a Host before, in vain."""
    began = time.monotonic()
    since = began
    while time.monotonic() - since < WAITS_S:
        assert time.monotonic() - began < PATIENCE_S
        assert process.poll() is None
        if not has_open(process.pid, lock):
            since = time.monotonic()


def has_open(pid: int, file: Path) -> bool:
    """Tell whether a process has a file open."""
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            if entry.readlink() == file:
                return True
        except OSError:
            continue
    return False


def test_a_command_given_while_the_host_starts_waits_for_it_only(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = str(tmp_path_factory.mktemp("run"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    line = CommandLine(tmp_path / "home")
    environment = line.environment | {"XDG_RUNTIME_DIR": runtime}
    with (
        Host.open(line.home) as host,
        subprocess.Popen([*PROGRAM, "--json", "memory", "list"], env=environment, stdout=subprocess.PIPE) as command,
    ):
        wait_until_it_waits_for(line.home / "lock", command)
        with Serving(host):
            told, _ = command.communicate(timeout=PATIENCE_S)
    assert command.returncode == 0
    assert told == b'{"memories":[]}\n'
