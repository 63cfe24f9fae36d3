"""Why a folder cannot be opened as a memory, or cannot be looked at now."""

from dataclasses import dataclass
from typing import ClassVar

from backtrail.model.errors import BacktrailError


@dataclass(eq=False)
class NotAWorkingTree(BacktrailError):
    """There is no Git working tree at this path."""

    code: ClassVar[str] = "no-working-tree"
    path: bytes


@dataclass(eq=False)
class NotReachable(BacktrailError):
    """The folder is not there, or may not be entered. Not reachable is never deleted (case B71)."""

    code: ClassVar[str] = "not-reachable"
    path: bytes
    reason: str


@dataclass(eq=False)
class CannotBeProtected(BacktrailError):
    """The repository is of a kind that Backtrail cannot keep. `why` is a `Why`; `detail` what of it."""

    code: ClassVar[str] = "cannot-be-protected"
    path: bytes
    why: str
    detail: str = ""


@dataclass(eq=False)
class OwnedByAnother(BacktrailError):
    """The repository belongs to another user and Git has not been told to trust it (case B46)."""

    code: ClassVar[str] = "owned-by-another"
    path: bytes


@dataclass(eq=False)
class RepositoryDamaged(BacktrailError):
    """Git's own data in the repository cannot be read. `part` is the file or object."""

    code: ClassVar[str] = "repository-damaged"
    path: bytes
    part: str
    detail: str = ""


@dataclass(eq=False)
class RepositoryBusy(BacktrailError):
    """Branch, HEAD or index kept moving while they were read."""

    code: ClassVar[str] = "repository-busy"
    path: bytes
    what: str


@dataclass(eq=False)
class ObjectMissing(BacktrailError):
    """An object that the state names is not in the repository and cannot be made from the disk."""

    code: ClassVar[str] = "object-missing"
    path: bytes
    oid: str


@dataclass(eq=False)
class AnotherRepository(BacktrailError):
    """The folder holds a repository, but not the one whose checkpoints are known."""

    code: ClassVar[str] = "another-repository"
    path: bytes
