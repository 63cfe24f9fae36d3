"""Source Events and Admissions: durable facts that something happened, for one PersonaBot's Inbox.

They hold no file bodies and guess no author (record: memory changes enter the Inbox).
"""

import datetime
import enum

import msgspec

from backtrail.model.ids import MemoryId, Oid, RelPath


class PathStatus(enum.StrEnum):
    """Where a path of a memory change now stands."""

    COMMITTED = "committed"
    STAGED = "staged"
    WORKING = "working"
    GONE = "no longer present"


class ChangedPath(msgspec.Struct, frozen=True):
    """One path of a memory change."""

    path: RelPath
    status: PathStatus


class MemoryChange(msgspec.Struct, frozen=True):
    """The bounded payload of a `memory-change`.

    At most 30 paths of each status, counts of all, and a summary of at most 4,096 bytes, marked where it was cut.
    """

    from_branch: bytes | None
    from_head: Oid | None
    to_branch: bytes | None
    to_head: Oid | None
    counts: dict[str, int]
    paths: tuple[ChangedPath, ...]
    persona_changed: bool
    summary: str
    cut: bool


class EventKind(enum.StrEnum):
    """What a Source Event tells."""

    MEMORY_CHANGE = "memory-change"


class SourceEvent(msgspec.Struct, frozen=True):
    """A durable fact about a memory."""

    id: str
    memory_id: MemoryId
    kind: EventKind
    at: datetime.datetime
    change: MemoryChange


class AdmissionState(enum.StrEnum):
    """Where the delivery of a Source Event to a PersonaBot stands."""

    PENDING = "pending"
    DELIVERED = "delivered"
    HANDLED = "handled"
    NEEDS_REPAIR = "needs-repair"


class Admission(msgspec.Struct, frozen=True):
    """A Source Event admitted to one PersonaBot's Inbox."""

    id: str
    event_id: str
    bot: str
    state: AdmissionState
    attempts: int = 0
