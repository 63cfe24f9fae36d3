"""Counting what a first look will read, so that it can tell how far it is.

Owns the sum: every regular file that takes part, as `model.progress` counts it. Opens no file, and looks into no
repository inside; what changes before it is read is not counted anew.
"""

import stat

from backtrail.git.index_file import Index
from backtrail.model.progress import FILE_COST, Progress
from backtrail.scan.files import Files, Seen, WalkOptions
from backtrail.scan.stat_cache import StatCache
from backtrail.scan.walk import Nested


class CountedFiles(Files):
    """Files of a walk that are counted instead of taken in: `sum`."""

    def __init__(self, index: Index, options: WalkOptions, progress: Progress) -> None:
        super().__init__(index, StatCache(), options, progress)
        self.sum = 0

    def take(self, seen: Seen) -> None:
        """Count one thing."""
        size = seen.status.st_size
        fits = seen.tracked is not None or size <= self._options.size_cap
        if stat.S_ISREG(seen.status.st_mode) and seen.path not in self._options.changing and fits:
            self.sum += size + FILE_COST
        self._progress.advance(0)


def unseen(path: bytes) -> Nested:
    """Tell nothing about a repository inside."""
    del path
    return Nested(None, None)
