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
from backtrail.model.net_state import IndexEntry, WorkingEntry
from backtrail.model.paths import folders_above
from backtrail.scan.file_stat import CachedStat
from backtrail.scan.known_folders import Basis, KnownFolders
from backtrail.scan.last_trees import LastTrees
from backtrail.scan.token import Digests

_FORMAT = 1


class _Stored(msgspec.Struct, frozen=True):
    format: int
    entries: dict[bytes, tuple[int, int, int, int, int, bytes]]


class Tracked:
    """An index, and what a walk asks it: the entry of a path, and whether anything below a folder is tracked."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.by_path: dict[bytes, IndexEntry] = {entry.path: entry for entry in reversed(index.entries)}
        self.folders = folders_above(self.by_path)

    def clashes(self) -> list[bytes]:
        """Return the paths that are files and folders at once, which no tree can be; those in conflict aside."""
        both = sorted(self.folders & self.by_path.keys())
        return [path for path in both if not self.by_path[path].stage and self._is_settled(path + b"/")]

    def _is_settled(self, prefix: bytes) -> bool:
        return any(path.startswith(prefix) and not entry.stage for path, entry in self.by_path.items())


class StatCache:
    """The cache of one memory: `known` is what the last look left, and a look puts its own in place of it.

    tracked: the index as last parsed, to be checked by its signature. working: the last look's entries, true for a path
    whose stat is as it was, for that very index and the same `core.fileMode`. folders: those that need no listing.
    digests, index_trees, working_trees: what the last state came to.
    """

    def __init__(self, known: dict[bytes, tuple[CachedStat, Oid]] | None = None) -> None:
        self.known = known or {}
        self.tracked: Tracked | None = None
        self.file_mode = True
        self.working: dict[bytes, WorkingEntry] = {}
        self.folders: KnownFolders | None = None
        self.digests = Digests()
        self.index_trees, self.working_trees = LastTrees(), LastTrees()

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

    def entries_for(self, index: Index, *, file_mode: bool) -> dict[bytes, WorkingEntry]:
        """Return the last look's entries if they were judged by this index and this `core.fileMode`, else none."""
        same = self.tracked is not None and self.tracked.index is index and self.file_mode == file_mode
        return self.working if same else {}

    def folders_for(self, basis: Basis, now_ns: int) -> KnownFolders:
        """Return the folders that a look at `now_ns` need not list, which it adds to."""
        return (self.folders or KnownFolders(basis, now_ns)).next(basis, now_ns)
