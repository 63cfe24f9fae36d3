"""What makes the second look cheap: for each path the stat it had and the id of the bytes that were read.

Owns one file per memory in the data folder, outside any repository. It knows hashes, never that an object still exists.
A lost or damaged cache costs a full read, nothing else. An entry whose file was younger than two seconds when it was
read is not kept: another write within the same tick would go unseen.

While the process lives it also holds the last look's index and entries, which cost more to make than to compare.
"""

import contextlib
import os
import pathlib

import msgspec

from backtrail.git.index_file import Index
from backtrail.model.ids import Oid
from backtrail.model.net_state import WorkingEntry
from backtrail.scan.token import Digests

RACY_NS = 2_000_000_000
_FORMAT = 1

CachedStat = tuple[int, int, int, int, int]
"""Size in bytes, mtime and ctime in nanoseconds, inode, mode."""


class _Stored(msgspec.Struct, frozen=True):
    format: int
    entries: dict[bytes, tuple[int, int, int, int, int, bytes]]


def cached_stat(status: os.stat_result) -> CachedStat:
    """Return what two reads of an unchanged file share."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_mode


class StatCache:
    """The cache of one memory: `known` is what the last look left, and a look puts its own in place of it.

    index: as last parsed, to be checked by its signature. working: the last look's entries, true for a path whose stat
    is as it was, for that very index and the same `core.fileMode`. digests: of the token's two long parts.
    """

    def __init__(self, known: dict[bytes, tuple[CachedStat, Oid]] | None = None) -> None:
        self.known = known or {}
        self.index: Index | None = None
        self.file_mode = True
        self.working: dict[bytes, WorkingEntry] = {}
        self.digests = Digests()

    @classmethod
    def load(cls, path: pathlib.Path) -> "StatCache":
        """Read a cache file; an absent or damaged one is an empty cache."""
        try:
            stored = msgspec.msgpack.decode(path.read_bytes(), type=_Stored)
        except (OSError, msgspec.DecodeError):
            return cls()
        if stored.format != _FORMAT:
            return cls()
        return cls({name: (row[:5], Oid(row[5])) for name, row in stored.entries.items()})

    def save(self, path: pathlib.Path) -> None:
        """Write the cache file in one step. A disk that refuses costs the next look a full read."""
        rows = {name: (*stat, bytes(oid)) for name, (stat, oid) in self.known.items()}
        temporary = path.with_suffix(f".{os.getpid()}")
        try:
            temporary.write_bytes(msgspec.msgpack.encode(_Stored(_FORMAT, rows)))
            temporary.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                temporary.unlink()

    def oid(self, path: bytes, stat: CachedStat) -> Oid | None:
        """Return the id of the bytes at `path` if its stat is as it was."""
        known = self.known.get(path)
        return known[1] if known is not None and known[0] == stat else None
