"""Taking in what is not a folder: regular files and links, as entries of a net state.

Owns what one file's stat and bytes make of it, and what is known of it without reading. Knows the index as it was
handed in, and no object database. A file that cannot be taken in is left out with its reason. Enters no folder.
"""

import os
import stat

import msgspec

from backtrail.git.index_file import Index, is_racy, stat_matches
from backtrail.model.coverage import LeftOut, Reason
from backtrail.model.ids import Oid, RelPath
from backtrail.model.net_state import IndexEntry, Mode, WorkingEntry
from backtrail.model.progress import FILE_COST, SILENT, Progress
from backtrail.scan.file_stat import RACY_NS, CachedStat, cached_stat
from backtrail.scan.known_folders import KnownFolder
from backtrail.scan.reading import Changing, read_file, read_link
from backtrail.scan.stat_cache import StatCache

_UNREAD = Oid(bytes(20))


class WalkOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How to walk.

    size_cap: untracked files above it are left out, in bytes. changing: paths that would not hold still before, to be
    left out. file_mode: the executable bit on disk means something. now_ns: the time of the look. superficial: only
    tell what is clean; neither untracked nor stat-clean files are read. expected: paths that take part though they are
    untracked and ignored.
    """

    size_cap: int
    now_ns: int
    file_mode: bool = True
    changing: frozenset[bytes] = frozenset()
    superficial: bool = False
    expected: frozenset[bytes] = frozenset()

    @property
    def newest_trusted_ns(self) -> int:
        """The latest time of a file's last change at which another one would surely have another time."""
        return self.now_ns - RACY_NS


class Seen(msgspec.Struct, frozen=True, gc=False):
    """Something in a folder that is none itself, as its lstat showed it.

    folder: the folder's descriptor. tracked: the index's entry for the path, if any. key: what of `status` is cached.
    """

    folder: int
    name: str
    path: bytes
    tracked: IndexEntry | None
    status: os.stat_result
    key: CachedStat


class Files:
    """What a walk has taken in so far: entries by path, what was left out, and the stat cache that this look leaves."""

    def __init__(self, index: Index, cache: StatCache, options: WalkOptions, progress: Progress = SILENT) -> None:
        """progress: told of each file that is read; it may end the walk."""
        self.working: dict[bytes, WorkingEntry] = {}
        self.fresh: dict[bytes, tuple[CachedStat, Oid]] = {}
        self.left_out: list[LeftOut] = []
        self._index_mtime_s = index.mtime_s
        self._known = cache.known
        self._options = options
        self._progress = progress
        self._before = cache.entries_for(index, file_mode=options.file_mode)
        self._newest_trusted_ns = options.newest_trusted_ns

    def take(self, seen: Seen) -> None:
        """Take in one thing."""
        known = self._known.get(seen.path)
        oid = known[1] if known is not None and known[0] == seen.key else None
        if oid is not None and self._is_as_before(seen, oid):
            return
        kind = stat.S_IFMT(seen.status.st_mode)
        if kind == stat.S_IFREG:
            self._regular(seen, oid)
        elif kind == stat.S_IFLNK:
            self._link(seen)
        else:
            self.leave_out(seen.path, Reason.SPECIAL_FILE)

    def take_as_known(self, folder: KnownFolder) -> None:
        """Take over what the last look took in of a folder that is as it was."""
        self.working.update([(entry.path, entry) for entry in folder.entries])
        pairs = zip(folder.entries, folder.keys, strict=True)
        self.fresh.update([(entry.path, (key, entry.oid)) for entry, key in pairs if entry.mode != Mode.SYMLINK])

    def leave_out(self, path: bytes, reason: Reason, size: int | None = None) -> None:
        """Note that something is not taken in, and why."""
        self.left_out.append(LeftOut(RelPath(path), reason, size))

    def _is_as_before(self, seen: Seen, oid: Oid) -> bool:
        """Take a regular file over from the last look where the index, too, is as it was."""
        path = seen.path
        before = self._before.get(path)
        if before is None or path in self._options.changing:
            return False
        if seen.tracked is None and seen.status.st_size > self._options.size_cap:
            return False
        self.working[path] = before
        self.fresh[path] = (seen.key, oid)
        return True

    def _regular(self, seen: Seen, oid: Oid | None) -> None:
        """Take in a regular file. oid: of its bytes, where that is known from before."""
        path, tracked, status, key = seen.path, seen.tracked, seen.status, seen.key
        if tracked is None and status.st_size > self._options.size_cap:
            self.leave_out(path, Reason.TOO_LARGE, status.st_size)
            return
        if path in self._options.changing:
            self.leave_out(path, Reason.CHANGING, status.st_size)
            return
        if oid is None and self._options.superficial and (tracked is None or self._stat_clean(tracked, status)):
            oid = _UNREAD if tracked is None else tracked.oid
        if oid is None:
            try:
                oid, status = read_file(seen.name, seen.folder, key, self._progress)
            except FileNotFoundError:
                return
            except Changing:
                self.leave_out(path, Reason.CHANGING, status.st_size)
                return
            except OSError:
                self.leave_out(path, Reason.UNREADABLE, status.st_size)
                return
            self._progress.advance(FILE_COST)
            after = cached_stat(status)
            key = key if after == key else after  # one object for both: there are as many as files
        stat_clean = self._stat_clean(tracked, status)
        if key[1] < self._newest_trusted_ns and key[2] < self._newest_trusted_ns:
            self.fresh[path] = (key, oid)
        mode = int(Mode.EXECUTABLE if status.st_mode & stat.S_IXUSR else Mode.FILE)
        if tracked is not None and not self._options.file_mode and tracked.mode in (Mode.FILE, Mode.EXECUTABLE):
            mode = tracked.mode
        self.working[path] = WorkingEntry(
            RelPath(path),
            mode,
            stat.S_IMODE(status.st_mode),
            oid,
            status.st_size,
            stat_clean or (tracked is not None and tracked.oid == oid and tracked.mode == mode),
            stat_clean,
        )

    def _link(self, seen: Seen) -> None:
        path, tracked = seen.path, seen.tracked
        try:
            target, oid = read_link(seen.name, seen.folder)
        except FileNotFoundError:
            return
        except OSError:
            self.leave_out(path, Reason.UNREADABLE)
            return
        stat_clean = self._stat_clean(tracked, seen.status)
        self.working[path] = WorkingEntry(
            RelPath(path),
            int(Mode.SYMLINK),
            0,
            oid,
            len(target),
            stat_clean or (tracked is not None and tracked.oid == oid and tracked.mode == Mode.SYMLINK),
            stat_clean,
        )

    def _stat_clean(self, tracked: IndexEntry | None, status: os.stat_result) -> bool:
        """Tell whether Git would call the file unchanged without reading it."""
        return (
            tracked is not None
            and tracked.stat is not None
            and tracked.stage == 0
            and not tracked.intent_to_add
            and not is_racy(tracked.stat, self._index_mtime_s)
            and stat_matches(tracked.stat, tracked.mode, status)
        )
