"""What a front end may ask of the Host, and what it answers: one typed value each.

Owns the vocabulary between command line or window and the Host, the same whether the Host is in this process or behind
the wire. A command says which answer belongs to it. Ids may be given as prefixes and memories as names, as a person
types them. Errors are those of `model.errors`. Lists come in pages.
"""

import datetime
from typing import ClassVar, Generic, TypeVar

import msgspec

from backtrail.model.checkpoint import Checkpoint, Lost, Origin
from backtrail.model.coverage import Coverage
from backtrail.model.ids import CheckpointId, Oid, RelPath, Token
from backtrail.model.inbox import SourceEvent
from backtrail.model.memory import Memory, MemoryState, Protection
from backtrail.model.restore import Ignored, RestorePlan, RestoreRecord

PAGE = 500
"""The most rows of one page (measured: 500 take 5 to 8 ms, ten thousand in one message cost a window 130 ms)."""

A = TypeVar("A")


class Command(msgspec.Struct, Generic[A], frozen=True, kw_only=True, tag=True):
    """Something asked of the Host; `A` is the type of its answer."""

    answer: ClassVar[object]


class Done(msgspec.Struct, frozen=True):
    """The answer of a command that has nothing to tell."""


class Memories(msgspec.Struct, frozen=True):
    """All memories that are not deleted, in order of adding."""

    memories: tuple[Memory, ...]


class ListMemories(Command[Memories], frozen=True):
    """Which memories there are."""

    answer = Memories


class ScanResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one look led to. failure: the code of why the state could not be kept. paths: those it is about."""

    memory: Memory
    content_token: Token
    changed: bool
    checkpoint: Checkpoint | None
    lost: tuple[Lost, ...]
    kept_in: CheckpointId | None
    event: SourceEvent | None
    protection: Protection
    coverage: Coverage
    took_ms: int
    failure: str | None = None
    failure_paths: tuple[RelPath, ...] = ()


class AddMemory(Command[ScanResult], frozen=True, kw_only=True):
    """Take the working tree that holds `path`, and look at it for the first time."""

    path: bytes
    name: str | None = None
    answer = ScanResult


class Scan(Command[ScanResult], frozen=True, kw_only=True):
    """Look at a memory now. full_hash: read every file, whatever its stat says."""

    memory: str
    full_hash: bool = False
    answer = ScanResult


class MoveMemory(Command[Memory], frozen=True, kw_only=True):
    """Attach, detach, archive or delete a memory; the folder itself is left alone."""

    memory: str
    state: MemoryState
    answer = Memory


class SetMemory(Command[Memory], frozen=True, kw_only=True):
    """Change a setting of a memory."""

    memory: str
    key: str
    value: str
    answer = Memory


class PauseMemory(Command[Memory], frozen=True, kw_only=True):
    """Look at a memory no more until a time, unless a person asks. Whoever wants the present state kept asks first."""

    memory: str
    until: datetime.datetime
    answer = Memory


class ResumeMemory(Command[Memory], frozen=True, kw_only=True):
    """End a pause before its time, and look."""

    memory: str
    answer = Memory


class LeaveOut(Command[ScanResult], frozen=True, kw_only=True):
    """Agree to leave out what a look cannot keep at these paths. again: take that back; what they are still counts."""

    memory: str
    paths: tuple[RelPath, ...]
    again: bool = False
    answer = ScanResult


class TakeCheckpoint(Command[Checkpoint], frozen=True, kw_only=True):
    """Keep the present state because a person asks."""

    memory: str
    note: str | None = None
    answer = Checkpoint


class CheckpointPage(msgspec.Struct, frozen=True):
    """One page of checkpoints, newest first. more: there are older ones. total: how many the memory has."""

    checkpoints: tuple[Checkpoint, ...]
    more: bool
    total: int


class ListCheckpoints(Command[CheckpointPage], frozen=True, kw_only=True):
    """The checkpoints of a memory below a sequence number."""

    memory: str
    limit: int = PAGE
    below_seq: int | None = None
    branch: bytes | None = None
    origin: Origin | None = None
    since: datetime.datetime | None = None
    with_losses: bool = False
    answer = CheckpointPage


class HeadCount(msgspec.Struct, frozen=True):
    """How many checkpoints of a memory were kept while this commit was checked out, and the newest of them."""

    head: Oid
    count: int
    newest: CheckpointId
    newest_seq: int


class HeadPage(msgspec.Struct, frozen=True):
    """One page of commits that checkpoints sit at, by the newest checkpoint, newest first. more: there are others."""

    heads: tuple[HeadCount, ...]
    more: bool


class ListHeads(Command[HeadPage], frozen=True, kw_only=True):
    """At which commits checkpoints of a memory sit: those whose newest is below a sequence number."""

    memory: str
    limit: int = PAGE
    below_seq: int | None = None
    answer = HeadPage


class PlanRestore(Command[RestorePlan], frozen=True, kw_only=True):
    """What going to a checkpoint would do now; or, with `undo`, what going back to that restore's archive would."""

    checkpoint: str | None = None
    undo: str | None = None
    ignored: Ignored = Ignored.CARRY
    answer = RestorePlan


class Restore(Command[RestoreRecord], frozen=True, kw_only=True):
    """Go to a checkpoint or an archive. token: the plan's. despite_in_use: the person waved that blocker through."""

    checkpoint: str | None = None
    undo: str | None = None
    token: Token | None = None
    ignored: Ignored = Ignored.CARRY
    despite_in_use: bool = False
    answer = RestoreRecord


class Recovered(msgspec.Struct, frozen=True):
    """Chosen files are back. checkpoint: of the state afterwards."""

    checkpoint: Checkpoint | None
    paths: tuple[RelPath, ...]


class Recover(Command[Recovered], frozen=True, kw_only=True):
    """Put chosen files of a checkpoint back in place."""

    checkpoint: str
    token: Token
    paths: tuple[bytes, ...]
    answer = Recovered


class ArchiveInfo(msgspec.Struct, frozen=True):
    """One archive: the restore that made it, and the folder that it was switched out of.

    target_at: when the state was kept that the restore went to, None where its row is gone. whole: False once it was
    begun to be deleted for good.
    """

    memory: Memory
    restore: RestoreRecord
    target_at: datetime.datetime | None = None
    whole: bool = True


class Archives(msgspec.Struct, frozen=True):
    """Archives, newest first within each memory."""

    archives: tuple[ArchiveInfo, ...]


class ListArchives(Command[Archives], frozen=True, kw_only=True):
    """The archives of a memory, or of all."""

    memory: str | None = None
    answer = Archives


class DeleteArchive(Command[Done], frozen=True, kw_only=True):
    """Move an archive to the desktop's trash; with `for_good`, remove it (the person said so twice)."""

    archive: str
    for_good: bool = False
    answer = Done


class Lend(Command[Done], frozen=True):
    """Step aside: a command line wants the data folder for a moment. The Host takes it back when the lock is free."""

    answer = Done


AnyCommand = (
    ListMemories
    | AddMemory
    | Scan
    | MoveMemory
    | SetMemory
    | LeaveOut
    | PauseMemory
    | ResumeMemory
    | TakeCheckpoint
    | ListCheckpoints
    | ListHeads
    | PlanRestore
    | Restore
    | Recover
    | ListArchives
    | DeleteArchive
    | Lend
)
"""Every command of the Host, for decoding."""
