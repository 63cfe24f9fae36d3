"""The archives of a memory: whole folders that restores switched out, each with its journal as manifest.

Owns listing and deleting them. The files beside the folder are the truth, not the database. Nothing is deleted by
itself.
"""

import logging
import os

import msgspec
import send2trash

from backtrail.model.errors.lookup import Ambiguous, Unknown
from backtrail.model.errors.restore import RestoreUnfinished, StepFailed
from backtrail.model.restore import RestoreState, Step
from backtrail.restore.journal import Journal, read_journal, write_journal
from backtrail.restore.places import Places, boxes_of
from backtrail.restore.tree_removal import remove_tree

_log = logging.getLogger(__name__)


class Archive(msgspec.Struct, frozen=True):
    """One archive: the restore that made it, and where it lies."""

    journal: Journal
    places: Places


def archives(live: bytes) -> list[Archive]:
    """Return the archives of a folder, newest first. One with an unreadable manifest is logged, and hides no other."""
    kept: list[Archive] = []
    for box in boxes_of(live):
        places = Places(live, box)
        try:
            journal = read_journal(box)
        except RestoreUnfinished as error:
            _log.warning("the archive %s stays as it is: %s", os.fsdecode(box), error.reason)
            continue
        if journal is not None and _is_archive(journal) and os.path.isdir(places.copy):
            kept.append(Archive(journal, places))
    return sorted(kept, key=lambda archive: archive.journal.started_at, reverse=True)


def _is_archive(journal: Journal) -> bool:
    """Tell whether the folder was switched out, or kept; also while the record of that is still to be mended."""
    return journal.state is not RestoreState.RUNNING or journal.reached(Step.SWITCHED)


def find_archive(known: list[Archive], given: str) -> Archive:
    """Return the archive that an id or id prefix names. Raises Unknown or Ambiguous."""
    found = [archive for archive in known if archive.journal.id.startswith(given)] if given else []
    if not found:
        raise Unknown("archive", given)
    if len(found) > 1:
        raise Ambiguous("archive", given, tuple(archive.journal.id for archive in found))
    return found[0]


def delete_archive(archive: Archive, *, for_good: bool) -> None:
    """Move an archive to the desktop's trash, or remove it for good where the person said so twice.

    Raises StepFailed where the system refuses; what is left then is still listed, and said not to be whole.
    """
    try:
        if for_good:
            marked = write_journal(archive.places, msgspec.structs.replace(archive.journal, deleting=True))
            remove_tree(archive.places.box, lambda: read_journal(archive.places.box) == marked, last=b"restore.json")
        else:
            send2trash.send2trash(os.fsdecode(archive.places.box))
    except (OSError, send2trash.TrashPermissionError) as error:
        raise StepFailed("delete", str(error)) from error
