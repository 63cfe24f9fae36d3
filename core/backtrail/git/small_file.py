"""Reading one of Git's small files without ever hanging on what stands in its place.

A FIFO or device may carry any name (case B52): only regular files are read.
"""

import os
import stat


def read_small(path: bytes) -> bytes | None:
    """Return the content of a regular file, or None for anything else at this path, or nothing."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read()
