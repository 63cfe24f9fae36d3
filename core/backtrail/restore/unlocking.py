"""Letting ourselves into folders of the person's by descriptor, following no link.

Owns opening a folder that is closed to its owner, which is opened to us and to nobody else. Reads no content.
"""

import contextlib
import os
import stat
import sys

from backtrail.restore.listing import Descent, open_folder

_OWNER = stat.S_IRWXU


def open_parent(path: bytes, opened: contextlib.ExitStack) -> tuple[int, bytes]:
    """Open the folder that a path lies in, until `opened` ends; return it and the last part of the path."""
    parent, name = os.path.split(path)
    descriptor = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
    opened.callback(os.close, descriptor)
    return descriptor, name


def open_unlocked(name: bytes, parent: int) -> Descent:
    """Return a way down from a folder, which is let open to its owner."""
    unlock(name, parent)
    return Descent(open_folder(name, parent))


def unlock(name: bytes, parent: int) -> None:
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
