"""One object on stdout whatever happens: a program that reads two, or none, acts on the wrong one."""

import json
import signal

import pytest
from backtrail.cli.as_json import lost_json
from backtrail.cli.call import Call
from backtrail.cli.main import run
from backtrail.model.checkpoint import Lost
from backtrail.model.ids import Oid, RelPath

OID = Oid(bytes(20))


def test_a_word_that_is_no_text_does_not_break_the_answer(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    call = Call()
    call.json = True
    call.answer({"given": "a\udcff", "deep": [{"path": "größe"}]})
    assert json.loads(capfdbinary.readouterr().out) == {"given": "a\\xff", "deep": [{"path": "größe"}]}


def test_notices_are_told_once_and_only_when_there_are_any(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    call = Call()
    call.notices = [("Note: something", {"code": "something"})]
    call.answer({}, ["done"])
    call.answer({}, ["again"])
    told = capfdbinary.readouterr()
    assert (told.out, told.err) == (b"done\nagain\n", b"Note: something\n")
    call.json = True
    call.answer({"x": 1})
    assert json.loads(capfdbinary.readouterr().out) == {"x": 1}


def test_a_fault_of_ours_is_an_answer_too(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    before = signal.getsignal(signal.SIGTERM)
    try:
        assert run(["--json", "--home", "\0", "status"]) == 1  # a name that nobody can type, and no folder can have
    finally:
        signal.signal(signal.SIGTERM, before)
    told = capfdbinary.readouterr()
    assert json.loads(told.out)["error"]["code"] == "internal"
    assert b"Traceback" in told.err


def test_a_path_that_lost_both_contents_is_named_once() -> None:
    lost = (Lost(RelPath(b"a"), OID), Lost(RelPath(b"a"), OID, staged=True), Lost(RelPath(b"\xff"), OID))
    assert lost_json(lost) == [{"path": "a", "staged": True}, {"path": "\\xff", "path_b64": "/w=="}]
