"""Where the pieces of a restore lie: the archive beside the folder, its journal, listings and the marked copy.

Owns names only (design: restore, step 3). Everything is on the folder's own file system (case B20).
"""

import datetime
import os

import msgspec

from backtrail.model.ids import RestoreId

ARCHIVES = b".backtrail"
IGNORE_ALL = b"*\n"
"""What the `.gitignore` in there says, so that an enclosing repository does not see archives."""
MARKER = b".git/backtrail-copy"
"""Stands in the prepared copy, and holds the restore's id: it tells which of two folders is which after a kill."""


class Places(msgspec.Struct, frozen=True):
    """The paths of one restore, absolute. `live` is the memory's folder, `box` the archive's."""

    live: bytes
    box: bytes

    @classmethod
    def of(cls, live: bytes, restore_id: RestoreId, at: datetime.datetime) -> "Places":
        """Return the places of a new restore."""
        name = f"{at:%Y%m%dT%H%M%SZ}-{restore_id[:8]}"
        return cls(live, os.path.join(archives_of(live), name.encode()))

    @property
    def copy(self) -> bytes:
        """The prepared copy; after the switch, the folder that was switched out."""
        return os.path.join(self.box, b"repository")

    @property
    def spare(self) -> bytes:
        """A free name for a switch by two renames."""
        return os.path.join(self.box, b"switching")

    @property
    def journal(self) -> bytes:
        """What is being done, and afterwards what was done."""
        return os.path.join(self.box, b"restore.json")

    @property
    def listing(self) -> bytes:
        """The live folder at the last look."""
        return os.path.join(self.box, b"last-look")

    @property
    def copy_listing(self) -> bytes:
        """The copy as it was verified."""
        return os.path.join(self.box, b"copy")


def archives_of(live: bytes) -> bytes:
    """Return the folder that holds all archives of a memory's folder."""
    return os.path.join(os.path.dirname(live), ARCHIVES, os.path.basename(live))


def boxes_of(live: bytes) -> list[bytes]:
    """Return the archive folders of a memory's folder, oldest first."""
    try:
        names = os.listdir(archives_of(live))
    except OSError:
        return []
    return [os.path.join(archives_of(live), name) for name in sorted(names)]


def is_marked(folder: bytes, restore_id: RestoreId) -> bool:
    """Tell whether `folder` is the copy that this restore prepared."""
    try:
        with open(os.path.join(folder, MARKER), "rb") as file:
            return file.read() == restore_id.encode()
    except OSError:
        return False
