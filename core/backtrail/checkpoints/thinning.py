"""Which checkpoints of a memory go when a person asks for room: a choice, made on facts alone.

Owns the rule: pinned ones stay, the newest stay, and of the time before them the last one of each day (UTC). Order is
by `seq`, never by time (case B81). Removes nothing, and never runs by itself (case B71).
"""

from collections.abc import Iterable

import msgspec

from backtrail.model.checkpoint import Checkpoint, CheckpointState
from backtrail.model.ids import CheckpointId

NEWEST = 100


class Thinning(msgspec.Struct, frozen=True):
    """What stays and what goes, newest first."""

    kept: tuple[Checkpoint, ...]
    going: tuple[Checkpoint, ...]


def thin(checkpoints: Iterable[Checkpoint], newest: int = NEWEST) -> Thinning:
    """Return the choice. A damaged checkpoint does not stand for its day: it brings nothing back.

    One that holds what disappeared after it stays too: it may be the only one that does.
    """
    ordered = sorted(checkpoints, key=lambda checkpoint: checkpoint.seq, reverse=True)
    kept = {checkpoint.id for checkpoint in ordered[:newest]}
    kept |= {checkpoint.kept_in for checkpoint in ordered if checkpoint.lost and checkpoint.kept_in}
    days = set()
    for checkpoint in ordered[newest:]:
        day = checkpoint.captured_at.date()
        if checkpoint.pinned:
            kept.add(checkpoint.id)
        elif checkpoint.state is not CheckpointState.DAMAGED and day not in days:
            kept.add(checkpoint.id)
            days.add(day)
    return _parted(ordered, kept)


def drop_damaged(checkpoints: Iterable[Checkpoint]) -> Thinning:
    """Return the choice in which only damaged ones go, pinned ones not among them."""
    ordered = sorted(checkpoints, key=lambda checkpoint: checkpoint.seq, reverse=True)
    return _parted(ordered, {item.id for item in ordered if item.pinned or item.state is not CheckpointState.DAMAGED})


def _parted(ordered: list[Checkpoint], kept: set[CheckpointId]) -> Thinning:
    return Thinning(
        kept=tuple(checkpoint for checkpoint in ordered if checkpoint.id in kept),
        going=tuple(checkpoint for checkpoint in ordered if checkpoint.id not in kept),
    )
