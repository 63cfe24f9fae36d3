"""Our own walk over a working tree: every tracked file, and every untracked one that Git does not ignore.

Owns the same set as `git ls-files -co --exclude-standard`, and the reason for everything else (B07, B31, B52, B54).
Folders are opened by descriptor, so that one turned into a link meanwhile leads nowhere. Names are bytes. Reads only;
ignored folders are not entered. Knows the index as it was handed in, and no object database.
"""

import os
import stat
from collections.abc import Callable, Iterator

import msgspec

from backtrail.git.ignore import FolderRules
from backtrail.git.index_file import Index, is_racy, stat_matches
from backtrail.git.repository import git_folder_of
from backtrail.model.coverage import LeftOut, Reason
from backtrail.model.ids import Oid, RelPath
from backtrail.model.net_state import FolderEntry, IndexEntry, Mode, WorkingEntry
from backtrail.model.paths import folders_above
from backtrail.model.progress import FILE_COST, SILENT, Progress
from backtrail.scan.reading import Changing, open_file, open_folder, read_file, read_link
from backtrail.scan.stat_cache import RACY_NS, CachedStat, StatCache, cached_stat

_PLAIN_FOLDER = 0o755
_IGNORE_FILE_LIMIT = 64 << 20
_UNREAD = Oid(bytes(20))


class Nested(msgspec.Struct, frozen=True):
    """A repository inside: HEAD in hex (None if unborn or unreadable), and whether it has changes (None: unknown)."""

    head: str | None
    dirty: bool | None


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


class Walked(msgspec.Struct, frozen=True):
    """What the walk found. `fresh` is the stat cache it leaves. by_path: the working entries once more."""

    working: tuple[WorkingEntry, ...]
    folders: tuple[FolderEntry, ...]
    left_out: tuple[LeftOut, ...]
    ignored_count: int
    fresh: dict[bytes, tuple[CachedStat, Oid]]
    by_path: dict[bytes, WorkingEntry]


class Frame(msgspec.Struct):
    """A folder being walked: its descriptor, its path with a slash behind, and the sub-folders still to enter."""

    descriptor: int
    prefix: bytes
    rules: FolderRules
    ignored: bool
    waiting: Iterator[str]


class Walk:
    """One walk.

    inspect: tells about a nested repository. tracked_ignore_file: reads a .gitignore that a sparse tree left out.
    progress: told of each file that is read; it may end the walk.
    """

    def __init__(
        self,
        index: Index,
        rules: Callable[[bytes | None], FolderRules],
        cache: StatCache,
        options: WalkOptions,
        inspect: Callable[[bytes], Nested],
        tracked_ignore_file: Callable[[Oid], bytes],
        progress: Progress = SILENT,
    ) -> None:
        self._index = index
        self._root_rules = rules
        self._cache = cache
        self._options = options
        self._inspect = inspect
        self._tracked_ignore_file = tracked_ignore_file
        self._progress = progress
        self._tracked: dict[bytes, IndexEntry] = {entry.path: entry for entry in reversed(index.entries)}
        self._tracked_folders = folders_above(self._tracked) | folders_above(options.expected)
        self._working: dict[bytes, WorkingEntry] = {}
        self._folders: list[FolderEntry] = []
        self._left_out: list[LeftOut] = []
        self._ignored_count = 0
        self._fresh: dict[bytes, tuple[CachedStat, Oid]] = {}
        same_basis = cache.index is index and cache.file_mode == options.file_mode
        self._before = cache.working if same_basis else {}
        self._newest_trusted_ns = options.now_ns - RACY_NS

    def run(self, root: bytes) -> Walked:
        """Walk the folder `root`. Raises OSError if that itself cannot be read."""
        frames: list[Frame] = []
        self._root = root
        try:
            descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            frames.append(self._entered(descriptor, b"", None, b"", ignored=False))
            while frames:
                frame = frames[-1]
                name = next(frame.waiting, None)
                if name is None:
                    os.close(frames.pop().descriptor)
                elif (deeper := self._folder(frame, name)) is not None:
                    frames.append(deeper)
        finally:
            for frame in frames:
                os.close(frame.descriptor)
        self._add_not_checked_out()
        working = tuple(self._working[path] for path in sorted(self._working))
        self._folders.sort(key=lambda folder: folder.path)
        self._left_out.sort(key=lambda item: item.path)
        return Walked(
            working, tuple(self._folders), tuple(self._left_out), self._ignored_count, self._fresh, self._working
        )

    def _entered(
        self, descriptor: int, prefix: bytes, parent: FolderRules | None, name: bytes, *, ignored: bool
    ) -> Frame:
        """Enter a folder whose descriptor is ours until there is a frame for it."""
        try:
            return self._enter(descriptor, prefix, parent, name, ignored=ignored)
        except BaseException:
            os.close(descriptor)
            raise

    def _enter(
        self, descriptor: int, prefix: bytes, parent: FolderRules | None, name: bytes, *, ignored: bool
    ) -> Frame:
        """Take in the files of a folder; return the frame from which its sub-folders are entered."""
        status = os.fstat(descriptor)
        with os.scandir(descriptor) as listing:
            entries = list(listing)
        ignore_file = self._ignore_file(descriptor, prefix, entries)
        rules = self._root_rules(ignore_file) if parent is None else parent.child(name, ignore_file)
        permissions = stat.S_IMODE(status.st_mode)
        if not entries or permissions != _PLAIN_FOLDER:
            self._folders.append(FolderEntry(RelPath(prefix[:-1]), permissions, not entries))
        folders: list[str] = []
        frame = Frame(descriptor, prefix, rules, ignored, iter(folders))
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            else:
                self._file(frame, entry)
        return frame

    def _ignore_file(self, descriptor: int, prefix: bytes, entries: "list[os.DirEntry[str]]") -> bytes | None:
        for entry in entries:
            if entry.name == ".gitignore":
                return _read_ignore_file(descriptor) if entry.is_file(follow_symlinks=False) else None
        tracked = self._tracked.get(prefix + b".gitignore")
        if tracked is not None and tracked.skip_worktree and tracked.mode != Mode.SYMLINK:
            return self._tracked_ignore_file(tracked.oid)
        return None

    def _folder(self, frame: Frame, text: str) -> Frame | None:
        """Decide what a sub-folder is; return its frame if it is to be entered."""
        name = os.fsencode(text)
        path = frame.prefix + name
        if name.lower() == b".git":
            if frame.prefix or name != b".git":
                self._leave_out(path + b"/", Reason.RESERVED_NAME)
            return None
        tracked = self._tracked.get(path)
        if tracked is not None and tracked.mode == Mode.GITLINK:
            self._submodule(path, tracked)
            return None
        holds_tracked = path in self._tracked_folders
        ignored = frame.ignored or frame.rules.ignores(name, is_folder=True)
        if ignored and not holds_tracked:
            self._ignored_count += 1
            return None
        try:
            descriptor = open_folder(text, frame.descriptor)
        except FileNotFoundError:
            return None  # it went away: branch and index tell whether the look must be repeated
        except OSError:
            self._leave_out(path + b"/", Reason.UNREADABLE)
            return None
        if not holds_tracked and _has_git_entry(descriptor) and git_folder_of(os.path.join(self._root, path)):
            os.close(descriptor)
            nested = self._inspect(os.path.join(self._root, path))
            self._left_out.append(
                LeftOut(RelPath(path + b"/"), Reason.NESTED_REPOSITORY, None, nested.head, nested.dirty)
            )
            return None
        try:
            return self._entered(descriptor, path + b"/", frame.rules, name, ignored=ignored)
        except OSError:
            self._leave_out(path + b"/", Reason.UNREADABLE)
            return None

    def _submodule(self, path: bytes, tracked: IndexEntry) -> None:
        """Take in a submodule's place: its HEAD is captured, what is changed inside is not (case B30)."""
        place = os.path.join(self._root, path)
        nested = self._inspect(place) if git_folder_of(place) else Nested(None, dirty=_holds_anything(place))
        oid = Oid(bytes.fromhex(nested.head)) if nested.head else tracked.oid
        self._working[path] = WorkingEntry(
            path=RelPath(path), mode=Mode.GITLINK, permissions=0, oid=oid, clean=oid == tracked.oid, stat_clean=True
        )
        if nested.dirty is not False:
            self._left_out.append(
                LeftOut(RelPath(path + b"/"), Reason.SUBMODULE_DIRTY, None, nested.head, nested.dirty)
            )

    def _file(self, frame: Frame, entry: "os.DirEntry[str]") -> None:
        """Take in anything that is not a folder."""
        name = os.fsencode(entry.name)
        path = frame.prefix + name
        tracked = self._tracked.get(path)
        if tracked is None:
            if name.lower() == b".git":
                if frame.prefix or name != b".git":
                    self._leave_out(path, Reason.RESERVED_NAME)
                return
            ignored = frame.ignored or frame.rules.ignores(name, is_folder=False)
            if ignored and path not in self._options.expected:
                self._ignored_count += 1
                return
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return  # it went away
        except OSError:  # the folder may be listed but not entered: what is in it is not gone (case B08)
            self._leave_out(path, Reason.UNREADABLE)
            return
        if self._is_as_before(path, tracked, status):
            return
        kind = stat.S_IFMT(status.st_mode)
        if kind == stat.S_IFREG:
            self._regular(frame, entry.name, path, tracked, status)
        elif kind == stat.S_IFLNK:
            self._link(frame, entry.name, path, tracked, status)
        else:
            self._leave_out(path, Reason.SPECIAL_FILE)

    def _is_as_before(self, path: bytes, tracked: IndexEntry | None, status: os.stat_result) -> bool:
        """Take a regular file over from the last look where it and the index are as they were."""
        before, known = self._before.get(path), self._cache.known.get(path)
        if before is None or known is None or known[0] != cached_stat(status) or path in self._options.changing:
            return False
        if tracked is None and status.st_size > self._options.size_cap:
            return False
        self._working[path] = before
        self._fresh[path] = known
        return True

    def _regular(
        self, frame: Frame, name: str, path: bytes, tracked: IndexEntry | None, status: os.stat_result
    ) -> None:
        if tracked is None and status.st_size > self._options.size_cap:
            self._leave_out(path, Reason.TOO_LARGE, status.st_size)
            return
        if path in self._options.changing:
            self._leave_out(path, Reason.CHANGING, status.st_size)
            return
        key = cached_stat(status)
        oid = self._cache.oid(path, key)
        if oid is None and self._options.superficial and (tracked is None or self._stat_clean(tracked, status)):
            oid = _UNREAD if tracked is None else tracked.oid
        if oid is None:
            try:
                read = read_file(name, frame.descriptor, self._progress)
            except FileNotFoundError:
                return
            except Changing:
                self._leave_out(path, Reason.CHANGING, status.st_size)
                return
            except OSError:
                self._leave_out(path, Reason.UNREADABLE, status.st_size)
                return
            self._progress.advance(FILE_COST)
            oid, status = read.oid, read.status
            key = cached_stat(status)
        stat_clean = self._stat_clean(tracked, status)
        if status.st_mtime_ns < self._newest_trusted_ns and status.st_ctime_ns < self._newest_trusted_ns:
            self._fresh[path] = (key, oid)
        mode = int(Mode.EXECUTABLE if status.st_mode & stat.S_IXUSR else Mode.FILE)
        if tracked is not None and not self._options.file_mode and tracked.mode in (Mode.FILE, Mode.EXECUTABLE):
            mode = tracked.mode
        self._working[path] = WorkingEntry(
            RelPath(path),
            mode,
            stat.S_IMODE(status.st_mode),
            oid,
            status.st_size,
            stat_clean or (tracked is not None and tracked.oid == oid and tracked.mode == mode),
            stat_clean,
        )

    def _link(self, frame: Frame, name: str, path: bytes, tracked: IndexEntry | None, status: os.stat_result) -> None:
        try:
            target, oid = read_link(name, frame.descriptor)
        except FileNotFoundError:
            return
        except OSError:
            self._leave_out(path, Reason.UNREADABLE)
            return
        stat_clean = self._stat_clean(tracked, status)
        self._working[path] = WorkingEntry(
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
            and not is_racy(tracked.stat, self._index.mtime_s)
            and stat_matches(tracked.stat, tracked.mode, status)
        )

    def _add_not_checked_out(self) -> None:
        """Keep what a sparse checkout leaves out: it is not deleted, it was never here (case B37)."""
        for path, entry in self._tracked.items():
            if entry.skip_worktree and entry.stage == 0 and path not in self._working:
                self._working[path] = WorkingEntry(
                    path=entry.path, mode=entry.mode, permissions=0, oid=entry.oid, clean=True, checked_out=False
                )

    def _leave_out(self, path: bytes, reason: Reason, size: int | None = None) -> None:
        self._left_out.append(LeftOut(RelPath(path), reason, size))


def _has_git_entry(descriptor: int) -> bool:
    try:
        os.stat(".git", dir_fd=descriptor, follow_symlinks=False)
    except OSError:
        return False
    return True


def _holds_anything(folder: bytes) -> bool | None:
    """Tell whether anything is in a folder; None where that cannot be told."""
    try:
        return bool(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return None


def _read_ignore_file(descriptor: int) -> bytes | None:
    """Read a folder's .gitignore; Git, too, takes an unreadable one for none."""
    try:
        opened = open_file(".gitignore", descriptor)
    except OSError:
        return None
    with os.fdopen(opened, "rb") as file:
        return file.read(_IGNORE_FILE_LIMIT) if stat.S_ISREG(os.fstat(opened).st_mode) else None
