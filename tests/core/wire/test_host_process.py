"""A real Host process that is stopped, killed, started again, and short of descriptors."""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import psutil
import pytest
from backtrail.wire.address import sockets_of
from backtrail.wire.client import Client
from backtrail.wire.errors import HostNotAnswering, HostStopped, NoHost
from backtrail.wire.limits import LIMITS
from backtrail.wire.messages import Role
from core.wire.by_hand import PATIENCE_S

TESTS = pathlib.Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: pathlib.Path, runtime: pathlib.Path) -> pathlib.Path:
    assert runtime.is_dir()
    return tmp_path / "home"


@contextlib.contextmanager
def started(home: pathlib.Path, *more: str) -> Iterator["subprocess.Popen[str]"]:
    """Run a Host; end it at the end by closing its standard input, or the hard way where a test failed."""
    host = subprocess.Popen(
        [sys.executable, "-m", "core.wire.host_process", str(home), *more],
        env=os.environ | {"PYTHONPATH": str(TESTS)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert host.stdout
        assert host.stdout.readline() == "ready\n"
        yield host
        host.communicate(timeout=PATIENCE_S)
    finally:
        host.kill()
        host.communicate()


def connect(home: pathlib.Path) -> Client:
    return Client.connect(home, Role.COMMAND_LINE)


@pytest.mark.slow
def test_a_stopped_host_is_said_to_be_not_answering_within_seven_seconds(home: pathlib.Path) -> None:
    with started(home) as host, connect(home) as client:
        assert client.ask("echo") == {}
        host.send_signal(signal.SIGSTOP)
        os.waitpid(host.pid, os.WUNTRACED)  # it stops a moment after the signal was sent, and may still answer
        begun = time.monotonic()
        with pytest.raises(HostNotAnswering):
            client.ask("echo")
        assert 5.9 < time.monotonic() - begun < 7
        begun = time.monotonic()
        with pytest.raises(HostNotAnswering):
            Client.connect(home, Role.HOOK, limit_s=0.5)
        assert time.monotonic() - begun < LIMITS.silent_s
        host.send_signal(signal.SIGCONT)
        assert client.ask("echo", {"again": True}) == {"again": True}


def test_a_killed_host_is_said_to_have_stopped_at_once_and_its_socket_does_not_hinder_the_next(
    home: pathlib.Path,
) -> None:
    with started(home) as host, connect(home) as client:
        number = client.begin("hold", {"name": "for ever"})
        assert client.ask("echo") == {}
        host.kill()
        host.wait()
        begun = time.monotonic()
        with pytest.raises(HostStopped):
            client.wait(number)
        assert time.monotonic() - begun < LIMITS.alive_s
    [stale] = sockets_of(home)
    assert stale.is_relative_to(os.environ["XDG_RUNTIME_DIR"])
    with pytest.raises(NoHost):
        connect(home)
    with started(home) as host, connect(home) as client:
        assert client.ask("echo") == {}
        assert sockets_of(home) == [stale]
    assert host.returncode == 0
    assert sockets_of(home) == []


def test_out_of_descriptors_newcomers_wait_and_the_host_does_not_spin(home: pathlib.Path) -> None:
    with started(home, "3") as host, contextlib.ExitStack() as clients:
        taken = [clients.enter_context(connect(home)) for _ in range(3)]
        process = psutil.Process(host.pid)
        before = sum(process.cpu_times()[:2])
        with pytest.raises(HostNotAnswering):
            Client.connect(home, Role.HOOK, limit_s=1.5)
        assert sum(process.cpu_times()[:2]) - before < 0.3
        assert [client.ask("echo") for client in taken] == [{}] * 3
        clients.close()
        with connect(home) as client:
            assert client.ask("echo") == {}
