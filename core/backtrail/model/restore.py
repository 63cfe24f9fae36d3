"""A restore as data: the plan that is shown, dry-run and executed as one value, and the record of what was done.

Source: design page "restore".
"""

import datetime
import enum

import msgspec

from backtrail.model.checkpoint import Checkpoint
from backtrail.model.coverage import LeftOut
from backtrail.model.ids import CheckpointId, MemoryId, Oid, RelPath, RestoreId, Token


class Step(enum.StrEnum):
    """The named points of a restore, in order. The journal records each; the tests kill at each."""

    PLANNED = "planned"
    VERIFIED_TARGET = "verified-target"
    COPYING = "copying"
    BUILDING = "building"
    VERIFIED_COPY = "verified-copy"
    LAST_LOOK = "last-look"
    SWITCHED = "switched"
    RECORDED = "recorded"
    SETTLED = "settled"


class Ignored(enum.StrEnum):
    """What becomes of content that the target ignores or does not hold."""

    CARRY = "carry"
    LEAVE = "leave"


class PathChange(msgspec.Struct, frozen=True):
    """One path that differs between now and the target.

    staged: it is the index that differs. folder: it is a folder of its own: an empty one, one that goes as a whole, or
    one whose permission bits alone are others.
    """

    path: RelPath
    staged: bool
    folder: bool = False


class LeavingCommit(msgspec.Struct, frozen=True):
    """A commit that will no longer be on the branch."""

    oid: Oid
    subject: str
    author: str
    at: datetime.datetime


class SizedPath(msgspec.Struct, frozen=True):
    """A path and its bytes, everything below it included."""

    path: RelPath
    bytes: int


class CarryOver(msgspec.Struct, frozen=True):
    """What is copied along from the folder as it is: the topmost paths, and how much that is.

    archive_only: what stays in the archive alone although the rules would carry it: its place is taken, it is a socket
    or a device (also one below `paths`), or so it was chosen.
    """

    choice: Ignored
    paths: tuple[RelPath, ...]
    count: int
    bytes: int
    largest: tuple[SizedPath, ...]
    archive_only: tuple[RelPath, ...]


class Blocker(msgspec.Struct, frozen=True):
    """A reason why this restore cannot run now. `code` is stable; the sentences are in `wording`."""

    code: str
    paths: tuple[bytes, ...] = ()
    detail: str = ""


class Caution(msgspec.Struct, frozen=True):
    """Something to know before going on that does not stop it."""

    code: str
    paths: tuple[bytes, ...] = ()
    count: int = 0
    detail: str = ""


class Inside(msgspec.Struct, frozen=True):
    """A process whose current folder or open files lie in the folder. `writes`: it holds a file open for writing."""

    pid: int
    name: str
    writes: bool


class RestorePlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a restore would do, and the guard token of the moment it was made for.

    needed and free are bytes on the file system of the folder. `undo_of`: the restore whose archive is the target.
    archives: the folder, beside the memory's own, in which the folder as it is now will stand.
    """

    memory_id: MemoryId
    target: Checkpoint
    undo_of: RestoreId | None
    before: CheckpointId | None
    token: Token
    archives: bytes
    comes_back: tuple[PathChange, ...]
    changes: tuple[PathChange, ...]
    leaves: tuple[PathChange, ...]
    commits_leaving: tuple[LeavingCommit, ...]
    commits_leaving_count: int
    carry_over: CarryOver
    not_in_target: tuple[LeftOut, ...]
    needed: int
    free: int
    inside: tuple[Inside, ...]
    blockers: tuple[Blocker, ...]
    cautions: tuple[Caution, ...]


class RestoreState(enum.StrEnum):
    """How a restore ended, or that it has not yet."""

    RUNNING = "running"
    DONE = "done"
    ROLLED_BACK = "nothing-was-changed"


class LateWriter(msgspec.Struct, frozen=True):
    """A path of the archive that was written after the switch."""

    path: RelPath


class RestoreRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What a restore did. `archive` is the folder that was switched out, whole."""

    id: RestoreId
    memory_id: MemoryId
    target: CheckpointId
    state: RestoreState
    archive: bytes | None
    checkpoint: CheckpointId | None
    started_at: datetime.datetime
    took_ms: int
    undo_of: RestoreId | None = None
    late: tuple[LateWriter, ...] = ()
    inside: tuple[Inside, ...] = ()
    not_carried: tuple[RelPath, ...] = ()
    bytes: int = 0
