"""A code in words: what happened, and what to do about it; and the pieces that sentences are made of.

Every statement must be true whenever the code is given. Names are put in as they are: whoever prints a sentence on a
terminal escapes control characters.
"""

import datetime
import re
import shlex
from collections.abc import Sequence

import msgspec

from backtrail.model.path_text import path_text

NAMED_AT_MOST = 5
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
_STEP = 1024
_PLAIN = re.compile(rb"[\x20-\x7e]*")


class Sentence(msgspec.Struct, frozen=True):
    """What happened, and what to do. `remedy` is empty only where there is nothing to do."""

    message: str
    remedy: str = ""


def named(paths: Sequence[bytes], at_most: int = NAMED_AT_MOST) -> str:
    """Return the first few paths in a row, and how many more there are."""
    shown = ", ".join(path_text(path) for path in paths[:at_most])
    more = len(paths) - at_most
    return f"{shown} and {more} more" if more > 0 else shown


def shell_word(path: bytes) -> str:
    """Return a path as one word of a shell's command line, in plain ASCII or in the path's own letters."""
    if _PLAIN.fullmatch(path):
        return shlex.quote(path.decode("ascii"))
    try:
        text = path.decode()
    except UnicodeDecodeError:
        text = ""
    if text and text.isprintable():
        return shlex.quote(text)
    spelt = "".join(chr(b) if 0x20 <= b < 0x7F and b not in b"'\\" else f"\\x{b:02x}" for b in path)  # noqa: PLR2004 - printable ASCII
    return f"$'{spelt}'"


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: `1 file`, `3 files`."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def size_text(size: int) -> str:
    """Return a size in bytes with a unit that suits it."""
    amount = float(size)
    for unit in _UNITS[:-1]:
        if amount < _STEP:
            return f"{size} {unit}" if unit == _UNITS[0] else f"{amount:.1f} {unit}"
        amount /= _STEP
    return f"{amount:.1f} {_UNITS[-1]}"


def time_text(at: datetime.datetime) -> str:
    """Return a time as this machine's clock shows it."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
