"""A recovery checkpoint: a net state kept restorable by Git objects under one hidden ref.

`origin` is the trusted context, not authorship: *observed after* is never *written by* (record: recovery checkpoints).
"""

import datetime
import enum

import msgspec

from backtrail.model.coverage import Coverage
from backtrail.model.ids import RECOVERY_REFS, CheckpointId, MemoryId, Oid, RelPath, Token
from backtrail.model.net_state import Operation


class Origin(enum.StrEnum):
    """The trusted context in which a checkpoint was taken."""

    HOST_OBSERVATION = "host-observation"
    AGENT_SESSION = "agent-session"
    HUMAN_COMMAND = "human-command"


class Cause(enum.StrEnum):
    """What led to a checkpoint."""

    MEMORY_SCAN = "memory-scan"
    SOURCE_EVENT = "source-event"
    TURN_ABORT = "turn-abort"
    HUMAN_CHECKPOINT = "human-checkpoint"
    HUMAN_RESTORE = "human-restore"
    HUMAN_FILE_RESTORE = "human-file-restore"
    HUMAN_BRANCH = "human-branch"


ASKED_FOR = frozenset({Cause.HUMAN_RESTORE, Cause.HUMAN_FILE_RESTORE, Cause.HUMAN_BRANCH})
"""Causes in which a person asked for the change: what left is not called a loss."""


class Context(msgspec.Struct, frozen=True):
    """Why a checkpoint is taken. `cause_id` is the Source Event, or the checkpoint that was restored."""

    origin: Origin
    cause: Cause
    origin_id: str | None = None
    cause_id: str | None = None
    note: str | None = None


OBSERVED = Context(Origin.HOST_OBSERVATION, Cause.MEMORY_SCAN)


class CheckpointState(enum.StrEnum):
    """How far a checkpoint's row can be trusted."""

    PENDING = "pending"
    RECORDED = "recorded"
    RECOVERED = "recovered-from-ref"
    DAMAGED = "damaged"


class Lost(msgspec.Struct, frozen=True):
    """Uncommitted content that was in the checkpoint before this one and is gone without having been committed.

    staged: the content was only in the index. oid: of the content, which the earlier checkpoint still holds.
    """

    path: RelPath
    oid: Oid
    staged: bool = False


class Difference(msgspec.Struct, frozen=True):
    """The working tree against the checkpoint before: how many paths, and the first few of them."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    first: tuple[RelPath, ...] = ()


class PendingCheckpoint(msgspec.Struct, frozen=True, kw_only=True):
    """What is written down before the first object of a checkpoint is, so that a kill leaves a trace."""

    id: CheckpointId
    memory_id: MemoryId
    seq: int
    context: Context
    begun_at: datetime.datetime


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a timeline row says. Ordered by `seq`, a number per memory, never by time (case B81).

    kept_in: the checkpoint that holds what `lost` names. clock_went_back: the time is earlier than the one before.
    damage: what was found wrong with it when it was read: ids of objects in hex, or the ref's name.
    """

    id: CheckpointId
    memory_id: MemoryId
    seq: int
    state: CheckpointState
    commit: Oid
    branch: bytes | None
    head: Oid | None
    operation: Operation
    index_tree: Oid
    working_tree: Oid
    content_token: Token
    context: Context
    captured_at: datetime.datetime
    coverage: Coverage
    difference: Difference = Difference()
    lost: tuple[Lost, ...] = ()
    kept_in: CheckpointId | None = None
    clock_went_back: bool = False
    note: str | None = None
    pinned: bool = False
    damage: tuple[str, ...] = ()

    @property
    def ref(self) -> bytes:
        """The full name of the hidden ref."""
        return RECOVERY_REFS + self.id.encode()
