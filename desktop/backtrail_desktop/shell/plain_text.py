r"""Text from a repository as it may be shown: what would steer the screen is written out instead.

Owns the one function for it. Names, messages and branches may hold line ends, control, bidirectional or invisible
characters: each becomes `\n`, `\t` or `\u202e`. Never interprets markup: labels also need `Qt.TextFormat.PlainText`.
"""

import unicodedata

from backtrail.model.path_text import path_text

_WRITTEN_OUT = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_SHORT = {"\n": r"\n", "\t": r"\t", "\r": r"\r"}


def plain_text(text: str) -> str:
    """Return `text` on one line, with every character written out that would not be seen as what it is."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_written_out(one) if unicodedata.category(one) in _WRITTEN_OUT else one for one in text)


def plain_path(path: bytes) -> str:
    """Return a path as it may be shown: other bytes than UTF-8 as `path_text` writes them, the rest as above."""
    return plain_text(path_text(path))


def _written_out(one: str) -> str:
    code = ord(one)
    return _SHORT.get(one) or (f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}")  # noqa: PLR2004
