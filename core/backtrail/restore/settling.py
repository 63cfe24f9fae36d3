"""Finishing or rolling back what a journal left, and the steps after the switch.

Owns what start-up does with an unfinished restore (case B87): the marker tells which of the two folders is the prepared
copy. Before the switch the copy is removed; after it the remaining steps run. Until then the memory is blocked.
Recording the restored state is the caller's: it has the database.
"""

import os

import msgspec

from backtrail.git.refs import fsync_folder
from backtrail.model.errors.restore import RestoreUnfinished
from backtrail.model.path_text import path_text
from backtrail.model.restore import RestoreState, Step
from backtrail.restore.holding import held
from backtrail.restore.inside import who_is_inside
from backtrail.restore.journal import Journal, read_journal, write_journal
from backtrail.restore.listing import Listing, take_listing
from backtrail.restore.places import MARKER, Places, boxes_of, is_marked
from backtrail.restore.removing import remove_bare_archives, remove_bare_box, remove_box, sweep_box
from backtrail.restore.switch import settle_two_renames


class Unfinished(msgspec.Struct, frozen=True):
    """A restore whose switch has happened and whose record is still to be made, or one that was rolled back."""

    journal: Journal
    places: Places


def settle(live: bytes) -> tuple[list[Unfinished], list[Unfinished]]:
    """Settle every unfinished restore of a folder; return (switched and to be recorded, rolled back).

    Raises RestoreUnfinished if one cannot be settled: the folder is then left as it is.
    """
    if not boxes_of(live):
        remove_bare_archives(live)
        return [], []
    with held(live):
        return _settle_held(live)


def _settle_held(live: bytes) -> tuple[list[Unfinished], list[Unfinished]]:
    switched: list[Unfinished] = []
    rolled_back: list[Unfinished] = []
    for box in boxes_of(live):
        places = Places(live, box)
        try:
            journal = read_journal(box)
        except RestoreUnfinished:
            if _is_open(places):
                raise
            continue  # neither folder is a copy under way: it is a finished archive whose manifest was damaged
        try:
            if journal is None:
                remove_bare_box(places)  # a kill left it before its journal was written
            elif journal.state is not RestoreState.RUNNING:
                sweep_box(places)
            else:
                # first both folders get a place of their own again: only then does the marker tell which is which
                settle_two_renames(places.live, places.copy, places.spare)
                if _has_switched(places, journal):
                    switched.append(Unfinished(journal, places))
                else:
                    rolled_back.append(_roll_back(places, journal))
        except OSError as error:
            reason = f"{error.strerror}: {path_text(box)}"
            raise RestoreUnfinished(path_text(box) if journal is None else journal.id, reason) from error
    remove_bare_archives(live)
    return switched, rolled_back


def _is_open(places: Places) -> bool:
    """Tell whether a restore may be under way although its journal cannot be read."""
    marked = any(os.path.lexists(os.path.join(folder, MARKER)) for folder in (places.live, places.copy))
    return marked or os.path.lexists(places.spare) or not os.path.isdir(os.path.join(places.copy, b".git"))


def _has_switched(places: Places, journal: Journal) -> bool:
    if is_marked(places.live, journal.id):
        return True
    if is_marked(places.copy, journal.id) or is_marked(places.spare, journal.id):
        return False
    return journal.reached(Step.SWITCHED)  # the marker went after this was written


def _roll_back(places: Places, journal: Journal) -> Unfinished:
    removed = remove_box(places, journal.id)
    journal = msgspec.structs.replace(journal, state=RestoreState.ROLLED_BACK)
    if not removed:
        _keep_as_archive(places, journal)
    return Unfinished(journal, places)


def _keep_as_archive(places: Places, journal: Journal) -> None:
    """Somebody wrote into the copy while it was live for an instant: it stays, as an archive like any other."""
    marker = os.path.join(places.copy, MARKER)
    if os.path.lexists(marker):
        os.unlink(marker)
    write_journal(places, journal)
    sweep_box(places)


def take_marker_away(places: Places, journal: Journal) -> Journal:
    """Write that the switch has happened, then remove the marker from what is now the live folder."""
    if not journal.reached(Step.SWITCHED):
        journal = write_journal(places, msgspec.structs.replace(journal, step=Step.SWITCHED))
    marker = os.path.join(places.live, MARKER)
    if os.path.lexists(marker):
        os.unlink(marker)
        fsync_folder(os.path.dirname(marker))
    return journal


def look_at_archive(places: Places, journal: Journal) -> Journal:
    """Step 9: compare the archive with the last look, and name who still works there. Returns what to record."""
    late: tuple[bytes, ...] = ()
    try:
        last = Listing.load(places.listing)
    except (OSError, ValueError):
        last = None  # the archive is whole all the same; only late writers cannot be told
    if last is not None:
        late = last.moved(take_listing(places.copy, os.path.join(places.copy, b".git")))
    return msgspec.structs.replace(
        journal,
        step=Step.SETTLED,
        state=RestoreState.DONE,
        late=tuple(path_text(path) for path in late),
        inside=who_is_inside(places.copy),
    )


def close_journal(places: Places, journal: Journal) -> None:
    """Write that nothing is left to do: from now on the box is an archive. Raises OSError."""
    write_journal(places, journal)
    sweep_box(places)
