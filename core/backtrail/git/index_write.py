"""Writing an index file of our own, for a folder that a restore builds.

Owns the encoding: version 2, or 3 where a flag needs it; no extensions, no split, no sparse folders. Never touches the
index of a folder that is watched: the path is that of a prepared copy, and nobody else works there, so Git's own
`index.lock` is not taken. Does not look whether the objects exist. A symlink at the path is replaced, not followed.
Source: Git's `Documentation/gitformat-index`.
"""

import hashlib
import os
import struct
from collections.abc import Iterable
from operator import attrgetter, eq

from backtrail.git.index_format import (
    ASSUME_VALID,
    EXTENDED,
    FIXED,
    HEADER,
    INDEX_MODES,
    INTENT_TO_ADD,
    NAME_MASK,
    SKIP_WORKTREE,
    STAGE_SHIFT,
)
from backtrail.git.leftovers import own_mark
from backtrail.git.refs import fsync_folder
from backtrail.git.trees import all_safe
from backtrail.model.net_state import IndexEntry, IndexStat

_SECOND_WORD = struct.Struct(">H")
_WORD = 0xFFFFFFFF
_NO_STAT = IndexStat(0, 0, 0, 0, 0, 0, 0, 0, 0)


def write_index(path: bytes, entries: Iterable[IndexEntry]) -> None:
    """Write an index file that holds `entries`, given in any order, at `path`; durable when this returns.

    An entry without a stat gets zeros: Git then reads the file before it calls it unchanged. Raises ValueError for
    entries that no index can hold (a path and stage twice, an unsafe path, a mode or id that is none), and OSError
    where the disk refuses; in either case what was at `path` is still there.
    """
    ordered = sorted(entries, key=attrgetter("path", "stage"))
    _check(ordered)
    content = _encoded(ordered)
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, b"tmp_" + name + b"_" + own_mark())
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        os.rename(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    fsync_folder(folder or b".")


def _check(ordered: list[IndexEntry]) -> None:
    keys = [(entry.path, entry.stage) for entry in ordered]
    if any(map(eq, keys, keys[1:])):
        raise ValueError("a path is given twice")
    if not all_safe([path for path, _ in keys]):
        raise ValueError("an unsafe path")
    if not {stage for _, stage in keys} <= {0, 1, 2, 3}:
        raise ValueError("a stage that is none")
    if not {entry.mode for entry in ordered} <= INDEX_MODES:
        raise ValueError("a mode that no index entry has")
    if not {len(entry.oid) for entry in ordered} <= {20}:
        raise ValueError("an id that is not 20 bytes")


def _encoded(ordered: list[IndexEntry]) -> bytes:
    pieces: list[bytes] = []
    version = 2
    for entry in ordered:
        ctime, ctime_ns, mtime, mtime_ns, dev, ino, uid, gid, size = [
            field & _WORD for field in entry.stat or _NO_STAT
        ]  # Git cuts each to 32 bits
        flags = min(len(entry.path), NAME_MASK) | entry.stage << STAGE_SHIFT
        if entry.assume_valid:
            flags |= ASSUME_VALID
        second = b""
        if entry.skip_worktree or entry.intent_to_add:
            version = 3
            flags |= EXTENDED
            second = _SECOND_WORD.pack(
                (SKIP_WORKTREE if entry.skip_worktree else 0) | (INTENT_TO_ADD if entry.intent_to_add else 0)
            )
        fixed = FIXED.pack(
            ctime, ctime_ns, mtime, mtime_ns, dev, ino, entry.mode, uid, gid, size, entry.oid, flags
        )  # fmt: skip
        # At least one NUL after the name, and a length of eights.
        padding = bytes(8 - (len(fixed) + len(second) + len(entry.path)) % 8)
        pieces += (fixed, second, entry.path, padding)
    content = HEADER.pack(b"DIRC", version, len(ordered)) + b"".join(pieces)
    return content + hashlib.sha1(content, usedforsecurity=False).digest()
