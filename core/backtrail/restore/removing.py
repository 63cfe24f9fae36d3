"""Removing what a restore prepared when it does not come to its switch.

Owns the rule that only a marked copy is ever removed, and only if nobody wrote into it: for an instant it may have been
the live folder. What must stay is left where it is, as an archive. Never touches the live folder.
"""

import contextlib
import os

from backtrail.model.ids import RestoreId
from backtrail.restore.inside import who_is_inside
from backtrail.restore.listing import Kind, Listed, Listing, take_listing
from backtrail.restore.places import MARKER, Places, archives_of, is_marked
from backtrail.restore.tree_removal import remove_tree

_PASSING = (b"restore.json.new", b"last-look.new", b"copy.new", b"last-look", b"copy")
_INDEX = b".git/index"
_OBJECTS = b".git/objects"


def list_copy(places: Places) -> Listing:
    """Write down how the copy is before the switch, and return that. Raises OSError."""
    listing = _whole_listing(places.copy)
    listing.save(places.copy_listing)
    return listing


def remove_box(places: Places, restore_id: RestoreId) -> bool:
    """Remove a restore's copy and box; return False if somebody's bytes are in it, and all of it stays.

    Raises OSError where the system refuses; the marker goes last, so the next start can go on.
    """
    if os.path.lexists(places.spare):
        return False  # a switch by two renames stands half way: settling it knows the way back
    if os.path.lexists(places.copy):
        if is_marked(places.copy, restore_id):
            if _written_to(places):
                return False
            _unlink(places.copy_listing)  # first: half removed, the copy is no longer as it was listed
            remove_tree(places.copy, lambda: is_marked(places.copy, restore_id), last=MARKER)
        elif not _remove_empty(places.copy):
            return False
    _unlink(places.journal)
    remove_bare_box(places)
    return True


def remove_bare_box(places: Places) -> None:
    """Remove the box of a restore that has nothing in it but passing files, and the folders above it.

    Raises OSError where the system refuses.
    """
    sweep_box(places)
    with contextlib.suppress(OSError):
        os.rmdir(places.box)
    remove_bare_archives(places.live)


def remove_bare_archives(live: bytes) -> None:
    """Remove the folders that hold a memory's archives, as far as there are none in them."""
    archives = archives_of(live)
    top = os.path.dirname(archives)
    with contextlib.suppress(OSError):  # there are archives
        os.rmdir(archives)
    with contextlib.suppress(OSError):
        if os.listdir(top) == [b".gitignore"]:
            os.unlink(os.path.join(top, b".gitignore"))
        os.rmdir(top)


def sweep_box(places: Places) -> None:
    """Remove what only a running restore needs. Raises OSError."""
    for name in _PASSING:
        _unlink(os.path.join(places.box, name))


def _unlink(path: bytes) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def _written_to(places: Places) -> bool:
    """Tell whether somebody wrote, or still can, into the copy: it may have been the live folder for an instant."""
    try:
        listed = Listing.load(places.copy_listing)
    except FileNotFoundError:
        return False  # it never came to the switch, or was found untouched already
    except (OSError, ValueError):
        return True  # nobody can tell
    return bool(listed.moved(_whole_listing(places.copy)) or who_is_inside(places.copy))


def _whole_listing(copy: bytes) -> Listing:
    """List the copy with what a listing of a live folder leaves out: the index's stat, and which objects there are."""
    entries = dict(take_listing(copy, os.path.join(copy, b".git")).entries)
    with contextlib.suppress(FileNotFoundError):
        seen = os.lstat(os.path.join(copy, _INDEX))
        entries[_INDEX] = Listed(Kind.FILE, seen.st_mode, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)
    for folder, _, files in os.walk(os.path.join(copy, _OBJECTS)):
        entries |= {os.path.relpath(os.path.join(folder, name), copy): Listed(Kind.FILE) for name in files}
    return Listing(entries)


def _remove_empty(folder: bytes) -> bool:
    """Remove a copy that a kill left before its marker was whole: folders, and at most an empty marker."""
    marker = os.path.join(folder, MARKER)
    below = list(os.walk(folder, topdown=False))
    files = [os.path.join(path, name) for path, _, names in below for name in names]
    if files not in ([], [marker]) or (files and os.path.getsize(marker)):
        return False  # after a switch the folder that was live lies here
    for file in files:
        os.unlink(file)
    for path, _, _ in below:
        os.rmdir(path)
    return True
