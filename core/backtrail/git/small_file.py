"""Reading one of Git's small files without ever hanging on what stands in its place.

A FIFO or device may carry any name (case B52): only regular files are read. Absent and unreadable are two answers: a
ref that may not be read is not a ref that is gone.
"""

import os
import stat

from backtrail.model.errors.repository import RepositoryDamaged


def read_small(path: bytes) -> bytes | None:
    """Return the content of a regular file, None where there is none. Raises RepositoryDamaged if it is unreadable."""
    try:
        return _read(path)
    except OSError as error:
        folder, name = os.path.split(path)
        raise RepositoryDamaged(folder, os.fsdecode(name), error.strerror or str(error)) from error


def read_if_readable(path: bytes) -> bytes | None:
    """Return the content of a regular file, or None where there is none or it may not be read.

    Only for what Git itself goes on without.
    """
    try:
        return _read(path)
    except OSError:
        return None


def _read(path: bytes) -> bytes | None:
    if not is_regular(path):
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def is_regular(path: bytes) -> bool:
    """Tell whether a regular file stands at a path, through links. Raises OSError where that cannot be told."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        if os.path.islink(path):
            return False  # a loop of links
        raise


def as_git_reads_it(path: bytes) -> bytes:
    """Return a path that a file names as C reads it: a NUL is its end."""
    return path.partition(b"\0")[0]
