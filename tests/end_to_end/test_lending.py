"""A command line and a serving Host on one data folder: neither keeps the other out."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from backtrail.host.host import Host
from backtrail.host.serving import Serving
from end_to_end.command_line import PROGRAM, CommandLine

PATIENCE_S = 20.0


def wait_until_it_asked_for(lock: Path, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a process has opened the lock's file."""
    until = time.monotonic() + PATIENCE_S
    while True:
        assert time.monotonic() < until
        assert process.poll() is None
        for entry in Path(f"/proc/{process.pid}/fd").iterdir():
            try:
                if entry.readlink() == lock:
                    return
            except OSError:
                continue
        os.sched_yield()


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
        wait_until_it_asked_for(line.home / "lock", command)
        with Serving(host):
            told, _ = command.communicate(timeout=PATIENCE_S)
    assert command.returncode == 0
    assert told == b'{"memories":[]}\n'
