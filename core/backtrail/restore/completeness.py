"""Whether the copy has all that it should have of the folder it was copied from, besides the target's own files.

Owns the comparison of two listings for the Git folder and for what is carried over. It finds what was away, or there,
only while it was copied: moving a folder away and back leaves no trace in a listing. Does not handle the target's own
files: a look at the copy compares those. Reads no disk.
"""

import bisect
from collections.abc import Iterable, Iterator

from backtrail.model.ids import LEFT_REFS, RelPath
from backtrail.model.net_state import NetState
from backtrail.restore.git_folder import OPERATION_FILES, is_passing
from backtrail.restore.listing import Kind, Listed, Listing
from backtrail.restore.places import MARKER

_AS_ANOTHER = 0o6000
_GIT = b".git"


def incomplete(source: Listing, copy: Listing, below: Iterable[bytes], but: Iterable[bytes]) -> tuple[bytes, ...]:
    """Return what at or below the paths `below` is not the same in both. `but`: paths to leave out, and all in them."""
    here, there = _Below(source), _Below(copy)
    left_out = tuple(but)
    found: list[bytes] = []
    for top in below:
        mine, theirs = here.facts(top, left_out), there.facts(top, left_out)
        found += (path for path in mine.keys() | theirs.keys() if mine.get(path) != theirs.get(path))
    return tuple(sorted(found))


def git_folder_incomplete(live: Listing, copy: Listing, target: NetState, but: Iterable[bytes]) -> tuple[bytes, ...]:
    """Return what of the Git folder is not the same in both, besides what a restore sets."""
    set_by_us = {b"HEAD", b"index", b"logs/HEAD", b"objects", LEFT_REFS.rstrip(b"/"), *OPERATION_FILES}
    if target.branch is not None:
        set_by_us |= {b"refs/heads/" + target.branch, b"logs/refs/heads/" + target.branch}
        if target.head is None:
            set_by_us.add(b"packed-refs")  # an unborn branch may have been taken out of it
    ours = (MARKER, *(_GIT + b"/" + name for name in set_by_us))
    found = incomplete(live, copy, [_GIT], (*ours, *but))
    return tuple(path for path in found if not is_passing(path.removeprefix(_GIT + b"/")))


class _Below:
    """A listing in the order of its paths, so that what is below one is found without looking at all."""

    def __init__(self, listing: Listing) -> None:
        self._entries = listing.entries
        self._paths = sorted(listing.entries)

    def facts(self, top: bytes, left_out: tuple[bytes, ...]) -> dict[RelPath, tuple[Kind, int, int, int]]:
        """Return what must be the same of each path that is not a folder."""
        return {
            RelPath(path): _facts(entry)
            for path in self._at_or_below(top)
            if (entry := self._entries[path]).kind is not Kind.FOLDER and not _is_in(path, left_out)
        }

    def _at_or_below(self, top: bytes) -> Iterator[bytes]:
        if top in self._entries:
            yield top
        begin = bisect.bisect_left(self._paths, top + b"/")
        yield from self._paths[begin : bisect.bisect_left(self._paths, top + b"0")]  # the byte after the slash


def _facts(entry: Listed) -> tuple[Kind, int, int, int]:
    return entry.kind, entry.mode & ~_AS_ANOTHER, entry.size, entry.mtime_ns


def _is_in(path: bytes, left_out: tuple[bytes, ...]) -> bool:
    return any(path == item or path.startswith(item + b"/") for item in left_out)
