"""Our own walk over a working tree: every tracked file, and every untracked one that Git does not ignore.

Owns the same set as `git ls-files -co --exclude-standard`, and the reason for everything else (B07, B31, B52, B54).
Folders are opened by descriptor, so that one turned into a link meanwhile leads nowhere. Names are bytes. Reads only;
ignored folders are not entered. What a file is `files` tells; which folders need no listing, `known_folders`.
"""

import os
import stat
from collections.abc import Callable

import msgspec

from backtrail.git.ignore import FolderRules
from backtrail.git.repository import git_folder_of
from backtrail.model.coverage import LeftOut, Reason
from backtrail.model.ids import Oid, RelPath
from backtrail.model.net_state import PLAIN_FOLDER, FolderEntry, IndexEntry, Mode, WorkingEntry
from backtrail.model.paths import folders_above
from backtrail.scan.file_stat import cached_stat, folder_stat
from backtrail.scan.files import Files, Seen, WalkOptions
from backtrail.scan.frame import NOT_OPENED, Frame, open_root
from backtrail.scan.known_folders import IGNORE_FILE, KnownFolder, KnownFolders, Listing
from backtrail.scan.reading import open_file, open_folder
from backtrail.scan.stat_cache import Tracked

_IGNORE_FILE_LIMIT = 64 << 20


class Nested(msgspec.Struct, frozen=True):
    """A repository inside: HEAD in hex (None if unborn or unreadable), and whether it has changes (None: unknown)."""

    head: str | None
    dirty: bool | None


class Walked(msgspec.Struct, frozen=True):
    """What the walk found of folders; what it found of files is in its `Files`. working: all entries, by path bytes."""

    working: tuple[WorkingEntry, ...]
    folders: tuple[FolderEntry, ...]
    left_out: tuple[LeftOut, ...]
    ignored_count: int


class Walk:
    """One walk.

    inspect: tells about a nested repository. tracked_ignore_file: reads a .gitignore that a sparse tree left out.
    known: what the looks before found, which this one adds to; None for a walk that lists every folder.
    """

    def __init__(
        self,
        tracked: Tracked,
        rules: Callable[[bytes | None], FolderRules],
        files: Files,
        options: WalkOptions,
        inspect: Callable[[bytes], Nested],
        tracked_ignore_file: Callable[[Oid], bytes],
        known: KnownFolders | None = None,
    ) -> None:
        self._root_rules = rules
        self._files = files
        self._options = options
        self._newest_trusted_ns = options.newest_trusted_ns
        self._inspect = inspect
        self._tracked_ignore_file = tracked_ignore_file
        self._known = known
        self._tracked = tracked.by_path
        self._tracked_folders = tracked.folders
        if options.expected:
            self._tracked_folders = tracked.folders | folders_above(options.expected)
        self._folders: list[FolderEntry] = []
        self._ignored_count = 0

    def run(self, root: bytes) -> Walked:
        """Walk the folder `root`. Raises OSError if that itself cannot be read."""
        frames: list[Frame] = []
        self._root, self._base = root, root + b"/"
        try:
            frames.append(self._recalled(None, "", b"", ignored=False) or self._opened_root())
            while frames:
                frame = frames[-1]
                below = next(frame.waiting, None)
                if below is None:
                    frames.pop().close()
                elif (deeper := self._folder(frame, *below)) is not None:
                    frames.append(deeper)
        finally:
            for frame in frames:
                frame.close()
        self._add_not_checked_out()
        working = self._files.working
        self._folders.sort(key=lambda folder: folder.path)
        left_out = sorted(self._files.left_out, key=lambda item: item.path)
        return Walked(
            tuple([working[path] for path in sorted(working)]),
            tuple(self._folders),
            tuple(left_out),
            self._ignored_count,
        )

    # entering folders

    def _recalled(self, parent: Frame | None, name: str, prefix: bytes, *, ignored: bool) -> Frame | None:
        """Take in a folder that is as it was at the last look, without listing it."""
        if self._known is None:
            return None
        known = self._known.get(prefix, parent.rules if parent else None)
        if known is None or not known.is_as_it_was(self._base, prefix):
            return None
        self._files.take_as_known(known)
        self._count(known)
        return Frame(parent, name, prefix, NOT_OPENED, known.rules, ignored, iter(known.waiting))

    def _count(self, listed: KnownFolder | Listing) -> None:
        if listed.folder is not None:
            self._folders.append(listed.folder)
        self._ignored_count += listed.ignored_count

    def _opened_root(self) -> Frame:
        descriptor = open_root(self._root)
        return self._entered(descriptor, None, "", b"", ignored=False)

    def _entered(self, descriptor: int, parent: Frame | None, name: str, prefix: bytes, *, ignored: bool) -> Frame:
        """Enter a folder whose descriptor is ours until there is a frame for it."""
        try:
            return self._enter(descriptor, parent, name, prefix, ignored=ignored)
        except BaseException:
            os.close(descriptor)
            raise

    def _enter(self, descriptor: int, parent: Frame | None, name: str, prefix: bytes, *, ignored: bool) -> Frame:
        """Take in the files of a folder; return the frame from which its sub-folders are entered."""
        status = os.fstat(descriptor)
        with os.scandir(descriptor) as found:
            entries = list(found)
        listing = self._begun(status, descriptor, prefix, entries)
        rules = self._rules(parent, name, prefix, listing.ignore_file)
        frame = Frame(parent, name, prefix, descriptor, rules, ignored, iter(listing.waiting))
        left_out = len(self._files.left_out)
        for entry in entries:
            if entry.name.lower() == ".git":
                if prefix or entry.name != ".git":
                    slash = b"/" if entry.is_dir(follow_symlinks=False) else b""
                    self._files.leave_out(prefix + os.fsencode(entry.name) + slash, Reason.RESERVED_NAME)
            elif entry.is_dir(follow_symlinks=False):
                self._sub_folder(frame, entry.name, listing)
            else:
                self._file(frame, entry, listing)
        self._count(listing)
        listing.at_rest = listing.at_rest and len(self._files.left_out) == left_out
        if self._known is not None:
            self._known.put(prefix, listing.known(parent.rules if parent else None, rules, self._files))
        return frame

    def _begun(
        self, status: os.stat_result, descriptor: int, prefix: bytes, entries: "list[os.DirEntry[str]]"
    ) -> Listing:
        """Return what the folder itself comes to. status: from before it was listed."""
        permissions = stat.S_IMODE(status.st_mode)
        folder = None
        if not entries or permissions != PLAIN_FOLDER:
            folder = FolderEntry(RelPath(prefix[:-1]), permissions, not entries)
        at_rest = max(status.st_mtime_ns, status.st_ctime_ns) < self._newest_trusted_ns
        return Listing(folder_stat(status), at_rest, self._ignore_file(descriptor, prefix, entries), folder)

    def _rules(self, parent: Frame | None, name: str, prefix: bytes, ignore_file: bytes | None) -> FolderRules:
        """Return a folder's rules: the same object while they are the same, since what is known below hangs on it."""
        above = parent.rules if parent else None
        known = self._known.get(prefix, above) if self._known else None
        if known is not None and known.ignore_file == ignore_file:
            return known.rules
        return self._root_rules(ignore_file) if above is None else above.child(os.fsencode(name), ignore_file)

    def _ignore_file(self, descriptor: int, prefix: bytes, entries: "list[os.DirEntry[str]]") -> bytes | None:
        for entry in entries:
            if entry.name == ".gitignore":
                return _read_ignore_file(descriptor) if entry.is_file(follow_symlinks=False) else None
        tracked = self._tracked.get(prefix + IGNORE_FILE)
        if tracked is not None and tracked.skip_worktree and tracked.mode != Mode.SYMLINK:
            return self._tracked_ignore_file(tracked.oid)
        return None

    def _sub_folder(self, frame: Frame, text: str, listing: Listing) -> None:
        """Have a sub-folder entered later, unless Git ignores it with all that is in it."""
        name = os.fsencode(text)
        path = frame.prefix + name
        tracked = self._tracked.get(path)
        is_submodule = tracked is not None and tracked.mode == Mode.GITLINK
        ignored = not is_submodule and (frame.ignored or frame.rules.ignores(name, is_folder=True))
        if ignored and path not in self._tracked_folders:
            listing.ignored_count += 1
        else:
            listing.waiting.append((text, ignored))

    def _folder(self, frame: Frame, text: str, ignored: bool) -> Frame | None:  # noqa: FBT001 - as it stands in `waiting`
        """Decide what a sub-folder is; return its frame if it is to be entered."""
        path = frame.prefix + os.fsencode(text)
        tracked = self._tracked.get(path)
        if tracked is not None and tracked.mode == Mode.GITLINK:
            self._submodule(path, tracked)
            return None
        if (recalled := self._recalled(frame, text, path + b"/", ignored=ignored)) is not None:
            return recalled
        try:
            descriptor = open_folder(text, frame.opened(self._root))
        except FileNotFoundError:
            return None  # it went away: branch and index tell whether the look must be repeated
        except OSError:
            self._files.leave_out(path + b"/", Reason.UNREADABLE)
            return None
        place = self._base + path
        if path not in self._tracked_folders and _has_git_entry(descriptor) and git_folder_of(place):
            os.close(descriptor)
            nested = self._inspect(place)
            self._files.left_out.append(
                LeftOut(RelPath(path + b"/"), Reason.NESTED_REPOSITORY, None, nested.head, nested.dirty)
            )
            return None
        try:
            return self._entered(descriptor, frame, text, path + b"/", ignored=ignored)
        except OSError:
            self._files.leave_out(path + b"/", Reason.UNREADABLE)
            return None

    def _submodule(self, path: bytes, tracked: IndexEntry) -> None:
        """Take in a submodule's place: its HEAD is captured, what is changed inside is not (case B30)."""
        place = self._base + path
        nested = self._inspect(place) if git_folder_of(place) else Nested(None, dirty=_holds_anything(place))
        oid = Oid(bytes.fromhex(nested.head)) if nested.head else tracked.oid
        self._files.working[path] = WorkingEntry(
            path=RelPath(path), mode=Mode.GITLINK, permissions=0, oid=oid, clean=oid == tracked.oid, stat_clean=True
        )
        if nested.dirty is not False:
            self._files.left_out.append(
                LeftOut(RelPath(path + b"/"), Reason.SUBMODULE_DIRTY, None, nested.head, nested.dirty)
            )

    def _file(self, frame: Frame, entry: "os.DirEntry[str]", listing: Listing) -> None:
        """Take in anything that is not a folder, if it takes part."""
        name = os.fsencode(entry.name)
        path = frame.prefix + name
        tracked = self._tracked.get(path)
        if tracked is not None:
            path = tracked.path  # one object for both: there are as many as files
        ignored = tracked is None and (frame.ignored or frame.rules.ignores(name, is_folder=False))
        takes_part = not ignored or path in self._options.expected
        if not takes_part:
            listing.ignored_count += 1
            if name != IGNORE_FILE:
                return
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            listing.at_rest = False
            return  # it went away
        except OSError:  # the folder may be listed but not entered: what is in it is not gone (case B08)
            self._files.leave_out(path, Reason.UNREADABLE)
            return
        key = cached_stat(status)
        if key[1] >= self._newest_trusted_ns or key[2] >= self._newest_trusted_ns:
            listing.at_rest = False
        if takes_part:
            listing.keys[path] = key
            self._files.take(Seen(frame.descriptor, entry.name, path, tracked, status, key))
        else:
            listing.ignore_key = key

    def _add_not_checked_out(self) -> None:
        """Keep what a sparse checkout leaves out: it is not deleted, it was never here (case B37).

        Where a file stands in the place of one of its folders, or a folder in its own, it is not: something else is.
        """
        working = self._files.working
        absent = [e for e in self._tracked.values() if e.skip_worktree and e.stage == 0 and e.path not in working]
        folders = folders_above(working) if absent else set()
        for entry in absent:
            path = entry.path
            if path not in folders and working.keys().isdisjoint(folders_above([path])):
                working[path] = WorkingEntry(
                    path=entry.path, mode=entry.mode, permissions=0, oid=entry.oid, clean=True, checked_out=False
                )


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
