"""What of a folder a checkpoint holds, and each path that it does not hold, with the reason.

What is left out is never treated as deleted (case B08).
"""

import enum

import msgspec

from backtrail.model.ids import RelPath


class Reason(enum.StrEnum):
    """Why a path is not in a checkpoint."""

    TOO_LARGE = "too-large"
    UNREADABLE = "unreadable"
    NESTED_REPOSITORY = "nested-repository"
    SUBMODULE_DIRTY = "submodule-dirty"
    SPECIAL_FILE = "special-file"
    CHANGING = "changing"
    RESERVED_NAME = "reserved-name"


class LeftOut(msgspec.Struct, frozen=True):
    """One path that is not captured. A folder's path ends with a slash.

    size: bytes, where it is a file. head: HEAD of a nested repository in hex. dirty: whether that has changes.
    """

    path: RelPath
    reason: Reason
    size: int | None = None
    head: str | None = None
    dirty: bool | None = None


class Coverage(msgspec.Struct, frozen=True):
    """What is not held. Ignored paths are counted, not listed; an ignored folder counts once and is not entered."""

    left_out: tuple[LeftOut, ...] = ()
    ignored_count: int = 0

    @property
    def complete(self) -> bool:
        """True where nothing but ignored paths is left out."""
        return not self.left_out

    def covers(self, path: bytes) -> bool:
        """Tell whether `path` is one of the paths left out, or lies below one."""
        return any(
            path == item.path or (item.path.endswith(b"/") and (path + b"/").startswith(item.path))
            for item in self.left_out
        )
