"""The data folder's lock, a database that is damaged or gone, and rows and refs that tell different things."""

import contextlib
import datetime
import os
import shutil
import sqlite3
from pathlib import Path

import msgspec
import pytest
from backtrail.host.host import Host
from backtrail.model.checkpoint import Checkpoint, CheckpointState
from backtrail.model.errors.host import DatabaseNewer, DataFolderUnusable, HostBusy
from backtrail.model.errors.lookup import Ambiguous, Unknown
from backtrail.model.errors.repository import AnotherRepository, NotReachable
from backtrail.model.memory import ProtectionState
from backtrail.model.notices import NoticeCode
from core.git_oracle import damage, git, new_repository, recovery_refs
from core.keeping import Keeping


def test_only_one_host_per_data_folder(keeping: Keeping) -> None:
    with keeping.host(), pytest.raises(HostBusy) as caught:
        Host.open(keeping.home, wait_s=0.0)
    assert caught.value.home == str(keeping.home)
    with keeping.host():
        pass


def test_a_start_that_fails_gives_the_lock_back(keeping: Keeping) -> None:
    keeping.checkpoint()
    with contextlib.closing(sqlite3.connect(keeping.home / "backtrail.db")) as database:
        database.execute("PRAGMA user_version = 999")
    for _ in range(2):
        with pytest.raises(DatabaseNewer):
            Host.open(keeping.home, wait_s=0.0)


def test_a_data_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(DataFolderUnusable):
        Host.open(tmp_path / "file" / "home")


def test_the_data_folder_is_private(keeping: Keeping) -> None:
    keeping.checkpoint()
    assert (keeping.home / "lock").stat().st_mode & 0o077 == 0
    assert (keeping.home / "memories").stat().st_mode & 0o077 == 0
    assert (keeping.home / "backtrail.db").stat().st_mode & 0o077 == 0


@pytest.fixture
def three(keeping: Keeping) -> Keeping:
    """Three checkpoints, the last one with a loss."""
    keeping.checkpoint()
    (keeping.root / "f").write_bytes(b"my work\nand more\n")
    keeping.checkpoint()
    git(keeping.root, "checkout", "-q", "--", "f")
    keeping.checkpoint()
    return keeping


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 1000, None])
def test_a_damaged_database_is_kept_aside_and_made_anew(three: Keeping, content: bytes | None) -> None:
    before = three.timeline()
    database = three.home / "backtrail.db"
    if content is None:
        content = database.read_bytes()[:4096] + b"\xff" * 4096 + database.read_bytes()[8192:]
    database.write_bytes(content)
    with three.host() as host:
        (notice,) = host.notices
    assert (notice.code, notice.count) == (NoticeCode.DATABASE_REBUILT, 3)
    kept = list(three.home.glob("backtrail.db.damaged-*"))
    assert str(kept[0]) == notice.detail
    assert kept[0].read_bytes() == content
    _is_rebuilt(three, before)


def test_a_deleted_database_is_made_anew_from_the_refs(three: Keeping) -> None:
    before = three.timeline()
    (three.home / "backtrail.db").unlink()
    with three.host() as host:
        assert [(notice.code, notice.count) for notice in host.notices] == [(NoticeCode.DATABASE_REBUILT, 3)]
    _is_rebuilt(three, before)


def test_a_rebuild_that_was_asked_for(three: Keeping) -> None:
    before = three.timeline()
    with three.host() as host:
        assert host.rebuild() == 3
    _is_rebuilt(three, before)


def _is_rebuilt(keeping: Keeping, before: list[Checkpoint]) -> None:
    after = keeping.timeline()
    assert after == [msgspec.structs.replace(row, state=CheckpointState.RECOVERED) for row in before]
    assert after[-1].lost != ()
    assert keeping.scan().checkpoint is None
    assert keeping.events() == []
    (keeping.root / "f").write_bytes(b"later\n")
    assert keeping.checkpoint().seq == 4
    assert keeping.events() == ["Working: f."]
    assert keeping.damaged() == {}


def test_a_ref_that_was_deleted_leaves_a_damaged_row(three: Keeping) -> None:
    second = three.timeline()[1]
    git(three.root, "update-ref", "-d", second.ref)
    observed = three.scan()
    assert observed.checkpoint is None
    assert [row.state for row in three.timeline()] == [
        CheckpointState.RECORDED,
        CheckpointState.DAMAGED,
        CheckpointState.RECORDED,
    ]


def test_a_checkpoint_whose_objects_are_gone_does_not_break_the_persons_gc(three: Keeping) -> None:
    second = three.timeline()[1]
    tree = second.working_tree.hex()
    (three.root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    git(three.root, "gc", "-q", code=128)
    with three.opened() as work:
        assert work.reconciled.damaged == (second.id,)
    git(three.root, "gc", "-q", "--prune=now")
    assert damage(three.root) == b""
    assert len(recovery_refs(three.root)) == 2


def test_the_newest_checkpoint_gone_is_taken_again(three: Keeping) -> None:
    git(three.root, "update-ref", "-d", three.timeline()[-1].ref)
    checkpoint = three.checkpoint()
    assert checkpoint.seq == 4
    assert three.damaged() == {three.timeline()[2].id: (three.timeline()[2].ref.decode(),)}


def test_packed_refs_and_a_collection_change_nothing(three: Keeping) -> None:
    git(three.root, "pack-refs", "--all")
    git(three.root, "gc", "-q", "--prune=now")
    assert three.scan().checkpoint is None
    assert three.damaged() == {}
    assert {row.state for row in three.timeline()} == {CheckpointState.RECORDED}


def test_a_foreign_ref_below_ours_is_left_alone(three: Keeping) -> None:
    git(three.root, "update-ref", "refs/botharness/recovery/mine", "HEAD")
    three.scan()
    assert "mine" in recovery_refs(three.root)
    assert len(three.timeline()) == 3


def test_b44_another_repository_in_the_folders_place_is_refused(three: Keeping, tmp_path: Path) -> None:
    three.root.rename(tmp_path / "away")
    new_repository(three.root)
    (three.root / "f").write_bytes(b"another")
    git(three.root, "commit", "-q", "--amend", "-a", "-m", "another")
    git(three.root, "reflog", "expire", "--expire=now", "--all")
    git(three.root, "gc", "-q", "--prune=now")
    with three.host() as host, pytest.raises(AnotherRepository), host.open_memory(host.memories()[0]):
        pass
    with three.host() as host:
        protection = host.memories()[0].protection
    assert (protection.state, protection.reason) == (ProtectionState.NOT_PROTECTED, "another-repository")
    assert recovery_refs(three.root) == {}
    shutil.rmtree(three.root)
    (tmp_path / "away").rename(three.root)
    three.scan()
    assert {row.state for row in three.timeline()} == {CheckpointState.RECORDED}


def test_b71_a_folder_that_is_not_there_keeps_its_rows(three: Keeping, tmp_path: Path) -> None:
    three.root.rename(tmp_path / "away")
    with three.host() as host, pytest.raises(NotReachable), host.open_memory(host.memories()[0]):
        pass
    with three.host() as host:
        assert host.memories()[0].protection.reason == "not-reachable"
    (tmp_path / "away").rename(three.root)
    assert three.scan().protection.state is ProtectionState.PROTECTED
    assert {row.state for row in three.timeline()} == {CheckpointState.RECORDED}


def test_b79_since_stays_while_the_answer_stays(three: Keeping, tmp_path: Path) -> None:
    """A folder that went at ten is not kept since ten, whenever somebody asks."""
    three.root.rename(tmp_path / "away")
    found = []
    for _ in range(2):
        with three.host() as host:
            with pytest.raises(NotReachable), host.open_memory(host.memories()[0]):
                pass
            found.append(host.memories()[0].protection.since)
    assert found[0] == found[1]


def test_one_odd_memory_does_not_stop_the_others(three: Keeping, tmp_path: Path) -> None:
    """B39: a repository that turned odd is refused; the others are looked at as ever."""
    other = Keeping(three.home, new_repository(tmp_path / "other"))
    other.checkpoint()
    (other.root / ".git" / "config").unlink()
    os.mkfifo(other.root / ".git" / "config")
    (three.root / "f").write_bytes(b"goes on\n")
    three.checkpoint()
    (three.home / "backtrail.db").unlink()
    with three.host() as host:
        assert [notice.count for notice in host.notices] == [4]
    assert len(three.timeline()) == 4


def test_checkpoints_are_found_by_prefix(three: Keeping) -> None:
    with three.host() as host:
        row = host.database.checkpoints.page(host.memories()[0].id, limit=1)[0]
        assert host.checkpoint(row.id)[1] == row
        assert host.checkpoint(row.id[:8])[1] == row
        for given in ("", row.id[:3], "zzzz", row.id + "0", "%", "____"):
            with pytest.raises(Unknown):
                host.checkpoint(given)


def test_a_clock_that_stands_still(keeping: Keeping) -> None:
    noon = datetime.datetime(2026, 7, 1, 12, tzinfo=datetime.UTC)
    still = Keeping(keeping.home, keeping.root, lambda: noon)
    for number in range(3):
        (keeping.root / "f").write_bytes(b"%d" % number)
        still.checkpoint()
    assert [row.seq for row in still.timeline()] == [1, 2, 3]
    assert not any(row.clock_went_back for row in still.timeline())


def test_two_memories_of_one_name_are_told_apart(three: Keeping, tmp_path: Path) -> None:
    Keeping(three.home, new_repository(tmp_path / "deep" / "notes")).checkpoint()
    with three.host() as host:
        assert [memory.name for memory in host.memories()] == ["notes", "notes-2"]
        first, second = host.memories()
        assert host.memory("notes") == first
        assert host.memory(str(tmp_path / "deep" / "notes" / "f")) == second
        with pytest.raises(Unknown):
            host.memory("nothing")
        assert not issubclass(Unknown, Ambiguous)
