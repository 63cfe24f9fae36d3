"""Removes a prepared copy by directory descriptors, following nothing.

Owns that only what carries its mark goes, and that the mark goes last: a kill leaves a marked folder, or nothing but
empty ones. Never removes what is mounted inside.
"""

import contextlib
import errno
import os
from collections.abc import Callable

from backtrail.restore.listing import Descent
from backtrail.restore.mounts import mounts_at_or_below
from backtrail.restore.unlocking import open_parent, open_unlocked, unlock

_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ESTALE})


class Unmarked(Exception):
    """A folder does not carry the mark of a prepared copy, or is no longer the one that was looked at."""


def remove_tree(path: bytes, marker_ok: Callable[[], bool], *, last: bytes = b"") -> None:
    """Remove the prepared copy at `path` with all that is in it; links are removed, never followed.

    `marker_ok` says whether the folder at `path` is ours to remove; it must still be the same folder afterwards.
    `last` is the relative path of the marker: it goes after everything else, so that a kill leaves a marked folder, or
    nothing but empty ones.

    Raises Unmarked, or EBUSY where something is mounted inside, with nothing removed; OSError where the system refuses.
    """
    with contextlib.ExitStack() as opened:
        parent, name = open_parent(path, opened)
        looked_at = os.lstat(name, dir_fd=parent)
        if not marker_ok():
            raise Unmarked(path)
        if mounts := mounts_at_or_below(path):
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), mounts[0])
        with open_unlocked(name, parent) as way:
            if not os.path.samestat(os.fstat(way.fd), looked_at):
                raise Unmarked(path)
            _remove_below(way, last)
        os.rmdir(name, dir_fd=parent)


def _remove_below(way: Descent, last: bytes) -> None:
    levels = [_remove_level(way.fd, b"", last)]
    while True:
        above, folders, marker = levels[-1]
        if folders:
            name = folders.pop()
            unlock(name, way.fd)
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
