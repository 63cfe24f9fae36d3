"""A net state: branch, HEAD, operation in progress, index and working tree of a memory at one moment.

Owns the values only. `scan` makes them, `checkpoints` stores them, `restore` builds a folder from them.
Source: design page "engine", net state; record "recovery checkpoints".
"""

import enum
from typing import NamedTuple

import msgspec

from backtrail.model.coverage import Coverage
from backtrail.model.ids import Oid, RelPath


class Mode(enum.IntEnum):
    """The four modes a Git tree knows for an entry that is not a folder, and the folder's own."""

    FILE = 0o100644
    EXECUTABLE = 0o100755
    SYMLINK = 0o120000
    GITLINK = 0o160000
    FOLDER = 0o040000


class Operation(enum.StrEnum):
    """What Git is in the middle of."""

    NONE = "none"
    MERGE = "merge"
    REBASE = "rebase"
    CHERRY_PICK = "cherry-pick"
    REVERT = "revert"
    APPLY = "apply"
    BISECT = "bisect"


class IndexStat(NamedTuple):
    """What the index remembers of a file on disk (times in seconds and nanoseconds, size in bytes cut to 32 bits)."""

    ctime_s: int
    ctime_ns: int
    mtime_s: int
    mtime_ns: int
    dev: int
    ino: int
    uid: int
    gid: int
    size: int


class IndexEntry(msgspec.Struct, frozen=True, gc=False):
    """One entry of the index.

    stage: 0, or 1 to 3 in a conflict. stat: left out of every comparison of states.
    """

    path: RelPath
    mode: int
    oid: Oid
    stage: int = 0
    assume_valid: bool = False
    skip_worktree: bool = False
    intent_to_add: bool = False
    stat: IndexStat | None = None

    @property
    def content(self) -> tuple[bytes, int, bytes, int, bool, bool, bool]:
        """What two equal entries share: everything but the stat."""
        return (
            self.path, self.mode, self.oid, self.stage, self.assume_valid, self.skip_worktree, self.intent_to_add,
        )  # fmt: skip


class WorkingEntry(msgspec.Struct, frozen=True, gc=False):
    """One captured thing on disk that is not a folder: a file, a symlink, or a submodule's place.

    mode: as in a Git tree. permissions: the 12 permission bits as on disk (0 for links and submodules).
    oid: of the raw bytes; for a link of its target; for a submodule its HEAD. size: in bytes.
    clean: Git sees no change against the index (raw id equal, or the index's stat matched and was not racy).
    stat_clean: the second half of that alone: Git would say so without reading the file.
    checked_out: False for an entry outside a sparse checkout, which has no file on disk.
    """

    path: RelPath
    mode: int
    permissions: int
    oid: Oid
    size: int = 0
    clean: bool = False
    stat_clean: bool = False
    checked_out: bool = True


PLAIN_FOLDER = 0o755
"""The permission bits of a folder that need no remembering."""


class FolderEntry(msgspec.Struct, frozen=True, gc=False):
    """A folder worth remembering: it is empty, or its permission bits are not 755. The root is the empty path."""

    path: RelPath
    permissions: int
    empty: bool


class Merge(msgspec.Struct, frozen=True):
    """A merge in progress: the commits being merged, and the bytes of Git's own notes about it."""

    heads: tuple[Oid, ...]
    message: bytes | None
    mode: bytes | None


class NetState(msgspec.Struct, frozen=True):
    """Branch, HEAD, operation, index and working tree at one moment.

    branch: short name in raw bytes, None when detached. head: None when the branch is unborn.
    index and working are sorted by path bytes. `coverage` tells what of the folder is not in `working`.
    """

    branch: bytes | None
    head: Oid | None
    operation: Operation
    merge: Merge | None
    index: tuple[IndexEntry, ...]
    working: tuple[WorkingEntry, ...]
    folders: tuple[FolderEntry, ...]
    coverage: Coverage

    @property
    def conflicts(self) -> tuple[RelPath, ...]:
        """The paths that are unmerged in the index, each once."""
        return tuple(dict.fromkeys(entry.path for entry in self.index if entry.stage))
