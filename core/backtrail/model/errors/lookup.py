"""Why a name, an id or a path did not lead to one thing."""

from dataclasses import dataclass
from typing import ClassVar

from backtrail.model.errors import BacktrailError


@dataclass(eq=False)
class Unknown(BacktrailError):
    """Nothing is known by this name or id. `kind` is memory, checkpoint, restore or archive."""

    code: ClassVar[str] = "unknown-id"
    kind: str
    given: str


@dataclass(eq=False)
class Ambiguous(BacktrailError):
    """Several things are known by this name or id prefix."""

    code: ClassVar[str] = "ambiguous-id"
    kind: str
    given: str
    candidates: tuple[str, ...]


@dataclass(eq=False)
class PathNotInCheckpoint(BacktrailError):
    """The checkpoint holds nothing at this path."""

    code: ClassVar[str] = "path-not-in-checkpoint"
    checkpoint: str
    path: bytes


@dataclass(eq=False)
class UnsafePath(BacktrailError):
    """The path would leave the folder or reach into a Git folder (case B25)."""

    code: ClassVar[str] = "unsafe-path"
    path: bytes
