"""Which folders of a memory are ignored, for the watch alone.

Owns reading ignore files as folders are asked about. A hint too many costs a look, one too few waits for the next
round. The scan never asks here.
"""

import os
import time

from backtrail.git.ignore import FolderRules
from backtrail.git.repository import Repository
from backtrail.git.small_file import read_if_readable

_KEPT_S = 1.0


class FolderIgnoring:
    """The rules of one repository. What was read is kept for a second, about as long as one walk takes."""

    def __init__(self, repository: Repository) -> None:
        self._root = repository.root
        self._exclude = repository.exclude_files()
        self._ignore_case = repository.flag("core.ignoreCase", default=False)
        self._rules: dict[bytes, FolderRules] = {}
        self._read_at = 0.0

    def is_ignored(self, folder: bytes) -> bool:
        """Tell whether the folder at this path below the root is ignored."""
        if time.monotonic() - self._read_at > _KEPT_S:
            self._rules.clear()
            self._read_at = time.monotonic()
        parent, _, name = folder.rpartition(b"/")
        return self._rules_of(parent).ignores(name, is_folder=True)

    def _rules_of(self, folder: bytes) -> FolderRules:
        known = self._rules.get(folder)
        if known is None:
            content = self._ignore_file(folder)
            if folder:
                parent, _, name = folder.rpartition(b"/")
                known = self._rules_of(parent).child(name, content)
            else:
                known = FolderRules.root(self._exclude, content, ignore_case=self._ignore_case)
            self._rules[folder] = known
        return known

    def _ignore_file(self, folder: bytes) -> bytes | None:
        path = os.path.join(self._root, folder, b".gitignore")
        return None if os.path.islink(path) else read_if_readable(path)
