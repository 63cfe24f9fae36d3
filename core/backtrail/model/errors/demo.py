"""Why the demo's story could not be told."""

from dataclasses import dataclass
from typing import ClassVar

from backtrail.model.errors import BacktrailError


@dataclass(eq=False)
class GitFailed(BacktrailError):
    """The Git program is not there, or refused a command of the story."""

    code: ClassVar[str] = "git-failed"
    command: str
    reason: str
