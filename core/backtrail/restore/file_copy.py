"""Copies one file by directory descriptors, following nothing.

Owns copying content as it is (bytes, holes, modes, times, extended attributes, and owners where we may). Never writes
into a file that exists: that may be a hard link to one of the live folder. Sockets and devices are not copied.
Attributes of links are not copied.
"""

import contextlib
import enum
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator

from backtrail.restore.unlocking import open_parent

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


def ignore_bytes(count: int) -> None:
    """Report to nobody."""


def copy_file(
    src_dir: int, name: bytes, dst_dir: int, dst_name: bytes, on_bytes: Callable[[int], None] = ignore_bytes
) -> int:
    """Copy a regular file, link or FIFO from one open folder to another; return its size in bytes.

    A file or link at the destination is replaced, never written into. `on_bytes` hears of each piece and may raise to
    stop. Raises NotCopied for the reading side, OSError for the writing side (ENOSPC, EIO, …), nothing left behind.
    """
    with reading_source():
        seen = os.lstat(name, dir_fd=src_dir)
    if stat.S_ISDIR(seen.st_mode):
        raise NotCopied(Why.VANISHED)  # what was there has given way to a folder
    if stat.S_ISREG(seen.st_mode):
        return _copy_regular(src_dir, name, dst_dir, dst_name, on_bytes)
    if stat.S_ISLNK(seen.st_mode):
        with reading_source():
            target = os.readlink(name, dir_fd=src_dir)
        _make_room(dst_dir, dst_name)
        os.symlink(target, dst_name, dir_fd=dst_dir)
    elif stat.S_ISFIFO(seen.st_mode):
        _make_room(dst_dir, dst_name)
        os.mkfifo(dst_name, _OWNER, dir_fd=dst_dir)
    else:
        raise NotCopied(Why.SPECIAL_FILE)
    owned = give_owner(lambda uid, gid: os.chown(dst_name, uid, gid, dir_fd=dst_dir, follow_symlinks=False), seen)
    if not stat.S_ISLNK(seen.st_mode):
        os.chmod(dst_name, _mode_for(seen, owned=owned), dir_fd=dst_dir)
    os.utime(dst_name, ns=(seen.st_atime_ns, seen.st_mtime_ns), dir_fd=dst_dir, follow_symlinks=False)
    return 0


def link_or_copy(src: bytes, dst: bytes) -> bool:
    """Give the file `src` a second name `dst`, or copy it with mode and times where that cannot be. True: linked.

    Only for files that are never written again, such as Git objects. Raises FileExistsError where `dst` exists and
    NotCopied where `src` is gone or unreadable.
    """
    with contextlib.ExitStack() as opened:
        (src_dir, name), (dst_dir, dst_name) = (open_parent(path, opened) for path in (src, dst))
        with reading_source():
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


def _copy_regular(src_dir: int, name: bytes, dst_dir: int, dst_name: bytes, on_bytes: Callable[[int], None]) -> int:
    with reading_source():
        source = os.open(name, _READ, dir_fd=src_dir)
    try:
        seen = os.fstat(source)
        if not stat.S_ISREG(seen.st_mode):
            raise NotCopied(Why.VANISHED)
        _make_room(dst_dir, dst_name)
        target = os.open(dst_name, _CREATE, stat.S_IRUSR | stat.S_IWUSR, dir_fd=dst_dir)
        try:
            _copy_data(source, target, seen, on_bytes)
            copy_xattrs(source, target)
            finish(target, seen)
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
    with reading_source():
        data = os.pread(source, count, begin)
    written = 0
    while written < len(data):
        written += os.pwrite(target, memoryview(data)[written:], begin + written)
    return written


def finish(target: int, seen: os.stat_result) -> None:
    """Give an open file or folder its owner, mode and times, in the order in which none undoes another."""
    owned = give_owner(lambda uid, gid: os.fchown(target, uid, gid), seen)
    os.fchmod(target, _mode_for(seen, owned=owned))
    os.utime(target, ns=(seen.st_atime_ns, seen.st_mtime_ns))


def give_owner(change_owner: Callable[[int, int], None], seen: os.stat_result) -> bool:
    """Set owner and group where we may; tell whether both are as they were."""
    for uid, gid in ((seen.st_uid, seen.st_gid), (-1, seen.st_gid)):
        with contextlib.suppress(PermissionError):
            change_owner(uid, gid)
            return uid != -1
    return False


def _mode_for(seen: os.stat_result, *, owned: bool) -> int:
    mode = stat.S_IMODE(seen.st_mode)
    return mode if owned else mode & ~_AS_ANOTHER  # never "run as its owner" for another owner


def copy_xattrs(source: int, target: int) -> None:
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


@contextlib.contextmanager
def reading_source() -> Iterator[None]:
    """Turn a fault of the source into NotCopied; lack of descriptors or memory is no fault of the source."""
    try:
        yield
    except OSError as error:
        if error.errno in _OURS:
            raise
        raise NotCopied(Why.VANISHED if error.errno in _GONE else Why.UNREADABLE) from error
