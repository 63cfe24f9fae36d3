"""Why a memory was not added, or its lifecycle not moved."""

import datetime
from dataclasses import dataclass
from typing import ClassVar

from backtrail.model.errors import BacktrailError


@dataclass(eq=False)
class AlreadyAMemory(BacktrailError):
    """The folder is a memory already."""

    code: ClassVar[str] = "already-a-memory"
    memory: str
    path: bytes


@dataclass(eq=False)
class NameTaken(BacktrailError):
    """Another memory has this name."""

    code: ClassVar[str] = "name-taken"
    name: str


@dataclass(eq=False)
class UnfitName(BacktrailError):
    """A memory cannot have this name: it reads like a path, or is empty."""

    code: ClassVar[str] = "unfit-name"
    name: str


@dataclass(eq=False)
class FolderTaken(BacktrailError):
    """A folder that should be made exists already."""

    code: ClassVar[str] = "folder-taken"
    path: bytes


@dataclass(eq=False)
class WrongState(BacktrailError):
    """The memory's lifecycle does not allow this now."""

    code: ClassVar[str] = "wrong-state"
    memory: str
    state: str
    wanted: str


@dataclass(eq=False)
class WrongPause(BacktrailError):
    """A pause must end in the future, and not later than `LONGEST_PAUSE` from now."""

    code: ClassVar[str] = "wrong-pause"
    until: datetime.datetime


@dataclass(eq=False)
class UnknownSetting(BacktrailError):
    """There is no setting of this name, or it does not take this value."""

    code: ClassVar[str] = "unknown-setting"
    key: str
    value: str


@dataclass(eq=False)
class NotLeftOut(BacktrailError):
    """The path is not one of those that cannot be kept, or nobody has agreed to leave it out."""

    code: ClassVar[str] = "not-left-out"
    memory: str
    path: bytes
