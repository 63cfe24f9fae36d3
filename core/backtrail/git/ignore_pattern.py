r"""One line of an ignore file, as Git 2.39 understands it, turned into something that compares bytes.

Owns the reading of lines (comments, escapes, trailing spaces) and the translation of Git's wildcards into regular
expressions that never backtrack from one wildcard into an earlier one, so a hostile pattern costs polynomial time.
Never decodes a name and never looks at the disk.
Does not handle which file is stronger than which: `ignore` does. A pattern that no name can match gives no rule.
Source: gitignore(5), and what `git ls-files` was seen to do where that page is silent.
"""

import enum
import re
from collections.abc import Iterator
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits, hexdigits, printable, punctuation

import msgspec

LONGEST_PATH = 4096  # the system opens no longer path, so a pattern that needs more bytes matches nothing

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SPECIAL = re.compile(rb"[*?\[\\]")
_CLASSES = {
    name: frozenset(members.encode())
    for name, members in {
        b"alnum": ascii_letters + digits,
        b"alpha": ascii_letters,
        b"blank": " \t",
        b"cntrl": "".join(map(chr, (*range(0x20), 0x7F))),
        b"digit": digits,
        b"graph": "".join(char for char in printable if not char.isspace()),
        b"lower": ascii_lowercase,
        b"print": "".join(char for char in printable if char == " " or not char.isspace()),
        b"punct": punctuation,
        b"space": " \t\n\r",  # Git's own isspace: no vertical tab, no form feed
        b"upper": ascii_uppercase,
        b"xdigit": hexdigits,
    }.items()
}
_ANY_BYTE = frozenset(range(1, 256)) - {ord("/")}  # that a wildcard in a name may stand for
_SET_ITEM = re.compile(rb"\\?(.)(?:-(?!\])\\?(.))?", re.DOTALL)


class Comparison(enum.Enum):
    """How a rule compares its text."""

    EXACT = enum.auto()
    SUFFIX = enum.auto()
    REGEX = enum.auto()


class Rule(msgspec.Struct, frozen=True):
    """What one line says.

    text: the bytes to equal or to end with, or a regular expression to match from the start (it holds its own end).
    by_name: compared with the entry's name alone, else with its path from the ignore file's folder.
    """

    comparison: Comparison
    text: bytes
    by_name: bool
    folders_only: bool
    negated: bool


def rules_of(content: bytes, *, ignore_case: bool) -> Iterator[Rule]:
    """Yield the rules of an ignore file in its order. With `ignore_case` they expect ASCII lower-case names."""
    for line in _patterns(content):
        negated = line.startswith(b"!")
        pattern = line[negated:]
        folders_only = pattern.endswith(b"/")
        pattern = pattern.removesuffix(b"/")
        by_name = b"/" not in pattern
        pattern = pattern.removeprefix(b"/")
        if pattern.startswith(b"**/") and b"/" not in pattern[3:]:
            pattern, by_name = pattern[3:], True  # the same as the name anywhere, and much quicker
        compared = _compared(pattern, by_name=by_name, ignore_case=ignore_case)
        if compared is not None:
            yield Rule(*compared, by_name=by_name, folders_only=folders_only, negated=negated)


def _patterns(content: bytes) -> Iterator[bytes]:
    for line in content.removeprefix(_BYTE_ORDER_MARK).split(b"\n"):
        if line and not line.startswith(b"#"):
            # Git strips one carriage return, also at the end of a last line without a newline, and stops at a NUL.
            yield _without_trailing_spaces(line.removesuffix(b"\r").partition(b"\0")[0])


def _without_trailing_spaces(line: bytes) -> bytes:
    trimmed = line.rstrip(b" ")
    backslashes = len(trimmed) - len(trimmed.rstrip(b"\\"))
    return line[: len(trimmed) + backslashes % 2]


def _compared(pattern: bytes, *, by_name: bool, ignore_case: bool) -> tuple[Comparison, bytes] | None:
    special = _SPECIAL.search(pattern)
    plain = pattern[: special.start()] if special else pattern
    if ignore_case:
        plain = plain.lower()
    if special is None:
        return (Comparison.EXACT, plain) if plain else None
    wild = pattern[special.start() :]
    if by_name and wild == pattern and wild.startswith(b"*") and not _SPECIAL.search(wild, 1):
        return Comparison.SUFFIX, wild[1:].lower() if ignore_case else wild[1:]
    # Git compares the plain beginning by itself and starts its matcher behind it, so in "a**/b" the two stars stand
    # at a beginning and span folders.
    parts = _parts(wild, ignore_case=ignore_case)
    if parts is None or len(plain) + sum(isinstance(part, bytes) for part in parts) > LONGEST_PATH:
        return None
    return Comparison.REGEX, re.escape(plain) + _regex(parts)


class _Gap(enum.Enum):
    """A wildcard of no fixed length, with its shortest-first regular expression."""

    IN_NAME = rb"[^/]*?"
    ACROSS = rb".*?"
    FOLDERS = rb"(?:|.*?/)"  # "**/": nothing, or some folders


def _parts(wild: bytes, *, ignore_case: bool) -> list[bytes | _Gap] | None:
    """Return the pattern as gaps and regular expressions of one byte each, or None if nothing can match it."""
    parts: list[bytes | _Gap] = []
    at = 0
    while at < len(wild):
        match wild[at : at + 1]:
            case b"*":
                gap, at = _stars(wild, at)
                parts.append(gap)
                continue
            case b"?":
                parts.append(rb"[^/]")
            case b"[":
                found = _bracket(wild, at + 1, ignore_case=ignore_case)
                if found is None:
                    return None
                members, at = found
                parts.append(_byte_set(members))
                continue
            case b"\\":
                at += 1
                if at == len(wild):
                    return None
                parts.append(re.escape(wild[at : at + 1]))  # an escaped capital matches nothing when case is ignored
            case byte:
                parts.append(re.escape(byte.lower() if ignore_case else byte))
        at += 1
    return parts


def _stars(wild: bytes, start: int) -> tuple[_Gap, int]:
    """Return the gap that the run of stars at `start` means, and the place behind it."""
    end = start
    while wild[end : end + 1] == b"*":
        end += 1
    if end - start > 1 and (start == 0 or wild[start - 1 : start] == b"/"):
        if wild[end : end + 1] == b"/":
            return _Gap.FOLDERS, end + 1
        if end == len(wild) or wild[end : end + 2] == b"\\/":
            return _Gap.ACROSS, end
    return _Gap.IN_NAME, end


def _bracket(wild: bytes, at: int, *, ignore_case: bool) -> tuple[frozenset[int], int] | None:
    """Return the bytes that the set whose inside starts at `at` matches, and the place behind its closing bracket.

    None if it is not closed or names an unknown class: then the whole pattern matches nothing.
    """
    negated = wild[at : at + 1] in {b"!", b"^"}
    first = at = at + negated
    members: set[int] = set()
    closing = 0
    while at == first or wild[at : at + 1] != b"]":
        if wild.startswith(b"[:", at):
            if closing < at + 2:  # looked for once per closing bracket, or a long row of "[:" would take for ever
                closing = wild.find(b"]", at + 2)
            if closing < 0:
                return None
            if wild.endswith(b":", at + 2, closing):
                name = wild[at + 2 : closing - 1]
                if name not in _CLASSES:
                    return None
                members |= _CLASSES[b"alpha" if ignore_case and name == b"upper" else name]
                at = closing + 1
                continue
        item = _SET_ITEM.match(wild, at)
        if item is None:
            return None
        members |= _item_members(item, ignore_case=ignore_case)
        at = item.end()
    return (_ANY_BYTE - members if negated else _ANY_BYTE & members), at + 1


def _item_members(item: re.Match[bytes], *, ignore_case: bool) -> set[int]:
    """Return the bytes of one item, a byte or a range. When case is ignored, a capital counts in a range only."""
    first, last = item.groups()
    span = set(range(first[0], last[0] + 1)) if last else set()
    if ignore_case:
        span |= {byte | 0x20 for byte in span & _CLASSES[b"upper"]}
    return span | {first[0]}  # also of a range that runs backwards


def _byte_set(members: frozenset[int]) -> bytes:
    return b"[" + b"".join(b"\\x%02x" % byte for byte in sorted(members)) + b"]" if members else b"(?!)"


def _regex(parts: list[bytes | _Gap]) -> bytes:
    """Return the expression for `parts` and the end of the name.

    What stands between two gaps is of fixed length, so its earliest place leaves the most to the gap behind it: no
    later choice can help, and an atomic group may drop them. The same holds for what stands between two gaps that span
    folders. Only the last piece, which the end of the name holds too, is looked for at every place.
    """
    stretches: list[tuple[bytes, list[list[bytes]]]] = [(b"", [[]])]
    for part in parts:
        if part is _Gap.IN_NAME:
            stretches[-1][1].append([])
        elif isinstance(part, _Gap):
            stretches.append((part.value, [[]]))
        else:
            stretches[-1][1][-1].append(part)
    *before, (last_gap, last_pieces) = stretches
    expression = [b"(?>%s%s)" % (gap, _stretch(pieces)) for gap, pieces in before]
    *fixed, last_piece = last_pieces
    expression.append(last_gap)
    if fixed:
        expression += [_stretch(fixed), b"[^/]*"]
    return b"".join((*expression, *last_piece, rb"\Z"))


def _stretch(pieces: list[list[bytes]]) -> bytes:
    first, *others = (b"".join(piece) for piece in pieces)
    return first + b"".join(b"(?>%s%s)" % (_Gap.IN_NAME.value, piece) for piece in others)
