"""What the Host tells of its own accord, as values: something became durable, or a first checkpoint is further on.

Owns their names and facts as they cross between processes (`wire.coding` makes messages of them). Nothing depends on
having heard one: whoever missed some, or does not understand one, asks again.
"""

import msgspec

from backtrail.model.coverage import LeftOut
from backtrail.model.ids import CheckpointId, MemoryId, RelPath
from backtrail.model.memory import Protection
from backtrail.model.watching import WatchState


class MemoryChanged(msgspec.Struct, frozen=True, kw_only=True, tag_field="name", tag="memory-changed"):
    """A memory was added, moved, set, or taken back. memory: None where it may be any or all of them."""

    memory: MemoryId | None


class _OfOne(msgspec.Struct, frozen=True, kw_only=True, tag_field="name"):
    """Something that is about one memory."""

    memory: MemoryId


class MemoryObserved(_OfOne, frozen=True, kw_only=True, tag="memory-observed", omit_defaults=True):
    """A look was recorded. left_out, failure_paths: as in a ScanResult; None where they are too many to be told."""

    protection: Protection
    left_out: tuple[LeftOut, ...] | None = None
    failure_paths: tuple[RelPath, ...] | None = None


class FirstCheckpoint(_OfOne, frozen=True, kw_only=True, tag="first-checkpoint"):
    """A memory is looked at for the first time, and nothing of it is kept yet. percent: as `look_percent` makes it."""

    percent: int | None


class CheckpointRecorded(_OfOne, frozen=True, kw_only=True, tag="checkpoint-recorded"):
    """A checkpoint was recorded. lost: how many contents are gone since the one before, kept in `kept_in`."""

    lost: int = 0
    kept_in: CheckpointId | None = None


class ProtectionChanged(_OfOne, frozen=True, kw_only=True, tag="protection-changed"):
    """A look of the Host's own failed. code: of `model.errors`, or `internal`."""

    code: str


class WatchChanged(_OfOne, frozen=True, kw_only=True, tag="watch-changed"):
    """A memory is watched in another way than before."""

    watch: WatchState


class RestoreFinished(_OfOne, frozen=True, kw_only=True, tag="restore-finished"):
    """A restore or an undo was done."""


class ArchiveDeleted(_OfOne, frozen=True, kw_only=True, tag="archive-deleted"):
    """An archive is gone."""


HostEvent = (
    MemoryChanged
    | MemoryObserved
    | FirstCheckpoint
    | CheckpointRecorded
    | ProtectionChanged
    | WatchChanged
    | RestoreFinished
    | ArchiveDeleted
)
"""Every event of the Host."""
