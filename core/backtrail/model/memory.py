"""A memory: an ordinary Git working tree with an id and a lifecycle of its own, and whether it is protected."""

import datetime
import enum

import msgspec

from backtrail.model.coverage import LeftOut, Reason
from backtrail.model.ids import MemoryId, RelPath

LONGEST_PAUSE = datetime.timedelta(hours=24)
PAUSED = "paused"
"""The reason of a protection while a person has paused it, and until the look after that."""


BY_CHOICE = "left-out-by-choice"
"""The reason of a protection where a person has agreed to all that is left out."""


class MemoryState(enum.StrEnum):
    """Attached, detached, archived and deleted are four different things."""

    ATTACHED = "attached"
    DETACHED = "detached"
    ARCHIVED = "archived"
    DELETED = "deleted"


class ProtectionState(enum.StrEnum):
    """Whether the work in a memory is kept."""

    PROTECTED = "protected"
    DEGRADED = "degraded"
    NOT_PROTECTED = "not-protected"


class Protection(msgspec.Struct, frozen=True):
    """One honest answer to "is my work kept?" (case B79).

    reason: a code from the errors or `left-out`; when protected `BY_CHOICE`, or None where nothing is left out.
    since: when this answer became true.
    looked_at: the time of the last completed look.
    """

    state: ProtectionState
    reason: str | None = None
    since: datetime.datetime | None = None
    looked_at: datetime.datetime | None = None


class Omission(msgspec.Struct, frozen=True):
    """A path that a person has agreed to leave out, for this reason and no other."""

    path: RelPath
    reason: Reason


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """A registered working tree. `path` is absolute, resolved, in raw bytes; `bot` is the PersonaBot that owns it.

    size_cap: untracked files above it are left out, in bytes. paused_until: until then nobody looks by himself.
    omissions: what a person has agreed to leave out.
    """

    id: MemoryId
    name: str
    bot: str
    path: bytes
    state: MemoryState
    protection: Protection
    added_at: datetime.datetime
    size_cap: int = 1 << 30
    paused_until: datetime.datetime | None = None
    omissions: tuple[Omission, ...] = ()

    def is_paused(self, now: datetime.datetime) -> bool:
        """Tell whether a pause lasts. One whose end is further off than any pause lasts is over: the clock was set."""
        return self.paused_until is not None and now < self.paused_until <= now + LONGEST_PAUSE

    def unexpected(self, left_out: tuple[LeftOut, ...]) -> tuple[LeftOut, ...]:
        """Return what of this the person has not agreed to leave out."""
        agreed = {(omission.path, omission.reason) for omission in self.omissions}
        return tuple(item for item in left_out if (item.path, item.reason) not in agreed)
