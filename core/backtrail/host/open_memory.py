"""One memory, opened under the Host's lock: the only way to look at it, keep it or change it.

Owns the order of steps for one memory and its stat cache while it is open. Knows no wording and no terminal.
"""

import os
import threading
from types import TracebackType
from typing import Self

from backtrail.checkpoints.reconcile import Reconciled, reconcile
from backtrail.git.leftovers import sweep
from backtrail.git.objects import Objects
from backtrail.git.repository import Repository
from backtrail.host.recent_looks import RecentLooks
from backtrail.inbox.observing import Observed, Observer
from backtrail.memories.register import Register
from backtrail.model.checkpoint import OBSERVED, Cause, Checkpoint, Context, Origin
from backtrail.model.clock import Clock
from backtrail.model.errors import BacktrailError
from backtrail.model.errors.repository import NotReachable
from backtrail.model.ids import MemoryId
from backtrail.model.memory import Memory, Protection, ProtectionState
from backtrail.model.progress import SILENT, Forward, Progress
from backtrail.scan.look import Looker
from backtrail.scan.stat_cache import StatCache
from backtrail.store.database import Database

LOCAL_HUMAN = "local-human"
"""The one person that the Host admits (record: recovery checkpoints)."""


class OpenMemory:
    """A memory that is open for work. Made by the Host alone."""

    def __init__(
        self,
        memory: Memory,
        database: Database,
        register: Register,
        clock: Clock,
        others: frozenset[MemoryId],
        turn: "threading.RLock | None" = None,
        recent: RecentLooks | None = None,
    ) -> None:
        """`turn`: held while the memory is open, so that one thread of the Host at a time works on it.

        recent: what the Host keeps of earlier looks.
        """
        self._turn = turn or threading.RLock()
        self.memory = memory
        self.database = database
        self.clock = clock
        self._others = others
        self._recent = RecentLooks() if recent is None else recent
        self._register = register
        self._cache_file = register.folder_of(memory.id) / "stat-cache"

    def __enter__(self) -> Self:
        """Open the repository and bring rows and refs together. Raises an error of `model.errors.repository`."""
        self._turn.acquire()
        try:
            return self._opened()
        except BaseException:
            self._turn.release()
            raise

    def _opened(self) -> Self:
        try:
            self.repository = Repository.open(self.memory.path)
        except BacktrailError as error:
            self._not_kept(error)
            raise
        self.objects = Objects(self.repository)
        cache = self._recent.get(self.memory.id) or StatCache.load(self._cache_file)
        self.looker = Looker(self.repository, cache, self.clock, self.memory.size_cap)
        self._known, self._fits = self.looker.cache.known, True
        try:
            sweep(self.objects.folder)
            self.reconciled: Reconciled = reconcile(self.repository, self.memory.id, self.database, self._others)
        except BacktrailError as error:
            self.repository.close()
            self._not_kept(error)
            raise
        except OSError as error:
            self.repository.close()
            refused = NotReachable(self.memory.path, f"{error.strerror}: {os.fsdecode(error.filename or b'')}")
            self._not_kept(refused)
            raise refused from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._fits:
                self._recent.keep(self.memory.id, self.looker.cache)
            if self.looker.cache.known != self._known:
                self.looker.cache.save(self._cache_file)
            self.repository.close()
        finally:
            self._turn.release()

    def opened_again(self, cache: StatCache | None) -> "OpenMemory":
        """Return the same memory to be opened anew: after a switch another folder stands at its path.

        cache: the stat cache that fits the new folder.
        """
        self._recent.forget(self.memory.id)
        self._fits = False
        if cache is not None:
            cache.save(self._cache_file)
            self._known = self.looker.cache.known  # what was known of the old folder is not written back
        return OpenMemory(
            self.memory, self.database, self._register, self.clock, self._others, self._turn, self._recent
        )

    def scan(self, *, full_hash: bool = False, context: Context = OBSERVED, progress: Progress = SILENT) -> Observed:
        """Look, and record what the look leads to. Raises an error of `model.errors.repository`.

        progress: told of each `LookStep`, only ever forward; Cancelled from it stops the look with nothing recorded.
        """
        told = progress if progress is SILENT else Forward(progress)
        try:
            look = self.looker.look(full_hash=full_hash, progress=told)
            return Observer(self.memory, self.looker, self.database).observe(look, self.clock(), context, told)
        except BacktrailError as error:
            self._not_kept(error)
            raise

    def take(self, note: str | None = None, progress: Progress = SILENT) -> Checkpoint:
        """Keep the present state because a person asked. Raises what kept it from being captured."""
        context = Context(Origin.HUMAN_COMMAND, Cause.HUMAN_CHECKPOINT, LOCAL_HUMAN, None, note)
        observed = self.scan(context=context, progress=progress)
        if observed.failure is not None:
            raise observed.failure
        if observed.checkpoint is None:
            raise AssertionError("a human command always gets a checkpoint")
        return observed.checkpoint

    def _not_kept(self, error: BacktrailError) -> None:
        """Say that the memory is not kept, since when and why (case B79)."""
        now = self.clock()
        before = self.memory.protection
        same = (before.state, before.reason) == (ProtectionState.NOT_PROTECTED, error.code)
        since = before.since if same and before.since else now
        self.database.memories.set_protection(
            self.memory.id, Protection(ProtectionState.NOT_PROTECTED, error.code, since, before.looked_at)
        )
