"""One look becomes one transaction: checkpoint row, Source Event, Admission and observation, together or not at all.

Source: record "memory changes enter the Inbox". Owns when a checkpoint is taken and when the Inbox is told:
- a state seen first is a silent baseline: a checkpoint, no event;
- a state that is not the last checkpoint's is captured, and tried again at the next look if that failed;
- a state that is not the observed one makes one event. If the transaction fails the observation stays, and so does the
  next look's chance.
"""

import datetime
import os

import msgspec

from backtrail.checkpoints.capture import Capture
from backtrail.checkpoints.state_trees import StateTrees
from backtrail.git.objects import Objects
from backtrail.inbox.change import describe_change
from backtrail.inbox.view import StateView
from backtrail.model.checkpoint import OBSERVED, Checkpoint, Context, Origin
from backtrail.model.errors import BacktrailError
from backtrail.model.ids import RelPath, Token, new_id
from backtrail.model.inbox import Admission, AdmissionState, EventKind, SourceEvent
from backtrail.model.memory import BY_CHOICE, PAUSED, Memory, Protection, ProtectionState
from backtrail.model.observation import Observation
from backtrail.model.progress import SILENT, Progress
from backtrail.scan.look import Look, Looker
from backtrail.store.database import Database

LEFT_OUT = "left-out"
"""The reason of a degraded protection: some paths are not held."""


class Observed(msgspec.Struct, frozen=True):
    """What one look led to. `failure` tells why there is no checkpoint although there should be one.

    changed: the state is not the observed one. latest: the newest checkpoint after the look.
    """

    look: Look
    changed: bool
    checkpoint: Checkpoint | None
    latest: Checkpoint | None
    event: SourceEvent | None
    protection: Protection
    failure: BacktrailError | None


class Observer:
    """Turns looks at one memory into checkpoints and events. The caller holds that memory's lock."""

    def __init__(self, memory: Memory, looker: Looker, database: Database) -> None:
        self._memory = memory
        self._looker = looker
        self._database = database
        self._objects = Objects(looker.repository)

    def observe(
        self, look: Look, now: datetime.datetime, context: Context = OBSERVED, progress: Progress = SILENT
    ) -> Observed:
        """Record a look. A human command (`context`) always gets a checkpoint row of its own.

        progress: may stop it while nothing is recorded yet. Raises only where the database or the repository fails; a
        state that cannot be captured is in `failure`.
        """
        database, memory = self._database, self._memory
        latest = database.checkpoints.latest(memory.id)
        observation = database.observations.get(memory.id)
        taken: Checkpoint | None = None
        failure: BacktrailError | None = None
        trees: StateTrees | None = None
        if latest is None or latest.content_token != look.token or context.origin is not Origin.HOST_OBSERVATION:
            try:
                capture = Capture(memory.id, self._looker, database.checkpoints)
                captured = capture.take(look, context, latest, now, progress)
                taken, look, trees = captured.checkpoint, captured.look, captured.trees
            except BacktrailError as error:
                failure = error
        protection = self._protection(look, failure, now)
        moved = observation is None or observation.token != look.token
        if moved and trees is None:
            trees = StateTrees(self._objects, look.state, self._looker.cache)
        event = None  # the first observation is silent
        if moved and observation is not None and trees is not None:
            event = self._event(trees, observation, now)
        newest = taken or latest
        with database.transaction():
            if taken is not None:
                database.checkpoints.record(taken)
            if event is not None:
                database.inbox.admit(event, Admission(new_id(), event.id, memory.bot, AdmissionState.PENDING))
            if trees is not None:
                database.observations.put(self._observation(look, trees, newest, now))
            database.memories.set_protection(memory.id, protection)
        return Observed(look, moved, taken, newest, event, protection, failure)

    def _event(self, trees: StateTrees, observation: Observation, now: datetime.datetime) -> SourceEvent:
        """Return the event for what moved since the observation."""
        base = self._database.checkpoints.get(observation.checkpoint) if observation.checkpoint else None
        moved = StateView(trees).moved_since(observation, base)
        change = describe_change(self._objects, trees, observation, moved, self._is_present)
        return SourceEvent(new_id(), self._memory.id, EventKind.MEMORY_CHANGE, now, change)

    def _is_present(self, path: RelPath) -> bool:
        return os.path.lexists(os.path.join(self._memory.path, path))

    def _observation(
        self, look: Look, trees: StateTrees, newest: Checkpoint | None, now: datetime.datetime
    ) -> Observation:
        captured = newest is not None and newest.content_token == look.token
        return Observation(
            memory_id=self._memory.id,
            token=Token(look.token),
            branch=look.state.branch,
            head=look.state.head,
            checkpoint=newest.id if newest else None,
            beyond=() if captured else tuple(StateView(trees).beyond(newest).values()),
            at=now,
        )

    def _protection(self, look: Look, failure: BacktrailError | None, now: datetime.datetime) -> Protection:
        """Return the one honest answer. `since` stays where the answer stays (case B79)."""
        known = self._database.memories.get(self._memory.id) or self._memory
        state: ProtectionState
        reason: str | None
        if failure is not None:
            state, reason = ProtectionState.NOT_PROTECTED, failure.code
        elif known.unexpected(look.state.coverage.left_out):
            state, reason = ProtectionState.DEGRADED, LEFT_OUT
        else:
            state, reason = ProtectionState.PROTECTED, None if look.state.coverage.complete else BY_CHOICE
        if failure is None and known.is_paused(now):
            return Protection(ProtectionState.NOT_PROTECTED, PAUSED, now, now)
        before = known.protection
        same = (before.state, before.reason) == (state, reason) and before.since is not None
        return Protection(state, reason, before.since if same else now, now)
