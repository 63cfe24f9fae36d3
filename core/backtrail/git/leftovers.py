"""Names for our temporary files that tell whose they are, and removing those of processes that are gone.

Owns only files that carry our mark. A name holds pid and start time of its process, so that a living one's is never
taken (case B64).
"""

import os
import re

import psutil

from backtrail.git.small_file import read_if_readable

_MARK = re.compile(rb"backtrail-(\d+)-(\d+)")


def own_mark() -> bytes:
    """Return the mark of this process: `backtrail-PID-STARTED`, the start in milliseconds since the epoch."""
    return b"backtrail-%d-%d" % (os.getpid(), int(psutil.Process().create_time() * 1000))


def is_abandoned(text: bytes) -> bool:
    """Tell whether `text` carries the mark of a process that is gone."""
    match = _MARK.search(text)
    if not match:
        return False
    try:
        return int(psutil.Process(int(match[1])).create_time() * 1000) != int(match[2])
    except psutil.NoSuchProcess:
        return True


def sweep(objects: bytes) -> int:
    """Remove what killed processes of ours left in an object folder or the Git folder around it; return how many.

    Temporary files go; the `.keep` beside a pack goes too: by now a ref holds the pack's objects, or nothing does. So
    does a pack of ours that never got its index.
    """
    removed = 0
    pack = os.path.join(objects, b"pack")
    for folder in (os.path.dirname(objects), objects, pack):
        try:
            names = os.listdir(folder)
        except FileNotFoundError:
            continue
        for name in names:
            path = os.path.join(folder, name)
            if name.startswith(b"tmp_") and is_abandoned(name) and not os.path.isdir(path):
                os.unlink(path)
                removed += 1
            elif name.endswith(b".keep") and _kept_by_gone(path):
                removed += _remove_pack_without_index(path.removesuffix(b".keep"))
                os.unlink(path)
                removed += 1
    return removed


def _remove_pack_without_index(stem: bytes) -> int:
    """Remove a pack whose index was never put beside it: Git would carry it along unread for ever."""
    if os.path.lexists(stem + b".idx") or not os.path.lexists(stem + b".pack"):
        return 0
    os.unlink(stem + b".pack")
    return 1


def _kept_by_gone(path: bytes) -> bool:
    return is_abandoned((read_if_readable(path) or b"")[:200])
