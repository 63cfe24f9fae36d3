"""What an examination of everything found: one value for each thing that was looked at.

Owns the values and their names, which are stable; the sentences are in `wording`.
"""

import enum

import msgspec

from backtrail.model.errors import BacktrailError
from backtrail.model.memory import Protection


class CheckName(enum.StrEnum):
    """What was looked at."""

    DATA_FOLDER = "data-folder"
    DATABASE = "database"
    RESTORES_SETTLED = "restores-settled"
    REACHABLE = "reachable"
    PROTECTED = "protected"
    LOOK_CHANGES_NOTHING = "look-changes-nothing"
    DISK_IS_HELD = "disk-is-held"
    ROWS_MATCH_REFS = "rows-match-refs"
    CHECKPOINTS_WHOLE = "checkpoints-whole"
    ARCHIVES_READABLE = "archives-readable"
    NO_MIRROR_REMOTE = "no-mirror-remote"
    NOT_ON_REMOTES = "not-on-remotes"


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at.

    memory: the memory's name, empty for what concerns all. error: why it could not be looked at. protection: the answer
    of the look. detail: a path, a reason or a state. items: paths or names that are not as they should be. count: how
    many things it is about; mended: how many of them were put right.
    """

    name: CheckName
    ok: bool
    memory: str = ""
    error: BacktrailError | None = None
    protection: Protection | None = None
    detail: str = ""
    items: tuple[bytes, ...] = ()
    count: int = 0
    mended: int = 0
