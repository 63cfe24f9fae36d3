"""A copy holds what the folder holds and nothing from outside; removing one removes nothing else."""

import contextlib
import errno
import os
import random
import resource
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from backtrail.restore.file_copy import NotCopied, Why, copy_file, link_or_copy
from backtrail.restore.listing import Descent, Kind, open_folder, take_listing
from backtrail.restore.tree_copy import CopyReport, copy_tree
from backtrail.restore.tree_removal import Unmarked, remove_tree

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

_PUT_LINKS = """
import os, sys
place, victim = sys.argv[1:]
print("ready", flush=True)
while True:
    try:
        os.symlink(victim, place + "-link")
        os.rename(place, place + "-aside")
        os.rename(place + "-link", place)
    except OSError:
        pass
    for name in (place, place + "-link"):
        try:
            os.unlink(name)
        except OSError:
            pass
    try:
        os.rename(place + "-aside", place)
    except OSError:
        pass
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


def _seen(root: Path) -> dict[bytes, tuple[object, ...]]:
    """What must be equal in a copy: kind, mode, owner, size, mtime, content or target."""
    seen: dict[bytes, tuple[object, ...]] = {}
    for path, listed in take_listing(os.fsencode(root), None).entries.items():
        full = os.path.join(os.fsencode(root), path) if path else os.fsencode(root)
        status = os.lstat(full)
        content: bytes = b""
        if listed.kind is Kind.FILE:
            content = Path(os.fsdecode(full)).read_bytes()
        elif listed.kind is Kind.LINK:
            content = os.readlink(full)
        size = status.st_size if listed.kind is not Kind.FOLDER else 0
        seen[path] = (status.st_mode, status.st_uid, status.st_gid, size, status.st_mtime_ns, content)
    return seen


def _copy(src: Path, dst: Path, skip: Callable[[bytes], bool] | None = None) -> CopyReport:
    return copy_tree(os.fsencode(src), os.fsencode(dst), skip=skip)


def _remove(path: Path, last: bytes = b"") -> None:
    remove_tree(os.fsencode(path), lambda: True, last=last)


@pytest.fixture
def src(tmp_path: Path) -> Path:
    root = tmp_path / "src"
    (root / "deep" / "er").mkdir(parents=True)
    (root / "empty").mkdir(mode=0o700)
    (root / "zero").touch()
    (root / "deep" / "er" / "note").write_text("one")
    (root / "deep" / "run").write_text("#!/bin/sh\n")
    (root / "deep" / "run").chmod(0o4750)
    (root / "big").write_bytes(random.Random(1).randbytes(3_000_001))  # noqa: S311 - not a secret
    for name, target in (("link", "deep"), ("dangling", "/nonexistent"), ("self", "self"), ("up", "..")):
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe", 0o640)
    for number, path in enumerate(sorted(root.rglob("*"), reverse=True)):
        stamp = 1_500_000_000_123_456_789 + number
        os.utime(path, ns=(stamp, stamp), follow_symlinks=False)
    os.utime(root, ns=(1, 1_400_000_000_000_000_001))
    return root


@pytest.fixture
def mount(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return a call of mount(8) whose last argument is the place; it is unmounted at the end."""

    def do(*arguments: object) -> None:
        done = subprocess.run(["mount", *map(str, arguments)], capture_output=True, check=False)
        if done.returncode:
            pytest.skip(f"cannot mount here: {done.stderr!r}")
        request.addfinalizer(lambda: subprocess.run(["umount", str(arguments[-1])], check=True))

    return do


def test_a_copy_is_equal_with_modes_times_and_links(src: Path, tmp_path: Path) -> None:
    before = _seen(src)
    counted: list[int] = []
    report = copy_tree(os.fsencode(src), os.fsencode(tmp_path / "dst"), on_bytes=counted.append)
    assert report == CopyReport((), 9, 3_000_014)
    assert sum(counted) == 3_000_014
    assert _seen(tmp_path / "dst") == before == _seen(src)


def test_names_of_any_bytes_are_copied(tmp_path: Path) -> None:
    src = os.fsencode(tmp_path) + b"/s\xff"
    names = [b"caf\xe9", b"a\nb", b"\xff\xfe", "e\u0301".encode(), "\u00e9".encode(), b"-rf", b" ", b"\\", b"x" * 255]
    os.mkdir(src)
    for name in names:
        os.mkdir(src + b"/" + name)
        os.symlink(name, src + b"/" + name + b"/" + name)
    copy_tree(src, os.fsencode(tmp_path) + b"/d\xe9")
    assert _seen(Path(os.fsdecode(src))) == _seen(tmp_path / os.fsdecode(b"d\xe9"))


def test_sockets_and_devices_are_told_and_not_copied(tmp_path: Path) -> None:
    src, dst = tmp_path / "src", tmp_path / "dst"
    src.mkdir()
    expected = [(b"sock", Why.SPECIAL_FILE)]
    if os.geteuid() == 0:
        os.mknod(src / "device", 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        expected.insert(0, (b"device", Why.SPECIAL_FILE))
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(src / "sock"))
        assert sorted(_copy(src, dst).not_copied) == expected
    assert list(dst.iterdir()) == []


def test_what_is_skipped_is_not_entered_and_not_told(src: Path, tmp_path: Path) -> None:
    asked: list[bytes] = []

    def skip(path: bytes) -> bool:
        asked.append(path)
        return path in {b"deep/er", b"big"}

    assert _copy(src, tmp_path / "dst", skip=skip).not_copied == ()
    assert b"deep/er/note" not in asked
    expected = {path: seen for path, seen in _seen(src).items() if not path.startswith((b"deep/er", b"big"))}
    assert _seen(tmp_path / "dst") == expected


def test_a_sparse_file_stays_sparse(tmp_path: Path) -> None:
    src = tmp_path / "src"
    src.mkdir()
    with (src / "sparse").open("wb") as file:
        file.seek(1 << 30)
        file.write(b"middle")
        file.truncate(50 << 30)
    (src / "only a hole").touch()
    os.truncate(src / "only a hole", 1 << 40)
    counted: list[int] = []
    copy_tree(os.fsencode(src), os.fsencode(tmp_path / "dst"), on_bytes=counted.append)
    for name in ("sparse", "only a hole"):
        copied = (tmp_path / "dst" / name).stat()
        assert copied.st_size == (src / name).stat().st_size
        assert copied.st_blocks <= (src / name).stat().st_blocks
    with (tmp_path / "dst" / "sparse").open("rb") as file:
        file.seek((1 << 30) - 2)
        assert file.read(10) == b"\0\0middle\0\0"
    assert sum(counted) == (50 << 30) + (1 << 40)


def test_extended_attributes_and_access_lists_are_copied(tmp_path: Path) -> None:
    src, dst = tmp_path / "src", tmp_path / "dst"
    (src / "folder").mkdir(parents=True)
    (src / "folder" / "file").touch()
    access = b"\x02\0\0\0" + b"".join(
        tag.to_bytes(2, "little") + rights.to_bytes(2, "little") + who.to_bytes(4, "little")
        for tag, rights, who in ((1, 6, 0xFFFFFFFF), (2, 4, 1234), (4, 4, 0xFFFFFFFF), (16, 4, 0xFFFFFFFF), (32, 0, 0))
    )
    try:
        for path in (src / "folder", src / "folder" / "file"):
            os.setxattr(path, "user.note", b"\0\xffbytes")
        os.setxattr(src / "folder" / "file", "system.posix_acl_access", access)
    except OSError as error:
        pytest.skip(f"no extended attributes here: {error}")
    (src / "folder" / "file").chmod(0o440)
    (src / "folder").chmod(0o555)
    _copy(src, dst)
    for name in ("folder", "folder/file"):
        assert {key: os.getxattr(dst / name, key) for key in os.listxattr(dst / name)} == {
            key: os.getxattr(src / name, key) for key in os.listxattr(src / name)
        }
    assert _seen(src) == _seen(dst)


def test_an_access_list_of_the_destinations_folder_is_not_taken_on(src: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    entries = ((1, 7, 0xFFFFFFFF), (2, 7, 1234), (4, 5, 0xFFFFFFFF), (16, 7, 0xFFFFFFFF), (32, 5, 0xFFFFFFFF))
    default = b"\x02\0\0\0" + b"".join(
        tag.to_bytes(2, "little") + rights.to_bytes(2, "little") + who.to_bytes(4, "little")
        for tag, rights, who in entries
    )
    try:
        os.setxattr(place, "system.posix_acl_default", default)
    except OSError as error:
        pytest.skip(f"no access lists here: {error}")
    _copy(src, place / "dst")
    assert _seen(src) == _seen(place / "dst")
    for path in (place / "dst", place / "dst" / "deep", place / "dst" / "deep" / "er" / "note"):
        assert os.listxattr(path) == []


def test_owners_are_kept_where_we_may_and_else_no_file_runs_as_another(plain_folder: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give files away")
    src, dst, dst_of_user = plain_folder / "src", plain_folder / "dst", plain_folder / "user"
    src.mkdir()
    (src / "tool").write_text("x")
    os.seteuid(0)
    os.chown(src / "tool", 1234, 4321)
    (src / "tool").chmod(0o6755)
    _copy(src, dst)
    assert (dst / "tool").stat().st_uid == 1234
    assert stat.S_IMODE((dst / "tool").stat().st_mode) == 0o6755
    os.seteuid(65534)
    _copy(src, dst_of_user)
    assert (dst_of_user / "tool").stat().st_uid == 65534
    assert stat.S_IMODE((dst_of_user / "tool").stat().st_mode) == 0o755


def test_what_cannot_be_read_is_told_and_the_rest_is_copied(plain_folder: Path) -> None:
    src, dst = plain_folder / "src", plain_folder / "dst"
    (src / "closed").mkdir(parents=True)
    (src / "secret").touch()
    (src / "read-only").mkdir()
    (src / "read-only" / "file").write_text("kept")
    for name, mode in (("closed", 0), ("secret", 0), ("read-only/file", 0o444), ("read-only", 0o555)):
        (src / name).chmod(mode)
    report = _copy(src, dst)
    assert sorted(report.not_copied) == [(b"closed", Why.UNREADABLE), (b"secret", Why.UNREADABLE)]
    assert (dst / "read-only" / "file").read_text() == "kept"
    assert stat.S_IMODE((dst / "read-only").stat().st_mode) == 0o555
    assert sorted(path.name for path in dst.iterdir()) == ["read-only"]
    assert _copy(src, dst) == report  # once more, into folders that are closed to writing by now
    _remove(dst)
    assert not dst.exists()
    for name in ("closed", "read-only"):
        (src / name).chmod(0o755)


def test_a_second_pass_replaces_files_and_never_writes_into_a_hard_link(src: Path, tmp_path: Path) -> None:
    dst = tmp_path / "dst"
    _copy(src, dst)
    kept = tmp_path / "kept"
    (dst / "zero").unlink()
    kept.write_text("the live folder's content")
    os.link(kept, dst / "zero")
    (dst / "link").unlink()
    (dst / "link").symlink_to(kept)
    (src / "deep" / "er" / "note").write_text("two")
    _copy(src, dst)
    assert kept.read_text() == "the live folder's content"
    assert _seen(dst) == _seen(src)


def test_a_link_at_the_destination_is_never_entered(src: Path, tmp_path: Path) -> None:
    victim, dst = tmp_path / "victim", tmp_path / "dst"
    victim.mkdir()
    dst.mkdir()
    (dst / "deep").symlink_to(victim)
    with pytest.raises(NotADirectoryError):
        _copy(src, dst)
    (tmp_path / "other").symlink_to(victim)
    with pytest.raises(NotADirectoryError):
        _copy(src, tmp_path / "other")
    assert list(victim.iterdir()) == []


def test_a_source_that_is_gone_or_a_link_is_refused(src: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(src)
    for name in ("gone", "link"):
        with pytest.raises(NotCopied) as refusal:
            _copy(tmp_path / name, tmp_path / "dst")
        assert refusal.value.why is Why.VANISHED
    assert not (tmp_path / "dst").exists()


def test_a_full_disk_is_raised_and_no_half_file_is_left(src: Path, tmp_path: Path, mount: Callable[..., None]) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mount("-t", "tmpfs", "-o", "size=1m", "none", small)
    before = _seen(src)
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        _copy(src, small / "dst")
    assert not (small / "dst" / "big").exists()
    assert _seen(src) == before


def test_stopping_in_the_middle_leaves_no_half_file(src: Path, tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(_: int) -> None:
        raise Stop

    folder, target = open_folder(os.fsencode(src)), open_folder(os.fsencode(tmp_path))
    with pytest.raises(Stop):
        copy_file(folder, b"big", target, b"copy", stop)
    assert not (tmp_path / "copy").exists()
    assert copy_file(folder, b"big", target, b"copy") == 3_000_001
    assert (tmp_path / "copy").read_bytes() == (src / "big").read_bytes()
    for name in (b"deep", b"gone"):
        with pytest.raises(NotCopied):
            copy_file(folder, name, target, b"copy")
    os.close(folder)
    os.close(target)


def test_a_copy_to_another_file_system_is_equal(src: Path, tmp_path: Path, mount: Callable[..., None]) -> None:
    other = tmp_path / "other"
    other.mkdir()
    mount("-t", "tmpfs", "none", other)
    _copy(src, other / "dst")
    assert _seen(other / "dst") == _seen(src)


def _chain(root: Path, levels: int) -> None:
    with Descent(open_folder(os.fsencode(root))) as way:
        for _ in range(levels):
            for name in (b"a", b"n", b"z"):
                os.mkdir(name, 0o755, dir_fd=way.fd)
            os.close(os.open(b"file", os.O_CREAT | os.O_WRONLY, dir_fd=way.fd))
            way.enter(b"n")


def test_two_thousand_levels_are_copied_and_removed_with_few_descriptors(tmp_path: Path) -> None:
    src, dst = tmp_path / "src", tmp_path / "dst"
    src.mkdir()
    _chain(src, 2000)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = max(int(name) for name in os.listdir("/proc/self/fd")) if sys.platform == "linux" else 50
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 100, hard))
    try:
        assert _copy(src, dst).not_copied == ()
        listed = take_listing(os.fsencode(dst), None).entries
        assert listed.keys() == take_listing(os.fsencode(src), None).entries.keys()
        assert len(listed) == 1 + 4 * 2000
        _remove(dst, last=b"n/" * 1000 + b"file")
        _remove(src)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_becomes_a_link_is_never_read_into_the_copy(tmp_path: Path) -> None:
    src, victim = tmp_path / "src", tmp_path / "victim"
    (src / "place" / "deep").mkdir(parents=True)
    (victim / "deep").mkdir(parents=True)
    for folder, name in ((src / "place", "own"), (victim, "secret")):
        (folder / name).write_text(name)
        (folder / "deep" / name).write_text(name)
    whole = number = 0
    with _writing(_REPLACE, src / "place", victim):
        while number < 400 or not whole:
            number += 1
            _copy(src, tmp_path / "dst")
            copied = [path.name for path in (tmp_path / "dst").rglob("*") if not path.is_symlink()]
            assert "secret" not in copied
            whole += copied.count("own") == 2
            _remove(tmp_path / "dst")


def test_a_folder_that_becomes_a_link_is_never_removed_through(tmp_path: Path) -> None:
    copy, victim = tmp_path / "copy", tmp_path / "victim"
    (victim / "deep").mkdir(parents=True)
    for name in ("precious", "deep/precious"):
        (victim / name).write_text("precious")
    (copy / "place" / "deep").mkdir(parents=True)
    steps: tuple[Callable[[], object], ...] = (
        lambda: (copy / "place" / "deep").mkdir(parents=True),
        (copy / "place" / "deep" / "own").touch,
        lambda: _remove(copy),
    )
    met = {errno.EEXIST, errno.ENOENT, errno.ENOTDIR, errno.ENOTEMPTY, errno.EISDIR}  # the writer is quick
    with _writing(_PUT_LINKS, copy / "place", victim):
        for _ in range(400):
            for step in steps:
                try:
                    step()
                except OSError as error:
                    assert error.errno in met  # noqa: PT017
    assert sorted(os.listdir(victim)) == ["deep", "precious"]
    assert (victim / "deep" / "precious").read_text() == "precious"


def test_objects_are_linked_and_keep_their_mode_and_time(tmp_path: Path, mount: Callable[..., None]) -> None:
    packed, other = tmp_path / "object", tmp_path / "other"
    packed.write_bytes(b"content")
    packed.chmod(0o444)
    os.utime(packed, ns=(1, 1_500_000_000_000_000_001))
    assert link_or_copy(os.fsencode(packed), os.fsencode(tmp_path / "linked"))
    assert (tmp_path / "linked").samefile(packed)
    other.mkdir()
    mount("-t", "tmpfs", "none", other)
    assert not link_or_copy(os.fsencode(packed), os.fsencode(other / "copied"))
    copied = (other / "copied").stat()
    assert (stat.S_IMODE(copied.st_mode), copied.st_mtime_ns) == (0o444, 1_500_000_000_000_000_001)
    assert (other / "copied").read_bytes() == b"content"
    for taken in (tmp_path / "linked", other / "copied"):
        with pytest.raises(FileExistsError):
            link_or_copy(os.fsencode(packed), os.fsencode(taken))
    for gone in (tmp_path / "gone", tmp_path / "link"):
        (tmp_path / "link").unlink(missing_ok=True)
        (tmp_path / "link").symlink_to(packed)
        with pytest.raises(NotCopied):
            link_or_copy(os.fsencode(gone), os.fsencode(tmp_path / "new"))
    assert not os.path.lexists(tmp_path / "new")


def test_removing_does_not_touch_what_links_and_hard_links_lead_to(src: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "precious").write_text("x")
    (victim / "precious").chmod(0o444)
    (src / "out").symlink_to(victim)
    os.link(victim / "precious", src / "hard")
    (src / "deep" / "er").chmod(0)
    (src / "deep").chmod(0o555)
    _remove(src)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["victim"]
    assert stat.S_IMODE((victim / "precious").stat().st_mode) == 0o444
    assert (victim / "precious").read_text() == "x"


def test_closed_folders_are_removed_by_an_ordinary_user(plain_folder: Path) -> None:
    copy = plain_folder / "copy"
    (copy / "a" / "b").mkdir(parents=True)
    (copy / "a" / "b" / "file").touch()
    for name in ("a/b", "a", ""):
        (copy / name).chmod(0)
    _remove(copy)
    assert list(plain_folder.iterdir()) == []


def test_nothing_without_the_marker_is_removed(src: Path, tmp_path: Path) -> None:
    before = _seen(src)
    with pytest.raises(Unmarked):
        remove_tree(os.fsencode(src), lambda: False)
    assert _seen(src) == before
    with pytest.raises(FileNotFoundError):
        _remove(tmp_path / "gone")


def test_a_folder_that_changed_places_after_the_marker_was_seen_is_not_removed(src: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    before = _seen(src)

    def change_places() -> bool:
        copy.rename(tmp_path / "aside")
        src.rename(copy)
        return True

    with pytest.raises(Unmarked):
        remove_tree(os.fsencode(copy), change_places)
    assert _seen(copy) == before


def test_a_link_at_the_place_of_the_copy_is_not_followed(src: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").symlink_to(src)
    before = _seen(src)
    with pytest.raises(NotADirectoryError):
        _remove(tmp_path / "copy")
    assert _seen(src) == before


def test_nothing_is_removed_where_something_is_mounted_inside(
    src: Path, tmp_path: Path, mount: Callable[..., None]
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "precious").touch()
    mount("--bind", victim, src / "empty")
    before = _seen(src)
    with pytest.raises(OSError, match=os.strerror(errno.EBUSY)):
        _remove(src)
    assert _seen(src) == before
    assert (victim / "precious").exists()


def test_a_kill_while_removing_leaves_a_marked_folder_or_empty_ones(tmp_path: Path) -> None:
    code = (
        "import os, sys\nfrom backtrail.restore.tree_removal import remove_tree\n"
        "print('ready', flush=True)\nremove_tree(os.fsencode(sys.argv[1]), lambda: True, last=b'git/marker')"
    )
    chance = random.Random(3)  # noqa: S311 - which moment is hit is the machine's choice anyway
    for number in range(12):
        copy = tmp_path / f"copy{number}"
        for folder in range(60):
            (copy / "git" / str(folder)).mkdir(parents=True)
            (copy / str(folder)).mkdir()
            (copy / "git" / str(folder) / "file").touch()
            (copy / str(folder) / "file").touch()
        (copy / "git" / "marker").touch()
        with subprocess.Popen([sys.executable, "-c", code, copy], stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            child.stdout.readline()
            for _ in range(chance.randrange(200_000)):
                pass
            child.kill()
        files = [path for path in copy.rglob("*") if path.is_file()]
        assert not files or copy / "git" / "marker" in files
