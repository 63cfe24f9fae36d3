"""The window's link to a real Host: what it asks is answered, and what it says of the Host is true."""

import datetime
import os
import pathlib
import signal
import subprocess
import sys

from backtrail.model.commands import (
    AddMemory,
    ListCheckpoints,
    ListMemories,
    PlanRestore,
    Restore,
    Scan,
    TakeCheckpoint,
)
from backtrail.model.events import CheckpointRecorded, RestoreFinished
from backtrail_desktop.client.host_client import HostClient
from backtrail_desktop.client.port import Link
from core.git_oracle import git
from desktop.client.background import Background
from desktop.client.hearing import Hearing, Reply
from pytestqt.qtbot import QtBot

LONG_MS = 20_000


def ready(qtbot: QtBot, background: Background, hearing: Hearing) -> None:
    background.start()
    hearing.client.start()
    qtbot.waitUntil(lambda: hearing.is_(Link.READY), timeout=LONG_MS)


def answer(qtbot: QtBot, reply: Reply) -> object:
    qtbot.waitUntil(lambda: reply.done, timeout=LONG_MS)
    assert reply.answers, reply.failures
    return reply.answers[0]


def test_what_is_asked_before_there_is_a_host_is_answered_once_there_is(
    qtbot: QtBot, background: Background, client: HostClient, hearing: Hearing
) -> None:
    early = Reply(client, ListMemories())
    assert hearing.is_(Link.STARTING)
    ready(qtbot, background, hearing)
    assert answer(qtbot, early).memories == ()
    assert [state.link for state in hearing.links] == [Link.READY]


def test_without_a_host_it_says_so_and_waits_for_whoever_starts_one(qtbot: QtBot, client: HostClient) -> None:
    with qtbot.waitSignal(client.missing, timeout=LONG_MS):
        client.start()
    assert client.link.link is Link.STARTING
    asked = Reply(client, ListMemories())
    client.give_up()
    assert client.link.link is Link.STOPPED
    assert asked.code == "host-stopped"
    late = Reply(client, ListMemories())
    qtbot.waitUntil(lambda: late.done)
    assert late.code == "host-stopped"
    assert late.failures[0].message
    assert late.failures[0].remedy


def test_edits_are_told_without_asking(
    qtbot: QtBot, background: Background, client: HostClient, hearing: Hearing, root: pathlib.Path
) -> None:
    ready(qtbot, background, hearing)
    added = answer(qtbot, Reply(client, AddMemory(path=os.fsencode(root))))
    (root / "f").write_text("an hour of work\n")
    qtbot.waitUntil(lambda: len(hearing.told(CheckpointRecorded)) >= 2, timeout=LONG_MS)
    git(root, "reset", "-q", "--hard")
    qtbot.waitUntil(
        lambda: any(event.lost for event in hearing.told(CheckpointRecorded) if event.memory == added.memory.id),
        timeout=LONG_MS,
    )


def test_a_refusal_says_what_happened_and_what_to_do(
    qtbot: QtBot, background: Background, client: HostClient, hearing: Hearing, tmp_path: pathlib.Path
) -> None:
    ready(qtbot, background, hearing)
    (tmp_path / "caf\udce9").mkdir()
    refused = Reply(client, AddMemory(path=os.fsencode(tmp_path / "caf\udce9")))
    qtbot.waitUntil(lambda: refused.done, timeout=LONG_MS)
    assert refused.code == "no-working-tree"
    assert "caf\\xe9" in refused.failures[0].message
    assert refused.failures[0].remedy


def test_a_restore_tells_its_steps_and_can_be_stopped_before_the_switch(
    qtbot: QtBot, background: Background, client: HostClient, hearing: Hearing, root: pathlib.Path
) -> None:
    ready(qtbot, background, hearing)
    memory = answer(qtbot, Reply(client, AddMemory(path=os.fsencode(root)))).memory.id
    (root / "f").write_text("an hour of work\n")
    first = answer(qtbot, Reply(client, TakeCheckpoint(memory=memory)))
    (root / "f").write_text("no work\n")
    for number in range(3000):
        (root / f"more-{number}").write_text(str(number))
    answer(qtbot, Reply(client, Scan(memory=memory)))
    plan = answer(qtbot, Reply(client, PlanRestore(checkpoint=first.id)))
    stopped = Reply(client, Restore(checkpoint=first.id, token=plan.token))
    stopped.question.cancel()
    qtbot.waitUntil(lambda: stopped.done, timeout=LONG_MS)
    assert stopped.code == "cancelled"
    assert (root / "f").read_text() == "no work\n"
    again = answer(qtbot, Reply(client, PlanRestore(checkpoint=first.id)))
    done = Reply(client, Restore(checkpoint=first.id, token=again.token))
    answer(qtbot, done)
    assert (root / "f").read_text() == "an hour of work\n"
    assert len({step for step, _, _ in done.steps}) > 2
    assert hearing.told(RestoreFinished)


def test_more_questions_than_the_host_takes_at_once_are_all_answered(
    qtbot: QtBot, background: Background, client: HostClient, hearing: Hearing, root: pathlib.Path
) -> None:
    ready(qtbot, background, hearing)
    memory = answer(qtbot, Reply(client, AddMemory(path=os.fsencode(root)))).memory.id
    replies = [Reply(client, ListCheckpoints(memory=memory)) for _ in range(200)]
    replies[199].question.cancel()
    qtbot.waitUntil(lambda: all(reply.done for reply in replies), timeout=LONG_MS)
    assert {reply.code for reply in replies[:199]} == {None}
    assert replies[199].code == "cancelled"


def test_a_host_that_hangs_is_said_to_within_seven_seconds_and_forgiven(
    qtbot: QtBot, background: Background, client: HostClient, hearing: Hearing
) -> None:
    ready(qtbot, background, hearing)
    began = datetime.datetime.now(datetime.UTC)
    background.send(signal.SIGSTOP)
    patient = Reply(client, ListMemories())
    qtbot.waitUntil(lambda: hearing.is_(Link.NOT_ANSWERING), timeout=LONG_MS)
    noticed = datetime.datetime.now(datetime.UTC)
    assert 3.9 < (noticed - began).total_seconds() < 7
    assert abs((client.link.since - began).total_seconds()) < 2.5, "the last sign of life is what is known"
    assert not patient.done
    background.send(signal.SIGCONT)
    qtbot.waitUntil(lambda: hearing.is_(Link.READY), timeout=LONG_MS)
    answer(qtbot, patient)


def test_a_host_that_is_killed_is_said_to_be_stopped_at_once_and_found_again(
    qtbot: QtBot, background: Background, client: HostClient, hearing: Hearing
) -> None:
    ready(qtbot, background, hearing)
    background.send(signal.SIGSTOP)
    under_way = Reply(client, ListMemories())
    background.send(signal.SIGKILL)
    qtbot.waitUntil(lambda: hearing.is_(Link.STOPPED), timeout=LONG_MS)
    assert Link.NOT_ANSWERING not in [state.link for state in hearing.links], "nobody waits for an end that is known"
    assert under_way.code == "host-stopped"
    background.kill()
    background.start()
    qtbot.waitUntil(lambda: hearing.is_(Link.READY), timeout=LONG_MS)
    answer(qtbot, Reply(client, ListMemories()))


def test_a_host_of_another_version_is_told_as_one_and_replaced(
    qtbot: QtBot, background: Background, client: HostClient, hearing: Hearing, home: pathlib.Path
) -> None:
    home.mkdir()
    script = pathlib.Path(__file__).with_name("other_version.py")
    with subprocess.Popen(
        [sys.executable, str(script), str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"ready\n"
        early = Reply(client, ListMemories())
        client.start()
        qtbot.waitUntil(lambda: hearing.is_(Link.OTHER_VERSION), timeout=LONG_MS)
        assert early.code == "host-refused"
        late = Reply(client, ListMemories())
        qtbot.waitUntil(lambda: late.done)
        assert "9.9.9" in late.failures[0].message
        other.communicate()
    qtbot.waitUntil(lambda: hearing.is_(Link.STOPPED), timeout=LONG_MS)
    background.start()
    qtbot.waitUntil(lambda: hearing.is_(Link.READY), timeout=LONG_MS)


def test_nonsense_from_whoever_listens_is_an_end_and_no_hang(
    qtbot: QtBot, client: HostClient, hearing: Hearing, home: pathlib.Path
) -> None:
    home.mkdir()
    script = pathlib.Path(__file__).with_name("other_version.py")
    with subprocess.Popen(
        [sys.executable, str(script), str(home), "nonsense"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with qtbot.waitSignal(client.missing, timeout=LONG_MS):
            client.start()
        client.give_up()
        assert hearing.is_(Link.STOPPED)
        other.communicate()
