import os
import pathlib
import signal
import subprocess
import sys

import pytest
from backtrail.model.progress import Cancelled
from backtrail.wire.client import Client
from backtrail.wire.errors import CommandFailed, FrameTooLong, TookTooLong
from backtrail.wire.frames import LONGEST
from backtrail.wire.limits import Limits
from backtrail.wire.messages import Cancel, Failure, Progress, Request, Welcome
from backtrail.wire.parts import WHOLE_LIMIT
from backtrail.wire.server import Server
from core.wire.by_hand import ByHand, hello
from core.wire.work import Work

TESTS = pathlib.Path(__file__).parents[2]


def code_of(client: Client, command: str, arguments: dict[str, object] | None = None) -> str:
    with pytest.raises(CommandFailed) as failed:
        client.ask(command, arguments)
    return failed.value.code


@pytest.mark.usefixtures("server")
def test_answers_find_their_requests_in_whatever_order_they_come(path: pathlib.Path) -> None:
    with Client.at(path, hello()) as client:
        slow, fast = client.begin("hold", {"name": "slow"}), client.begin("hold", {"name": "fast"})
        client.ask("release", {"name": "fast"})
        assert client.wait(fast) == "fast"
        assert client.ask("echo", {"meanwhile": 1}) == {"meanwhile": 1}
        client.ask("release", {"name": "slow"})
        assert client.wait(slow) == "slow"


def test_work_queued_elsewhere_holds_no_worker(path: pathlib.Path, work: Work) -> None:
    with Server.open(path, work, lock_held=True), Client.at(path, hello()) as client:
        queued = [client.begin("queued", {"name": f"q{number}"}) for number in range(20)]
        for number in reversed(range(1, 20)):
            work.begun[f"q{number}"].set()
            client.ask("release", {"name": f"q{number}"})
        assert client.ask("echo") == {}
        client.ask("release", {"name": "q0"})
        assert [client.wait(number) for number in queued] == [f"q{number}" for number in range(20)]


@pytest.mark.usefixtures("server")
def test_a_refusal_arrives_with_its_code_and_facts(path: pathlib.Path) -> None:
    with Client.at(path, hello()) as client, pytest.raises(CommandFailed) as failed:
        client.ask("refuse", {"given": "nots"})
    assert failed.value.code == "unknown-id"
    assert failed.value.facts() == {"kind": "memory", "given": "nots"}


@pytest.mark.usefixtures("server")
def test_a_refusal_whose_facts_cannot_be_written_keeps_its_code(path: pathlib.Path) -> None:
    with Client.at(path, hello()) as client:
        assert code_of(client, "refuse_without_facts") == "unsafe-path"
        assert code_of(client, "refuse_with_odd_facts") == "unknown-id"
        assert client.ask("echo") == {}


@pytest.mark.usefixtures("server")
def test_a_crash_is_told_and_the_next_request_answered(path: pathlib.Path) -> None:
    with Client.at(path, hello()) as client:
        for command in ("crash", "queued_crash", "unwritable", "surrogate", "deep", "no such command"):
            assert code_of(client, command) == "internal-error"
        assert client.ask("echo") == {}


@pytest.mark.usefixtures("server")
def test_an_answer_longer_than_a_message_arrives_whole_and_one_beyond_all_bounds_is_a_failure(
    path: pathlib.Path,
) -> None:
    with Client.at(path, hello()) as client:
        assert client.ask("letters", {"count": LONGEST}) == "x" * LONGEST
        assert code_of(client, "letters", {"count": WHOLE_LIMIT}) == "answer-too-long"
        assert code_of(client, "refuse", {"given": "x" * (LONGEST - 100)}) == "unknown-id"
        assert client.ask("letters", {"count": LONGEST - 100}) == "x" * (LONGEST - 100)
        with pytest.raises(FrameTooLong):
            client.ask("echo", {"text": "x" * WHOLE_LIMIT})
        assert client.ask("echo", {"text": "x" * 2 * LONGEST}) == {"text": "x" * 2 * LONGEST}
        assert client.ask("echo") == {}


@pytest.mark.usefixtures("server")
def test_progress_is_told_step_by_step(path: pathlib.Path) -> None:
    told: list[Progress] = []
    with Client.at(path, hello()) as client:
        assert client.ask("steps", on_progress=told.append) == "done"
        assert client.ask("steps") == "done"
    assert [(one.step, one.done, one.total) for one in told] == [
        ("copy", 0, 2),
        ("copy", 2, 2),
        ("verify", 0, None),
    ]


@pytest.mark.usefixtures("server")
def test_a_cancelled_request_is_answered_so_and_the_others_go_on(path: pathlib.Path) -> None:
    def stop(_: Progress) -> None:
        raise Cancelled

    with Client.at(path, hello()) as client:
        held = client.begin("hold", {"name": "other"})
        with pytest.raises(CommandFailed) as failed:
            client.ask("long", on_progress=stop)
        assert failed.value.code == "cancelled"
        client.ask("release", {"name": "other"})
        assert client.wait(held) == "other"


@pytest.mark.usefixtures("server")
def test_ctrl_c_at_a_command_line_cancels_and_waits_for_the_end(path: pathlib.Path) -> None:
    command = [sys.executable, "-m", "core.wire.asker", str(path)]
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as asker:
        assert asker.stdout
        assert asker.stdout.readline() == "going\n"
        asker.send_signal(signal.SIGINT)
        assert asker.stdout.read().splitlines()[-1] == "cancelled"


@pytest.mark.usefixtures("server")
def test_queued_work_that_is_cancelled_never_begins(path: pathlib.Path, work: Work) -> None:
    with Client.at(path, hello()) as client:
        first = client.begin("queued", {"name": "first"})
        assert work.begun["first"].wait(20)
        second = client.begin("queued", {"name": "second"})
        client.cancel(second)
        with pytest.raises(CommandFailed) as failed:
            client.wait(second)
        assert failed.value.code == "cancelled"
        assert not work.begun["second"].is_set()
        client.ask("release", {"name": "first"})
        assert client.wait(first) == "first"


@pytest.mark.usefixtures("server")
def test_a_cancel_that_comes_too_late_or_for_nothing_is_no_harm(path: pathlib.Path) -> None:
    with Client.at(path, hello()) as client:
        client.cancel(77)
        client.cancel()
        assert client.ask("echo") == {}
        client.cancel(1)
        assert client.ask("echo") == {}


@pytest.mark.usefixtures("server")
def test_a_hook_that_cannot_wait_leaves_and_the_late_answer_is_not_taken_for_another(path: pathlib.Path) -> None:
    with Client.at(path, hello()) as client:
        with pytest.raises(TookTooLong) as late:
            client.ask("hold", {"name": "turn"}, limit_s=0.1)
        assert late.value.facts() == {"command": "hold", "limit_s": 0.1}
        client.ask("release", {"name": "turn"})
        assert [client.ask("echo", {"n": number}) for number in range(3)] == [{"n": 0}, {"n": 1}, {"n": 2}]
        assert not client._settled


def test_requests_without_end_are_refused_one_by_one(path: pathlib.Path, work: Work) -> None:
    limits = Limits(requests=3)
    with Server.open(path, work, lock_held=True, limits=limits), ByHand(path) as client:
        client.say(hello(), *(Request(number, "hold", {"name": "a"}) for number in range(4)))
        assert isinstance(client.hear(), Welcome)
        assert client.hear() == Failure(3, "too-busy", {"requests": 3})
        client.say(Cancel(0))
        work.released["a"].set()
        assert {client.hear().number for _ in range(3)} == {0, 1, 2}  # type: ignore[union-attr]


def test_a_request_after_the_workers_ended_is_refused(path: pathlib.Path, work: Work) -> None:
    with Server.open(path, work, lock_held=True), Client.at(path, hello()) as client:
        work.workers.shutdown()
        assert code_of(client, "echo") == "host-stopping"
