"""Restores, undo and files from a checkpoint, for one open memory: from the person's word to the record of it.

Owns the order of rooms: look and record the present, plan, run, record the result. A failure after the switch never
calls a restore failed (case B87): it is done, and the next start mends the record.
"""

import contextlib
import logging

import msgspec

from backtrail.host.open_memory import LOCAL_HUMAN, OpenMemory
from backtrail.inbox.observing import Observed
from backtrail.model.checkpoint import Cause, Checkpoint, CheckpointState, Context, Origin
from backtrail.model.coverage import Coverage
from backtrail.model.errors.capture import UnmergedIndex
from backtrail.model.errors.restore import ArchiveIncomplete, CheckpointDamaged, StateChanged
from backtrail.model.ids import CheckpointId, Oid, Token
from backtrail.model.net_state import Operation
from backtrail.model.progress import SILENT, Cancelled, Progress
from backtrail.model.restore import Ignored, RestorePlan, RestoreRecord, RestoreState, Step
from backtrail.restore.archives import Archive
from backtrail.restore.files import chosen_entries, put_in_place
from backtrail.restore.journal import Journal
from backtrail.restore.listing import Listed
from backtrail.restore.places import Places
from backtrail.restore.plan import Now, Planner, list_live
from backtrail.restore.running import Restoration
from backtrail.restore.settling import close_journal, look_at_archive, take_marker_away
from backtrail.restore.target import Target, archive_target, checkpoint_target
from backtrail.scan.stat_cache import StatCache

_log = logging.getLogger(__name__)


class Restoring:
    """Everything that brings a state of one memory back."""

    def __init__(self, memory: OpenMemory) -> None:
        self._open = memory

    def target(self, checkpoint: Checkpoint) -> Target:
        """Return a stored checkpoint as something to go to. Raises CheckpointDamaged."""
        return checkpoint_target(self._open.objects, checkpoint)

    def undo_target(self, archive: Archive) -> Target:
        """Return an archived folder as something to go to. Raises ArchiveIncomplete."""
        journal = archive.journal
        if journal.deleting:
            raise ArchiveIncomplete(journal.id, archive.places.copy)
        shown = self._open.database.checkpoints.get(journal.before) if journal.before else None
        return archive_target(journal, archive.places, shown or _uncaptured(journal), self._open.clock)

    def plan(self, target: Target, choice: Ignored) -> RestorePlan:
        """Return what a restore would do now."""
        return self._plan(target, choice)[0]

    def _plan(self, target: Target, choice: Ignored) -> tuple[RestorePlan, Now]:
        work = self._open
        observed = work.scan()
        now = Now(observed.look, list_live(work.repository))
        latest = observed.latest
        before = latest if latest is not None and latest.content_token == observed.look.token else None
        plan = Planner(work.memory.id, work.repository).plan(target, now, before, choice)
        if found := _damage_in(plan):
            work.database.checkpoints.set_damage(target.checkpoint.id, found)
        return plan, now

    def restore(
        self, target: Target, token: Token | None, choice: Ignored, despite: frozenset[str], progress: Progress = SILENT
    ) -> RestoreRecord:
        """Go to a target. `token` is the plan's; None where the command itself is the confirmation (undo).

        Raises errors of `model.errors.restore` with nothing changed.
        """
        work = self._open
        if token is None and target.archive is None:
            raise StateChanged(Step.PLANNED)  # nobody has seen a plan
        plan, now = self._plan(target, choice)
        if found := _damage_in(plan):
            raise CheckpointDamaged(target.checkpoint.id, found)

        def look_again() -> Now:
            listing = list_live(work.repository)  # first: what is written from here on differs from it
            return Now(work.looker.look(full_hash=True), listing)

        run = Restoration(work.repository, work.memory.name, target, plan, work.clock, progress)
        with contextlib.ExitStack() as until:
            try:
                switched = run.run(plan.token if token is None else token, now, look_again, despite, until)
            except CheckpointDamaged as error:
                work.database.checkpoints.set_damage(target.checkpoint.id, error.objects)
                raise
            with contextlib.suppress(Cancelled):  # too late to stop: it is done
                progress.step(Step.RECORDED)
            return self.record(switched.places, switched.journal, switched.cache)

    def record(self, places: Places, journal: Journal, cache: StatCache | None = None) -> RestoreRecord:
        """Do steps 8 and 9: a checkpoint of the restored state, then the archive compared once more."""
        work = self._open
        try:
            journal = take_marker_away(places, journal)
            with work.opened_again(cache) as fresh:
                taken = _recorded_already(fresh, journal) or _recorded_now(fresh, journal)
            journal = msgspec.structs.replace(journal, checkpoint=taken.id if taken else None)
            journal = look_at_archive(places, journal)
            record = msgspec.structs.replace(journal.record(places), memory_id=work.memory.id)
            work.database.restores.put(record)
            close_journal(places, journal)
        except Exception:  # noqa: BLE001 - whatever it is, the switch has happened; the journal says what is left to do
            _log.exception("restore %s is done; its record will be mended at the next start", journal.id)
            return msgspec.structs.replace(journal.record(places), state=RestoreState.DONE)
        return record

    def recover(self, checkpoint: Checkpoint, token: Token, paths: list[bytes]) -> Checkpoint | None:
        """Put chosen files back in place as a Human command; return the checkpoint taken afterwards.

        Raises StateChanged, CannotReplace, UnsafePath, PathNotInCheckpoint, CheckpointDamaged or StepFailed.
        """
        work = self._open
        observed = work.scan()
        now = Now(observed.look, list_live(work.repository))
        if now.token != token:
            raise StateChanged(Step.PLANNED)
        entries = chosen_entries(work.objects, checkpoint, paths)
        put_in_place(work.repository.root, work.objects, checkpoint, entries, _kept(observed, now))
        context = Context(Origin.HUMAN_COMMAND, Cause.HUMAN_FILE_RESTORE, LOCAL_HUMAN, checkpoint.id)
        return work.scan(context=context).checkpoint


def _damage_in(plan: RestorePlan) -> tuple[str, ...]:
    """Return what is wrong with the target, so that the plan cannot be carried out."""
    found = [blocker.detail for blocker in plan.blockers if blocker.code == CheckpointDamaged.code]
    return tuple(found[0].split(", ")) if found else ()


def _context(journal: Journal) -> Context:
    return Context(Origin.HUMAN_COMMAND, Cause.HUMAN_RESTORE, LOCAL_HUMAN, journal.target)


def _recorded_already(work: OpenMemory, journal: Journal) -> Checkpoint | None:
    """Return the checkpoint of the restored state, if a kill came after it."""
    latest = work.database.checkpoints.latest(work.memory.id)
    recorded = latest is not None and latest.context == _context(journal) and latest.captured_at >= journal.started_at
    return latest if recorded else None


def _recorded_now(work: OpenMemory, journal: Journal) -> Checkpoint | None:
    """Take the checkpoint of the restored state; None after an undo back into a conflict, which cannot be one."""
    observed = work.scan(context=_context(journal))
    if observed.failure is not None and not isinstance(observed.failure, UnmergedIndex):
        raise observed.failure
    return observed.checkpoint


def _kept(observed: Observed, now: Now) -> dict[bytes, Listed]:
    """Return how each file stands there whose content the newest checkpoint holds; none if that is not of now."""
    latest = observed.latest
    if latest is None or latest.content_token != observed.look.token:
        return {}
    listing = now.listing.entries
    return {entry.path: listing[entry.path] for entry in observed.look.state.working if entry.path in listing}


def _uncaptured(journal: Journal) -> Checkpoint:
    """Return what an archive is shown as whose state could not be kept as a checkpoint (an unmerged index)."""
    nothing = Oid(bytes(20))
    return Checkpoint(
        id=CheckpointId(journal.id),
        memory_id=journal.memory_id,
        seq=0,
        state=CheckpointState.RECORDED,
        commit=nothing,
        branch=None,
        head=None,
        operation=Operation.NONE,
        index_tree=nothing,
        working_tree=nothing,
        content_token=Token(""),
        context=Context(Origin.HOST_OBSERVATION, Cause.MEMORY_SCAN),
        captured_at=journal.started_at,
        coverage=Coverage(),
    )
