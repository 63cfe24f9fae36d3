"""Whether Git collects garbage in a repository right now."""

import os

from backtrail.git.small_file import read_if_readable


def gc_at_work(common_dir: bytes) -> bool:
    """Tell whether a living `git gc` holds the repository; one that was killed leaves its file behind."""
    told = read_if_readable(os.path.join(common_dir, b"gc.pid"))
    return told is not None and (pid := told.split(b" ")[0]).isdigit() and os.path.isdir(b"/proc/" + pid)
