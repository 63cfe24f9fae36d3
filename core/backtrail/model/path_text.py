r"""Paths as text that loses nothing.

Paths are bytes inside. As text, every byte that is not part of valid UTF-8 is written `\xHH` and a backslash is
doubled, so the bytes can always be read back. Nothing is normalised.
"""

import re

from backtrail.model.ids import RelPath

_ESCAPE = re.compile(rb"\\(?:\\|x([0-9a-f]{2}))")


def path_text(path: bytes) -> str:
    r"""Return `path` as text: UTF-8, other bytes as `\xHH`, the backslash doubled."""
    return path.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")


def path_bytes(text: str) -> RelPath:
    """Return the bytes that `path_text` wrote as `text`."""
    return RelPath(_ESCAPE.sub(lambda m: bytes.fromhex(m[1].decode()) if m[1] else b"\\", text.encode("utf-8")))


def is_exact(path: bytes) -> bool:
    """Tell whether `path_text(path)` is simply the path, with nothing escaped."""
    return path_text(path).encode("utf-8") == path
