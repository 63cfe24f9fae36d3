"""A copy of one content as a file where a person wants it.

Owns that the file is there whole or not at all: it is written beside its place and then put there. What stands there
already is replaced only by leave, and never followed where it is a link. Knows no repository.
"""

import contextlib
import errno
import os
import secrets

from backtrail.model.changes import CopySaved, SaveEnd
from backtrail.model.errors.capture import DISK_FULL

_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK})


def save_copy(content: bytes, target: bytes, *, over: bool) -> CopySaved:
    """Write a file. over: replace what stands there, if it is no folder."""
    beside = os.path.join(os.path.dirname(target), b".backtrail-" + secrets.token_hex(8).encode())
    try:
        _write(content, beside)
        _put(beside, target, over=over)
    except FileExistsError:
        return CopySaved(SaveEnd.EXISTS)
    except OSError as error:
        return CopySaved(SaveEnd.NO_SPACE if error.errno in DISK_FULL else SaveEnd.REFUSED, error.strerror or "")
    finally:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(beside)
    return CopySaved(SaveEnd.SAVED)


def _write(content: bytes, path: bytes) -> None:
    with open(path, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _put(beside: bytes, target: bytes, *, over: bool) -> None:
    if over:
        os.replace(beside, target)
        return
    try:
        os.link(beside, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(target):  # a file system without hard links: nothing closer to one step is left
            raise FileExistsError(errno.EEXIST, "", target) from error
        os.rename(beside, target)
