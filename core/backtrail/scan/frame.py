"""One folder of a walk, and the descriptor by which what is below it is opened.

Owns that a folder is opened below its parent's, never through a link, and only when something in it must be.
"""

import os
from collections.abc import Iterator

import msgspec

from backtrail.git.ignore import FolderRules
from backtrail.scan.reading import open_folder

NOT_OPENED = -1


class Frame(msgspec.Struct):
    """A folder being walked: its path with a slash behind, and the sub-folders still to enter (name, ignored).

    descriptor: `NOT_OPENED` for one that needed no listing. ignored: only what is tracked, or expected, takes part.
    """

    parent: "Frame | None"
    name: str
    prefix: bytes
    descriptor: int
    rules: FolderRules
    ignored: bool
    waiting: Iterator[tuple[str, bool]]

    def opened(self, root: bytes) -> int:
        """Return the folder's descriptor, opening it and those above that are not open. Raises OSError."""
        if self.descriptor == NOT_OPENED:
            parent = self.parent
            self.descriptor = open_root(root) if parent is None else open_folder(self.name, parent.opened(root))
        return self.descriptor

    def close(self) -> None:
        """Close the descriptor, if there is one."""
        if self.descriptor != NOT_OPENED:
            os.close(self.descriptor)


def open_root(root: bytes) -> int:
    """Open the folder that a walk begins in. Raises OSError; also for a link."""
    return os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
