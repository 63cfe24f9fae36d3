"""The reader as a real process: what it answers, and what a question costs that is given up or kills it."""

import os
import pathlib
import signal
from collections.abc import Iterator

import pytest
from backtrail.model.changes import FindNames, ListChanges, ReadContents, ReadDiff, SaveCopy, SaveEnd, Shown, TreePair
from backtrail.model.commands import ListMemories
from backtrail.model.ids import Oid
from backtrail_desktop.client.reader_client import ReaderClient
from core.git_oracle import ask, git
from desktop.client.hearing import Reply
from pytestqt.qtbot import QtBot

LONG_MS = 20_000


@pytest.fixture
def reader() -> Iterator[ReaderClient]:
    made = ReaderClient()
    yield made
    made.close()


def tree(root: pathlib.Path) -> Oid:
    git(root, "add", "-A")
    return Oid(bytes.fromhex(ask(root, "write-tree").strip().decode()))


def blob(root: pathlib.Path, text: str) -> Oid:
    (root / "blob").write_text(text)
    return Oid(bytes.fromhex(ask(root, "hash-object", "-w", "blob").strip().decode()))


def answered(qtbot: QtBot, reply: Reply) -> object:
    qtbot.waitUntil(lambda: reply.done, timeout=LONG_MS)
    assert reply.answers, reply.failures
    return reply.answers[0]


def test_what_differs_is_answered_in_order(qtbot: QtBot, reader: ReaderClient, root: pathlib.Path) -> None:
    before = tree(root)
    (root / "caf\udce9 \n.md").write_text("new\n")
    after = tree(root)
    here = os.fsencode(root)
    changes = Reply(reader, ListChanges(root=here, old=TreePair(before, before), new=TreePair(after, after)))
    names = Reply(reader, FindNames(root=here, trees=(after, before), text="CAF"))
    found = answered(qtbot, changes)
    assert {change.path for change in found.changes} == {b"caf\xe9 \n.md"}
    assert answered(qtbot, names).hits == (True,)
    diff = answered(qtbot, Reply(reader, ReadDiff(root=here, old=None, new=found.changes[0].new)))
    assert diff.shown is Shown.TEXT


def test_a_copy_is_saved_and_contents_are_read(qtbot: QtBot, reader: ReaderClient, root: pathlib.Path) -> None:
    here, content, target = os.fsencode(root), blob(root, "an hour\n"), root / "copy \udce9"
    gone = Oid(bytes(range(20)))
    save = SaveCopy(root=here, content=content, target=os.fsencode(target))
    assert answered(qtbot, Reply(reader, save)).end is SaveEnd.SAVED
    assert target.read_text() == "an hour\n"
    assert answered(qtbot, Reply(reader, save)).end is SaveEnd.EXISTS
    missing = SaveCopy(root=here, content=gone, target=os.fsencode(root / "other"))
    assert answered(qtbot, Reply(reader, missing)).end is SaveEnd.MISSING
    assert not (root / "other").exists()
    read = answered(qtbot, Reply(reader, ReadContents(root=here, old=gone, new=content, limit=8)))
    assert (read.old, read.new) == (None, b"an hour\n")
    read = answered(qtbot, Reply(reader, ReadContents(root=here, old=None, new=content, limit=7)))
    assert (read.old, read.new) == (None, None)


def test_a_difference_longer_than_a_message_arrives_whole(
    qtbot: QtBot, reader: ReaderClient, root: pathlib.Path
) -> None:
    new = blob(root, "".join(f"{number} {'x' * 150}\n" for number in range(9000)))
    diff = answered(qtbot, Reply(reader, ReadDiff(root=os.fsencode(root), old=None, new=new)))
    assert len(diff.lines) == 9001
    assert not diff.cut


def test_a_refusal_is_told_and_the_next_question_is_answered(
    qtbot: QtBot, reader: ReaderClient, root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    refused = Reply(reader, ReadDiff(root=os.fsencode(tmp_path / "nowhere"), old=None, new=None))
    unknown = Reply(reader, ListMemories())
    fine = Reply(reader, FindNames(root=os.fsencode(root), trees=(None,), text="x"))
    answered(qtbot, fine)
    assert refused.failures[0].remedy
    assert unknown.code == "unknown-command"


def test_a_question_given_up_does_not_keep_the_next_one_waiting(
    qtbot: QtBot, reader: ReaderClient, root: pathlib.Path
) -> None:
    here = os.fsencode(root)
    old = blob(root, "".join(f"{number * 7919 % 997}\n" for number in range(9_990)))
    new = blob(root, "".join(f"{number * 104_729 % 991}\n" for number in range(9_990)))
    answered(qtbot, Reply(reader, FindNames(root=here, trees=(None,), text="x")))
    pid = reader.pid
    slow = Reply(reader, ReadDiff(root=here, old=old, new=new))
    waiting = Reply(reader, FindNames(root=here, trees=(None,), text="x"))
    kept = Reply(reader, FindNames(root=here, trees=(None,), text="x"))
    qtbot.wait_until(lambda: reader._asked is slow.question, timeout=LONG_MS)
    slow.question.cancel()
    waiting.question.cancel()
    answered(qtbot, kept)
    assert (slow.code, waiting.code) == ("cancelled", "cancelled")
    assert reader.pid != pid


def test_a_reader_that_dies_costs_its_question_only(qtbot: QtBot, reader: ReaderClient, root: pathlib.Path) -> None:
    here = os.fsencode(root)
    answered(qtbot, Reply(reader, FindNames(root=here, trees=(None,), text="x")))
    os.kill(reader.pid, signal.SIGSTOP)
    stuck = Reply(reader, FindNames(root=here, trees=(None,), text="x"))
    kept = Reply(reader, FindNames(root=here, trees=(None,), text="x"))
    qtbot.wait_until(lambda: reader._asked is stuck.question, timeout=LONG_MS)
    os.kill(reader.pid, signal.SIGKILL)
    answered(qtbot, kept)
    assert stuck.code == "reader-stopped"
    os.kill(reader.pid, signal.SIGKILL)
    qtbot.wait_until(lambda: reader.pid == 0, timeout=LONG_MS)
    answered(qtbot, Reply(reader, FindNames(root=here, trees=(None,), text="x")))


def test_a_reader_that_cannot_start_fails_each_question_once(
    qtbot: QtBot, reader: ReaderClient, root: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    replies = [Reply(reader, FindNames(root=os.fsencode(root), trees=(None,), text="x")) for _ in range(3)]
    qtbot.waitUntil(lambda: all(reply.done for reply in replies), timeout=LONG_MS)
    assert {reply.code for reply in replies} == {"reader-stopped"}
