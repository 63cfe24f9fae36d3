"""One restore of a folder at a time, whatever data folder each process has.

Owns the lock on the folder that holds a memory's archives. It is held for the whole of a restore and while an
unfinished one is settled: a Host that starts never rolls back what another one is in the middle of. The system lets go
of it when its process ends, so a kill leaves none. Waits for nobody.
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator

from backtrail.model.errors.restore import RestoreUnfinished
from backtrail.model.path_text import path_text
from backtrail.restore.places import archives_of


@contextlib.contextmanager
def held(live: bytes) -> Iterator[None]:
    """Hold the archives of a folder, which are there. Raises RestoreUnfinished if another process does, or OSError."""
    archives = archives_of(live)
    descriptor = os.open(archives, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RestoreUnfinished(path_text(archives), "another process is restoring this folder") from error
        if not os.path.samestat(os.fstat(descriptor), os.stat(archives)):  # removed, and made anew, meanwhile
            raise RestoreUnfinished(path_text(archives), "another process is restoring this folder")
        yield
    finally:
        os.close(descriptor)
