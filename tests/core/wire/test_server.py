"""One client's silence, slowness or nonsense costs that client its connection and nobody else anything."""

import os
import pathlib
import subprocess
import sys
import threading
import time

import pytest
from backtrail import __version__
from backtrail.wire.client import Client
from backtrail.wire.errors import HostRefused, HostStopped
from backtrail.wire.frames import LONGEST, framed
from backtrail.wire.limits import LIMITS, Limits
from backtrail.wire.messages import (
    PROTOCOL,
    Alive,
    Answer,
    Cancel,
    Hello,
    Refusal,
    Refused,
    Request,
    Role,
    Welcome,
    frame_of,
)
from backtrail.wire.server import Server
from core.wire.by_hand import ByHand, hello, wait_for_clients
from core.wire.work import Work

TESTS = pathlib.Path(__file__).parents[2]
WELCOME = Welcome(pid=os.getpid(), product=__version__)


def padded(number: int, length: int) -> bytes:
    """Return a request for `length` whose JSON has exactly so many bytes."""
    spare = length - (len(frame_of(Request(number, "length", {"text": ""}))) - 4)
    return frame_of(Request(number, "length", {"text": "x" * spare}))


@pytest.mark.usefixtures("server")
def test_every_byte_in_a_write_of_its_own_is_understood(path: pathlib.Path) -> None:
    with ByHand(path) as client:
        for byte in frame_of(hello()) + frame_of(Request(1, "echo", {"a": "ä"})):
            client.sock.sendall(bytes([byte]))
        assert client.hear() == WELCOME
        assert client.hear() == Answer(1, {"a": "ä"})


@pytest.mark.usefixtures("server")
def test_many_frames_in_one_write_are_all_answered(path: pathlib.Path) -> None:
    with ByHand(path) as client:
        client.say(hello(), *(Request(number, "echo", {"n": number}) for number in range(60)))
        assert client.hear() == WELCOME
        answers = [client.hear() for _ in range(60)]
        assert sorted((one.number, one.result) for one in answers if isinstance(one, Answer)) == [
            (number, {"n": number}) for number in range(60)
        ]


@pytest.mark.usefixtures("server")
def test_a_request_of_exactly_one_mebibyte_is_answered(path: pathlib.Path) -> None:
    with ByHand(path) as client:
        client.say(hello())
        client.sock.sendall(padded(1, LONGEST))
        assert client.hear() == WELCOME
        answer = client.hear()
        assert isinstance(answer, Answer)
        assert isinstance(answer.result, int)
        assert answer.result > LONGEST - 100


BAD = {
    "one byte too long": (LONGEST + 1).to_bytes(4, "big"),
    "four gigabytes": b"\xff" * 4,
    "another protocol": b"GET / HTTP/1.1\r\n\r\n",
    "no JSON": framed(b"{"),
    "empty": framed(b""),
    "no message": framed(b"[]"),
    "a message of the Host": frame_of(Answer(1)),
    "nested without end": framed(b'{"kind":"request","number":1,"command":"a","arguments":' + b'{"a":' * 100_000),
    "not UTF-8": framed(b'{"kind":"request","number":1,"command":"\xff"}'),
}


@pytest.mark.parametrize("greeted", [False, True])
@pytest.mark.parametrize("bad", BAD)
def test_nonsense_closes_that_client_only(server: Server, path: pathlib.Path, bad: str, greeted: bool) -> None:  # noqa: FBT001 - a parameter of the test
    with Client.at(path, hello()) as other, ByHand(path) as client:
        if greeted:
            client.say(hello())
            assert client.hear() == WELCOME
        client.sock.sendall(BAD[bad])
        assert client.hear_all() == []
        assert other.ask("echo", {"still": "here"}) == {"still": "here"}
        assert server.clients == 1


@pytest.mark.parametrize("first", [Request(1, "echo"), Cancel(1)])
@pytest.mark.usefixtures("server")
def test_nothing_is_done_for_a_client_that_does_not_say_who_it_is(path: pathlib.Path, first: Request | Cancel) -> None:
    with ByHand(path) as client:
        client.say(first, hello())
        assert client.hear_all() == []


@pytest.mark.usefixtures("server")
def test_a_second_hello_closes_the_client(path: pathlib.Path) -> None:
    with ByHand(path) as client:
        client.say(hello(), hello())
        assert set(client.hear_all()) <= {WELCOME}


@pytest.mark.usefixtures("server")
def test_a_number_used_twice_closes_the_client_rather_than_mix_answers(path: pathlib.Path) -> None:
    with ByHand(path) as client:
        client.say(hello(), Request(1, "hold", {"name": "a"}), Request(1, "echo"))
        assert set(client.hear_all()) <= {WELCOME}


@pytest.mark.parametrize("said", [b"", frame_of(hello())[:-1], b"\0"], ids=["nothing", "half a hello", "a byte"])
@pytest.mark.usefixtures("server")
def test_a_silent_client_is_let_go_and_holds_up_nobody(path: pathlib.Path, said: bytes) -> None:
    begun = time.monotonic()
    with ByHand(path) as silent:
        silent.sock.sendall(said)
        with Client.at(path, hello()) as other:
            assert other.ask("echo") == {}
            assert time.monotonic() - begun < 3
            assert silent.hear_all() == []
            assert time.monotonic() - begun > 2.9
            assert other.ask("echo") == {}


def test_a_hello_that_drips_does_not_buy_time(path: pathlib.Path, work: Work) -> None:
    begun = time.monotonic()
    with Server.open(path, work, lock_held=True, limits=Limits(hello_s=0.3)), ByHand(path) as client:
        client.sock.settimeout(0.05)
        for byte in frame_of(hello()):
            try:
                client.sock.sendall(bytes([byte]))
                assert client.hear() is None
                break
            except TimeoutError:
                continue
            except BrokenPipeError:  # it was let go between two bytes
                break
        else:
            pytest.fail("welcomed")
        assert 0.25 < time.monotonic() - begun < 0.05 * len(frame_of(hello()))


@pytest.mark.usefixtures("server")
def test_half_a_frame_after_the_hello_holds_up_nobody(path: pathlib.Path) -> None:
    with ByHand(path) as client, Client.at(path, hello()) as other:
        request = padded(1, LONGEST)
        client.say(hello())
        client.sock.sendall(request[: LONGEST // 2])
        assert client.hear() == WELCOME
        assert [other.ask("echo", {"n": number}) for number in range(100)] == [{"n": number} for number in range(100)]
        client.sock.sendall(request[LONGEST // 2 :])
        assert isinstance(client.hear(), Answer)


@pytest.mark.usefixtures("server")
def test_another_version_is_told_which_one_this_is(path: pathlib.Path) -> None:
    with ByHand(path) as client:
        client.sock.sendall(framed(b'{"kind":"hello","protocol":99,"role":["a","later","shape"]}'))
        assert client.hear_all() == [Refused(code=Refusal.OTHER_VERSION, protocol=PROTOCOL, product=__version__)]
    with pytest.raises(HostRefused) as refused:
        Client.at(path, Hello(protocol=PROTOCOL + 1, role=Role.HOOK, pid=1, product="9.9"))
    assert refused.value.facts() == {"why": "other-version", "protocol": PROTOCOL, "product": __version__}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_is_refused_even_where_the_folder_lets_them_in(
    server: Server, path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    tmp_path.chmod(0o711)
    path.chmod(0o666)
    said = subprocess.run(
        [sys.executable, "-m", "core.wire.another_user"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(TESTS)},
        capture_output=True, text=True, check=True, timeout=60,
    ).stdout.splitlines()  # fmt: skip
    assert said == [
        str([Refused(code=Refusal.OTHER_USER, product=__version__)]),
        str({"uid": 0}),
    ]
    assert server.clients == 0


def test_one_client_too_many_is_told_so(path: pathlib.Path, work: Work) -> None:
    with Server.open(path, work, lock_held=True, limits=Limits(clients=2)) as server:
        with Client.at(path, hello()), Client.at(path, hello()) as second:
            with pytest.raises(HostRefused) as refused:
                Client.at(path, hello())
            assert refused.value.why == "too-busy"
            assert second.ask("echo") == {}
        wait_for_clients(server, 0)
        with Client.at(path, hello()) as client:
            assert client.ask("echo") == {}


def test_signs_of_life_come_while_nothing_else_does(path: pathlib.Path, work: Work) -> None:
    with Server.open(path, work, lock_held=True, limits=Limits(alive_s=0.1)), ByHand(path) as client:
        begun = time.monotonic()
        client.say(hello())
        assert client.hear() == WELCOME
        assert [client.hear() for _ in range(5)] == [Alive()] * 5
        assert 0.35 < time.monotonic() - begun < 5 * LIMITS.alive_s


@pytest.mark.usefixtures("server")
def test_fifty_clients_at_once_each_get_their_own_answers(path: pathlib.Path) -> None:
    together = threading.Barrier(50)
    right: list[bool] = []

    def use(name: int) -> None:
        together.wait(20)
        with Client.at(path, hello()) as client:
            right.append(all(client.ask("echo", {"n": [name, turn]}) == {"n": [name, turn]} for turn in range(20)))

    threads = [threading.Thread(target=use, args=(name,)) for name in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert right == [True] * 50


def test_a_client_that_leaves_in_the_middle_costs_nothing(server: Server, path: pathlib.Path, work: Work) -> None:
    with ByHand(path) as client:
        client.say(hello(), Request(1, "hold", {"name": "a"}))
        assert client.hear() == WELCOME
        assert work.begun["a"].wait(20)
    with Client.at(path, hello()) as other:
        other.ask("release", {"name": "a"})
        assert other.ask("echo") == {}
        wait_for_clients(server, 1)


def test_answers_that_nobody_reads_cost_that_client_only(path: pathlib.Path, work: Work) -> None:
    with (
        Server.open(path, work, lock_held=True, limits=Limits(queue_bytes=3 << 20)),
        ByHand(path) as greedy,
        Client.at(path, hello()) as other,
    ):
        greedy.say(hello(), *(Request(number, "letters", {"count": 1_000_000}) for number in range(20)))
        for number in range(20):
            assert other.ask("echo", {"n": number}) == {"n": number}
        assert len(greedy.hear_all()) < 20
        assert other.ask("echo") == {}


def test_a_write_that_nobody_reads_ends(path: pathlib.Path, work: Work) -> None:
    with Server.open(path, work, lock_held=True, limits=Limits(stall_s=0.3)) as server, ByHand(path) as client:
        client.say(hello())
        assert client.hear() == WELCOME
        client.say(Request(1, "letters", {"count": 1_000_000}))
        wait_for_clients(server, 0)
        assert len(client.hear_all()) <= 1


def test_close_is_an_end_of_file_for_everyone_and_leaves_nothing(path: pathlib.Path, work: Work) -> None:
    descriptors, threads = len(os.listdir("/proc/self/fd")), set(threading.enumerate())
    server = Server.open(path, work, lock_held=True)
    ready = [Client.at(path, hello()) for _ in range(10)]
    silent = [ByHand(path) for _ in range(10)]
    stuck = ByHand(path)
    stuck.say(hello(), *(Request(number, "letters", {"count": 1_000_000}) for number in range(5)))
    assert stuck.hear() == WELCOME
    for client in ready:
        assert client.ask("echo") == {}
    begun = time.monotonic()
    server.close()
    assert time.monotonic() - begun < 2
    assert not server.running
    assert not path.exists()
    for client in ready:
        with pytest.raises(HostStopped):
            client.ask("echo")
        client.close()
    for one in [*silent, stuck]:
        one.hear_all()
        one.sock.close()
    work.workers.shutdown()
    assert set(threading.enumerate()) <= threads
    assert len(os.listdir("/proc/self/fd")) == descriptors
    server.close()


def test_what_was_answered_before_close_still_arrives(path: pathlib.Path, work: Work) -> None:
    server = Server.open(path, work, lock_held=True)
    with ByHand(path) as client:
        client.say(hello(), *(Request(number, "letters", {"count": 500_000}) for number in range(8)))
        assert client.hear() == WELCOME
        with Client.at(path, hello()) as other:
            assert other.ask("echo") == {}
        work.workers.shutdown()
        heard: list[object] = []
        reader = threading.Thread(target=lambda: heard.extend(client.hear_all()))
        reader.start()
        server.close()
        reader.join(20)
    assert len([one for one in heard if isinstance(one, Answer)]) == 8
