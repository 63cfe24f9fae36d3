"""One file's difference as lines, within bounds that keep a window quick.

Owns what is shown as text and what is only named. Pure: works on bytes. Uses difflib on lines; above its bounds the
difference is named, not shown.
"""

import difflib

from backtrail.model.changes import DiffLine, FileDiff, LineKind, Shown

SIZE_LIMIT = 2 << 20
_LINES_LIMIT = 20_000
_GIVEN_LIMIT = 10_000
_PROBE = 8000


def file_diff(old: bytes | None, new: bytes | None, context: int) -> FileDiff:
    """Return how two contents differ; None stands for no file."""
    sizes = (None if old is None else len(old), None if new is None else len(new))
    contents = [content for content in (old, new) if content is not None]
    if any(len(content) > SIZE_LIMIT for content in contents):
        return FileDiff(Shown.TOO_LARGE, (), *sizes)
    if any(b"\0" in content[:_PROBE] for content in contents):
        return FileDiff(Shown.BINARY, (), *sizes)
    before, after = _lines(old or b""), _lines(new or b"")
    if len(before) + len(after) > _LINES_LIMIT and before and after:
        return FileDiff(Shown.TOO_LARGE, (), *sizes)
    lines = _unified(before, after, context)
    return FileDiff(Shown.TEXT, tuple(lines[:_GIVEN_LIMIT]), *sizes, cut=len(lines) > _GIVEN_LIMIT)


def _lines(content: bytes) -> list[str]:
    """Split at line feeds alone: other line ends are part of the text and are shown."""
    lines = content.decode("utf-8", "backslashreplace").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _unified(before: list[str], after: list[str], context: int) -> list[DiffLine]:
    found: list[DiffLine] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(context):
        first, last = group[0], group[-1]
        place = f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@"
        found.append(DiffLine(LineKind.HUNK, None, None, place))
        for kind, old_from, old_to, new_from, new_to in group:
            if kind == "equal":
                found += [
                    DiffLine(LineKind.SAME, old_from + at + 1, new_from + at + 1, text)
                    for at, text in enumerate(before[old_from:old_to])
                ]
                continue
            found += [
                DiffLine(LineKind.REMOVED, old_from + at + 1, None, t) for at, t in enumerate(before[old_from:old_to])
            ]
            found += [
                DiffLine(LineKind.ADDED, None, new_from + at + 1, t) for at, t in enumerate(after[new_from:new_to])
            ]
    return found


def _range(begin: int, end: int) -> str:
    """Return where a hunk begins and how long it is; an empty one is named by the line before it, as Git does."""
    return f"{begin + 1 if end > begin else begin},{end - begin}"
