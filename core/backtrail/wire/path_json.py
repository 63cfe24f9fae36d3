r"""A path in JSON: text that loses nothing, and the bytes beside it where the text is not simply the path.

Owns the one form in which paths leave the process (design: house, on the wire): `path` is UTF-8 with other bytes as
`\xHH` and the backslash doubled; only where that changed anything, `path_b64` holds the bytes.
"""

import base64

from backtrail.model.path_text import is_exact, path_text


def path_json(path: bytes, key: str = "path") -> dict[str, str]:
    """Return the entries of a JSON object that tell `path` under the name `key`."""
    told = {key: path_text(path)}
    if not is_exact(path):
        told[f"{key}_b64"] = base64.b64encode(path).decode("ascii")
    return told
