"""The data folder: where everything of one Host lies, and the lock that makes it the only one.

Owns the places and the `flock`, which is held for the Host's life. Nothing in here is a user's content: that is in
their repositories.
"""

import contextlib
import fcntl
import os
import pathlib
import time
from typing import Self

import platformdirs

from backtrail.model.errors.host import DataFolderUnusable, HostBusy

WAIT_S = 30.0
_POLL_S = 0.05


def default_home() -> pathlib.Path:
    """Return the data folder of this user: `BACKTRAIL_HOME`, or where the system keeps such data."""
    named = os.environ.get("BACKTRAIL_HOME")
    return pathlib.Path(named) if named else pathlib.Path(platformdirs.user_data_dir("backtrail", appauthor=False))


class DataFolder:
    """The places in a data folder, held under its lock while open."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.database = path / "backtrail.db"
        self.memories = path / "memories"
        self._lock = -1

    @classmethod
    def open(cls, home: pathlib.Path, wait_s: float = WAIT_S) -> Self:
        """Make the folder if need be and take its lock. Raises DataFolderUnusable; HostBusy after `wait_s` seconds."""
        folder = cls(home.absolute())
        try:
            folder.memories.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder._lock = os.open(folder.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise DataFolderUnusable(str(home), error.strerror or "") from error
        until = time.monotonic() + wait_s
        while not folder._try_lock():
            if time.monotonic() > until:
                os.close(folder._lock)
                raise HostBusy(str(home), wait_s)
            time.sleep(_POLL_S)
        return folder

    def _try_lock(self) -> bool:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:  # a file system without locks
            raise DataFolderUnusable(str(self.path), error.strerror or "") from error
        return True

    def close(self) -> None:
        """Let the next process in."""
        with contextlib.suppress(OSError):
            os.close(self._lock)
