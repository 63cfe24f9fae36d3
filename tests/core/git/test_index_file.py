"""The index reader against `git ls-files`, over every format and flag that Git writes, and over damaged bytes."""

import hashlib
import os
import random
import re
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from backtrail.git.index_file import Index, index_signature, is_racy, read_index, stat_matches
from backtrail.model.errors.repository import NotReachable, RepositoryDamaged
from backtrail.model.ids import Oid, RelPath
from backtrail.model.net_state import IndexEntry, IndexStat

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@example.invalid",
    "GIT_COMMITTER_NAME": "t",
    "GIT_COMMITTER_EMAIL": "t@example.invalid",
}
HOUR_AGO_NS = 3_600_000_000_000
NO_STAT = IndexStat(0, 0, 0, 0, 0, 0, 0, 0, 0)
LISTED = re.compile(
    rb"\S (\d+) ([0-9a-f]{40}) (\d)\t([^\0]+)\0"
    rb"  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n  dev: (\d+)\tino: (\d+)\n"
    rb"  uid: (\d+)\tgid: (\d+)\n  size: (\d+)\tflags: ([0-9a-f]+)\n"
)


def git(repository: Path, *arguments: str | bytes, given: bytes = b"", code: int = 0) -> bytes:
    done = subprocess.run(
        ["git", *arguments], cwd=repository, input=given, env=ENVIRONMENT, capture_output=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stdout


def as_git_has_it(repository: Path) -> list[IndexEntry]:
    out = git(repository, "ls-files", "-s", "-v", "--debug", "-z")
    entries = []
    end = 0
    for match in LISTED.finditer(out):
        assert match.start() == end
        end = match.end()
        mode, oid, stage, path, *numbers, flags = match.groups()
        word = int(flags, 16)
        entries.append(
            IndexEntry(
                path=RelPath(path),
                mode=int(mode, 8),
                oid=Oid(bytes.fromhex(oid.decode())),
                stage=int(stage),
                assume_valid=bool(word & 0x8000),
                intent_to_add=bool(word & 1 << 29),
                skip_worktree=bool(word & 1 << 30),
                stat=IndexStat(*map(int, numbers)),
            )
        )
    assert end == len(out)
    return entries


def read(repository: Path) -> Index:
    return read_index(os.fsencode(repository / ".git"), lambda oid: git(repository, "cat-file", "tree", oid.hex()))


def with_stat(entries: tuple[IndexEntry, ...]) -> list[IndexEntry]:
    return [msgspec.structs.replace(entry, stat=entry.stat or NO_STAT) for entry in entries]


def assert_equals_git(repository: Path) -> Index:
    before = (repository / ".git/index").read_bytes()
    index = read(repository)
    assert with_stat(index.entries) == as_git_has_it(repository)
    assert (repository / ".git/index").read_bytes() == before
    return index


def extension_of(repository: Path, name: bytes) -> bool:
    return name in (repository / ".git/index").read_bytes()


def seal(body: bytes) -> bytes:
    return body + hashlib.sha1(body, usedforsecurity=False).digest()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    top = tmp_path / "repository"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    git(top, "config", "splitIndex.maxPercentChange", "100")
    return top


@pytest.fixture
def filled(repository: Path) -> Path:
    for number in range(60):
        file = repository / f"folder{number % 7}" / f"inner{number % 3}" / f"file-{number}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{number}\n")
    (repository / "script").write_text("#!/bin/sh\n")
    (repository / "script").chmod(0o755)
    (repository / "link").symlink_to("nowhere")
    (repository / "empty").touch()
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "first")
    return repository


VERSIONS = pytest.mark.parametrize("version", ["2", "3", "4"])


@VERSIONS
def test_every_kind_of_entry_and_name(filled: Path, version: str) -> None:
    head = git(filled, "rev-parse", "HEAD").strip()
    blob = git(filled, "rev-parse", "HEAD:script").strip()
    for length in (4093, 4094, 4095, 4096, 4097, 9001):
        git(filled, "update-index", "--add", "--cacheinfo", b"100644," + blob + b"," + b"n" * length)
    for name in (b"caf\xe9", b"a\nb", b"tab\t", b"m\xc2\x85n", b" lead", b"trail ", b"-rf", b":(top)z", b"\xff/\xfe"):
        git(filled, "update-index", "--add", "--cacheinfo", b"100755," + blob + b"," + name)
    git(filled, "update-index", "--add", "--cacheinfo", b"160000," + head + b",submodule")
    git(filled, "update-index", "--index-version", version)
    index = assert_equals_git(filled)
    assert {entry.mode for entry in index.entries} == {0o100644, 0o100755, 0o120000, 0o160000}
    assert not index.missing


@VERSIONS
def test_flags_of_both_words(filled: Path, version: str) -> None:
    (filled / "planned").write_text("later")
    (filled / "planned two").write_text("later")
    git(filled, "add", "-N", "planned", "planned two")
    git(filled, "update-index", "--skip-worktree", "script", "planned two", "folder1/inner1/file-1.txt")
    git(filled, "update-index", "--assume-unchanged", "link", "planned two", "folder2/inner2/file-2.txt")
    git(filled, "update-index", "--index-version", version)
    entries = {entry.path: entry for entry in assert_equals_git(filled).entries}
    assert entries[RelPath(b"planned")].intent_to_add
    assert entries[RelPath(b"script")].skip_worktree
    assert entries[RelPath(b"link")].assume_valid
    both = entries[RelPath(b"planned two")]
    assert (both.intent_to_add, both.skip_worktree, both.assume_valid) == (True, True, True)


@VERSIONS
@pytest.mark.parametrize("split", [False, True])
def test_conflict_keeps_all_stages(filled: Path, version: str, *, split: bool) -> None:
    git(filled, "update-index", "--index-version", version)
    if split:
        git(filled, "update-index", "--split-index")
    git(filled, "checkout", "-qb", "other")
    for branch in ("other", "main"):
        git(filled, "checkout", "-q", branch)
        (filled / "script").write_text(branch)
        (filled / "both").write_text(branch)
        git(filled, "add", ".")
        git(filled, "commit", "-qm", branch)
    git(filled, "merge", "other", code=1)
    index = assert_equals_git(filled)
    stages = [(entry.path, entry.stage) for entry in index.entries if entry.stage]
    assert stages == [(b"both", 2), (b"both", 3), (b"script", 1), (b"script", 2), (b"script", 3)]
    git(filled, "add", "script")
    assert_equals_git(filled)


@VERSIONS
@pytest.mark.parametrize("seed", range(3))
def test_split_index_with_what_was_replaced_deleted_and_added(filled: Path, version: str, seed: int) -> None:
    choice = random.Random(seed)  # noqa: S311 - nothing secret
    blob = git(filled, "rev-parse", "HEAD:script").decode().strip()
    names = [f"many/{number:04}" for number in range(700)]
    git(filled, "update-index", "--index-info", given="".join(f"100644 {blob}\t{n}\n" for n in names).encode())
    git(filled, "update-index", "--index-version", version)
    git(filled, "update-index", "--split-index")
    start = choice.randrange(300)
    gone = {*names[start : start + 250], *choice.sample(names, 60)}
    changed = {*names[400:560], *choice.sample(names, 40)} - gone
    other = git(filled, "rev-parse", "HEAD:link").decode().strip()
    lines = [f"0 {'0' * 40}\t{name}\n" for name in gone]
    lines += [f"100755 {other}\t{name}\n" for name in changed]
    lines += [f"100644 {other}\tmany/{number:04}x\n" for number in choice.sample(range(700), 30)]
    git(filled, "update-index", "--index-info", given="".join(lines).encode())
    (filled / "new").write_text("new")
    (filled / "script").write_text("changed")
    git(filled, "add", "-N", "new")
    git(filled, "add", "script")
    git(filled, "update-index", "--assume-unchanged", "link")
    assert extension_of(filled, b"link")
    assert len(list((filled / ".git").glob("sharedindex.*"))) == 1
    assert_equals_git(filled)


def test_split_index_of_a_linked_worktree(filled: Path) -> None:
    linked = filled.parent / "linked"
    git(filled, "worktree", "add", "-q", linked.as_posix(), "-b", "side")
    git(linked, "update-index", "--split-index")
    (linked / "new").write_text("new")
    git(linked, "add", "new")
    index = read_index(os.fsencode(filled / ".git/worktrees/linked"), lambda _: b"")
    assert with_stat(index.entries) == as_git_has_it(linked)


def test_split_index_without_its_shared_part_is_damage_and_not_an_empty_index(filled: Path) -> None:
    git(filled, "update-index", "--split-index")
    (shared,) = (filled / ".git").glob("sharedindex.*")
    whole = shared.read_bytes()
    shared.unlink()
    assert_damaged(filled, "missing")
    os.mkfifo(shared)
    assert_damaged(filled, "regular")
    shared.unlink()
    shared.write_bytes(seal(b"DIRC" + (2).to_bytes(4) + (0).to_bytes(4)))
    assert_damaged(filled, "another")
    for cut in range(0, len(whole), 97):
        shared.write_bytes(whole[:cut])
        assert_damaged(filled)


@pytest.mark.parametrize("cone", ["folder1", "folder2/inner0"])
def test_sparse_index_folders_become_their_files(filled: Path, cone: str) -> None:
    for name in ("folder1-before", "folder1.after", "folder10", "folder1/inner1-x"):
        (filled / name).write_text(name)
    git(filled, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},folder3/submodule")
    git(filled, "add", ".")
    git(filled, "commit", "-qm", "neighbours")
    git(filled, "sparse-checkout", "init", "--cone", "--sparse-index")
    git(filled, "sparse-checkout", "set", cone)
    assert extension_of(filled, b"sdir")
    index = assert_equals_git(filled)
    assert any(entry.skip_worktree and entry.stat is None for entry in index.entries)
    assert not any(entry.path.endswith(b"/") for entry in index.entries)


def test_sparse_checkout_without_sparse_index(filled: Path) -> None:
    git(filled, "sparse-checkout", "init", "--cone", "--no-sparse-index")
    git(filled, "sparse-checkout", "set", "folder1")
    assert_equals_git(filled)


def _always(raw: bytes) -> Callable[[Oid], bytes]:
    return lambda _: raw


def test_sparse_index_that_names_a_damaged_tree(filled: Path) -> None:
    git(filled, "sparse-checkout", "init", "--cone", "--sparse-index")
    git(filled, "sparse-checkout", "set", "folder1")
    for raw in (b"rubbish", b"100644 ..\0" + bytes(20), b"100644 a\0" + bytes(20) + b"100644 a\0" + bytes(20)):
        with pytest.raises(RepositoryDamaged):
            read_index(os.fsencode(filled / ".git"), _always(raw))


def test_sparse_index_with_modes_of_old_trees(filled: Path) -> None:
    git(filled, "sparse-checkout", "init", "--cone", "--sparse-index")
    git(filled, "sparse-checkout", "set", "folder1")
    raw = b"100664 a\0" + bytes(20) + b"100775 b\0" + bytes(20)
    index = read_index(os.fsencode(filled / ".git"), lambda _: raw)
    modes = {entry.path: entry.mode for entry in index.entries if entry.path.startswith(b"folder2/")}
    assert modes == {b"folder2/a": 0o100644, b"folder2/b": 0o100755}


@VERSIONS
def test_index_written_in_blocks_by_several_threads(repository: Path, version: str) -> None:
    oid = "1" * 40
    given = "".join(f"100644 {oid}\tfolder{number % 900:03}/{number:05}\n" for number in range(45_000)).encode()
    git(repository, "config", "index.threads", "4")
    git(repository, "update-index", "--index-info", given=given)
    git(repository, "update-index", "--index-version", version)
    assert extension_of(repository, b"IEOT")
    assert_equals_git(repository)


def test_extensions_that_may_be_passed_over(filled: Path) -> None:
    git(filled, "update-index", "--force-untracked-cache")
    git(filled, "status")
    assert extension_of(filled, b"UNTR")
    assert extension_of(filled, b"TREE")
    assert_equals_git(filled)


def test_index_without_a_checksum(filled: Path) -> None:
    # What index.skipHash writes, in a Git that has it.
    place = filled / ".git/index"
    place.write_bytes(place.read_bytes()[:-20] + bytes(20))
    assert_equals_git(filled)


def test_empty_index_and_missing_index(repository: Path) -> None:
    assert read(repository) == Index((), 0, 0, (), missing=True)
    assert index_signature(os.fsencode(repository / ".git")) is None
    git(repository, "read-tree", "--empty")
    index = assert_equals_git(repository)
    assert index.entries == ()
    assert not index.missing


def test_a_git_folder_that_is_gone_is_not_an_empty_index(filled: Path) -> None:
    (filled / ".git").rename(filled / "elsewhere")
    with pytest.raises(NotReachable):
        read(filled)
    with pytest.raises(NotReachable):
        index_signature(os.fsencode(filled / ".git"))


def test_signature_and_time_are_those_of_the_file(filled: Path) -> None:
    index = read(filled)
    status = (filled / ".git/index").stat()
    assert index.mtime_s * 1_000_000_000 + index.mtime_ns == status.st_mtime_ns
    assert index.signature == index_signature(os.fsencode(filled / ".git"))
    (filled / "script").write_text("more")
    git(filled, "add", "script")
    assert index.signature != index_signature(os.fsencode(filled / ".git"))


def test_index_that_is_a_symlink(filled: Path) -> None:
    (filled / ".git/index").rename(filled / ".git/real")
    (filled / ".git/index").symlink_to("real")
    assert_equals_git(filled)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda place: Path(place).symlink_to("/dev/zero")])
def test_what_is_no_file_never_hangs(repository: Path, make: Callable[[Path], None]) -> None:
    make(repository / ".git/index")
    assert_damaged(repository, "regular")


def test_replaced_while_it_is_read_is_one_of_both_states(filled: Path) -> None:
    place = filled / ".git/index"
    first = read(filled)
    contents = [place.read_bytes()]
    git(filled, "rm", "-q", "--cached", "script")
    second = read(filled)
    contents.append(place.read_bytes())

    def replace() -> None:
        for number in range(400):
            other = place.with_name("other")
            other.write_bytes(contents[number % 2])
            other.replace(place)

    writer = threading.Thread(target=replace)
    writer.start()
    while writer.is_alive():
        assert read(filled).entries in {first.entries, second.entries}
    writer.join()


def assert_damaged(repository: Path, word: str = "") -> None:
    with pytest.raises(RepositoryDamaged) as caught:
        read(repository)
    assert caught.value.path == os.fsencode(repository / ".git")
    assert caught.value.part == "index"
    assert word in caught.value.detail


@pytest.fixture(params=["2", "3", "4", "split", "sparse"])
def small(request: pytest.FixtureRequest, repository: Path) -> Path:
    for name in ("one", "folder/two", "folder/three", "other/four"):
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_text(name)
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "first")
    if request.param == "split":
        git(repository, "update-index", "--split-index")
        (repository / "one").write_text("replaced")
        git(repository, "add", "one")
        git(repository, "rm", "-q", "folder/two")
        (repository / "new").write_text("new")
        git(repository, "add", "new")
    elif request.param == "sparse":
        git(repository, "sparse-checkout", "init", "--cone", "--sparse-index")
        git(repository, "sparse-checkout", "set", "folder")
    else:
        git(repository, "update-index", "--skip-worktree", "one")
        git(repository, "update-index", "--index-version", request.param)
    return repository


def test_cut_off_anywhere_is_damage(small: Path) -> None:
    place = small / ".git/index"
    whole = place.read_bytes()
    good = read(small).entries
    for length in range(len(whole)):
        place.write_bytes(whole[:length])
        assert_damaged(small)
    # Cut off with a right checksum: only whole extensions may be missing, and then the entries are all there.
    for length in range(len(whole) - 20):
        place.write_bytes(seal(whole[:length]))
        try:
            index = read(small)
        except RepositoryDamaged:
            continue
        assert index.entries == good or with_stat(index.entries) == as_git_has_it(small)


def test_any_flipped_byte_is_damage(small: Path) -> None:
    place = small / ".git/index"
    whole = place.read_bytes()
    for at in range(len(whole)):
        for flip in (0x01, 0x80, 0xFF):
            place.write_bytes(whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1 :])
            assert_damaged(small)


def test_a_flipped_byte_under_a_right_checksum_is_damage_or_what_git_reads(small: Path) -> None:
    place = small / ".git/index"
    body = place.read_bytes()[:-20]
    good = read(small).entries

    def tree(oid: Oid) -> bytes:
        return git(small, "cat-file", "tree", oid.hex()) if oid in known else b""

    listed = git(small, "cat-file", "--batch-all-objects", "--batch-check").split(b"\n")
    known = {bytes.fromhex(line[:40].decode()) for line in listed if b" tree " in line}
    different = 0
    for at in range(len(body)):
        for flip in (0x01, 0x80, 0xFF):
            place.write_bytes(seal(body[:at] + bytes([body[at] ^ flip]) + body[at + 1 :]))
            try:
                entries = read_index(os.fsencode(small / ".git"), tree).entries
            except RepositoryDamaged:
                continue
            if entries != good and all(entry.stat for entry in entries):
                different += 1
                assert with_stat(entries) == as_git_has_it(small), at
    assert different or b"sdir" in body


def test_an_extension_that_must_be_understood_and_is_not(filled: Path) -> None:
    place = filled / ".git/index"
    body = place.read_bytes()[:-20]
    place.write_bytes(seal(body + b"next" + (0).to_bytes(4)))
    assert_damaged(filled, "next")
    place.write_bytes(seal(body + b"NEXT" + (0).to_bytes(4)))
    read(filled)


def test_a_name_that_leads_out_of_the_folder_is_damage(filled: Path) -> None:
    place = filled / ".git/index"
    body = place.read_bytes()[:-20]
    for name in (b"../pt", b"/cript", b".git/a", b".GIT/a", b"s//ipt", b"./ript", b"script/"[1:], b"s\0ript"):
        assert body.count(b"script") >= 1
        place.write_bytes(seal(body.replace(b"script", name, 1)))
        assert_damaged(filled)


def test_entries_out_of_order_are_damage(repository: Path) -> None:
    for name in ("aaa", "bbb"):
        (repository / name).touch()
    git(repository, "add", ".")
    place = repository / ".git/index"
    body = place.read_bytes()[:-20]
    for first, second in ((b"bbb", b"aaa"), (b"aaa", b"aaa")):
        place.write_bytes(seal(body.replace(b"bbb", b"***").replace(b"aaa", first).replace(b"***", second)))
        assert_damaged(repository, "order")


def changes() -> dict[str, Callable[[Path], object]]:
    def same_size(file: Path) -> None:
        file.write_bytes(b"x" * file.stat().st_size)

    def new_inode(file: Path) -> None:
        shutil.copy2(file, file.with_name("copy"))
        file.with_name("copy").replace(file)

    def link(file: Path) -> None:
        file.unlink()
        file.symlink_to("x" * 6)

    def folder(file: Path) -> None:
        file.unlink()
        file.mkdir()

    return {
        "untouched": lambda _: None,
        "touched": os.utime,
        "executable": lambda file: file.chmod(0o755),
        "private": lambda file: file.chmod(0o600),
        "longer": lambda file: file.write_text("longer than before"),
        "same size": same_size,
        "new inode": new_inode,
        "link": link,
        "folder": folder,
    }


@pytest.mark.parametrize("change", changes())
def test_a_matching_stat_is_what_git_takes_for_unchanged(repository: Path, change: str) -> None:
    file = repository / "file"
    file.write_text("before")
    old = file.stat().st_mtime_ns - HOUR_AGO_NS
    os.utime(file, ns=(old, old))
    git(repository, "add", "file")
    index = read(repository)
    (entry,) = index.entries
    assert entry.stat is not None
    changes()[change](file)
    matches = stat_matches(entry.stat, entry.mode, file.lstat())
    # Never more trusting than Git. Less where nanoseconds tell what Git's seconds do not.
    assert not matches or git(repository, "diff-files", "--name-only") == b""
    assert matches == (change == "untouched")
    assert not is_racy(entry.stat, index.mtime_s)


def test_a_link_matches_until_it_is_made_anew(repository: Path) -> None:
    link = repository / "link"
    link.symlink_to("target")
    git(repository, "add", "link")
    (entry,) = read(repository).entries
    assert entry.stat is not None
    assert stat_matches(entry.stat, entry.mode, link.lstat())
    link.unlink()
    link.write_text("target")
    assert not stat_matches(entry.stat, entry.mode, link.lstat())


def test_stats_that_say_nothing_never_match(repository: Path) -> None:
    (repository / "empty").touch()
    git(repository, "add", "empty")
    (entry,) = read(repository).entries
    status = (repository / "empty").lstat()
    assert entry.stat is not None
    assert not stat_matches(entry.stat, entry.mode, status)
    assert not stat_matches(NO_STAT, entry.mode, status)
    assert not stat_matches(entry.stat, 0o160000, repository.lstat())


def test_racy_is_at_or_after_the_index_by_seconds() -> None:
    stat = NO_STAT._replace(mtime_s=1000, mtime_ns=1, size=1)
    assert is_racy(stat, 1000)
    assert is_racy(stat, 999)
    assert not is_racy(stat, 1001)
    assert not is_racy(stat, 0)
