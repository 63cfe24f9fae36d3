"""Reading one file or link of a working tree as raw bytes, without following anything.

Owns opening below a folder descriptor and hashing. No clean filter, no line-end conversion, no LFS. A file that changes
while it is read is read again, three times at most; then it is called changing.
"""

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator

from backtrail.model.ids import Oid
from backtrail.model.progress import SILENT, Progress
from backtrail.scan.file_stat import CachedStat, cached_stat

_SMALL = 1 << 20
_TRIES = 3
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NO_ATIME = getattr(os, "O_NOATIME", 0)


class Changing(Exception):
    """The file would not hold still while it was read."""


def open_file(name: bytes | str, folder: int) -> int:
    """Open a file in the folder with this descriptor for reading, leaving its access time alone where that is allowed.

    Raises OSError; also for a link.
    """
    try:
        return os.open(name, _OPEN | _NO_ATIME, dir_fd=folder)
    except PermissionError:
        return os.open(name, _OPEN, dir_fd=folder)  # O_NOATIME is for the owner only


def open_folder(name: bytes | str, folder: int) -> int:
    """Open a folder in the folder with this descriptor. Raises OSError; also for a link."""
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)


@contextlib.contextmanager
def folder_of(root: int, path: bytes) -> Iterator[tuple[int, bytes]]:
    """Give the descriptor of the folder that `path` lies in, and its last part; no part of the way is a link (B25)."""
    *folders, name = path.split(b"/")
    here = os.dup(root)
    try:
        for part in folders:
            deeper = open_folder(part, here)
            os.close(here)
            here = deeper
        yield here, name
    finally:
        os.close(here)


def open_below(root: int, path: bytes) -> int:
    """Open the file at `path` below the folder with this descriptor. Raises OSError."""
    with folder_of(root, path) as (folder, name):
        return open_file(name, folder)


def link_below(root: int, path: bytes) -> bytes:
    """Return the target of the link at `path` below the folder with this descriptor. Raises OSError."""
    with folder_of(root, path) as (folder, name):
        return read_link(name, folder)[0]


def read_file(
    name: bytes | str, folder: int, seen: CachedStat | None = None, progress: Progress = SILENT
) -> tuple[Oid, os.stat_result]:
    """Hash a regular file, counting its bytes; return the id of the bytes, and the stat that held before and after.

    seen: what its lstat told a moment ago, which saves one. Raises Changing, or OSError where it cannot be read.
    """
    before = seen
    for _ in range(_TRIES):
        descriptor = open_file(name, folder)
        try:
            if before is None:
                before = cached_stat(os.fstat(descriptor))
            if not stat.S_ISREG(before[4]):
                raise Changing
            oid = _hash(descriptor, before[0], progress)
            after = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        if oid is not None and before == cached_stat(after):
            return oid, after
        before = None
    raise Changing


def _hash(descriptor: int, size: int, progress: Progress) -> Oid | None:
    """Return the blob id of exactly `size` bytes, or None if there are more or fewer."""
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    left = size
    while chunk := os.read(descriptor, asked := min(_SMALL, left + 1)):
        left -= len(chunk)
        if left < 0:
            return None
        digest.update(chunk)
        progress.advance(len(chunk))
        if left == 0 and len(chunk) < asked:
            break  # a regular file gives less than was asked for at its end alone
    return Oid(digest.digest()) if left == 0 else None


def read_link(name: bytes | str, folder: int) -> tuple[bytes, Oid]:
    """Return a symlink's target and its blob id. Raises OSError."""
    target = os.readlink(os.fsencode(name), dir_fd=folder)
    digest = hashlib.sha1(b"blob %d\0" % len(target) + target, usedforsecurity=False)
    return target, Oid(digest.digest())
