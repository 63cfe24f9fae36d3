"""Why a state could not be kept."""

import errno
from dataclasses import dataclass
from typing import ClassVar

from backtrail.model.errors import BacktrailError

DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
"""What the system says when NoSpace is meant."""


@dataclass(eq=False)
class UnmergedIndex(BacktrailError):
    """A conflict is in the index; it cannot be one tree (case B23)."""

    code: ClassVar[str] = "unmerged-index"
    paths: tuple[bytes, ...]


@dataclass(eq=False)
class CaptureFailed(BacktrailError):
    """The disk refused to take the objects or the ref. `reason` is the system's word."""

    code: ClassVar[str] = "capture-failed"
    path: bytes
    reason: str


@dataclass(eq=False)
class NoSpace(BacktrailError):
    """The disk is full."""

    code: ClassVar[str] = "no-space"
    path: bytes
    needed: int | None = None
    free: int | None = None
