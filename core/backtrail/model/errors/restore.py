"""Why a restore was refused or stopped. After each of these every byte of the live folder is where it was."""

from dataclasses import dataclass
from typing import ClassVar

from backtrail.model.errors import BacktrailError
from backtrail.model.restore import Blocker


@dataclass(eq=False)
class Blocked(BacktrailError):
    """The plan has blockers. The error's code is the first one's."""

    code: ClassVar[str] = "blocked"
    blockers: tuple[Blocker, ...]


@dataclass(eq=False)
class StateChanged(BacktrailError):
    """The folder is no longer as it was when the plan was made. `when` is the step that saw it."""

    code: ClassVar[str] = "state-changed"
    when: str
    paths: tuple[bytes, ...] = ()


@dataclass(eq=False)
class CheckpointDamaged(BacktrailError):
    """Objects of the checkpoint are gone or are not what their names say."""

    code: ClassVar[str] = "checkpoint-damaged"
    checkpoint: str
    objects: tuple[str, ...]


@dataclass(eq=False)
class CopyDiffers(BacktrailError):
    """The prepared copy is not what the checkpoint says. It was removed."""

    code: ClassVar[str] = "copy-differs"
    paths: tuple[bytes, ...]


@dataclass(eq=False)
class StepFailed(BacktrailError):
    """The system refused a step. `step` is a `Step`; `reason` the system's word."""

    code: ClassVar[str] = "restore-failed"
    step: str
    reason: str


@dataclass(eq=False)
class RestoreUnfinished(BacktrailError):
    """An earlier restore of this memory could not be settled."""

    code: ClassVar[str] = "restore-unfinished"
    restore: str
    reason: str


@dataclass(eq=False)
class ArchiveIncomplete(BacktrailError):
    """An archive is not whole any more: deleting it for good had begun. `path` is the folder with what is left."""

    code: ClassVar[str] = "archive-incomplete"
    archive: str
    path: bytes


@dataclass(eq=False)
class CannotReplace(BacktrailError):
    """A chosen file cannot be put back in place: something else stands where it, or one of its folders, belongs."""

    code: ClassVar[str] = "cannot-replace"
    path: bytes
    why: str
