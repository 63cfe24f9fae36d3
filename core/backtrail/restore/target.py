"""What a restore goes to: a stored checkpoint, or for an undo the archived folder as it lies there.

Owns reading a target whole before anything is done, and refusing names that would lead outside (case B25). `donor` is
the folder whose equal files are copied with their times, and from which uncaptured content is carried.
"""

import os

import msgspec

from backtrail.checkpoints.content import chain_of, reading
from backtrail.git.chain import read_state
from backtrail.git.objects import Objects
from backtrail.git.repository import Repository
from backtrail.git.trees import all_safe
from backtrail.model.checkpoint import Checkpoint, CheckpointState
from backtrail.model.clock import Clock
from backtrail.model.errors.lookup import Unknown
from backtrail.model.errors.restore import CheckpointDamaged
from backtrail.model.ids import RestoreId
from backtrail.model.net_state import NetState
from backtrail.restore.journal import Journal
from backtrail.restore.places import Places
from backtrail.scan.look import Looker
from backtrail.scan.stat_cache import StatCache


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """A state to go to. archive: the folder an undo takes everything from, with its Git folder."""

    checkpoint: Checkpoint
    state: NetState
    undo_of: RestoreId | None = None
    archive: bytes | None = None


def checkpoint_target(objects: Objects, checkpoint: Checkpoint) -> Target:
    """Return a stored checkpoint as a target. Raises CheckpointDamaged if it cannot even be shown."""
    if checkpoint.state is CheckpointState.DAMAGED and not checkpoint.damage:
        raise CheckpointDamaged(checkpoint.id, (checkpoint.ref.decode(),))
    with reading(checkpoint):
        state = read_state(objects, chain_of(objects, checkpoint))
    paths = [entry.path for entry in state.working] + [entry.path for entry in state.index]
    if not all_safe(paths) or not all_safe([folder.path for folder in state.folders if folder.path]):
        raise CheckpointDamaged(checkpoint.id, (checkpoint.working_tree.hex(),))
    return Target(checkpoint=checkpoint, state=state)


def archive_target(journal: Journal, places: Places, shown: Checkpoint, clock: Clock) -> Target:
    """Return an archived folder as a target; `shown` is the checkpoint it is shown as. Raises errors of a look."""
    if not os.path.isdir(places.copy):
        raise Unknown("archive", journal.id)
    repository = Repository.open(places.copy)
    try:
        state = Looker(repository, StatCache(), clock, size_cap=1 << 62).look(full_hash=True).state
    finally:
        repository.close()
    return Target(checkpoint=shown, state=state, undo_of=journal.id, archive=places.copy)
