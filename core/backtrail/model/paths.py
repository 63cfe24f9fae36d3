"""What follows from a path's bytes alone."""

from collections.abc import Iterable


def folders_above(paths: Iterable[bytes]) -> set[bytes]:
    """Return every folder that one of the relative paths lies in, without the root."""
    found: set[bytes] = set()
    for path in paths:
        end = path.rfind(b"/")
        while end > 0 and path[:end] not in found:
            found.add(path[:end])
            end = path.rfind(b"/", 0, end)
    return found
