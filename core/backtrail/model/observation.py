"""What the Host last recorded of a memory: delivery bookkeeping, so that no change is told twice or swallowed.

Source: record "memory changes enter the Inbox".
"""

import datetime

import msgspec

from backtrail.model.ids import CheckpointId, MemoryId, Oid, RelPath, Token


class PathState(msgspec.Struct, frozen=True):
    """What stood at a path: mode and content in the index and in the working tree, None where nothing did."""

    path: RelPath
    index: tuple[int, Oid] | None
    working: tuple[int, Oid] | None


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """The net state that the Inbox was last told of.

    checkpoint: the newest checkpoint at that time. beyond: the paths in which the observed state differed from that
    checkpoint, where it could not be captured itself (an unmerged index); empty otherwise.
    """

    memory_id: MemoryId
    token: Token
    branch: bytes | None
    head: Oid | None
    checkpoint: CheckpointId | None
    beyond: tuple[PathState, ...]
    at: datetime.datetime
