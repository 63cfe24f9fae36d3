"""The guide's questions to the Host, one at a time: the plan, the restore, and the look after a failure.

Owns their order and nothing on screen. A restore is asked for only by `go_back` or `get_files`, with the token of the
plan that was shown. After a failure it looks at the folder again before anything is said of it. Answers to questions
that were given up are dropped.
"""

import enum
import functools
from collections.abc import Callable

import msgspec
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.commands import CheckpointPage, ListCheckpoints, PlanRestore, Recover, Recovered, Restore
from backtrail.model.ids import CheckpointId, RestoreId
from backtrail.model.memory import Memory
from backtrail.model.restore import Ignored, RestorePlan, RestoreRecord, RestoreState, Step
from PySide6.QtCore import QObject, Signal

from backtrail_desktop.client.port import Asked, Failure, HostPort


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """Where to go: a checkpoint, or with `undo` the archive of that restore."""

    checkpoint: CheckpointId | None = None
    undo: RestoreId | None = None


class Proposal(msgspec.Struct, frozen=True):
    """A plan, and the checkpoint of the folder as it is now, where there is one."""

    plan: RestorePlan
    before: Checkpoint | None


class Proof(enum.Enum):
    """What the look after a failure showed."""

    UNCHANGED = "unchanged"
    ARRIVED = "arrived"
    MOVED = "moved"
    UNKNOWN = "unknown"


class Stopped(msgspec.Struct, frozen=True):
    """A restore that failed, what the fresh look showed, and the new plan that it made. whole: not only some files."""

    failure: Failure
    whole: bool
    proof: Proof
    fresh: Proposal | None


class FilesBack(msgspec.Struct, frozen=True):
    """Chosen files that are back. before: the state that holds what was in their place."""

    answer: Recovered
    paths: tuple[bytes, ...]
    before: CheckpointId | None


class Flow(QObject):
    """One guide's conversation with the Host."""

    looking = Signal()
    planned = Signal(object)
    not_planned = Signal(object)
    running = Signal(bool)
    progressed = Signal(str, object, object)
    checking = Signal(object)
    stopped = Signal(object)
    restored = Signal(object)
    files_back = Signal(object)

    def __init__(self, memory: Memory, host: HostPort, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._memory = memory
        self._host = host
        self._goal = Goal()
        self._ignored = Ignored.CARRY
        self._proposal: Proposal | None = None
        self._round = 0
        self._asked: Asked | None = None
        self._running = False
        self._whole = True
        self._switching = False
        self._unproved: tuple[Failure, Proposal | None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether a restore is under way."""
        return self._running

    @property
    def can_stop(self) -> bool:
        """Whether a restore is under way that can still be stopped."""
        return self._running and not self._switching

    @property
    def ignored(self) -> Ignored:
        """What was chosen for ignored files."""
        return self._ignored

    def plan(self, goal: Goal, ignored: Ignored = Ignored.CARRY) -> None:
        """Ask for a plan."""
        self._goal, self._ignored = goal, ignored
        self.look_again()

    def choose_ignored(self, ignored: Ignored) -> None:
        """Ask for the plan anew, with another choice for ignored files."""
        if not self._running:
            self._ignored = ignored
            self.look_again()

    def look_again(self) -> None:
        """Ask for the plan anew."""
        if self._running:
            return
        self.let_go()
        self._proposal = self._unproved = None
        self.looking.emit()
        self._ask_plan(self._on_proposal, self._on_not_planned)

    def go_on(self) -> None:
        """Ask anew what could not be answered: how a restore ended, or else for the plan."""
        if self._unproved is None:
            self.look_again()
        elif not self._running:
            self._check(*self._unproved)

    def go_back(self, *, despite_in_use: bool) -> None:
        """Run the plan that was shown last."""
        proposal = self._begin(whole=True)
        if proposal is None:
            return
        command = Restore(
            checkpoint=self._goal.checkpoint,
            undo=self._goal.undo,
            token=proposal.plan.token,
            ignored=self._ignored,
            despite_in_use=despite_in_use,
        )
        here = self._round
        self._asked = self._host.ask(
            command,
            functools.partial(self._on_restored, here),
            functools.partial(self._on_failed, here),
            functools.partial(self._on_progress, here),
        )

    def get_files(self, paths: tuple[bytes, ...]) -> None:
        """Put chosen files of the plan's checkpoint back in place."""
        proposal = self._begin(whole=False)
        if proposal is None:
            return
        here = self._round
        self._asked = self._host.ask(
            Recover(checkpoint=proposal.plan.target.id, token=proposal.plan.token, paths=paths),
            functools.partial(self._on_files, here, paths),
            functools.partial(self._on_failed, here),
            functools.partial(self._on_progress, here),
        )

    def stop(self) -> None:
        """Ask a running restore to stop; what became of it is told by the signals."""
        if self.can_stop and self._asked is not None:
            self._asked.cancel()

    def let_go(self) -> None:
        """Drop the question under way, unless it restores: that is never left alone."""
        if not self._running:
            self._round += 1
            if self._asked is not None:
                self._asked.cancel()
            self._asked = None

    def leave(self) -> None:
        """Hear nothing more: the guide is being closed."""
        self._running = False
        self._round += 1
        self._asked = None

    def _begin(self, *, whole: bool) -> Proposal | None:
        proposal = self._proposal
        if self._running or proposal is None:
            return None
        self._round += 1
        self._running, self._whole, self._switching = True, whole, not whole
        self.running.emit(whole)
        return proposal

    def _on_progress(self, here: int, step: str, done: int, total: int | None) -> None:
        if here != self._round or not self._running:
            return
        if step in {Step.SWITCHED, Step.RECORDED, Step.SETTLED}:
            self._switching = True
        self.progressed.emit(step, done, total)

    def _on_restored(self, here: int, record: RestoreRecord) -> None:
        if here != self._round:
            return
        if record.state is not RestoreState.DONE:
            self._on_failed(here, Failure(record.state, "The restore was not carried out.", ""))
            return
        self._end()
        self.restored.emit(record)

    def _on_files(self, here: int, paths: tuple[bytes, ...], answer: Recovered) -> None:
        if here != self._round:
            return
        before = self._proposal.plan.before if self._proposal else None
        self._end()
        self.files_back.emit(FilesBack(answer, paths, before))

    def _on_failed(self, here: int, failure: Failure) -> None:
        if here != self._round:
            return
        shown = self._proposal
        self._end()
        self._check(failure, shown)

    def _check(self, failure: Failure, shown: Proposal | None) -> None:
        self._round += 1
        self._unproved = (failure, shown)
        self.checking.emit(failure)
        self._ask_plan(
            functools.partial(self._on_checked, failure, shown), functools.partial(self._on_unchecked, failure)
        )

    def _on_checked(self, failure: Failure, shown: Proposal | None, fresh: Proposal) -> None:
        self._proposal, self._unproved = fresh, None
        if shown is not None and shown.plan.token == fresh.plan.token:
            proof = Proof.UNCHANGED
        elif fresh.before is not None and fresh.before.content_token == fresh.plan.target.content_token:
            proof = Proof.ARRIVED
        else:
            proof = Proof.MOVED
        self.stopped.emit(Stopped(failure, self._whole, proof, fresh))

    def _on_unchecked(self, failure: Failure, _: Failure) -> None:
        self.stopped.emit(Stopped(failure, self._whole, Proof.UNKNOWN, None))

    def _end(self) -> None:
        self._running = self._switching = False
        self._asked = None
        self._proposal = None

    def _on_proposal(self, proposal: Proposal) -> None:
        self._proposal = proposal
        self.planned.emit(proposal)

    def _on_not_planned(self, failure: Failure) -> None:
        self.not_planned.emit(failure)

    def _ask_plan(self, on_proposal: Callable[[Proposal], None], on_failure: Callable[[Failure], None]) -> None:
        here = self._round
        self._asked = self._host.ask(
            PlanRestore(checkpoint=self._goal.checkpoint, undo=self._goal.undo, ignored=self._ignored),
            functools.partial(self._on_plan, here, on_proposal),
            functools.partial(self._on_no_plan, here, on_failure),
        )

    def _on_plan(self, here: int, on_proposal: Callable[[Proposal], None], plan: RestorePlan) -> None:
        """Find the checkpoint of the folder as it is now: the newest one, if the plan says so."""
        if here != self._round:
            return
        if plan.before is None:
            self._asked = None
            on_proposal(Proposal(plan, None))
            return
        self._asked = self._host.ask(
            ListCheckpoints(memory=self._memory.id, limit=1),
            functools.partial(self._on_newest, here, on_proposal, plan),
            functools.partial(self._on_no_newest, here, on_proposal, plan),
        )

    def _on_newest(
        self, here: int, on_proposal: Callable[[Proposal], None], plan: RestorePlan, page: CheckpointPage
    ) -> None:
        if here == self._round:
            self._asked = None
            on_proposal(Proposal(plan, next((one for one in page.checkpoints if one.id == plan.before), None)))

    def _on_no_newest(self, here: int, on_proposal: Callable[[Proposal], None], plan: RestorePlan, _: Failure) -> None:
        if here == self._round:
            self._asked = None
            on_proposal(Proposal(plan, None))

    def _on_no_plan(self, here: int, on_failure: Callable[[Failure], None], failure: Failure) -> None:
        if here == self._round:
            self._asked = None
            on_failure(failure)
