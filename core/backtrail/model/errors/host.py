"""What the one process that does things may say about its data folder."""

from dataclasses import dataclass
from typing import ClassVar

from backtrail.model.errors import BacktrailError


@dataclass(eq=False)
class HostBusy(BacktrailError):
    """Another Backtrail process holds the data folder."""

    code: ClassVar[str] = "host-busy"
    home: str
    waited_s: float


@dataclass(eq=False)
class DataFolderUnusable(BacktrailError):
    """The data folder cannot be made or written, or lies where it must not."""

    code: ClassVar[str] = "data-folder-unusable"
    home: str
    reason: str


@dataclass(eq=False)
class DatabaseDamaged(BacktrailError):
    """The database cannot be read."""

    code: ClassVar[str] = "database-damaged"
    path: str
    detail: str


@dataclass(eq=False)
class DatabaseNewer(BacktrailError):
    """The database was written by a newer Backtrail."""

    code: ClassVar[str] = "database-newer"
    path: str
    found: int
    known: int


@dataclass(eq=False)
class NotAvailableYet(BacktrailError):
    """The contract names this, and this version does not do it yet."""

    code: ClassVar[str] = "not-available-yet"
    what: str


@dataclass(eq=False)
class UnknownCommand(BacktrailError):
    """A front end asked for something that this Host does not know: one of them is older."""

    code: ClassVar[str] = "unknown-command"
    command: str
    detail: str
