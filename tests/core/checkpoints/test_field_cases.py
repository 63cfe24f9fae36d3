"""Field cases of capture: what made other tools take nothing, the wrong thing, or too much without saying so."""

import datetime
import os
import socket
import time
from pathlib import Path

import pytest
from backtrail.model.clock import system_clock
from backtrail.model.coverage import LeftOut, Reason
from backtrail.model.errors.capture import UnmergedIndex
from backtrail.model.ids import Oid, RelPath
from backtrail.model.memory import ProtectionState
from backtrail.model.net_state import FolderEntry, IndexEntry, Operation
from core.git_oracle import (
    RECOVERY,
    ask,
    blob_id,
    commit_all,
    damage,
    disk_entries,
    git,
    head,
    index_entries,
    new_repository,
    recovery_refs,
    tree_entries,
)
from core.keeping import Keeping
from core.other_process import keep_elsewhere

ODD_NAMES = (
    b"a\nb", b'q"u', b"t\tb", b"m\xc2\x85n", b"x -> y", b" lead", b"trail ", b"-rf", b":(top)z", b"*glob", b"b\\s",
    b"[id]", b"\xe5\x85\xac\xe5\x85\xb1.cpp", b"na\xc3\xafve caf\xc3\xa9.txt", b"caf\xe9.txt", b"e\xcc\x81",
    b"\xc3\xa9", b"\xff", b"UPPER", b"upper", b"con", b"nul.", b"\x01\x7f", b"a" * 255,
)  # fmt: skip


def write(root: Path, name: bytes, content: bytes = b"1") -> None:
    with open(os.path.join(os.fsencode(root), name), "wb") as file:
        file.write(content)


def merge_conflict(root: Path) -> None:
    git(root, "checkout", "-q", "-b", "other")
    (root / "f").write_bytes(b"other\n")
    commit_all(root)
    git(root, "checkout", "-q", "main")
    (root / "f").write_bytes(b"main\n")
    commit_all(root)
    git(root, "merge", "-q", "other", code=1)


def test_b04_a_checkpoint_of_nothing_only_where_there_is_nothing(keeping: Keeping) -> None:
    (keeping.root / "f").unlink()
    checkpoint = keeping.checkpoint()
    assert tree_entries(keeping.root, RECOVERY + checkpoint.id) == {}
    assert tree_entries(keeping.root, RECOVERY + checkpoint.id + "^1") == index_entries(keeping.root)


def test_b06_no_two_states_share_an_id(keeping: Keeping) -> None:
    for number in range(3):
        (keeping.root / "f").write_bytes(b"v%d" % number)
        keeping.checkpoint()
    assert len({row.id for row in keeping.timeline()}) == len({row.working_tree for row in keeping.timeline()}) == 3


def test_b06_a_failed_capture_yields_no_id(keeping: Keeping) -> None:
    keeping.checkpoint()
    merge_conflict(keeping.root)
    with keeping.opened() as work, pytest.raises(UnmergedIndex):
        work.take("now")
    assert len(keeping.timeline()) == 1
    assert len(recovery_refs(keeping.root)) == 1


def test_b07_an_empty_nested_repository_does_not_freeze_the_snapshot(keeping: Keeping) -> None:
    first = keeping.checkpoint()
    (keeping.root / "f").write_bytes(b"v2\n")
    (keeping.root / "emb").mkdir()
    git(keeping.root / "emb", "init", "-q")
    second = keeping.checkpoint()
    assert second.working_tree != first.working_tree
    assert tree_entries(keeping.root, RECOVERY + second.id)[b"f"][1] == blob_id(b"v2\n")
    assert second.coverage.left_out == (LeftOut(RelPath(b"emb/"), Reason.NESTED_REPOSITORY, None, None, dirty=False),)


def test_b08_a_file_above_the_cap_is_listed_with_its_size(keeping: Keeping) -> None:
    keeping.checkpoint()
    keeping.set_cap(10_000)
    (keeping.root / "corpus.bin").write_bytes(bytes(10_001))
    (keeping.root / "fits.bin").write_bytes(bytes(10_000))
    observed = keeping.scan()
    assert observed.protection.state is ProtectionState.DEGRADED
    assert observed.protection.reason == "left-out"
    assert observed.checkpoint is not None
    assert observed.checkpoint.coverage.left_out == (LeftOut(RelPath(b"corpus.bin"), Reason.TOO_LARGE, 10_001),)
    assert keeping.chain(observed.checkpoint).checkpoint.coverage == observed.checkpoint.coverage


def test_b08_a_tracked_file_is_kept_whatever_its_size(keeping: Keeping) -> None:
    (keeping.root / "corpus.bin").write_bytes(bytes(20_000))
    commit_all(keeping.root)
    (keeping.root / "corpus.bin").write_bytes(bytes(30_000))
    keeping.checkpoint()
    keeping.set_cap(10_000)
    (keeping.root / "corpus.bin").write_bytes(bytes(40_000))
    assert keeping.left_out() == ()


def test_b23_a_conflict_is_a_failure_that_is_seen_and_the_inbox_still_hears(keeping: Keeping) -> None:
    keeping.checkpoint()
    merge_conflict(keeping.root)
    staged = ask(keeping.root, "ls-files", "-s", "-z")
    observed = keeping.scan()
    assert isinstance(observed.failure, UnmergedIndex)
    assert observed.failure.paths == (b"f",)
    assert observed.checkpoint is None
    assert (observed.protection.state, observed.protection.reason) == (ProtectionState.NOT_PROTECTED, "unmerged-index")
    assert ask(keeping.root, "ls-files", "-s", "-z") == staged
    assert len(recovery_refs(keeping.root)) == 1
    assert "Unmerged: 1 paths." in keeping.events()[-1]
    again = keeping.scan()
    assert (again.changed, again.event, again.checkpoint) == (False, None, None)
    assert again.protection.since == observed.protection.since


def test_b23_once_resolved_the_merge_in_progress_is_kept(keeping: Keeping) -> None:
    keeping.checkpoint()
    merge_conflict(keeping.root)
    keeping.scan()
    (keeping.root / "f").write_bytes(b"both\n")
    git(keeping.root, "add", "f")
    checkpoint = keeping.checkpoint()
    assert checkpoint.operation is Operation.MERGE
    merge = keeping.chain(checkpoint).merge
    assert merge is not None
    assert [oid.hex() for oid in merge.heads] == [git(keeping.root, "rev-parse", "MERGE_HEAD").decode().strip()]
    assert merge.message == (keeping.root / ".git" / "MERGE_MSG").read_bytes()
    git(keeping.root, "branch", "-q", "-D", "other")
    git(keeping.root, "merge", "--abort")
    git(keeping.root, "reflog", "expire", "--expire=now", "--all")
    git(keeping.root, "gc", "-q", "--prune=now")
    assert keeping.damaged() == {}


def test_b25_a_folder_that_became_a_link_is_a_link_and_not_walked(keeping: Keeping, tmp_path: Path) -> None:
    (keeping.root / "d").mkdir()
    (keeping.root / "d" / "x").write_bytes(b"in")
    commit_all(keeping.root)
    (keeping.root / "d" / "x").unlink()
    (keeping.root / "d").rmdir()
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "x").write_bytes(b"victim")
    (victim / "y").write_bytes(b"secret")
    (keeping.root / "d").symlink_to(victim)
    checkpoint = keeping.checkpoint()
    assert tree_entries(keeping.root, RECOVERY + checkpoint.id) == {
        b"d": (0o120000, blob_id(os.fsencode(victim))),
        b"f": (0o100644, blob_id(b"base\n")),
    }


def test_b26_whoever_wrote_it_the_disk_is_looked_at(keeping: Keeping) -> None:
    keeping.checkpoint()
    (keeping.root / "f").unlink()
    assert b"f" not in tree_entries(keeping.root, RECOVERY + keeping.checkpoint().id)


def test_b28_b29_a_nested_repository_is_not_touched_and_said_to_be_dirty(keeping: Keeping) -> None:
    """The proof around the capture covers every byte and time inside `sub/.git`."""
    sub = new_repository(keeping.root / "sub")
    clean = keeping.left_out()
    assert clean == (LeftOut(RelPath(b"sub/"), Reason.NESTED_REPOSITORY, None, head(sub), dirty=False),)
    (sub / "f").write_bytes(b"dirty\n")
    (keeping.root / "f").write_bytes(b"v2\n")
    checkpoint = keeping.checkpoint()
    assert checkpoint.coverage.left_out == (
        LeftOut(RelPath(b"sub/"), Reason.NESTED_REPOSITORY, None, head(sub), dirty=True),
    )
    assert tree_entries(keeping.root, RECOVERY + checkpoint.id) == {b"f": (0o100644, blob_id(b"v2\n"))}


def test_b29_a_linked_worktree_inside_is_a_nested_repository(keeping: Keeping) -> None:
    git(keeping.root, "worktree", "add", "-q", "wt", "-b", "side")
    (keeping.root / "wt" / "new").write_bytes(b"new")
    assert [(item.path, item.reason, item.dirty) for item in keeping.left_out()] == [
        (b"wt/", Reason.NESTED_REPOSITORY, True)
    ]


def test_b29_a_git_entry_that_is_no_repository_hides_nothing(keeping: Keeping) -> None:
    """A file named `.git` that names no Git folder does not make its folder a repository: Git captures around it."""
    (keeping.root / "d").mkdir()
    (keeping.root / "d" / ".git").write_bytes(b"not a gitdir line\n")
    (keeping.root / "d" / "x").write_bytes(b"x")
    with keeping.opened() as work:
        checkpoint = work.scan().checkpoint
    assert checkpoint is not None
    assert b"d/x" in tree_entries(keeping.root, RECOVERY + checkpoint.id)
    assert [(item.path, item.reason) for item in checkpoint.coverage.left_out] == [(b"d/.git", Reason.RESERVED_NAME)]


def test_b30_a_dirty_submodule_is_said_to_be_dirty(keeping: Keeping, tmp_path: Path) -> None:
    source = new_repository(tmp_path / "source")
    git(keeping.root, "-c", "protocol.file.allow=always", "submodule", "-q", "add", str(source), "sm")
    commit_all(keeping.root)
    assert keeping.left_out() == ()
    (keeping.root / "sm" / "f").write_bytes(b"DIRTY\n")
    (keeping.root / "sm" / "y").write_bytes(b"new\n")
    observed = keeping.scan()
    assert observed.protection.state is ProtectionState.DEGRADED
    left_out = observed.look.state.coverage.left_out
    assert left_out == (LeftOut(RelPath(b"sm/"), Reason.SUBMODULE_DIRTY, None, head(source), dirty=True),)


def test_b30_a_submodule_that_moved_is_kept_as_it_stands(keeping: Keeping, tmp_path: Path) -> None:
    source = new_repository(tmp_path / "source")
    git(keeping.root, "-c", "protocol.file.allow=always", "submodule", "-q", "add", str(source), "sm")
    commit_all(keeping.root)
    git(keeping.root / "sm", "commit", "-q", "--allow-empty", "-m", "moved")
    checkpoint = keeping.checkpoint()
    stored = tree_entries(keeping.root, RECOVERY + checkpoint.id)
    assert stored[b"sm"] == (0o160000, head(keeping.root / "sm"))
    assert tree_entries(keeping.root, RECOVERY + checkpoint.id + "^1")[b"sm"] == (0o160000, head(source))


def test_b31_unreadable_things_cost_only_themselves(keeping: Keeping) -> None:
    root = keeping.root
    (root / ".gitignore").write_bytes(b"/ignored/\n/ignored-file\n")
    (root / "f").write_bytes(b"v2\n")
    (root / "secret").write_bytes(b"s")
    (root / "ignored-file").write_bytes(b"s")
    for name in ("nodir", "ignored"):
        (root / name).mkdir()
        (root / name / "x").write_bytes(b"x")
    for name in ("secret", "ignored-file", "nodir", "ignored"):
        (root / name).chmod(0)
    told = keep_elsewhere(keeping.home, root, privileged=False)
    for name in ("secret", "ignored-file", "nodir", "ignored"):
        (root / name).chmod(0o755)
    assert told["failure"] is None
    assert told["protection"] == "degraded"
    assert told["left_out"] == [["nodir/", "unreadable"], ["secret", "unreadable"]]
    assert told["ignored"] == 2
    assert set(tree_entries(root, RECOVERY + str(told["checkpoint"]))) == {b"f", b".gitignore"}


def test_b31_work_that_becomes_unreadable_is_not_called_lost(keeping: Keeping) -> None:
    (keeping.root / "d").mkdir()
    (keeping.root / "d" / "x").write_bytes(b"work\n")
    (keeping.root / "y").write_bytes(b"other work\n")
    keeping.checkpoint()
    (keeping.root / "d").chmod(0)
    (keeping.root / "y").chmod(0)
    told = keep_elsewhere(keeping.home, keeping.root, privileged=False)
    (keeping.root / "d").chmod(0o755)
    assert told["left_out"] == [["d/", "unreadable"], ["y", "unreadable"]]
    assert told["lost"] == []


def test_b32_b33_b34_b35_every_name_is_kept_byte_for_byte(keeping: Keeping) -> None:
    for name in ODD_NAMES:
        write(keeping.root, name)
        (keeping.root / "d").mkdir(exist_ok=True)
        write(keeping.root, b"d/" + name)
    checkpoint = keeping.checkpoint()
    stored = tree_entries(keeping.root, RECOVERY + checkpoint.id)
    assert set(stored) == {b"f", *ODD_NAMES, *(b"d/" + name for name in ODD_NAMES)}
    git(keeping.root, "add", "-A")
    assert keeping.checkpoint().index_tree == checkpoint.working_tree
    git(keeping.root, "clean", "-fdq")
    git(keeping.root, "reset", "-q", "--hard")
    assert {path for path, _ in keeping.lost()} == set(stored) - {b"f"}


def test_b34_a_branch_whose_name_is_not_utf8(keeping: Keeping) -> None:
    git(keeping.root, "checkout", "-q", "-b", b"\xb1")
    checkpoint = keeping.checkpoint()
    assert checkpoint.branch == b"\xb1"
    assert keeping.chain(checkpoint).checkpoint.branch == b"\xb1"


@pytest.mark.parametrize("index_kind", ["--no-sparse-index", "--sparse-index"])
def test_b37_b38_what_a_sparse_checkout_leaves_out_is_not_deleted(keeping: Keeping, index_kind: str) -> None:
    root = keeping.root
    for name in ("in", "out/x"):
        (root / name).mkdir(parents=True)
        (root / name / "a").write_bytes(name.encode())
    commit_all(root)
    git(root, "sparse-checkout", "init", "--cone", index_kind)
    git(root, "sparse-checkout", "set", "in")
    assert not (root / "out").exists()
    checkpoint = keeping.checkpoint()
    stored = tree_entries(root, RECOVERY + checkpoint.id)
    assert stored == tree_entries(root, "HEAD")
    assert checkpoint.coverage.left_out == ()
    assert [entry.path for entry in keeping.state().working if not entry.checked_out] == [b"out/x/a"]
    assert keeping.chain(checkpoint).metadata.not_checked_out == ["out/x/a"]


def test_b38_a_split_index(keeping: Keeping) -> None:
    root = keeping.root
    git(root, "config", "core.splitIndex", "true")
    git(root, "update-index", "--split-index")
    (root / "g").write_bytes(b"g")
    git(root, "add", "g")
    assert set(tree_entries(root, RECOVERY + keeping.checkpoint().id + "^1")) == {b"f", b"g"}


def test_b40_a_partial_clone_is_refused_by_name_and_nothing_is_fetched(tmp_path: Path) -> None:
    source = new_repository(tmp_path / "source")
    git(source, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{source}", "partial")
    told = keep_elsewhere(tmp_path / "home", tmp_path / "partial")
    assert told == {"error": "cannot-be-protected", "why": "partial-clone"}


def test_b42_an_unborn_branch(tmp_path: Path) -> None:
    root = tmp_path / "fresh"
    root.mkdir()
    git(root, "init", "-q", "-b", "trunk")
    keeping = Keeping(tmp_path / "home", root)
    assert keeping.checkpoint().head is None
    (root / "a").write_bytes(b"1")
    git(root, "add", "a")
    (root / "a").write_bytes(b"2")
    checkpoint = keeping.checkpoint()
    assert (checkpoint.branch, checkpoint.head) == (b"trunk", None)
    assert tree_entries(root, RECOVERY + checkpoint.id + "^1") == {b"a": (0o100644, blob_id(b"1"))}
    assert tree_entries(root, RECOVERY + checkpoint.id) == {b"a": (0o100644, blob_id(b"2"))}
    assert git(root, "rev-parse", "--verify", "-q", "HEAD", code=1) == b""


def test_b43_a_linked_worktree_and_its_main_folder_keep_apart(keeping: Keeping, tmp_path: Path) -> None:
    side = tmp_path / "side"
    git(keeping.root, "worktree", "add", "-q", str(side), "-b", "side")
    (side / "w").write_bytes(b"W")
    git(side, "add", "w")
    (side / "w2").write_bytes(b"W2")
    linked = Keeping(keeping.home, side)
    main_checkpoint, side_checkpoint = keeping.checkpoint(), linked.checkpoint()
    assert (main_checkpoint.branch, side_checkpoint.branch) == (b"main", b"side")
    assert set(tree_entries(side, RECOVERY + side_checkpoint.id)) == {b"f", b"w", b"w2"}
    assert set(recovery_refs(keeping.root)) == {main_checkpoint.id, side_checkpoint.id}
    for one, expected in ((keeping, main_checkpoint), (linked, side_checkpoint)):
        assert [row.id for row in one.timeline()] == [expected.id]
        assert one.scan().checkpoint is None
        assert one.damaged() == {}
    assert git(keeping.root, "worktree", "list", "--porcelain").count(b"worktree ") == 2


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY"])
def test_b44_the_environment_does_not_send_a_snapshot_elsewhere(keeping: Keeping, tmp_path: Path, name: str) -> None:
    other = new_repository(tmp_path / "other")
    places = {"GIT_INDEX_FILE": ".git/index", "GIT_OBJECT_DIRECTORY": ".git/objects", "GIT_WORK_TREE": ""}
    before = {path: path.lstat().st_mtime_ns for path in other.rglob("*")}
    told = keep_elsewhere(keeping.home, keeping.root, {name: str(other / places.get(name, ".git"))})
    assert set(recovery_refs(keeping.root)) == {told["checkpoint"]}
    assert recovery_refs(other) == {}
    assert {path: path.lstat().st_mtime_ns for path in other.rglob("*")} == before
    assert damage(keeping.root) == b""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a folder away")
def test_b46_a_folder_of_another_user_is_refused_by_name(keeping: Keeping) -> None:
    for path in (keeping.root, *keeping.root.rglob("*")):
        os.lchown(path, 12345, 12345)
    assert keep_elsewhere(keeping.home, keeping.root) == {"error": "owned-by-another", "why": None}


def test_b47_personal_and_local_excludes_are_honoured(keeping: Keeping, tmp_path: Path) -> None:
    person = tmp_path / "person"
    person.mkdir()
    (person / "ig").write_bytes(b"*.key\n")
    (person / ".gitconfig").write_text(f"[core]\n\texcludesFile = {person}/ig\n")
    (keeping.root / "id.key").write_bytes(b"s")
    (keeping.root / "a.ex").write_bytes(b"s")
    (keeping.root / "seen").write_bytes(b"s")
    (keeping.root / ".git" / "info" / "exclude").write_bytes(b"*.ex\n")
    told = keep_elsewhere(keeping.home, keeping.root, {"HOME": str(person)})
    assert set(tree_entries(keeping.root, RECOVERY + str(told["checkpoint"]))) == {b"f", b"seen"}


def test_b48_lfs_files_are_kept_as_they_are_on_disk(keeping: Keeping) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 5\n" % (b"0" * 64)
    content = os.urandom(5000)
    (keeping.root / ".gitattributes").write_bytes(b"*.bin filter=lfs diff=lfs merge=lfs -text\n")
    (keeping.root / "x.bin").write_bytes(content)
    (keeping.root / "y.bin").write_bytes(pointer)
    git(keeping.root, "config", "filter.lfs.clean", "false")
    git(keeping.root, "config", "filter.lfs.required", "true")
    stored = tree_entries(keeping.root, RECOVERY + keeping.checkpoint().id)
    assert stored[b"x.bin"] == (0o100644, blob_id(content))
    assert stored[b"y.bin"] == (0o100644, blob_id(pointer))


def test_b48_line_ends_are_kept_as_they_are_on_disk_and_not_told_as_changes(keeping: Keeping) -> None:
    git(keeping.root, "config", "core.autocrlf", "true")
    (keeping.root / "text").write_bytes(b"one\r\ntwo\r\n")
    commit_all(keeping.root)
    an_hour_ago = time.time_ns() - 3_600_000_000_000
    os.utime(keeping.root / "text", ns=(an_hour_ago, an_hour_ago))
    git(keeping.root, "update-index", "--refresh", code=None)
    checkpoint = keeping.checkpoint()
    assert tree_entries(keeping.root, RECOVERY + checkpoint.id)[b"text"][1] == blob_id(b"one\r\ntwo\r\n")
    assert tree_entries(keeping.root, RECOVERY + checkpoint.id + "^1")[b"text"][1] == blob_id(b"one\ntwo\n")


@pytest.mark.timeout(30)
def test_b52_special_files_are_listed_and_hang_nothing(keeping: Keeping) -> None:
    root = keeping.root
    os.mkfifo(root / "pipe")
    (root / "f").unlink()
    os.mkfifo(root / "f")
    (root / "d").mkdir()
    os.mkfifo(root / "d" / ".gitignore")
    (root / "d" / "x").write_bytes(b"x")
    with socket.socket(socket.AF_UNIX) as bound:
        here = os.getcwd()
        os.chdir(root)  # a socket's path is short
        bound.bind("sock")
        os.chdir(here)
        with keeping.opened() as work:
            checkpoint = work.scan().checkpoint
    assert checkpoint is not None
    assert [(item.path, item.reason) for item in checkpoint.coverage.left_out] == [
        (name, Reason.SPECIAL_FILE) for name in (b"d/.gitignore", b"f", b"pipe", b"sock")
    ]
    assert set(tree_entries(root, RECOVERY + checkpoint.id)) == {b"d/x"}
    assert checkpoint.lost == ()


def test_b54_links_are_links(keeping: Keeping) -> None:
    root = keeping.root
    (root / "r").mkdir()
    (root / "r" / "x").write_bytes(b"x")
    targets = {"dang": b"/nonexistent", "loop": b".", "ld": b"r", "self": b"self", "odd": b"caf\xe9\n", "up": b"../.."}
    for name, target in targets.items():
        os.symlink(target, os.fsencode(root / name))
    stored = tree_entries(root, RECOVERY + keeping.checkpoint().id)
    links = {path.decode(): oid for path, (mode, oid) in stored.items() if mode == 0o120000}
    assert links == {name: blob_id(target) for name, target in targets.items()}
    assert set(stored) == {b"f", b"r/x", *(name.encode() for name in targets)}


def test_b57_the_data_folder_must_not_lie_in_the_folder_nor_around_it(tmp_path: Path) -> None:
    root = new_repository(tmp_path / "notes")
    told = keep_elsewhere(root / ".backtrail-data", root)
    assert told == {"error": "cannot-be-protected", "why": "holds-data-folder"}
    told = keep_elsewhere(tmp_path, root)
    assert told == {"error": "cannot-be-protected", "why": "inside-data-folder"}
    assert recovery_refs(root) == {}


def test_b62_the_second_look_reads_nothing_again_and_a_full_hash_everything(keeping: Keeping) -> None:
    """A cache that lies tells which of its answers were believed."""
    root = keeping.root
    (root / "b").mkdir()
    an_hour_ago = time.time_ns() - 3_600_000_000_000
    for number in range(20):
        (root / "b" / str(number)).write_bytes(b"%d" % number)
        os.utime(root / "b" / str(number), ns=(an_hour_ago, an_hour_ago))
    later = Keeping(keeping.home, root, lambda: system_clock() + datetime.timedelta(seconds=10))
    later.checkpoint()
    lie = Oid(bytes(20))
    with later.opened() as work:
        cache = work.looker.cache
        cache.known = {path: (stat, lie) for path, (stat, _) in cache.known.items()}
        (root / "b" / "7").write_bytes(b"seven")
        (root / "one").write_bytes(b"1")
        seen = {entry.path: entry.oid for entry in work.looker.look().state.working}
        assert {path for path, oid in seen.items() if oid != lie} == {b"b/7", b"one"}
        seen = {entry.path: entry.oid for entry in work.looker.look(full_hash=True).state.working}
        assert {path: oid.hex() for path, oid in seen.items()} == {
            path: oid for path, (_, oid) in disk_entries(root).items()
        }
        assert all(oid != lie for _, oid in cache.known.values())


def test_a_damaged_stat_cache_costs_only_a_full_read(keeping: Keeping) -> None:
    keeping.checkpoint()
    for content in (b"", b"\xff" * 100, os.urandom(1000)):
        for cache in keeping.home.glob("memories/*/stat-cache"):
            cache.write_bytes(content)
        assert keeping.scan().checkpoint is None


def test_b64_a_stale_lock_of_someone_else_stays_and_stops_nothing(keeping: Keeping) -> None:
    lock = keeping.root / ".git" / "index.lock"
    lock.touch()
    os.utime(lock, (0, 0))
    (keeping.root / ".git" / "HEAD.lock").touch()
    keeping.checkpoint()
    assert lock.stat().st_mtime == 0
    lock.unlink()


def test_b72_no_signing_no_identity_no_hook(keeping: Keeping) -> None:
    root = keeping.root
    for key, value in (
        ("commit.gpgsign", "true"), ("gpg.program", "/bin/false"), ("user.name", ""), ("user.email", ""),
        ("user.useConfigOnly", "true"), ("core.logAllRefUpdates", "always"), ("core.hooksPath", str(root / "hooks")),
    ):  # fmt: skip
        git(root, "config", key, value)
    (root / "hooks").mkdir()
    for hook in ("reference-transaction", "pre-commit", "post-commit", "post-index-change"):
        (root / "hooks" / hook).write_text(f"#!/bin/sh\ntouch {root}/ran-{hook}\nexit 1\n")
        (root / "hooks" / hook).chmod(0o755)
    with keeping.opened() as work:
        checkpoint = work.scan().checkpoint
    assert checkpoint is not None
    assert list(root.glob("ran-*")) == []
    written = git(root, "cat-file", "commit", RECOVERY + checkpoint.id)
    assert b"\nauthor Backtrail <host@backtrail.invalid> " in written
    assert b"gpgsig" not in written
    assert not (root / ".git" / "logs" / "refs" / "botharness").exists()


def test_b74_ordinary_logs_do_not_show_us(keeping: Keeping) -> None:
    before = git(keeping.root, "log", "--branches", "--remotes", "--tags", "HEAD", "--format=%H")
    keeping.checkpoint()
    assert git(keeping.root, "log", "--branches", "--remotes", "--tags", "HEAD", "--format=%H") == before
    assert git(keeping.root, "log", "--exclude=refs/botharness/*", "--all", "--format=%H") == before


def test_b75_a_plain_clone_or_push_does_not_carry_our_refs(keeping: Keeping, tmp_path: Path) -> None:
    (keeping.root / "private").write_bytes(b"private")
    keeping.checkpoint()
    git(tmp_path, "init", "-q", "--bare", "far")
    git(keeping.root, "push", "-q", "--all", str(tmp_path / "far"))
    git(keeping.root, "push", "-q", "--tags", str(tmp_path / "far"))
    git(tmp_path, "clone", "-q", "--no-local", str(keeping.root), "copy")
    git(tmp_path, "clone", "-q", "--bare", "--no-local", str(keeping.root), "bare")
    for place in ("far", "copy", "bare"):
        assert recovery_refs(tmp_path / place) == {}
        assert blob_id(b"private").encode() not in git(
            tmp_path / place, "cat-file", "--batch-check=%(objectname)", "--batch-all-objects"
        )


def test_b81_order_is_by_number_whatever_the_clock_says(keeping: Keeping) -> None:
    first = keeping.checkpoint()
    git(keeping.root, "commit", "-q", "--allow-empty", "-m", "future", "--date=2099-01-01T00:00:00Z")
    yesterday = Keeping(keeping.home, keeping.root, lambda: system_clock() - datetime.timedelta(days=1))
    second = yesterday.checkpoint()
    assert second.captured_at < first.captured_at
    assert (first.clock_went_back, second.clock_went_back) == (False, True)
    (keeping.root / "f").write_bytes(b"3")
    third = keeping.checkpoint()
    assert [row.id for row in keeping.timeline()] == [first.id, second.id, third.id]
    assert [row.seq for row in keeping.timeline()] == [1, 2, 3]
    assert keeping.chain(second).checkpoint.clock_went_back


def test_flags_of_the_index_are_hints_for_git_and_not_for_us(keeping: Keeping) -> None:
    root = keeping.root
    (root / "g").write_bytes(b"g\n")
    commit_all(root)
    git(root, "update-index", "--assume-unchanged", "f")
    git(root, "update-index", "--skip-worktree", "g")
    (root / "f").write_bytes(b"f changed\n")
    (root / "g").write_bytes(b"g changed\n")
    (root / "later").write_bytes(b"later\n")
    git(root, "add", "-N", "later")
    checkpoint = keeping.checkpoint()
    stored = tree_entries(root, RECOVERY + checkpoint.id)
    assert {path: oid for path, (_, oid) in stored.items()} == {
        b"f": blob_id(b"f changed\n"),
        b"g": blob_id(b"g changed\n"),
        b"later": blob_id(b"later\n"),
    }
    told = keeping.chain(checkpoint).metadata
    assert (told.assume_valid, told.skip_worktree) == (["f"], ["g"])
    assert [(item.path, item.mode) for item in told.intent_to_add] == [("later", 0o100644)]
    assert [entry.path for entry in keeping.state().index if _intended(entry)] == [b"later"]


def _intended(entry: IndexEntry) -> bool:
    return entry.intent_to_add


def test_modes_permissions_and_empty_folders(keeping: Keeping) -> None:
    root = keeping.root
    (root / "run").write_bytes(b"#!")
    (root / "run").chmod(0o755)
    (root / "mine").write_bytes(b"m")
    (root / "mine").chmod(0o600)
    (root / "empty" / "deep").mkdir(parents=True)
    (root / "closed").mkdir(0o700)
    (root / "closed" / "x").write_bytes(b"x")
    checkpoint = keeping.checkpoint()
    assert tree_entries(root, RECOVERY + checkpoint.id)[b"run"][0] == 0o100755
    assert keeping.state().folders == (
        FolderEntry(RelPath(b"closed"), 0o700, empty=False),
        FolderEntry(RelPath(b"empty/deep"), 0o755, empty=True),
    )
    told = keeping.chain(checkpoint).metadata
    assert [(item.path, item.permissions) for item in told.permissions] == [("mine", 0o600)]
    (root / "mine").chmod(0o640)
    keeping.checkpoint()
    (root / "empty" / "deep").rmdir()
    keeping.checkpoint()


def test_a_repository_in_which_the_mode_on_disk_means_nothing(keeping: Keeping) -> None:
    git(keeping.root, "config", "core.fileMode", "false")
    (keeping.root / "f").chmod(0o755)
    assert tree_entries(keeping.root, RECOVERY + keeping.checkpoint().id)[b"f"][0] == 0o100644


def test_a_missing_object_that_the_index_names_is_a_failure_that_is_seen(keeping: Keeping) -> None:
    (keeping.root / "f").write_bytes(b"staged\n")
    git(keeping.root, "add", "f")
    (keeping.root / "f").write_bytes(b"working\n")
    oid = blob_id(b"staged\n")
    (keeping.root / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    with keeping.opened() as work:
        observed = work.scan()
    assert observed.failure is not None
    assert (observed.failure.code, observed.failure.facts()["oid"]) == ("object-missing", oid)
    assert observed.protection.state is ProtectionState.NOT_PROTECTED
    assert recovery_refs(keeping.root) == {}


def test_an_object_in_an_alternate_needs_no_copy(tmp_path: Path) -> None:
    source = new_repository(tmp_path / "source")
    git(tmp_path, "clone", "-q", "--shared", str(source), "shared")
    keeping = Keeping(tmp_path / "home", tmp_path / "shared")
    keeping.checkpoint()
    assert keeping.damaged() == {}
    assert damage(tmp_path / "shared") == b""
    assert ask(source, "count-objects").startswith(b"3 objects")
