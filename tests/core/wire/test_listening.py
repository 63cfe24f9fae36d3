import pathlib
import socket

import pytest
from backtrail.wire.client import Client
from backtrail.wire.errors import NoHost, SocketTaken
from backtrail.wire.listening import Listener
from backtrail.wire.server import Server
from core.wire.by_hand import hello
from core.wire.work import Work


def leave_stale(path: pathlib.Path) -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(path))


def test_a_stale_socket_is_removed_only_under_the_lock(path: pathlib.Path, work: Work) -> None:
    leave_stale(path)
    with pytest.raises(NoHost):
        Client.at(path, hello())
    with pytest.raises(SocketTaken):
        Server.open(path, work, lock_held=False)
    assert path.is_socket()
    with Server.open(path, work, lock_held=True), Client.at(path, hello()) as client:
        assert client.ask("echo") == {}


def test_a_living_hosts_socket_is_not_taken_without_the_lock(server: Server, path: pathlib.Path, work: Work) -> None:
    with pytest.raises(SocketTaken):
        Server.open(path, work, lock_held=False)
    assert server.running
    with Client.at(path, hello()) as client:
        assert client.ask("echo") == {}


def test_a_file_in_the_place_of_the_socket_is_never_removed(path: pathlib.Path, work: Work) -> None:
    path.write_text("someone's")
    for lock_held in (False, True):
        with pytest.raises(SocketTaken):
            Server.open(path, work, lock_held=lock_held)
    assert path.read_text() == "someone's"


def test_the_socket_is_this_users_alone_and_gone_after_close(path: pathlib.Path) -> None:
    listener = Listener.open(path, lock_held=True)
    assert path.stat().st_mode & 0o777 == 0o600
    listener.close()
    assert not path.exists()
    listener.close()


def test_closing_late_does_not_remove_the_next_hosts_socket(path: pathlib.Path) -> None:
    first = Listener.open(path, lock_held=True)
    second = Listener.open(path, lock_held=True)
    first.close()
    assert path.is_socket()
    second.close()
    assert not path.exists()
