"""How many windows use the Host of one data folder: one, or more.

Owns a lock that all windows share for as long as they use the Host, beside the Host's own lock. The last one is who
gets it alone. Without the lock a window is never the last: a Host that goes on harms nobody.
"""

import contextlib
import fcntl
import os
import pathlib

_PRIVATE = 0o600


class SharedByWindows:
    """The share of one window in a Host."""

    def __init__(self, home: pathlib.Path) -> None:
        self._place = home / "windows"
        self._lock = -1

    def take(self) -> None:
        """Use the Host from now on; nothing where this window does already."""
        if self._lock < 0:
            with contextlib.suppress(OSError):
                self._lock = os.open(self._place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE)
                fcntl.flock(self._lock, fcntl.LOCK_SH | fcntl.LOCK_NB)

    def is_last(self) -> bool:
        """Tell whether no other window uses the Host."""
        self.take()
        if self._lock >= 0:
            with contextlib.suppress(OSError):
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
        return False

    def has_others(self) -> bool:
        """Tell whether another window uses the Host too; this one goes on doing so."""
        alone = self.is_last()
        if self._lock >= 0:
            with contextlib.suppress(OSError):
                fcntl.flock(self._lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return not alone

    def leave(self) -> None:
        """Use it no more."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
