"""An index that we write, as Git and our own reader see it."""

import os
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest
from backtrail.git.index_file import read_index
from backtrail.git.index_write import write_index
from backtrail.model.ids import Oid, RelPath
from backtrail.model.net_state import IndexEntry, IndexStat, Mode
from hypothesis import given, settings
from hypothesis import strategies as st

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@example.invalid",
    "GIT_COMMITTER_NAME": "t",
    "GIT_COMMITTER_EMAIL": "t@example.invalid",
}
NO_STAT = IndexStat(0, 0, 0, 0, 0, 0, 0, 0, 0)


def git(repository: Path, *arguments: str) -> bytes:
    done = subprocess.run(["git", *arguments], cwd=repository, env=ENVIRONMENT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    return tmp_path


def index_of(repository: Path) -> bytes:
    return os.fsencode(repository / ".git/index")


def entries_of(repository: Path) -> tuple[IndexEntry, ...]:
    return read_index(os.fsencode(repository / ".git"), lambda _: b"").entries


LISTINGS = (
    ("ls-files", "-s", "-v", "-t", "-z"),
    ("ls-files", "--debug", "-z"),
    ("ls-files", "-u", "-z"),
    ("--no-optional-locks", "status", "--porcelain=v2", "-z"),
    ("diff", "--cached", "--raw", "-z"),
)


def listings(repository: Path) -> list[bytes]:
    return [git(repository, *arguments) for arguments in LISTINGS]


def test_what_git_wrote_comes_back_the_same(repository: Path) -> None:
    for name in ("a", "a-b", "a.d/x", "planned", "skipped", "valid", "long/" + "/".join(["n" * 200] * 6)):
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text(name)
    (repository / "script").write_text("#!/bin/sh\n")
    (repository / "script").chmod(0o755)
    (repository / "link").symlink_to("nowhere")
    git(repository, "add", "--", ".", ":!planned")
    git(repository, "commit", "-qm", "first")
    (repository / "a").write_text("staged")
    git(repository, "add", "a")
    (repository / "a").write_text("then changed")
    (repository / "untracked").touch()
    git(repository, "add", "-N", "planned")
    git(repository, "update-index", "--skip-worktree", "skipped")
    git(repository, "update-index", "--assume-unchanged", "valid")
    head = git(repository, "rev-parse", "HEAD").decode().strip()
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{head},submodule")
    git(repository, "update-index", "--add", "--cacheinfo", f"100644,{'1' * 40},{'m' * 5000}")
    # Three stages of one path, as a merge leaves them.
    entries = entries_of(repository)
    stages = [IndexEntry(RelPath(b"conflict"), Mode.FILE, entries[0].oid, stage) for stage in (3, 1, 2)]
    write_index(index_of(repository), [*reversed(entries), *stages])
    assert {entry.stage for entry in entries_of(repository)} == {0, 1, 2, 3}
    assert git(repository, "ls-files", "-u").count(b"\n") == 3

    before = listings(repository)
    entries = entries_of(repository)
    # Git makes the file anew in its own way, from the same entries.
    git(repository, "update-index", "--force-write-index")
    assert listings(repository) == before
    assert entries_of(repository) == entries
    write_index(index_of(repository), entries)
    assert listings(repository) == before
    assert entries_of(repository) == entries


def test_version_three_only_where_a_flag_needs_it(repository: Path) -> None:
    plain = IndexEntry(RelPath(b"a"), Mode.FILE, Oid(bytes(19) + b"\1"), assume_valid=True)
    write_index(index_of(repository), [plain])
    assert Path(os.fsdecode(index_of(repository))).read_bytes()[7] == 2
    planned = IndexEntry(RelPath(b"b"), Mode.FILE, Oid(bytes(19) + b"\1"), intent_to_add=True)
    write_index(index_of(repository), [plain, planned])
    assert Path(os.fsdecode(index_of(repository))).read_bytes()[7] == 3
    assert git(repository, "ls-files", "-v") == b"h a\nH b\n"


def test_clean_for_git_by_stat_and_clean_without_one(repository: Path) -> None:
    for name in ("one", "two"):
        (repository / name).write_text(name)
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "first")
    entries = entries_of(repository)
    write_index(index_of(repository), entries)
    assert git(repository, "diff-files") == b""
    without = [IndexEntry(entry.path, entry.mode, entry.oid) for entry in entries]
    write_index(index_of(repository), without)
    assert git(repository, "status", "--porcelain") == b""
    git(repository, "fsck", "--strict")


def test_no_entries(repository: Path) -> None:
    write_index(index_of(repository), [])
    assert git(repository, "ls-files") == b""
    assert entries_of(repository) == ()
    git(repository, "fsck")


def test_refused_entries_leave_the_index_as_it_was(repository: Path) -> None:
    (repository / "file").write_text("file")
    git(repository, "add", "file")
    place = repository / ".git/index"
    before = place.read_bytes()
    listing = sorted(os.listdir(repository / ".git"))
    oid = Oid(bytes(19) + b"\1")
    good = IndexEntry(RelPath(b"a"), Mode.FILE, oid)
    for bad in (
        [good, good],
        *([IndexEntry(RelPath(path), Mode.FILE, oid)] for path in (b"", b"/a", b"a/", b"a/../b", b"a/.GIT/b", b"a\0b")),
        [IndexEntry(RelPath(b"a"), Mode.FOLDER, oid)],
        [IndexEntry(RelPath(b"a"), Mode.FILE, Oid(b"short"))],
        [IndexEntry(RelPath(b"a"), Mode.FILE, oid, stage=4)],
    ):
        with pytest.raises(ValueError, match=r"given twice|unsafe|mode|id|stage"):
            write_index(os.fsencode(place), bad)
    assert place.read_bytes() == before
    assert sorted(os.listdir(repository / ".git")) == listing


def test_what_cannot_be_replaced_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "index" / "in the way").mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        write_index(os.fsencode(tmp_path / "index"), [])
    assert os.listdir(tmp_path) == ["index"]


def test_readable_by_those_who_may_read_the_rest(repository: Path) -> None:
    (repository / ".git/other").touch()
    write_index(index_of(repository), [])
    modes = {stat.S_IMODE((repository / ".git" / name).stat().st_mode) for name in ("index", "other")}
    assert len(modes) == 1


NAMES = st.binary(min_size=1, max_size=9).filter(
    lambda name: not {0, ord("/")} & set(name) and name.lower() not in {b".", b"..", b".git"}
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map(b"/".join) | st.integers(4090, 4100).map(lambda n: b"n" * n)
WORDS = st.integers(0, 0xFFFFFFFF)
ENTRIES = st.builds(
    IndexEntry,
    path=PATHS,
    mode=st.sampled_from([Mode.FILE, Mode.EXECUTABLE, Mode.SYMLINK, Mode.GITLINK]).map(int),
    oid=st.binary(min_size=20, max_size=20),
    stage=st.integers(0, 3),
    assume_valid=st.booleans(),
    skip_worktree=st.booleans(),
    intent_to_add=st.booleans(),
    stat=st.builds(IndexStat, *[WORDS] * 9),
)


@settings(deadline=None)
@given(st.lists(ENTRIES, max_size=12, unique_by=lambda entry: (entry.path, entry.stage)))
def test_any_entries_are_read_back_as_they_were_written(entries: list[IndexEntry]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = os.fsencode(name)
        write_index(os.path.join(folder, b"index"), entries)
        index = read_index(folder, lambda _: b"")
    assert list(index.entries) == sorted(entries, key=lambda entry: (entry.path, entry.stage))


def test_stats_are_cut_to_what_the_file_can_hold(repository: Path) -> None:
    large = IndexStat(*[(1 << 40) + 7] * 9)
    write_index(index_of(repository), [IndexEntry(RelPath(b"a"), Mode.FILE, Oid(bytes(19) + b"\1"), stat=large)])
    (entry,) = entries_of(repository)
    assert entry.stat == IndexStat(*[7] * 9)
