"""Whatever fails after the switch, a restore that is done is not called failed, and the next start mends its record."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from backtrail.model.errors.restore import RestoreUnfinished, StateChanged
from backtrail.model.memory import MemoryState, ProtectionState
from backtrail.model.notices import NoticeCode
from backtrail.model.restore import RestoreState, Step
from core.git_oracle import damage
from core.keeping import Keeping
from core.restore.going_back import At, GoingBack, archived, untidy
from core.restore.states import do
from core.restore.whole_folder import moved, whole

_DIE_AT = """
import os, pathlib, signal, sys
from backtrail.host.host import Host
from backtrail.host.restoring import Restoring
from backtrail.model.restore import Ignored
class Death:
    def step(self, name, total=None):
        if name == sys.argv[3]:
            os.kill(os.getpid(), signal.SIGKILL)
    def advance(self, done):
        pass
with Host.open(pathlib.Path(sys.argv[1])) as host:
    memory, checkpoint = host.checkpoint(sys.argv[2])
    with host.open_memory(memory) as work:
        restoring = Restoring(work)
        target = restoring.target(checkpoint)
        restoring.restore(target, restoring.plan(target, Ignored.CARRY).token, Ignored.CARRY, frozenset(), Death())
"""
_HOLD = "import sys; f = open(sys.argv[1], 'ab', 0); print('open', flush=True); f.write(sys.stdin.buffer.read())"


@pytest.fixture
def back(keeping: Keeping) -> GoingBack:
    return GoingBack(keeping)


def killed_at(back: GoingBack, checkpoint: str, step: Step) -> None:
    done = subprocess.run([sys.executable, "-c", _DIE_AT, back.keeping.home, checkpoint, step], check=False)
    assert done.returncode == -9


def test_b87_a_database_that_fails_after_the_switch_does_not_undo_it(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    (back.root / "f").write_text("2\n")
    present = whole(back.root)
    token = back.plan(checkpoint).token
    other = sqlite3.connect(back.keeping.home / "backtrail.db", isolation_level=None)
    try:
        record = back.with_token(
            checkpoint, token, progress=At(Step.RECORDED, lambda: other.execute("BEGIN EXCLUSIVE"))
        )
    finally:
        other.rollback()
        other.close()
    assert record.state is RestoreState.DONE
    assert (back.root / "f").read_bytes() == b"base\n"
    with back.keeping.host() as host:
        assert [notice.code for notice in host.notices] == [NoticeCode.RESTORE_FINISHED]
        stored = host.database.restores.get(record.id)
        assert stored is not None
        assert (stored.state, stored.checkpoint is not None) == (RestoreState.DONE, True)
    assert moved(present, whole(archived(record))) == []
    assert untidy(back.root) == []
    assert back.keeping.timeline()[-1].context.cause_id == checkpoint.id


def test_b87_a_restore_is_recorded_once_however_often_its_record_was_cut_short(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    (back.root / "f").write_text("2\n")
    killed_at(back, checkpoint.id, Step.RECORDED)
    for _ in range(3):
        with back.keeping.host():
            pass
    rows = [row for row in back.keeping.timeline() if row.context.cause_id == checkpoint.id]
    assert len(rows) == 1


@pytest.mark.parametrize("step", [Step.COPYING, Step.BUILDING, Step.LAST_LOOK, Step.SWITCHED])
def test_a_restore_killed_before_its_switch_is_rolled_back_and_told(back: GoingBack, step: Step) -> None:
    checkpoint = back.keeping.checkpoint()
    (back.root / "f").write_text("2\n")
    present = whole(back.root)
    killed_at(back, checkpoint.id, step)
    assert moved(present, whole(back.root)) == []
    with back.keeping.host() as host:
        assert [notice.code for notice in host.notices] == [NoticeCode.RESTORE_ROLLED_BACK]
        assert host.archives() == []
    assert moved(present, whole(back.root)) == []
    assert untidy(back.root) == []


def test_work_done_before_the_next_start_stays(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    do(back.root, "echo 2 >f; echo u >u")
    killed_at(back, checkpoint.id, Step.RECORDED)
    do(back.root, "echo 'a day of work' >day; git add day; git commit -qm day; echo more >>f")
    worked = whole(back.root)
    with back.keeping.host() as host:
        assert host.unfinished == {}
    now = whole(back.root)
    assert [item for item in moved(worked, now) if "backtrail-copy" not in item] == []
    assert untidy(back.root) == []
    assert damage(back.root) == b""


def test_work_done_after_a_kill_before_the_switch_stays(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    do(back.root, "echo 2 >f; echo u >u")
    killed_at(back, checkpoint.id, Step.SWITCHED)
    do(back.root, "echo 'a day of work' >day; git add day; git commit -qm day")
    worked = whole(back.root)
    with back.keeping.host():
        pass
    assert moved(worked, whole(back.root)) == []
    assert untidy(back.root) == []


def test_nothing_of_a_copy_that_is_not_marked_is_removed(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    do(back.root, "echo 2 >f")
    killed_at(back, checkpoint.id, Step.SWITCHED)
    (box,) = (back.root.parent / ".backtrail" / back.root.name).iterdir()
    (box / "repository" / ".git" / "backtrail-copy").unlink()
    copy = whole(box / "repository")
    with back.keeping.host():
        pass
    assert moved(copy, whole(box / "repository")) == []


def test_an_unfinished_restore_that_cannot_be_settled_is_told_and_blocks(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    do(back.root, "echo 2 >f")
    killed_at(back, checkpoint.id, Step.BUILDING)
    (box,) = (back.root.parent / ".backtrail" / back.root.name).iterdir()
    (box / "restore.json").write_bytes(b"not json")
    with back.keeping.host() as host:
        memory = back.keeping.memory(host)
        assert memory.protection.state is ProtectionState.NOT_PROTECTED
        assert memory.protection.reason == RestoreUnfinished.code
        with pytest.raises(RestoreUnfinished):
            host.open_memory(memory)
        assert [notice.code for notice in host.notices] == [NoticeCode.RESTORE_UNFINISHED]


def test_a_memory_that_was_detached_after_a_kill_is_settled_before_it_is_worked_on_again(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    do(back.root, "echo 2 >f")
    killed_at(back, checkpoint.id, Step.RECORDED)
    (box,) = (back.root.parent / ".backtrail" / back.root.name).iterdir()
    kept = (box / "restore.json").read_bytes()
    (box / "restore.json").write_bytes(b"not json")
    with back.keeping.host() as host:
        host.lifecycle().move_to(back.keeping.memory(host), MemoryState.DETACHED)
    (box / "restore.json").write_bytes(kept)
    with back.keeping.host() as host:
        memory = host.lifecycle().move_to(back.keeping.memory(host), MemoryState.ATTACHED)
        with host.open_memory(memory):
            assert [notice.code for notice in host.notices] == [NoticeCode.RESTORE_FINISHED]
    assert untidy(back.root) == []


@pytest.fixture
def late_writer(back: GoingBack) -> Iterator[subprocess.Popen[bytes]]:
    """A process that holds `f` open and writes to it when it is told to."""
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, back.root / "f"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        yield process
        process.kill()


def test_b19_what_is_written_after_the_switch_goes_to_the_archive_and_is_told(
    back: GoingBack, late_writer: subprocess.Popen[bytes]
) -> None:
    checkpoint = back.keeping.checkpoint()
    (back.root / "g").write_text("2\n")
    token = back.plan(checkpoint).token

    def write() -> None:
        late_writer.communicate(b"late\n")

    record = back.with_token(checkpoint, token, despite=frozenset({"in-use"}), progress=At(Step.RECORDED, write))
    assert [item.path for item in record.late] == [b"f"]
    assert (archived(record) / "f").read_bytes() == b"base\nlate\n"
    assert (back.root / "f").read_bytes() == b"base\n"


def test_a_copy_that_somebody_opened_while_it_was_live_for_an_instant_is_not_removed(back: GoingBack) -> None:
    """The switch is taken back, and who opened a file in that instant may still write to it."""
    checkpoint = back.keeping.checkpoint()
    (back.root / "f").write_text("2\n")
    token = back.plan(checkpoint).token
    opened = []

    class OpensTheCopy:
        def step(self, name: str, total: int | None = None) -> None:
            del total
            if name == Step.SWITCHED:
                (copy,) = (back.root.parent / ".backtrail" / back.root.name).glob("*/repository")
                opened.append(
                    subprocess.Popen(
                        [sys.executable, "-c", _HOLD, copy / "f"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
                    )
                )
                assert opened[0].stdout is not None
                opened[0].stdout.readline()
                (back.root / "f").write_text("in the last instant\n")

        def advance(self, done: int) -> None:
            pass

    with pytest.raises(StateChanged):
        back.with_token(checkpoint, token, progress=OpensTheCopy())
    opened[0].communicate(b"from the instant\n")
    with back.keeping.host() as host:
        ((_, archive),) = host.archives()
        assert Path(os.fsdecode(archive.places.copy), "f").read_bytes() == b"base\nfrom the instant\n"
    assert (back.root / "f").read_text() == "in the last instant\n"


def test_an_archive_of_a_folder_that_was_added_anew_belongs_to_the_memory_it_is_now(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    (back.root / "f").write_text("2\n")
    record = back.to(checkpoint)
    other = Keeping(back.keeping.home.with_name("other home"), back.root)
    other.scan()
    with other.host() as host:
        assert [archive.journal.id for _, archive in host.archives()] == [record.id]
    (other.home / "backtrail.db").unlink()
    with other.host() as host:
        assert host.database.restores.get(record.id) is not None
    GoingBack(other).undo(record)
    assert (back.root / "f").read_text() == "2\n"


@pytest.mark.parametrize("damaged", [b"", b"{}", b"\xff"])
def test_an_archive_whose_manifest_is_damaged_stays_and_stops_nothing(back: GoingBack, damaged: bytes) -> None:
    checkpoint = back.keeping.checkpoint()
    (back.root / "f").write_text("2\n")
    record = back.to(checkpoint)
    (archived(record).parent / "restore.json").write_bytes(damaged)
    (back.root / "f").write_text("3\n")
    second = back.to(checkpoint)
    with back.keeping.host() as host:
        assert host.unfinished == {}
        assert [archive.journal.id for _, archive in host.archives()] == [second.id]
    assert (archived(record) / "f").read_text() == "2\n"
