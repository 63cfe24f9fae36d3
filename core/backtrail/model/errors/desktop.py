"""Why the window cannot be opened, or shown."""

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


@dataclass(eq=False)
class WindowNotAnswering(BacktrailError):
    """The window of this data folder is open, and does not answer. home: the data folder."""

    code: ClassVar[str] = "window-not-answering"
    home: str
