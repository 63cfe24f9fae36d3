"""Which bytes Git takes for the short name of a branch.

Owns that one rule (git check-ref-format). A name that breaks it comes from nobody's branch, and may lead out of the
folder of refs.
"""

import re

_NOT_IN_A_NAME = re.compile(rb"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//")


def is_branch_name(name: bytes) -> bool:
    """Tell whether Git takes this for the short name of a branch (git check-ref-format)."""
    parts = name.split(b"/")
    return (
        not _NOT_IN_A_NAME.search(name)
        and not name.endswith(b".")
        and all(part and not part.startswith(b".") and not part.endswith(b".lock") for part in parts)
    )
