"""Why the window cannot be opened."""

import enum
from dataclasses import dataclass
from typing import ClassVar

from backtrail.model.errors import BacktrailError


class Lacking(enum.StrEnum):
    """What is not there."""

    WINDOW = "window"
    QT = "qt"
    LIBRARY = "library"
    DISPLAY = "display"


@dataclass(eq=False)
class NoDesktop(BacktrailError):
    """The window cannot be opened here. lacking: a `Lacking`; detail: its name, or what the system says."""

    code: ClassVar[str] = "no-desktop"
    lacking: str
    detail: str
