"""Running a plan: the nine steps of a restore, each written to the journal before the next begins.

Owns the order (design: restore, steps) and the promise that until the switch, and after any failure before it, every
byte of the live folder is where it was. Never runs by itself: a caller brings the plan's token.
"""

import contextlib
import datetime
import os
from collections.abc import Callable

import msgspec

from backtrail.checkpoints.verify import damage_of
from backtrail.git.index_file import index_signature, read_index
from backtrail.git.objects import Objects
from backtrail.git.refs import fsync_folder
from backtrail.git.repository import Repository
from backtrail.model.clock import Clock
from backtrail.model.errors import BacktrailError
from backtrail.model.errors.capture import DISK_FULL, NoSpace
from backtrail.model.errors.restore import (
    Blocked,
    CheckpointDamaged,
    CopyDiffers,
    RestoreUnfinished,
    StateChanged,
    StepFailed,
)
from backtrail.model.ids import Oid, RelPath, RestoreId, Token, new_id
from backtrail.model.path_text import path_text
from backtrail.model.progress import Progress
from backtrail.model.restore import RestorePlan, RestoreState, Step
from backtrail.restore.completeness import git_folder_incomplete, incomplete
from backtrail.restore.file_copy import NotCopied
from backtrail.restore.holding import held
from backtrail.restore.inside import mapped_for_writing
from backtrail.restore.journal import Journal, write_journal
from backtrail.restore.listing import Listing, take_listing
from backtrail.restore.places import ARCHIVES, IGNORE_ALL, Places, is_marked
from backtrail.restore.plan import Now, list_live
from backtrail.restore.preparing import Preparing
from backtrail.restore.removing import list_copy, remove_box
from backtrail.restore.switch import HalfDone, exchange
from backtrail.restore.target import Target
from backtrail.scan.reading import Changing, folder_of, read_file
from backtrail.scan.stat_cache import StatCache


class Switched(msgspec.Struct, frozen=True):
    """A restore that has happened: what is left is to record and settle it. `cache` fits the new live folder."""

    journal: Journal
    places: Places
    cache: StatCache


class Restoration:
    """One restore of one memory, from its plan to the switch. The caller holds the memory's lock."""

    def __init__(
        self, live: Repository, memory_name: str, target: Target, plan: RestorePlan, clock: Clock, progress: Progress
    ) -> None:
        self._live = live
        self._memory_name = memory_name
        self._target = target
        self._plan = plan
        self._clock = clock
        self._progress = progress

    def run(
        self,
        token: Token,
        now: Now,
        look_again: Callable[[], Now],
        despite: frozenset[str],
        until: contextlib.ExitStack,
    ) -> Switched:
        """Do it. `now`: the fresh look that `plan` was made from; `look_again`: the last look, every file read.

        until: closed by the caller when the restore is recorded; until then no other process settles or begins one.

        despite: codes of blockers that the person has waved through. Raises StateChanged, Blocked, CheckpointDamaged,
        CopyDiffers, StepFailed, NoSpace or Cancelled; then nothing was changed. Raises RestoreUnfinished where the
        switch stopped half way and could not be put back: the next start settles it.
        """
        started = self._clock()
        self._refuse(token, despite)
        restore_id = RestoreId(new_id())
        places = Places.of(self._live.root, restore_id, started)
        self._progress.step(Step.VERIFIED_TARGET)
        if self._target.archive is None and (damage := damage_of(self._live, self._target.checkpoint, self._progress)):
            raise CheckpointDamaged(self._target.checkpoint.id, damage)
        journal = Journal(
            id=restore_id,
            memory_id=self._plan.memory_id,
            memory_name=self._memory_name,
            live=path_text(places.live),
            target=self._target.checkpoint.id,
            undo_of=self._target.undo_of,
            before=self._plan.before,
            step=Step.VERIFIED_TARGET,
            state=RestoreState.RUNNING,
            started_at=started,
        )
        step = Step.COPYING
        try:
            _make_box(places)
            until.enter_context(held(places.live))
            journal = write_journal(places, journal)
            preparing = Preparing(places, self._live, self._target, self._clock, self._progress)
            journal = self._enter(places, journal, Step.COPYING)
            not_carried = preparing.copy(restore_id)
            step = Step.BUILDING
            journal = self._enter(places, journal, step)
            not_carried += preparing.build(restore_id, now.look.state, self._plan.carry_over)
            journal = msgspec.structs.replace(journal, not_carried=tuple(path_text(path) for path in not_carried))
            step = Step.VERIFIED_COPY
            self._progress.step(step)
            cache = self._verified(preparing, now)
            journal = write_journal(places, msgspec.structs.replace(journal, step=step))
            step = Step.LAST_LOOK
            self._progress.step(step)
            signature = index_signature(self._live.git_dir)
            last = self._last_look(places, now, look_again)
            preparing.link_objects()
            self._refuse_incomplete(last.listing, list_copy(places), not_carried)
            journal = write_journal(places, msgspec.structs.replace(journal, step=step))
            step = Step.SWITCHED
            self._progress.step(step)
            _switch(places, restore_id, lambda: _moved_since(last, signature, places.copy))
        except BaseException as error:
            with contextlib.suppress(OSError):  # the next start removes what cannot be removed now
                remove_box(places, restore_id)
            if isinstance(error, HalfDone):
                raise RestoreUnfinished(restore_id, error.strerror or "") from error
            if isinstance(error, OSError):
                raise _failed(error, step, places) from error
            if isinstance(error, NotCopied):
                raise StepFailed(step, f"a folder that must be copied is {error.why}") from error
            raise
        took = int((self._clock() - started) / datetime.timedelta(milliseconds=1))
        journal = msgspec.structs.replace(journal, took_ms=took, bytes=_bytes(last.listing))
        with contextlib.suppress(OSError):  # it is done whatever the disk says now; the marker tells it too
            journal = write_journal(places, msgspec.structs.replace(journal, step=Step.SWITCHED))
        return Switched(journal, places, cache)

    def _refuse(self, token: Token, despite: frozenset[str]) -> None:
        self._progress.step(Step.PLANNED)
        if token != self._plan.token:
            raise StateChanged(Step.PLANNED)
        blockers = tuple(blocker for blocker in self._plan.blockers if blocker.code not in despite)
        if blockers:
            raise Blocked(blockers)

    def _enter(self, places: Places, journal: Journal, step: Step) -> Journal:
        self._progress.step(step)
        return write_journal(places, msgspec.structs.replace(journal, step=step))

    def _verified(self, preparing: Preparing, then: Now) -> StatCache:
        """Verify the copy. What differs because the live folder moved meanwhile is no fault of the copy."""
        try:
            return preparing.verify()
        except CopyDiffers as error:
            if moved := then.listing.moved(list_live(self._live)):
                raise StateChanged(Step.VERIFIED_COPY, moved) from error
            raise

    def _refuse_incomplete(self, live: Listing, copy: Listing, not_carried: tuple[RelPath, ...]) -> None:
        """See to it that the copy lacks nothing, and has nothing, that moved only while it was copied."""
        archive = self._target.archive
        source = live if archive is None else take_listing(archive, os.path.join(archive, b".git"))
        found = git_folder_incomplete(live, copy, self._target.state, not_carried)
        found += incomplete(source, copy, self._plan.carry_over.paths, not_carried)
        if found:
            raise StateChanged(Step.LAST_LOOK, found)

    def _last_look(self, places: Places, then: Now, look_again: Callable[[], Now]) -> Now:
        """Look once more; every byte must be as it was when the plan was made."""
        last = look_again()
        last.listing.save(places.listing)
        if last.token != then.token:
            raise StateChanged(Step.LAST_LOOK, then.listing.moved(last.listing))
        return last


def _make_box(places: Places) -> None:
    """Make the archive's folder; `.backtrail` tells an enclosing repository to ignore it."""
    top = os.path.join(os.path.dirname(places.live), ARCHIVES)
    os.makedirs(top, mode=0o755, exist_ok=True)
    ignore = os.path.join(top, b".gitignore")
    if not os.path.lexists(ignore) or not os.path.getsize(ignore):
        with open(ignore, "wb") as file:
            file.write(IGNORE_ALL)
    os.makedirs(places.box)
    fsync_folder(os.path.dirname(places.box))


def _moved_since(last: Now, signature: tuple[int, ...] | None, archive: bytes) -> tuple[bytes, ...]:
    """Return what of the archive is not as the last look saw it. An index that Git only refreshed has not moved."""
    git = os.path.join(archive, b".git")
    moved = last.listing.moved(take_listing(archive, git)) + _written_through_mappings(last, archive)
    if index_signature(git) == signature:
        return moved
    repository = Repository.open(archive)
    try:
        entries = read_index(git, Objects(repository).tree).entries
    finally:
        repository.close()
    same = [entry.content for entry in entries] == [entry.content for entry in last.look.state.index]
    return moved if same else (*moved, b".git/index")


def _written_through_mappings(last: Now, archive: bytes) -> tuple[bytes, ...]:
    """Return captured files that changed through a shared mapping: their times may be as they were."""
    known = {entry.path: entry.oid for entry in last.look.state.working}
    mapped = [RelPath(place[len(archive) + 1 :]) for place in mapped_for_writing(archive)]
    root = os.open(archive, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return tuple(path for path in mapped if path in known and _oid_of(root, path) != known[path])
    finally:
        os.close(root)


def _oid_of(root: int, path: bytes) -> Oid | None:
    """Return the id of a file's bytes, None where it does not hold still."""
    try:
        with folder_of(root, path) as (folder, name):
            return read_file(name, folder)[0]
    except Changing:
        return None


def _switch(places: Places, restore_id: RestoreId, moved_since: Callable[[], tuple[bytes, ...]]) -> None:
    """Exchange the folders; if somebody wrote in the last instant, or that cannot be seen, exchange them back at once.

    Where the system refuses that, the switch stands: the archive is whole, and step 9 tells what was written to it.
    """
    exchange(places.live, places.copy, places.spare)
    try:
        if moved := moved_since():
            raise StateChanged(Step.SWITCHED, moved)
    except BaseException as reason:
        try:
            exchange(places.live, places.copy, places.spare)
        except OSError:
            if isinstance(reason, BacktrailError | OSError) and is_marked(places.live, restore_id):
                return
            raise
        raise


def _bytes(listing: Listing) -> int:
    return sum(entry.size for entry in listing.entries.values())


def _failed(error: OSError, step: Step, places: Places) -> BacktrailError:
    if error.errno in DISK_FULL:
        return NoSpace(os.path.dirname(places.live))
    return StepFailed(step, f"{error.strerror}: {os.fsdecode(error.filename)}" if error.filename else str(error))
