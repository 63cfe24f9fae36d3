"""A listing tells whatever moved in a folder, and holds when the folder itself is moved."""

import contextlib
import errno
import os
import shutil
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from backtrail.restore.listing import Descent, Kind, Listed, Listing, open_below, open_folder, take_listing
from backtrail.restore.switch import exchange

_REPLACE = """
import os, sys
place, victim = sys.argv[1:]
print("ready", flush=True)
while True:
    os.rename(place, place + "-aside")
    os.symlink(victim, place)
    os.unlink(place)
    os.rename(place + "-aside", place)
"""


@contextlib.contextmanager
def _writing(code: str, *arguments: Path) -> Iterator[None]:
    """Run a writer that has begun when the block is entered, and end it with the block."""
    with subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE) as writer:
        try:
            assert writer.stdout is not None
            writer.stdout.readline()
            yield
        finally:
            writer.kill()


def _git(root: Path, *arguments: str) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


def _take(root: Path) -> Listing:
    return take_listing(os.fsencode(root), os.fsencode(root / ".git"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "memory"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "note").write_text("one")
    (folder / "link").symlink_to("deep")
    (folder / "empty").mkdir()
    _git(folder, "init", "-q", "-b", "main")
    _git(folder, "add", ".")
    _git(folder, "commit", "-qm", "base")
    return folder


def test_everything_is_listed_by_its_kind(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(root / "sock"))
        listing = _take(root)
    kinds = {path: listed.kind for path, listed in listing.entries.items() if not path.startswith(b".git")}
    assert kinds == {
        b"": Kind.FOLDER,
        b"deep": Kind.FOLDER,
        b"deep/er": Kind.FOLDER,
        b"deep/er/note": Kind.FILE,
        b"empty": Kind.FOLDER,
        b"link": Kind.LINK,
        b"pipe": Kind.OTHER,
        b"sock": Kind.OTHER,
    }
    seen = (root / "deep" / "er" / "note").stat()
    note = Listed(Kind.FILE, seen.st_mode, 3, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)
    assert listing.entries[b"deep/er/note"] == note
    assert {b".git/HEAD", b".git/config", b".git/refs/heads/main", b".git/logs/HEAD"} <= listing.entries.keys()


_MOVES: dict[str, tuple[Callable[[Path], object], set[bytes]]] = {
    "content": (lambda r: (r / "deep/er/note").write_text("two"), {b"deep/er/note"}),
    "same size and mtime": (lambda r: _rewrite_quietly(r / "deep/er/note"), {b"deep/er/note"}),
    "mode": (lambda r: (r / "deep/er/note").chmod(0o600), {b"deep/er/note"}),
    "folder mode": (lambda r: (r / "empty").chmod(0o700), {b"empty"}),
    "mode of the folder itself": (lambda r: r.chmod(0o700), {b""}),
    "new file": (lambda r: (r / "empty" / "x").touch(), {b"empty/x"}),
    "new folder": (lambda r: (r / "empty" / "x").mkdir(), {b"empty/x"}),
    "gone": (lambda r: shutil.rmtree(r / "deep"), {b"deep", b"deep/er", b"deep/er/note"}),
    "renamed": (lambda r: (r / "empty").rename(r / "full"), {b"empty", b"full"}),
    "link points elsewhere": (lambda r: _point_elsewhere(r / "link"), {b"link"}),
    "a copy took its place": (lambda r: _replace_by_copy(r / "deep/er/note"), {b"deep/er/note"}),
    "branch": (lambda r: _git(r, "branch", "new"), {b".git/refs/heads/new", b".git/logs/refs/heads/new"}),
    "config": (lambda r: _git(r, "config", "a.b", "c"), {b".git/config"}),
    "hook": (lambda r: (r / ".git/hooks/post-commit").write_text(""), {b".git/hooks/post-commit"}),
}


def _rewrite_quietly(path: Path) -> None:
    seen = path.stat()
    path.write_text("two")
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))


def _point_elsewhere(link: Path) -> None:
    link.unlink()
    link.symlink_to("er")


def _replace_by_copy(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copy2(path, copy)
    copy.replace(path)


@pytest.mark.parametrize("name", _MOVES)
def test_whatever_moves_is_told(root: Path, name: str) -> None:
    before = _take(root)
    move, expected = _MOVES[name]
    move(root)
    after = _take(root)
    assert before.moved(after) == after.moved(before) == tuple(sorted(expected))
    assert before.digest() != after.digest()


def test_what_git_does_to_itself_is_not_told(root: Path) -> None:
    before = _take(root)
    os.utime(root / "deep/er/note", ns=(0, 0))
    os.utime(root / "deep/er/note", ns=(0, before.entries[b"deep/er/note"].mtime_ns))
    before = _take(root)
    index = (root / ".git/index").stat().st_ino
    _git(root, "update-index", "--refresh")
    assert (root / ".git/index").stat().st_ino != index
    _git(root, "hash-object", "-w", ".git/HEAD")
    for name in ("index.lock", "HEAD.lock", "gc.pid", "refs/heads/x.lock"):
        (root / ".git" / name).touch()
    assert before.moved(_take(root)) == ()
    (root / ".git/index").unlink()
    assert before.moved(_take(root)) == (b".git/index",)


def test_lock_files_of_the_working_tree_are_content(root: Path) -> None:
    before = _take(root)
    for name in ("yarn.lock", "gc.pid", "index"):
        (root / name).touch()
    (root / "objects").mkdir()
    (root / "objects" / "x").touch()
    assert before.moved(_take(root)) == (b"gc.pid", b"index", b"objects", b"objects/x", b"yarn.lock")


def test_objects_and_lock_files_count_where_the_git_folder_is_elsewhere(root: Path) -> None:
    without = take_listing(os.fsencode(root), None)
    assert any(path.startswith(b".git/objects/") for path in without.entries)
    assert take_listing(os.fsencode(root), os.fsencode(root.parent / "other")) == without
    assert not any(path.startswith(b".git/objects/") for path in _take(root).entries)


def test_a_folder_that_was_renamed_or_exchanged_as_a_whole_has_not_moved(root: Path, tmp_path: Path) -> None:
    before = _take(root)
    other, spare = tmp_path / "other", tmp_path / "spare"
    other.mkdir()
    for force in (False, True):
        exchange(os.fsencode(root), os.fsencode(other), os.fsencode(spare), force_two_renames=force)
        assert before.moved(_take(other)) == ()
        exchange(os.fsencode(root), os.fsencode(other), os.fsencode(spare))
    root.rename(spare)
    assert before.moved(_take(spare)) == ()
    assert _take(spare).digest() == before.digest()


def test_the_digest_does_not_depend_on_the_order_of_the_walk(root: Path) -> None:
    listing = _take(root)
    backwards = Listing(dict(reversed(listing.entries.items())))
    assert list(backwards.entries) != list(listing.entries)
    assert backwards.digest() == listing.digest()


def test_names_of_any_bytes_are_listed_and_come_back_from_disk(root: Path, tmp_path: Path) -> None:
    names = [b"caf\xe9", b"a\nb", b"\xff\xfe", "e\u0301".encode(), "\u00e9".encode(), b"-rf", b" ", b"\\x41"]
    for name in names:
        os.mkdir(os.fsencode(root) + b"/" + name)
        with open(os.fsencode(root) + b"/" + name + b"/" + name, "wb"):
            pass
    listing = _take(root)
    assert {name + b"/" + name for name in names} <= listing.entries.keys()
    saved = os.fsencode(tmp_path) + b"/listing\xff"
    listing.save(saved)
    assert Listing.load(saved) == listing
    assert Listing.load(saved).digest() == listing.digest()
    assert [name for name in os.listdir(os.fsencode(tmp_path)) if b"listing" in name] == [b"listing\xff"]


@pytest.mark.parametrize("damage", [b"", b"no listing", None])
def test_a_damaged_listing_is_told_and_never_taken_for_an_empty_one(root: Path, damage: bytes | None) -> None:
    path = root / "saved"
    _take(root).save(os.fsencode(path))
    path.write_bytes(path.read_bytes()[:-20] if damage is None else damage)
    with pytest.raises(ValueError, match="saved"):
        Listing.load(os.fsencode(path))


def test_an_unreadable_folder_is_listed_as_such(plain_folder: Path) -> None:
    closed, blind = plain_folder / "closed", plain_folder / "blind"
    (closed / "x").mkdir(parents=True)
    blind.mkdir()
    (blind / "file").touch()
    (blind / "folder").mkdir()
    closed.chmod(0)
    blind.chmod(0o444)  # names can be read, and nothing else
    entries = take_listing(os.fsencode(plain_folder), None).entries
    closed.chmod(0o755)
    blind.chmod(0o755)
    assert entries[b"closed"] == Listed(Kind.UNREADABLE, stat.S_IFDIR)
    assert entries[b"blind"].kind is Kind.UNREADABLE
    assert b"closed/x" not in entries


def test_a_folder_that_is_not_there_or_a_link_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        take_listing(os.fsencode(tmp_path / "gone"), None)
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(OSError, match=os.strerror(errno.ENOTDIR)):
        take_listing(os.fsencode(tmp_path / "link"), None)


def _chain(root: Path, levels: int) -> None:
    """Make folders `n/n/n/…`, each with a file and a sibling beside the next."""
    with Descent(open_folder(os.fsencode(root))) as way:
        for _ in range(levels):
            for name in (b"a", b"n", b"z"):
                os.mkdir(name, dir_fd=way.fd)
            os.close(os.open(b"file", os.O_CREAT | os.O_WRONLY, dir_fd=way.fd))
            way.enter(b"n")


def test_two_thousand_levels_are_listed_with_few_descriptors(tmp_path: Path) -> None:
    root = tmp_path / "deep"
    root.mkdir()
    _chain(root, 2000)
    before = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
    code = (
        "import os, resource, sys\nfrom backtrail.restore.listing import take_listing\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
        "print(len(take_listing(os.fsencode(sys.argv[1]), None).entries))"
    )
    done = subprocess.run([sys.executable, "-c", code, root], check=True, capture_output=True, text=True)
    assert int(done.stdout) == 1 + 4 * 2000
    assert len(take_listing(os.fsencode(root), None).entries) == 1 + 4 * 2000
    if sys.platform == "linux":
        assert len(os.listdir("/proc/self/fd")) == before
    subprocess.run(["rm", "-rf", root], check=True)


def test_no_descriptors_left_is_an_error_and_never_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    code = (
        "import os, resource, sys\nfrom backtrail.restore.listing import take_listing\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[2]), 64))\n"
        "try:\n    print(len(take_listing(os.fsencode(sys.argv[1]), None).entries))\n"
        "except OSError as error:\n    print(error.strerror)"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code, tmp_path, str(limit)], check=True, capture_output=True, text=True
        ).stdout.strip()
        for limit in range(3, 12)
    }
    assert said == {"3", os.strerror(errno.EMFILE)}


def test_links_that_form_loops_are_not_followed(tmp_path: Path) -> None:
    for name, target in (("self", "self"), ("up", ".."), ("here", ".")):
        (tmp_path / name).symlink_to(target)
    assert take_listing(os.fsencode(tmp_path), None).entries.keys() == {b"", b"self", b"up", b"here"}


def test_the_way_back_up_never_leads_to_another_place(tmp_path: Path) -> None:
    _chain(tmp_path, 80)
    with Descent(open_folder(os.fsencode(tmp_path))) as way:
        for _ in range(70):
            way.enter(b"n")
        (tmp_path / "n").rename(tmp_path / "moved")
        (tmp_path / "n").symlink_to(tmp_path / "moved")
        assert not all([way.leave() for _ in range(69)])  # noqa: C419 - all of them are left
        assert way.leave()
        assert os.path.samestat(os.fstat(way.fd), tmp_path.stat())


def test_opening_below_refuses_a_parent_that_became_a_link(tmp_path: Path) -> None:
    (tmp_path / "victim" / "b").mkdir(parents=True)
    (tmp_path / "root" / "real" / "b").mkdir(parents=True)
    (tmp_path / "root" / "a").symlink_to(tmp_path / "victim")
    root = open_folder(os.fsencode(tmp_path / "root"))
    for path in (b"", b"real", b"real/b"):
        os.close(open_below(root, path))
    with pytest.raises(NotADirectoryError):
        open_below(root, b"a/b")
    os.close(root)


def test_a_folder_that_becomes_a_link_during_the_walk_never_leads_outside(tmp_path: Path) -> None:
    root, victim = tmp_path / "root", tmp_path / "victim"
    (root / "place").mkdir(parents=True)
    (root / "place" / "own").touch()
    (victim / "deep").mkdir(parents=True)
    for name in ("secret", "deep/secret"):
        (victim / name).touch()
    seen: set[frozenset[bytes]] = set()
    with _writing(_REPLACE, root / "place", victim):
        looks = 0
        while looks < 3000 or len(seen) < 2:  # on a busy machine the writer may rest for a while
            seen.add(frozenset(take_listing(os.fsencode(root), None).entries))
            looks += 1
    assert not {path for entries in seen for path in entries if b"secret" in path or b"deep" in path}


def test_files_that_come_and_go_during_the_walk_do_no_harm(tmp_path: Path) -> None:
    for number in range(200):
        (tmp_path / f"{number}").mkdir()
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            for number in range(200):
                (tmp_path / f"{number}" / "x").mkdir(exist_ok=True)
                (tmp_path / f"{number}" / "y").touch()
            for number in range(200):
                (tmp_path / f"{number}" / "x").rmdir()
                (tmp_path / f"{number}" / "y").unlink()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        counts = {len(take_listing(os.fsencode(tmp_path), None).entries) for _ in range(50)}
    finally:
        stop.set()
        writer.join()
    assert min(counts) >= 201
    assert max(counts) <= 601
