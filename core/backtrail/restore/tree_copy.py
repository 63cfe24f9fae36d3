"""Copies and removes whole folders by directory descriptors, following nothing.

Owns copying content as it is (bytes, holes, modes, times, extended attributes, and owners where we may) and removing a
prepared copy. Never writes into a file that exists: that may be a hard link to one of the live folder. Sockets and
devices are not copied, and files that are one by hard links become several. What changes while it is read is copied
torn: the listing tells that later. Attributes of links are not copied.
"""

import contextlib
import enum
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator

import msgspec

from backtrail.restore.listing import Descent, open_folder
from backtrail.restore.mounts import mounts_at_or_below

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
_PIECE = 16 << 20
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ESTALE})
_OURS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NO_LINK = frozenset({errno.EXDEV, errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EACCES})
_OWNER = stat.S_IRWXU
_AS_ANOTHER = stat.S_ISUID | stat.S_ISGID


class Why(enum.StrEnum):
    """Why a path was not copied."""

    VANISHED = "vanished"
    UNREADABLE = "unreadable"
    SPECIAL_FILE = "special-file"


class NotCopied(Exception):
    """The source could not be read. Nothing of it is left at the destination."""

    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why = why


class Unmarked(Exception):
    """A folder does not carry the mark of a prepared copy, or is no longer the one that was looked at."""


class CopyReport(msgspec.Struct, frozen=True):
    """What `copy_tree` did. Paths are relative to the source; `files` and `bytes` count what was copied."""

    not_copied: tuple[tuple[bytes, Why], ...]
    files: int
    bytes: int


def ignore_bytes(count: int) -> None:
    """Report to nobody."""


def copy_file(
    src_dir: int, name: bytes, dst_dir: int, dst_name: bytes, on_bytes: Callable[[int], None] = ignore_bytes
) -> int:
    """Copy a regular file, link or FIFO from one open folder to another; return its size in bytes.

    A file or link at the destination is replaced, never written into. `on_bytes` hears of each piece and may raise to
    stop. Raises NotCopied for the reading side, OSError for the writing side (ENOSPC, EIO, …), nothing left behind.
    """
    with _reading():
        seen = os.lstat(name, dir_fd=src_dir)
    if stat.S_ISDIR(seen.st_mode):
        raise NotCopied(Why.VANISHED)  # what was there has given way to a folder
    if stat.S_ISREG(seen.st_mode):
        return _copy_regular(src_dir, name, dst_dir, dst_name, on_bytes)
    if stat.S_ISLNK(seen.st_mode):
        with _reading():
            target = os.readlink(name, dir_fd=src_dir)
        _make_room(dst_dir, dst_name)
        os.symlink(target, dst_name, dir_fd=dst_dir)
    elif stat.S_ISFIFO(seen.st_mode):
        _make_room(dst_dir, dst_name)
        os.mkfifo(dst_name, _OWNER, dir_fd=dst_dir)
    else:
        raise NotCopied(Why.SPECIAL_FILE)
    owned = _give(lambda uid, gid: os.chown(dst_name, uid, gid, dir_fd=dst_dir, follow_symlinks=False), seen)
    if not stat.S_ISLNK(seen.st_mode):
        os.chmod(dst_name, _mode(seen, owned=owned), dir_fd=dst_dir)
    os.utime(dst_name, ns=(seen.st_atime_ns, seen.st_mtime_ns), dir_fd=dst_dir, follow_symlinks=False)
    return 0


def copy_tree(
    src: bytes,
    dst: bytes,
    *,
    skip: Callable[[bytes], bool] | None = None,
    on_bytes: Callable[[int], None] = ignore_bytes,
) -> CopyReport:
    """Copy the folder `src` to `dst`, which is made where it is missing and added to where it is a folder.

    `skip` is asked with each path relative to `src`; what it holds for is neither copied nor reported, and a folder is
    not entered. Folders get their modes and times after their content. What vanishes or cannot be read is reported.

    Raises NotCopied where `src` itself cannot be opened, OSError where writing fails; what was copied then stays.
    """
    return _TreeCopy(skip, on_bytes).run(src, dst)


def link_or_copy(src: bytes, dst: bytes) -> bool:
    """Give the file `src` a second name `dst`, or copy it with mode and times where that cannot be. True: linked.

    Only for files that are never written again, such as Git objects. Raises FileExistsError where `dst` exists and
    NotCopied where `src` is gone or unreadable.
    """
    with contextlib.ExitStack() as opened:
        (src_dir, name), (dst_dir, dst_name) = (_open_parent(path, opened) for path in (src, dst))
        with _reading():
            seen = os.lstat(name, dir_fd=src_dir)
        if not stat.S_ISREG(seen.st_mode):
            raise NotCopied(Why.SPECIAL_FILE)
        try:
            os.link(name, dst_name, src_dir_fd=src_dir, dst_dir_fd=dst_dir, follow_symlinks=False)
        except FileNotFoundError as error:
            raise NotCopied(Why.VANISHED) from error
        except OSError as refusal:
            if refusal.errno not in _NO_LINK:
                raise
        else:
            return True
        with contextlib.suppress(FileNotFoundError):
            os.lstat(dst_name, dir_fd=dst_dir)
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), dst)
        copy_file(src_dir, name, dst_dir, dst_name)
        return False


def remove_tree(path: bytes, marker_ok: Callable[[], bool], *, last: bytes = b"") -> None:
    """Remove the prepared copy at `path` with all that is in it; links are removed, never followed.

    `marker_ok` says whether the folder at `path` is ours to remove; it must still be the same folder afterwards.
    `last` is the relative path of the marker: it goes after everything else, so that a kill leaves a marked folder, or
    nothing but empty ones.

    Raises Unmarked, or EBUSY where something is mounted inside, with nothing removed; OSError where the system refuses.
    """
    with contextlib.ExitStack() as opened:
        parent, name = _open_parent(path, opened)
        looked_at = os.lstat(name, dir_fd=parent)
        if not marker_ok():
            raise Unmarked(path)
        if mounts := mounts_at_or_below(path):
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), mounts[0])
        with _open_unlocked(name, parent) as way:
            if not os.path.samestat(os.fstat(way.fd), looked_at):
                raise Unmarked(path)
            _remove_below(way, last)
        os.rmdir(name, dir_fd=parent)


class _TreeCopy:
    """One run of `copy_tree`: two descents in step, and what came of it."""

    def __init__(self, skip: Callable[[bytes], bool] | None, on_bytes: Callable[[int], None]) -> None:
        self._skip = skip
        self._on_bytes = on_bytes
        self._not_copied: list[tuple[bytes, Why]] = []
        self._files = 0
        self._bytes = 0

    def run(self, src: bytes, dst: bytes) -> CopyReport:
        with contextlib.ExitStack() as opened:
            with _reading():
                source = opened.enter_context(Descent(open_folder(src)))
            parent, name = _open_parent(dst, opened)
            _make_folder(name, parent)
            self._copy_below(source, opened.enter_context(_open_unlocked(name, parent)))
        return CopyReport(tuple(self._not_copied), self._files, self._bytes)

    def _copy_below(self, source: Descent, target: Descent) -> None:
        levels = [self._copy_level(source.fd, target.fd, b"")]
        while True:
            above, folders, seen = levels[-1]
            if folders:
                name = folders.pop()
                if self._enter(source, target, name, above + name):
                    levels.append(self._copy_level(source.fd, target.fd, above + name + b"/"))
                continue
            with contextlib.suppress(FileNotFoundError):  # the source was moved away: its attributes went with it
                _copy_xattrs(source.fd, target.fd)
            _finish(target.fd, seen)
            levels.pop()
            if not levels:
                return
            if not target.leave():
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), levels[-1][0])
            if not source.leave():
                above, folders, _ = levels[-1]
                self._not_copied += ((above + name, Why.VANISHED) for name in folders)
                folders.clear()

    def _enter(self, source: Descent, target: Descent, name: bytes, path: bytes) -> bool:
        try:
            with _reading():
                source.enter(name)
        except NotCopied as refusal:
            self._not_copied.append((path, refusal.why))
            return False
        _make_folder(name, target.fd)
        target.enter(name)
        return True

    def _copy_level(self, source: int, target: int, above: bytes) -> tuple[bytes, list[bytes], os.stat_result]:
        """Copy what is not a folder; return the level: its path, the names of its folders, its own stat."""
        seen = os.fstat(source)
        folders: list[bytes] = []
        found: list[tuple[bytes, bool]] = []
        try:
            with _reading(), os.scandir(source) as entries:
                found.extend((os.fsencode(entry.name), entry.is_dir(follow_symlinks=False)) for entry in entries)
        except NotCopied as refusal:
            self._not_copied.append((above[:-1], refusal.why))
        for name, is_folder in found:
            path = above + name
            if self._skip is not None and self._skip(path):
                continue
            if is_folder:
                folders.append(name)
                continue
            try:
                self._bytes += copy_file(source, name, target, name, self._on_bytes)
                self._files += 1
            except NotCopied as refusal:
                self._not_copied.append((path, refusal.why))
        return above, folders, seen


def _copy_regular(src_dir: int, name: bytes, dst_dir: int, dst_name: bytes, on_bytes: Callable[[int], None]) -> int:
    with _reading():
        source = os.open(name, _READ, dir_fd=src_dir)
    try:
        seen = os.fstat(source)
        if not stat.S_ISREG(seen.st_mode):
            raise NotCopied(Why.VANISHED)
        _make_room(dst_dir, dst_name)
        target = os.open(dst_name, _CREATE, stat.S_IRUSR | stat.S_IWUSR, dir_fd=dst_dir)
        try:
            _copy_data(source, target, seen, on_bytes)
            _copy_xattrs(source, target)
            _finish(target, seen)
        except BaseException:
            os.unlink(dst_name, dir_fd=dst_dir)
            raise
        finally:
            os.close(target)
    finally:
        os.close(source)
    return seen.st_size


def _copy_data(source: int, target: int, seen: os.stat_result, on_bytes: Callable[[int], None]) -> None:
    """Copy up to the size that was seen: a log that grows is not chased. Holes stay holes."""
    size, done = seen.st_size, 0
    has_holes = seen.st_blocks * 512 < size
    while done < size:
        begin, end = _next_data(source, done, size) if has_holes else (done, size)
        if begin > done:
            on_bytes(begin - done)
        done = begin
        while done < end:
            count = _copy_piece(source, target, done, min(_PIECE, end - done))
            if not count:  # cut short meanwhile
                size = end = done
            done += count
            on_bytes(count)
    if has_holes:
        os.ftruncate(target, size)


def _next_data(source: int, begin: int, size: int) -> tuple[int, int]:
    try:
        data = os.lseek(source, begin, os.SEEK_DATA)
        return min(data, size), min(os.lseek(source, data, os.SEEK_HOLE), size)
    except OSError as error:
        return (size, size) if error.errno == errno.ENXIO else (begin, size)


def _copy_piece(source: int, target: int, begin: int, count: int) -> int:
    """Copy some bytes and return how many; 0 at the end of the source."""
    if sys.platform == "linux":
        try:
            if copied := os.copy_file_range(source, target, count, begin, begin):
                return copied
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise
    # by hand: the kernel cannot, or a fault has to be laid to one of the two sides
    with _reading():
        data = os.pread(source, count, begin)
    written = 0
    while written < len(data):
        written += os.pwrite(target, memoryview(data)[written:], begin + written)
    return written


def _finish(target: int, seen: os.stat_result) -> None:
    """Give an open file or folder its owner, mode and times, in the order in which none undoes another."""
    owned = _give(lambda uid, gid: os.fchown(target, uid, gid), seen)
    os.fchmod(target, _mode(seen, owned=owned))
    os.utime(target, ns=(seen.st_atime_ns, seen.st_mtime_ns))


def _give(change_owner: Callable[[int, int], None], seen: os.stat_result) -> bool:
    """Set owner and group where we may; tell whether both are as they were."""
    for uid, gid in ((seen.st_uid, seen.st_gid), (-1, seen.st_gid)):
        with contextlib.suppress(PermissionError):
            change_owner(uid, gid)
            return uid != -1
    return False


def _mode(seen: os.stat_result, *, owned: bool) -> int:
    mode = stat.S_IMODE(seen.st_mode)
    return mode if owned else mode & ~_AS_ANOTHER  # never "run as its owner" for another owner


def _copy_xattrs(source: int, target: int) -> None:
    """Copy extended attributes where possible, and drop an access list that only the destination's folder gave."""
    if sys.platform != "linux":
        return
    try:
        wanted, given = os.listxattr(source), os.listxattr(target)
    except OSError:
        return
    for name in given:
        if name not in wanted and name.startswith("system.posix_acl_"):
            with contextlib.suppress(OSError):
                os.removexattr(target, name)
    for name in wanted:
        try:
            os.setxattr(target, name, os.getxattr(source, name))
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise


def _make_room(folder: int, name: bytes) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def _make_folder(name: bytes, parent: int) -> None:
    try:
        os.mkdir(name, _OWNER, dir_fd=parent)
    except FileExistsError:
        _unlock(name, parent)


def _open_parent(path: bytes, opened: contextlib.ExitStack) -> tuple[int, bytes]:
    parent, name = os.path.split(path)
    descriptor = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
    opened.callback(os.close, descriptor)
    return descriptor, name


def _open_unlocked(name: bytes, parent: int) -> Descent:
    _unlock(name, parent)
    return Descent(open_folder(name, parent))


def _unlock(name: bytes, parent: int) -> None:
    """Let ourselves into a folder that is closed to its owner. Whatever else stands at the name is left alone."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        mode = os.lstat(name, dir_fd=parent).st_mode
        if not stat.S_ISDIR(mode) or mode & _OWNER == _OWNER:
            return
        if sys.platform != "linux":
            os.chmod(name, stat.S_IMODE(mode) | _OWNER, dir_fd=parent, follow_symlinks=False)
            return
        descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY, dir_fd=parent)
        try:
            os.chmod(b"/proc/self/fd/%d" % descriptor, stat.S_IMODE(mode) | _OWNER)
        finally:
            os.close(descriptor)


def _remove_below(way: Descent, last: bytes) -> None:
    levels = [_remove_level(way.fd, b"", last)]
    while True:
        above, folders, marker = levels[-1]
        if folders:
            name = folders.pop()
            _unlock(name, way.fd)
            try:
                way.enter(name)
            except FileNotFoundError:
                continue
            except OSError as error:
                if error.errno not in _GONE:
                    raise
                os.unlink(name, dir_fd=way.fd)  # a link took the folder's place
                continue
            levels.append(_remove_level(way.fd, above + name + b"/", last))
            continue
        for name in marker:
            os.unlink(name, dir_fd=way.fd)
        levels.pop()
        if not levels:
            return
        if not way.leave():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), above)
        os.rmdir(os.path.basename(above[:-1]), dir_fd=way.fd)


def _remove_level(folder: int, above: bytes, last: bytes) -> tuple[bytes, list[bytes], list[bytes]]:
    """Unlink what is not a folder. Return the path, the folders (the one with the marker comes last) and the marker."""
    with os.scandir(folder) as entries:
        found = [(os.fsencode(entry.name), entry.is_dir(follow_symlinks=False)) for entry in entries]
    folders: list[bytes] = []
    marker: list[bytes] = []
    for name, is_folder in found:
        if is_folder:
            folders.append(name)
        elif above + name == last:
            marker.append(name)
        else:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
    folders.sort(key=lambda name: not last.startswith(above + name + b"/"))  # taken from the end
    return above, folders, marker


@contextlib.contextmanager
def _reading() -> Iterator[None]:
    """Turn a fault of the source into NotCopied; lack of descriptors or memory is no fault of the source."""
    try:
        yield
    except OSError as error:
        if error.errno in _OURS:
            raise
        raise NotCopied(Why.VANISHED if error.errno in _GONE else Why.UNREADABLE) from error
