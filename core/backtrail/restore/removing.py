"""Removing what a restore prepared when it does not come to its switch.

Owns the rule that only a marked copy is ever removed, and only if nobody wrote into it: for an instant it may have been
the live folder. What must stay is left where it is, as an archive. Never touches the live folder.
"""

import contextlib
import os

from backtrail.model.ids import RestoreId
from backtrail.restore.listing import Listing, take_listing
from backtrail.restore.places import MARKER, Places, is_marked
from backtrail.restore.tree_copy import remove_tree

_FILES = (b"restore.json.new", b"last-look.new", b"copy.new", b"last-look", b"copy", b"restore.json")


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
            remove_tree(places.copy, lambda: is_marked(places.copy, restore_id), last=MARKER)
        elif not _remove_empty(places.copy):
            return False
    for name in _FILES:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(places.box, name))
    archives = os.path.dirname(places.box)
    for folder in (places.box, archives):
        with contextlib.suppress(OSError):
            os.rmdir(folder)  # other archives may be beside it
    return True


def _written_to(places: Places) -> bool:
    """Tell whether the copy is no longer as it was verified: it was the live folder for an instant."""
    try:
        verified = Listing.load(places.copy_listing)
    except (OSError, ValueError):
        return False  # it was never verified, so it never was the live folder
    return bool(verified.moved(take_listing(places.copy, os.path.join(places.copy, b".git"))))


def _remove_empty(folder: bytes) -> bool:
    """Remove a copy that a kill left before its marker was written: folders without any file."""
    below = list(os.walk(folder, topdown=False))
    if any(files for _, _, files in below):
        return False  # after a switch the folder that was live lies here
    for path, _, _ in below:
        os.rmdir(path)
    return True
