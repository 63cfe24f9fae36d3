"""From a path on the command line to one inside a memory: counted from the folder's top, or absolute.

Owns only that step. Nothing is looked up on the disk but the folder above an absolute path, which may be named through
a link. Whether a path is safe is decided where it is used.
"""

import os
from collections.abc import Sequence

from backtrail.model.errors.lookup import UnsafePath
from backtrail.model.memory import Memory


def below_top(memory: Memory, given: bytes) -> bytes:
    """Return the path below the memory's top, empty for the top itself. Raises UnsafePath for one outside of it."""
    path = given.rstrip(b"/") or given
    if not path.startswith(b"/"):
        while path.startswith(b"./"):
            path = path[2:].lstrip(b"/")
        return b"" if path == b"." else path
    top = memory.path.rstrip(b"/")
    for candidate in (path, os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))):
        if candidate == top:
            return b""
        if candidate.startswith(top + b"/"):
            return candidate[len(top) + 1 :]
    raise UnsafePath(given)


def chosen(memory: Memory, given: Sequence[bytes]) -> list[bytes]:
    """Return the paths below the top; none, which means all, where the top itself is among them."""
    paths = [below_top(memory, path) for path in given]
    return [] if b"" in paths else paths
