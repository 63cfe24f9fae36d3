"""Which parts of two lines differ, so that a change of one word can be seen in a long line.

Owns pairing of removed with added lines, and the ranges within them. Pure. Lines that have little in common are not
paired: marking nearly all of a line says nothing. Beyond its bounds nothing is marked.
"""

import difflib
import re
from collections.abc import Sequence

from backtrail.model.changes import DiffLine, LineKind

Range = tuple[int, int]
"""From and to, in characters of a line's text."""

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
_LONGEST = 600
_ALIKE = 0.35


def partner_of(lines: Sequence[DiffLine], at: int) -> int | None:
    """Return the line that `at` is compared with: the same place in the run that follows, or went before."""
    kind = lines[at].kind
    if kind not in {LineKind.REMOVED, LineKind.ADDED}:
        return None
    first = at
    while first > 0 and lines[first - 1].kind is kind:
        first -= 1
    last = at
    while last + 1 < len(lines) and lines[last + 1].kind is kind:
        last += 1
    if kind is LineKind.REMOVED:
        other, wanted = last + 1 + (at - first), LineKind.ADDED
        run = range(last + 1, other + 1)
    else:
        begin = first
        while begin > 0 and lines[begin - 1].kind is LineKind.REMOVED:
            begin -= 1
        other, wanted = begin + (at - first), LineKind.REMOVED
        run = range(other, first)
    if other >= len(lines) or not run or any(lines[place].kind is not wanted for place in run):
        return None
    return other


def changed_ranges(old: str, new: str) -> tuple[list[Range], list[Range]]:
    """Return the parts of two lines that are not in the other; none where the lines are not alike."""
    if max(len(old), len(new)) > _LONGEST:
        return [], []
    before, after = _WORD.findall(old), _WORD.findall(new)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    alike = sum(len(word) for block in matcher.get_matching_blocks() for word in before[block.a : block.a + block.size])
    if alike * 2 < _ALIKE * (len(old) + len(new)) or not alike:
        return [], []
    removed: list[Range] = []
    added: list[Range] = []
    for kind, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if kind != "equal":
            removed += _range(before, old_from, old_to)
            added += _range(after, new_from, new_to)
    return _joined(old, removed), _joined(new, added)


def _joined(text: str, ranges: list[Range]) -> list[Range]:
    """Make one part of two that only a space lies between: it is one change to a reader."""
    found: list[Range] = []
    for begin, end in ranges:
        if found and text[found[-1][1] : begin].isspace():
            begin = found.pop()[0]  # noqa: PLW2901 - the part before is taken in
        found.append((begin, end))
    return found


def _range(words: list[str], begin: int, end: int) -> list[Range]:
    if begin == end:
        return []
    start = sum(map(len, words[:begin]))
    return [(start, start + sum(map(len, words[begin:end])))]
