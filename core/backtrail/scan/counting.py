"""Counting what a first look will read, so that it can tell how far it is.

Owns the sum: every regular file that takes part, as `model.progress` counts it. Opens no file, and looks into no
repository inside; what changes before it is read is not counted anew.
"""

import os
from collections.abc import Callable

from backtrail.git.ignore import FolderRules
from backtrail.git.index_file import Index
from backtrail.model.ids import Oid
from backtrail.model.net_state import IndexEntry
from backtrail.model.progress import FILE_COST, Progress
from backtrail.scan.stat_cache import StatCache
from backtrail.scan.walk import Frame, Nested, Walk, WalkOptions


class Count(Walk):
    """The same walk as a look's, without reading."""

    def __init__(
        self,
        index: Index,
        rules: Callable[[bytes | None], FolderRules],
        options: WalkOptions,
        tracked_ignore_file: Callable[[Oid], bytes],
        progress: Progress,
    ) -> None:
        super().__init__(index, rules, StatCache(), options, _unseen, tracked_ignore_file, progress)
        self._sum = 0

    def total(self, root: bytes) -> int:
        """Return the sum for the folder `root`. Raises OSError if that itself cannot be read."""
        self.run(root)
        return self._sum

    def _regular(
        self, frame: Frame, name: str, path: bytes, tracked: IndexEntry | None, status: os.stat_result
    ) -> None:
        del frame, name
        if path not in self._options.changing and (tracked is not None or status.st_size <= self._options.size_cap):
            self._sum += status.st_size + FILE_COST
        self._progress.advance(0)

    def _link(self, frame: Frame, name: str, path: bytes, tracked: IndexEntry | None, status: os.stat_result) -> None:
        del frame, name, path, tracked, status


def _unseen(path: bytes) -> Nested:
    del path
    return Nested(None, None)
