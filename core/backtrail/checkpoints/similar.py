"""Whether a file went on being edited, or its uncommitted work was replaced.

A save after a save is no loss; a rewrite is. Owns that one judgement, on bytes. It is a judgement: it errs towards
saying nothing when most of the uncommitted lines are still there (decision 0005).
"""

import collections
import difflib

_STILL_THERE = 0.5
_ALIKE = 0.6
_COMPARED_LIMIT = 8 << 10
TEXT_LIMIT = 4 << 20
"""Contents above this many bytes are judged by their size alone."""


def goes_on(base: bytes, old: bytes, new: bytes) -> bool:
    """Tell whether `new` carries on the work that `old` held beyond the committed `base`."""
    if new == base:
        return False
    if _is_binary(old) or _is_binary(new):
        return len(new) * 2 >= len(old)
    work = _lines_beyond(base, old)
    if not work:
        return True  # the work was to take lines away, and the file is not back to the base
    kept = work & collections.Counter(new.split(b"\n"))
    if kept.total() >= _STILL_THERE * work.total():
        return True
    before = b"\n".join(work.elements())
    after = b"\n".join(_lines_beyond(base, new).elements())
    if len(before) > _COMPARED_LIMIT or len(after) > _COMPARED_LIMIT:
        return False
    return difflib.SequenceMatcher(None, before, after, autojunk=False).ratio() >= _ALIKE


def _lines_beyond(base: bytes, content: bytes) -> "collections.Counter[bytes]":
    lines = collections.Counter(content.split(b"\n")) - collections.Counter(base.split(b"\n"))
    del lines[b""]
    return lines


def _is_binary(content: bytes) -> bool:
    return len(content) > TEXT_LIMIT or b"\0" in content[:8000]
