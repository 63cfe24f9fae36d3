"""What a person decides about checkpoints that exist: note, pin, and which of them may go.

Owns the order of removing one: its ref first, then its row, so that a kill leaves a row that is found damaged and never
a ref that nothing tells of. Nothing is removed by itself.
"""

import os

from backtrail.checkpoints.thinning import Thinning, drop_damaged, thin
from backtrail.git.refs import remove_ref
from backtrail.host.host import Host
from backtrail.model.checkpoint import Checkpoint, CheckpointState
from backtrail.model.errors.restore import StepFailed
from backtrail.model.memory import Memory

_ALL = 1 << 40


class Keeping:
    """The decisions about checkpoints of one open Host."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._rows = host.database.checkpoints

    def pin(self, given: str, *, pinned: bool) -> Checkpoint:
        """Say whether a checkpoint may be removed by `thin`. Raises Unknown or Ambiguous."""
        _, checkpoint = self._host.checkpoint(given)
        self._rows.set_pinned(checkpoint.id, pinned)
        return self._host.checkpoint(checkpoint.id)[1]

    def note(self, given: str, note: str | None) -> Checkpoint:
        """Write a note on a checkpoint, or take it away. Raises Unknown or Ambiguous."""
        _, checkpoint = self._host.checkpoint(given)
        self._rows.set_note(checkpoint.id, note)
        return self._host.checkpoint(checkpoint.id)[1]

    def verified(self, checkpoint: Checkpoint, damage: tuple[str, ...]) -> None:
        """Write down what reading all of a checkpoint found; nothing where it is as it was known to be."""
        if damage != checkpoint.damage or (checkpoint.state is CheckpointState.DAMAGED) != bool(damage):
            self._rows.set_damage(checkpoint.id, damage)

    def all_of(self, memory: Memory) -> list[Checkpoint]:
        """Return every checkpoint of a memory, newest first."""
        return self._rows.page(memory.id, limit=_ALL)

    def thinning(self, memory: Memory, *, damaged: bool = False) -> Thinning:
        """Return what would stay and what would go. damaged: only damaged ones go, whatever their age."""
        return drop_damaged(self.all_of(memory)) if damaged else thin(self.all_of(memory))

    def thin(self, memory: Memory, *, damaged: bool = False) -> Thinning:
        """Remove what may go, newest first; return what stayed and what went.

        Raises errors of `model.errors.repository`; StepFailed where the system refuses one: the older ones stay too.
        """
        with self._host.open_memory(memory) as work:
            thinning = self.thinning(memory, damaged=damaged)
            for checkpoint in thinning.going:
                try:
                    remove_ref(work.repository.common_dir, checkpoint.ref)
                except OSError as error:
                    raise StepFailed("prune", f"{error.strerror}: {os.fsdecode(error.filename or b'')}") from error
                self._rows.delete(checkpoint.id)
        return thinning
