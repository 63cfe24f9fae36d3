"""What the last looks found in each folder, so that one whose stat is as it was need not be listed again.

Owns when that may be believed. A folder's modification time changes with its list of names, so equal stats mean equal
names; the files in it are still asked for their own stats, one by one. Believed are only folders that had been at rest
for two seconds, whose files all had, under the same index and ignore rules, and for five minutes after they were listed
(decision 0014). Lives in the memory of the process alone.
"""

import os
from typing import Protocol

import msgspec

from backtrail.git.ignore import FolderRules
from backtrail.git.index_file import Index
from backtrail.model.ids import Oid
from backtrail.model.net_state import FolderEntry, Mode, WorkingEntry
from backtrail.scan.file_stat import CachedStat, FolderStat, cached_stat, folder_stat

IGNORE_FILE = b".gitignore"
_BELIEVED_NS = 300_000_000_000


class Basis(msgspec.Struct, frozen=True, kw_only=True):
    """What a listing depends on beside the folder: never believed under another one."""

    index: Index
    file_mode: bool
    size_cap: int
    ignore_case: bool
    sources: tuple[bytes, ...]

    def holds(self, other: "Basis | None") -> bool:
        """Tell whether the other is the same: the very index, and equal settings."""
        return (
            other is not None
            and self.index is other.index
            and (self.file_mode, self.size_cap, self.ignore_case, self.sources)
            == (other.file_mode, other.size_cap, other.ignore_case, other.sources)
        )


class Taken(Protocol):
    """The entries that a walk has taken in so far, by path, and which of them the stat cache gets."""

    working: dict[bytes, WorkingEntry]
    fresh: dict[bytes, tuple[CachedStat, Oid]]


class KnownFolder(msgspec.Struct, frozen=True, gc=False):
    """What a listing of a folder came to.

    parent, ignore_file: what its rules were made of. entries: the files and links taken in, each with its stat in
    `keys`. ignore_key: of an ignore file that is not among them. folder: what is to be remembered of itself. waiting:
    the sub-folders that are to be entered, each with whether it is ignored but for what is tracked in it.
    """

    status: FolderStat
    parent: FolderRules | None
    rules: FolderRules
    ignore_file: bytes | None
    ignore_key: CachedStat | None
    entries: tuple[WorkingEntry, ...]
    keys: tuple[CachedStat, ...]
    folder: FolderEntry | None
    waiting: tuple[tuple[str, bool], ...]
    ignored_count: int

    def is_as_it_was(self, base: bytes, prefix: bytes) -> bool:
        """Ask the disk. base: the root's path, prefix: the folder's below it, both with a slash behind."""
        try:
            if folder_stat(os.lstat((base + prefix)[:-1])) != self.status:
                return False
            if self.ignore_key is not None and cached_stat(os.lstat(base + prefix + IGNORE_FILE)) != self.ignore_key:
                return False
            for entry, key in zip(self.entries, self.keys, strict=True):
                if cached_stat(os.lstat(base + entry.path)) != key:
                    return False
        except OSError:
            return False
        return True


class Listing(msgspec.Struct):
    """What a folder comes to while it is listed: as `KnownFolder` has it.

    at_rest: nothing in it changed in the last two seconds, was left out, or went away meanwhile. keys: of what takes
    part, by path.
    """

    status: FolderStat
    at_rest: bool
    ignore_file: bytes | None
    folder: FolderEntry | None
    ignore_key: CachedStat | None = None
    keys: dict[bytes, CachedStat] = {}
    waiting: list[tuple[str, bool]] = []
    ignored_count: int = 0

    def known(self, parent: FolderRules | None, rules: FolderRules, files: Taken) -> KnownFolder | None:
        """Return what the next look may believe of the folder, None where it must list it again."""
        if not self.at_rest:
            return None
        entries = [files.working[path] for path in self.keys if path in files.working]
        read = sum([path in files.fresh for path in self.keys])
        links = sum([entry.mode == Mode.SYMLINK for entry in entries])
        if len(entries) != len(self.keys) or read + links != len(entries):
            return None  # something went away, or changed while it was read
        return KnownFolder(
            self.status,
            parent,
            rules,
            self.ignore_file,
            self.ignore_key,
            tuple(entries),
            tuple(self.keys.values()),
            self.folder,
            tuple(self.waiting),
            self.ignored_count,
        )


class KnownFolders:
    """The folders that one look leaves for the next, by path with a slash behind."""

    def __init__(self, basis: Basis, now_ns: int) -> None:
        self._basis = basis
        self._since_ns = now_ns
        self._folders: dict[bytes, KnownFolder] = {}

    def next(self, basis: Basis, now_ns: int) -> "KnownFolders":
        """Return these for a look at `now_ns`, or none where they are to be believed no more."""
        if self._basis.holds(basis) and 0 <= now_ns - self._since_ns < _BELIEVED_NS:
            return self
        return KnownFolders(basis, now_ns)

    def get(self, prefix: bytes, parent: FolderRules | None) -> KnownFolder | None:
        """Return what is known of a folder if its parent's rules are those of then."""
        known = self._folders.get(prefix)
        return known if known is not None and known.parent is parent else None

    def put(self, prefix: bytes, folder: KnownFolder | None) -> None:
        """Know this of a folder from now on; None: nothing."""
        if folder is None:
            self._folders.pop(prefix, None)
        else:
            self._folders[prefix] = folder
