import os
import pathlib
import signal
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from backtrail.wire.address import socket_to_serve
from backtrail.wire.client import Client
from backtrail.wire.errors import Damage, FrameDamaged, HostNotAnswering, HostStopped, NoHost
from backtrail.wire.frames import framed
from backtrail.wire.limits import LIMITS, Limits
from backtrail.wire.messages import Alive, Answer, Role, Welcome, frame_of
from backtrail.wire.server import Server
from core.wire.by_hand import PATIENCE_S, hello
from core.wire.work import Work

WELCOME = frame_of(Welcome(pid=1, product="by hand"))


@pytest.fixture
def listener(path: pathlib.Path) -> Iterator[socket.socket]:
    """A Host that says only what the test says."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(PATIENCE_S)
        sock.bind(os.fsencode(path))
        sock.listen(1)
        yield sock


@pytest.fixture
def full_queue(listener: socket.socket, path: pathlib.Path) -> Iterator[None]:
    """As many newcomers before the Host's door as there may be."""
    del listener
    with socket.socket(socket.AF_UNIX) as one, socket.socket(socket.AF_UNIX) as other:
        for sock in (one, other):
            sock.connect(os.fsencode(path))
        yield


def welcomed(listener: socket.socket, path: pathlib.Path, limits: Limits) -> tuple[Client, socket.socket]:
    """Return a client, and the Host's end of it."""
    ends: list[socket.socket] = []

    def take() -> None:
        ends.append(listener.accept()[0])
        ends[0].sendall(WELCOME)

    thread = threading.Thread(target=take)
    thread.start()
    client = Client.at(path, hello(), limits=limits)
    thread.join()
    return client, ends[0]


def look_again_and_again(client: Client) -> None:
    for _ in range(100):
        assert list(client.events(0.05)) == []


def test_nothing_there_is_told_at_once(path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(NoHost):
        Client.at(path, hello())
    with pytest.raises(NoHost) as refused:
        Client.connect(tmp_path / "home", Role.HOOK)
    assert refused.value.home == str(tmp_path / "home")


@pytest.mark.usefixtures("listener")
def test_a_host_that_does_not_welcome_is_not_waited_for_for_ever(path: pathlib.Path) -> None:
    begun = time.monotonic()
    with pytest.raises(HostNotAnswering):
        Client.at(path, hello(), limit_s=0.3)
    assert 0.3 <= time.monotonic() - begun < LIMITS.silent_s


@pytest.mark.usefixtures("full_queue")
def test_a_full_queue_of_newcomers_is_not_waited_for_for_ever(path: pathlib.Path) -> None:
    begun = time.monotonic()
    with pytest.raises(HostNotAnswering):
        Client.at(path, hello(), limit_s=0.3)
    assert 0.3 <= time.monotonic() - begun < LIMITS.silent_s


@pytest.mark.usefixtures("full_queue")
def test_a_signal_while_a_newcomer_waits_does_not_make_the_host_another_users(
    path: pathlib.Path, request: pytest.FixtureRequest
) -> None:
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    request.addfinalizer(lambda: signal.signal(signal.SIGUSR1, before))
    waiter, done = threading.get_ident(), threading.Event()

    def disturb() -> None:
        while not done.wait(0.01):
            signal.pthread_kill(waiter, signal.SIGUSR1)

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        with pytest.raises(HostNotAnswering):
            Client.at(path, hello(), limit_s=0.3)
    finally:
        done.set()
        thread.join()


def test_a_host_that_closes_without_a_word_has_stopped(listener: socket.socket, path: pathlib.Path) -> None:
    def close_at_once() -> None:
        sock, _ = listener.accept()
        sock.close()

    thread = threading.Thread(target=close_at_once)
    thread.start()
    with pytest.raises(HostStopped):
        Client.at(path, hello())
    thread.join()


def test_silence_is_told_from_slowness(listener: socket.socket, path: pathlib.Path) -> None:
    client, host = welcomed(listener, path, Limits(silent_s=0.4))
    with client, host:
        number = client.begin("long")
        alive = threading.Event()

        def live() -> None:
            for _ in range(10):
                alive.wait(0.1)
                host.sendall(frame_of(Alive()))
            host.sendall(frame_of(Answer(number, "late")))

        thread = threading.Thread(target=live)
        thread.start()
        assert client.wait(number) == "late"
        thread.join()
        begun = time.monotonic()
        with pytest.raises(HostNotAnswering) as silent:
            client.ask("long")
        assert 0.3 < time.monotonic() - begun < LIMITS.silent_s
        assert silent.value.silent_s >= 0.4


def test_short_looks_add_up_to_a_long_silence(listener: socket.socket, path: pathlib.Path) -> None:
    client, host = welcomed(listener, path, Limits(silent_s=0.5))
    with client, host:
        begun = time.monotonic()
        with pytest.raises(HostNotAnswering):
            look_again_and_again(client)
        assert 0.4 < time.monotonic() - begun < LIMITS.silent_s


def test_a_client_that_did_not_look_for_long_does_not_blame_the_host(
    listener: socket.socket, path: pathlib.Path
) -> None:
    client, host = welcomed(listener, path, Limits(silent_s=0.2))
    with client, host:
        host.settimeout(0.4)
        with pytest.raises(TimeoutError):
            host.recv(1000) and host.recv(1000)
        assert list(client.events(0.05)) == []


def test_a_host_that_comes_back_is_heard_again(listener: socket.socket, path: pathlib.Path) -> None:
    client, host = welcomed(listener, path, Limits(silent_s=0.1))
    with client, host:
        number = client.begin("long")
        with pytest.raises(HostNotAnswering):
            client.wait(number)
        host.sendall(frame_of(Answer(number, "back")))
        assert client.wait(number) == "back"


def test_a_host_that_does_not_read_is_not_answering(listener: socket.socket, path: pathlib.Path) -> None:
    client, host = welcomed(listener, path, Limits(silent_s=0.3))
    with client, host:
        begun = time.monotonic()
        with pytest.raises(HostNotAnswering):
            client.begin("echo", {"text": "x" * 1_000_000})
        assert 0.3 <= time.monotonic() - begun < LIMITS.silent_s


def test_an_end_in_the_middle_of_a_frame_is_an_end(listener: socket.socket, path: pathlib.Path) -> None:
    client, host = welcomed(listener, path, Limits())
    with client:
        host.sendall(frame_of(Answer(1, "whole")) + frame_of(Answer(2, "half"))[:-1])
        host.close()
        number = client._last = 1
        client._under_way[number] = "echo"
        assert client.wait(number) == "whole"
        with pytest.raises(HostStopped):
            list(client.events(5))
        with pytest.raises(HostStopped):
            client.ask("echo")


@pytest.mark.parametrize(("said", "damage"), [(b"{", Damage.NOT_JSON), (b'{"kind":"cancel"}', Damage.NOT_A_MESSAGE)])
def test_nonsense_from_a_host_is_a_typed_error(
    listener: socket.socket, path: pathlib.Path, said: bytes, damage: Damage
) -> None:
    client, host = welcomed(listener, path, Limits())
    with client, host:
        host.sendall(framed(said))
        with pytest.raises(FrameDamaged) as refused:
            client.ask("echo")
        assert refused.value.damage is damage


def test_the_host_of_a_data_folder_is_found(tmp_path: pathlib.Path, work: Work, runtime: pathlib.Path) -> None:
    home = tmp_path / "home"
    assert socket_to_serve(home).parent == runtime / "backtrail"
    with Server.open(socket_to_serve(home), work, lock_held=True), Client.connect(home, Role.HOOK) as client:
        assert client.welcome.pid == os.getpid()
        assert client.ask("echo", {"a": 1}) == {"a": 1}
