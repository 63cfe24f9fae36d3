"""What a person asks for by a button, a key or a double click in timeline and details: never done here, only asked for.

Owns the values that travel from a row to the guide. A wish never restores anything: the guide shows the plan first.
"""

import enum

import msgspec
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.ids import CheckpointId, RelPath
from backtrail.model.memory import Memory


class Wanted(enum.Enum):
    """How much is to come back. LOST: what disappeared, named by the paths; the guide offers the files first."""

    WHOLE = "whole"
    FILES = "files"
    LOST = "lost"


class Wish(msgspec.Struct, frozen=True):
    """Go back to a checkpoint, or get files of it. `paths` are those to have chosen at first, empty for none."""

    checkpoint: CheckpointId
    wanted: Wanted
    paths: tuple[RelPath, ...] = ()


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """The state that is selected, and its place in the story.

    before: the state before it, None where there is none or it is not known yet (`before_known`). now: the newest
    state where the folder is known to look like it, else None. same_as_now: the selected state looks like now.
    """

    memory: Memory
    checkpoint: Checkpoint
    before: Checkpoint | None
    before_known: bool
    now: Checkpoint | None
    same_as_now: bool

    @property
    def other_before(self) -> Checkpoint | None:
        """The state before it, None where nothing changed since: going there would bring nothing back."""
        before = self.before
        return None if before is None or before.content_token == self.checkpoint.content_token else before
