"""A look: the same files as Git would list, the same words for what is clean, and a token that tells states apart."""

import datetime
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from backtrail.git.objects import EMPTY_TREE
from backtrail.git.repository import Repository
from backtrail.inbox.observing import Observer
from backtrail.model.clock import system_clock
from backtrail.model.coverage import Reason
from backtrail.model.errors.capture import CaptureFailed
from backtrail.model.errors.repository import NotReachable, RepositoryBusy, RepositoryDamaged
from backtrail.scan.look import Look, Looker
from backtrail.scan.stat_cache import StatCache
from core.git_oracle import ask, blob_id, commit_all, disk_entries, git, head, recovery_refs, self_proof
from core.keeping import Keeping

CAP = 1 << 30
LATER = datetime.timedelta(seconds=10)


def looker(root: Path, cache: StatCache | None = None) -> Looker:
    return Looker(Repository.open(os.fsencode(root)), cache or StatCache(), lambda: system_clock() + LATER, CAP)


def look(root: Path) -> Look:
    with self_proof(root):
        return looker(root).look()


def test_the_same_files_as_git_lists(root: Path) -> None:
    (root / ".gitignore").write_bytes(b"*.log\nbuild/\n!keep.log\n")
    for name in ("a.log", "keep.log", "tracked.log", "build/x", "build/tracked", "d/a", "d/e/b", "d/e/c.log"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(name.encode())
    (root / "d" / ".gitignore").write_bytes(b"!c.log\n/a\n")
    git(root, "add", "-f", "tracked.log", "build/tracked")
    (root / "d" / "link").symlink_to("../build")
    found = look(root).state
    assert {entry.path: (entry.mode, entry.oid.hex()) for entry in found.working} == disk_entries(root)
    assert found.coverage.ignored_count == 3
    assert [entry.path for entry in found.working] == sorted(entry.path for entry in found.working)


def test_what_is_clean_for_git_is_clean_for_us(root: Path) -> None:
    for name in ("same", "edited", "gone", "mode", "touched", "staged"):
        (root / name).write_bytes(name.encode())
    commit_all(root)
    (root / "edited").write_bytes(b"more")
    (root / "gone").unlink()
    (root / "mode").chmod(0o755)
    os.utime(root / "touched", (1, 1))
    (root / "staged").write_bytes(b"staged")
    git(root, "add", "staged")
    unclean = {path for path in ask(root, "diff-files", "--name-only", "-z").split(b"\0") if path}
    git(root, "update-index", "-q", "--refresh", code=None)
    unclean &= set(ask(root, "diff-files", "--name-only", "-z").split(b"\0"))
    found = {entry.path: entry.clean for entry in look(root).state.working}
    assert {path for path, clean in found.items() if not clean} == unclean - {b"gone"}


def write(root: Path) -> None:
    (root / "f").write_bytes(b"other")


CHANGES: list[Callable[[Path], object]] = [
    write,
    lambda root: (root / "f").chmod(0o755),
    lambda root: (root / "f").chmod(0o600),
    lambda root: (root / "f").unlink(),
    lambda root: (root / "new").write_bytes(b""),
    lambda root: (root / "new").symlink_to("f"),
    lambda root: (root / "empty").mkdir(),
    lambda root: root.chmod(0o700),
    lambda root: git(root, "checkout", "-q", "-b", "side"),
    lambda root: git(root, "checkout", "-q", "--detach"),
    lambda root: git(root, "commit", "-q", "--allow-empty", "-m", "x"),
    lambda root: git(root, "rm", "-q", "--cached", "f"),
    lambda root: git(root, "update-index", "--assume-unchanged", "f"),
    lambda root: git(root, "update-index", "--skip-worktree", "f"),
    lambda root: git(root, "update-index", "--chmod=+x", "f"),
    lambda root: (root / ".git" / "CHERRY_PICK_HEAD").write_text(f"{head(root)}\n"),
    lambda root: (root / ".git" / "MERGE_HEAD").write_text(f"{head(root)}\n"),
]


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_every_change_is_another_token(root: Path, number: int) -> None:
    before = look(root).token
    CHANGES[number](root)
    assert look(root).token != before


@pytest.mark.parametrize(
    "change",
    [
        lambda root: os.utime(root / "f", (1, 1)),
        lambda root: git(root, "branch", "other"),
        lambda root: git(root, "status"),
        lambda root: git(root, "gc", "-q"),
        lambda root: (root / "f").write_bytes(b"base\n"),
        lambda root: git(root, "config", "user.name", "someone"),
    ],
)
def test_what_changes_nothing_keeps_the_token(root: Path, change: Callable[[Path], object]) -> None:
    before = look(root).token
    change(root)
    assert look(root).token == before


def test_a_racy_write_of_equal_size_and_time_is_seen(root: Path) -> None:
    """Two writes within one tick of the clock: the stat is the same, the bytes are not."""
    cache = StatCache()
    now = Looker(Repository.open(os.fsencode(root)), cache, system_clock, CAP)
    (root / "f").write_bytes(b"one\n")
    stamp = (root / "f").stat().st_mtime_ns
    now.look()
    (root / "f").write_bytes(b"two\n")
    os.utime(root / "f", ns=(stamp, stamp))
    (entry,) = now.look().state.working
    assert entry.oid.hex() == blob_id(b"two\n")


def test_a_file_that_is_as_before_is_judged_anew_once_the_index_or_file_mode_says_other_things(root: Path) -> None:
    """The second look takes entries over from the first: never beyond what they were true for."""
    (root / "untracked").write_bytes(b"1234567890")
    now = looker(root)
    assert not {entry.path: entry for entry in now.look().state.working}[b"untracked"].clean
    git(root, "add", "untracked")
    assert {entry.path: entry for entry in now.look().state.working}[b"untracked"].clean
    (root / "untracked").chmod(0o700)
    assert {entry.path: entry for entry in now.look().state.working}[b"untracked"].mode == 0o100755
    git(root, "config", "core.fileMode", "false")
    now = Looker(Repository.open(os.fsencode(root)), now.cache, lambda: system_clock() + LATER, CAP)
    assert {entry.path: entry for entry in now.look().state.working}[b"untracked"].mode == 0o100644
    git(root, "rm", "-q", "--cached", "untracked")
    small = Looker(Repository.open(os.fsencode(root)), now.cache, lambda: system_clock() + LATER, size_cap=9)
    left_out = small.look().state.coverage.left_out
    assert [(item.path, item.reason) for item in left_out] == [(b"untracked", Reason.TOO_LARGE)]
    larger = Looker(Repository.open(os.fsencode(root)), now.cache, lambda: system_clock() + LATER, size_cap=10)
    assert b"untracked" in {entry.path for entry in larger.look().state.working}
    assert larger.look(changing=frozenset([b"f"])).state.coverage.left_out[0].reason is Reason.CHANGING
    smaller = Looker(Repository.open(os.fsencode(root)), now.cache, lambda: system_clock() + LATER, size_cap=9)
    assert [item.path for item in smaller.look().state.coverage.left_out] == [b"untracked"]


def test_tokens_are_the_same_whatever_was_seen_before(root: Path) -> None:
    """Digests that are taken over from the look before lead to the same token as made anew."""
    now = looker(root)
    tokens = [now.look().token]
    for content in (b"one\n", b"other\n", b"one\n"):
        (root / "g").write_bytes(content)
        tokens.append(now.look().token)
        assert tokens[-1] == looker(root).look().token
    assert tokens[1] == tokens[3]
    assert len(set(tokens)) == 3


def test_repositories_within_repositories_are_looked_into_only_so_far(root: Path) -> None:
    """Three hundred of them end neither in an error nor in a claim: that there are changes inside is unknown."""
    place = root
    for _ in range(300):
        place /= "r"
        place.mkdir()
        shutil.copytree(root / ".git", place / ".git")
    (left_out,) = look(root).state.coverage.left_out
    assert (left_out.path, left_out.reason, left_out.head) == (b"r/", Reason.NESTED_REPOSITORY, head(root))
    assert left_out.dirty


def test_the_cache_file_comes_back_whole(tmp_path: Path) -> None:
    cache = StatCache({b"caf\xe9": ((1, 2, 3, 4, 5), EMPTY_TREE)})
    cache.save(tmp_path / "stat-cache")
    assert StatCache.load(tmp_path / "stat-cache").known == cache.known
    assert list(tmp_path.iterdir()) == [tmp_path / "stat-cache"]
    cache.save(tmp_path / "no such folder" / "stat-cache")


def test_head_that_keeps_moving_is_busy_and_not_guessed(root: Path) -> None:
    """A commit lands during each of three looks: no state is made up of two."""
    commits = 0

    def clock() -> datetime.datetime:
        nonlocal commits
        commits += 1
        git(root, "commit", "-q", "--allow-empty", "-m", f"{commits}")
        return system_clock()

    with pytest.raises(RepositoryBusy):
        Looker(Repository.open(os.fsencode(root)), StatCache(), clock, CAP).look()
    assert commits == 3


def test_head_that_moves_once_is_looked_at_again(root: Path) -> None:
    done: list[bytes] = []

    def clock() -> datetime.datetime:
        if not done:
            done.append(git(root, "commit", "-q", "--allow-empty", "-m", "in between"))
        return system_clock()

    state = Looker(Repository.open(os.fsencode(root)), StatCache(), clock, CAP).look().state
    assert state.head is not None
    assert state.head.hex() == head(root)


def test_a_reset_that_begins_during_the_look_is_waited_for(root: Path) -> None:
    """One file is reset already and the other is not yet: neither work as it was nor the commit."""
    (root / ".gitattributes").write_text("slow filter=slow\n")
    (root / "slow").write_text("base\n")
    commit_all(root, "two files")
    git(root, "config", "filter.slow.smudge", "sleep 1; cat")
    for name in ("f", "slow"):
        (root / name).write_text("an hour of work\n")
    resetting: list[subprocess.Popen[bytes]] = []

    def is_back() -> bool:
        try:
            return (root / "f").read_bytes() == b"base\n"
        except FileNotFoundError:
            return False

    def clock() -> datetime.datetime:
        if not resetting:
            resetting.append(subprocess.Popen(["git", "-C", root, "reset", "-q", "--hard"]))
            while resetting[0].poll() is None and not is_back():
                pass
            assert (root / ".git" / "index.lock").exists()
        return system_clock()

    state = Looker(Repository.open(os.fsencode(root)), StatCache(), clock, CAP).look().state
    assert resetting[0].wait() == 0
    assert {entry.path: entry.oid for entry in state.working} == {entry.path: entry.oid for entry in state.index}
    assert all(entry.clean for entry in state.working)


def test_a_file_that_changes_between_look_and_capture_is_never_stored_under_a_false_name(keeping: Keeping) -> None:
    """The look saw one content, the disk has another when it is stored: the look is repeated."""
    keeping.checkpoint()
    with keeping.opened() as work:
        (keeping.root / "f").write_bytes(b"seen\n")
        seen = work.looker.look()
        (keeping.root / "f").write_bytes(b"moved\n")
        observed = Observer(work.memory, work.looker, work.database).observe(seen, work.clock())
    assert observed.checkpoint is not None
    keeping.compare(observed.checkpoint)
    assert observed.look.token != seen.token
    assert len(recovery_refs(keeping.root)) == 2


def test_a_file_that_never_holds_still_is_left_out_and_said_to_be(keeping: Keeping) -> None:
    """A log that grows with every look: the rest is kept, twice is enough."""
    keeping.checkpoint()
    growing = keeping.root / "growing.log"

    with keeping.opened() as work:
        growing.write_bytes(b"0")
        seen = work.looker.look()
        take = work.looker.look

        def look_and_grow(**options: object) -> Look:
            found = take(**options)  # type: ignore[arg-type]
            with growing.open("ab") as file:
                file.write(b"more")
            return found

        with growing.open("ab") as file:
            file.write(b"more")
        work.looker.look = look_and_grow  # type: ignore[assignment]
        observed = Observer(work.memory, work.looker, work.database).observe(seen, work.clock())
    assert not isinstance(observed.failure, CaptureFailed)
    assert observed.checkpoint is not None
    assert [(item.path, item.reason) for item in observed.checkpoint.coverage.left_out] == [
        (b"growing.log", Reason.CHANGING)
    ]


def test_a_deep_tree(keeping: Keeping) -> None:
    here = keeping.root
    for _ in range(300):
        here /= "d"
    here.mkdir(parents=True)
    (here / "x").write_bytes(b"deep")
    keeping.checkpoint()


def test_a_root_that_went_or_may_not_be_read(root: Path, tmp_path: Path) -> None:
    one = looker(root)
    root.rename(tmp_path / "away")
    with pytest.raises((NotReachable, RepositoryDamaged)):
        one.look()


def test_times_before_1970_and_after_2038(root: Path) -> None:
    for name, second in (("old", -1000), ("young", 1 << 33)):
        (root / name).write_bytes(name.encode())
        os.utime(root / name, (second, second))
    git(root, "add", "-A")
    found = look(root)
    assert {entry.path: (entry.mode, entry.oid.hex()) for entry in found.state.working} == disk_entries(root)
    assert time.time() < 1 << 33
