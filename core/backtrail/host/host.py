"""The Host: one per data folder, under its lock for as long as it is open. It alone opens the database.

Owns start-up (the lock, the database or a new one, unfinished restores), finding things by what a person typed, and
opening memories one at a time. Serves no socket: a command runs one inside itself (design: house, processes).
"""

import contextlib
import gc
import logging
import math
import pathlib
import resource
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Self

import msgspec

from backtrail.host.data_folder import WAIT_S, DataFolder
from backtrail.host.open_memory import OpenMemory
from backtrail.host.rebuilding import memories_written_down, set_aside
from backtrail.host.recent_looks import RecentLooks
from backtrail.host.restoring import Restoring
from backtrail.memories.finding import find_memory
from backtrail.memories.lifecycle import Lifecycle
from backtrail.memories.register import Register
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.clock import Clock, system_clock
from backtrail.model.errors import BacktrailError
from backtrail.model.errors.host import DatabaseDamaged
from backtrail.model.errors.lookup import Ambiguous, Unknown
from backtrail.model.errors.memory import WrongState
from backtrail.model.errors.restore import RestoreUnfinished
from backtrail.model.ids import MemoryId
from backtrail.model.memory import Memory, MemoryState, Protection, ProtectionState
from backtrail.model.notices import Notice, NoticeCode
from backtrail.model.observation import Observation
from backtrail.model.progress import SILENT, Progress
from backtrail.model.restore import RestoreState
from backtrail.restore.archives import Archive, archives, find_archive
from backtrail.restore.settling import settle
from backtrail.store.database import Database

_log = logging.getLogger(__name__)
_SHORTEST_PREFIX = 4
_FILES_WANTED = 65536
_VALUES_BETWEEN_COLLECTIONS = 100_000
"""A look makes hundreds of thousands of values and no circles: searched every 700, they took a fifth of its time."""


class Host:
    """Everything a command may ask for. Use as a context manager."""

    def __init__(self, folder: DataFolder, clock: Clock) -> None:
        self._folder = folder
        self.clock = clock
        self.notices: list[Notice] = []
        self.unfinished: dict[MemoryId, RestoreUnfinished] = {}
        self._settled: set[MemoryId] = set()
        self._turns: dict[MemoryId, threading.RLock] = {}
        self._recent = RecentLooks()
        self._guard = threading.Lock()

    @classmethod
    def open(cls, home: pathlib.Path, clock: Clock = system_clock, wait_s: float = WAIT_S) -> Self:
        """Take the data folder and make it ready. Raises errors of `model.errors.host`, NoSpace."""
        _raise_file_limit()
        gc.set_threshold(_VALUES_BETWEEN_COLLECTIONS, 20, 20)
        folder = DataFolder.open(home, wait_s)
        host = cls(folder, clock)
        try:
            host.database = host._open_database()
            host.register = Register(host.database, folder.memories)
            host._settle_restores()
        except BaseException:
            folder.close()
            raise
        return host

    database: Database
    register: Register

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database and let the next process in."""
        self.database.close()
        self._folder.close()

    def step_aside(self) -> None:
        """Give up database and lock, so that another process may work on the data folder. Nothing may be under way."""
        self.close()

    def step_back(self) -> None:
        """Take lock and database again, however long that takes. Raises errors of `model.errors.host`, NoSpace."""
        self._folder = DataFolder.open(self._folder.path, math.inf)
        self.notices.clear()
        self.database = self._open_database()
        self.register = Register(self.database, self._folder.memories)
        self._settle_restores()

    @property
    def home(self) -> pathlib.Path:
        """The data folder."""
        return self._folder.path

    @property
    def database_path(self) -> pathlib.Path:
        """The database's file."""
        return self._folder.database

    def _open_database(self) -> Database:
        path = self._folder.database
        if not path.exists():
            database = Database.open(path)
            if found := memories_written_down(self._folder, database):
                self.notices.append(Notice(NoticeCode.DATABASE_REBUILT, "", "", self._refill(database, found)))
            return database
        try:
            return Database.open(path)
        except DatabaseDamaged:
            return self._rebuilt(path)

    def rebuild(self) -> int:
        """Put the database aside and make a new one from the refs; return how many checkpoints were found."""
        self.database.close()
        self.database = self._rebuilt(self._folder.database)
        self.register = Register(self.database, self._folder.memories)
        return self.notices[-1].count

    def _rebuilt(self, path: pathlib.Path) -> Database:
        kept = set_aside(path, self.clock())
        database = Database.open(path)
        count = self._refill(database, memories_written_down(self._folder, database))
        self.notices.append(Notice(NoticeCode.DATABASE_REBUILT, "", str(kept), count))
        return database

    def _refill(self, database: Database, memories: list[Memory]) -> int:
        """Fill a new database from the repositories; return how many checkpoints were found."""
        register = Register(database, self._folder.memories)
        count = 0
        for memory in memories:
            others = frozenset(other.id for other in memories if other.id != memory.id)
            try:
                with OpenMemory(memory, database, register, self.clock, others) as work:
                    count += len(work.reconciled.recovered)
            except BacktrailError as error:
                _log.warning("%s: no checkpoints found: %s", memory.name, error.code)
            for archive in self._archives(memory):
                record = archive.journal.record(archive.places)
                database.restores.put(msgspec.structs.replace(record, memory_id=memory.id))
            latest = database.checkpoints.latest(memory.id)
            if latest is not None:
                database.observations.put(_as_observed(latest))
        return count

    def _settle_restores(self) -> None:
        """Finish or roll back what a kill left, of every memory that is worked on (case B87)."""
        self._settled.clear()
        for memory in self.memories():
            if memory.state is MemoryState.ATTACHED:
                self._settle(memory)

    def _settle(self, memory: Memory) -> None:
        """Settle one memory, once; one that is added or attached later comes here before it is first opened."""
        self._settled.add(memory.id)
        self.unfinished.pop(memory.id, None)
        try:
            switched, rolled_back = settle(memory.path)
            for item in switched:
                with self.open_memory(memory) as work:
                    Restoring(work).record(item.places, item.journal)
                self.notices.append(Notice(NoticeCode.RESTORE_FINISHED, memory.name, item.journal.id))
            for item in rolled_back:
                record = msgspec.structs.replace(
                    item.journal.record(item.places), memory_id=memory.id, state=RestoreState.ROLLED_BACK
                )
                self.database.restores.put(record)
                self.notices.append(Notice(NoticeCode.RESTORE_ROLLED_BACK, memory.name, item.journal.id))
        except RestoreUnfinished as error:
            self._block(memory, error)
        except BacktrailError as error:
            self._block(memory, RestoreUnfinished("", error.code))

    def _block(self, memory: Memory, error: RestoreUnfinished) -> None:
        """Refuse work on a memory until its restore is settled, and say so."""
        self.unfinished[memory.id] = error
        self.notices.append(Notice(NoticeCode.RESTORE_UNFINISHED, memory.name, error.reason))
        now = self.clock()
        self.database.memories.set_protection(
            memory.id, Protection(ProtectionState.NOT_PROTECTED, error.code, now, memory.protection.looked_at)
        )

    def memories(self) -> list[Memory]:
        """Return all memories but deleted ones, in order of adding."""
        return [memory for memory in self.database.memories.all() if memory.state is not MemoryState.DELETED]

    def memory(self, given: str | None) -> Memory:
        """Return the memory that a person named. Raises Unknown or Ambiguous."""
        return find_memory(self.memories(), given)

    def lifecycle(self) -> Lifecycle:
        """Return what adds memories and moves them through their lives."""
        return Lifecycle(self.register, self.home, self.database.memories.all(), self.clock)

    def open_memory(self, memory: Memory) -> OpenMemory:
        """Return a memory to be opened with `with`. Raises WrongState, RestoreUnfinished."""
        if memory.state is not MemoryState.ATTACHED:
            raise WrongState(memory.name, memory.state, MemoryState.ATTACHED)
        if memory.id not in self._settled:
            self._settle(memory)
        if (error := self.unfinished.get(memory.id)) is not None:
            raise error
        others = frozenset(other.id for other in self.database.memories.all() if other.id != memory.id)
        with self._guard:
            turn = self._turns.setdefault(memory.id, threading.RLock())
        return OpenMemory(memory, self.database, self.register, self.clock, others, turn, self._recent)

    @contextlib.contextmanager
    def added(self, path: bytes, name: str | None) -> Iterator[Memory]:
        """Take the working tree that holds `path`, for a first look; it is let go again if that fails or is stopped.

        Raises errors of `model.errors.repository` and `.memory`.
        """
        memory = self.lifecycle().add(path, name)
        try:
            yield memory
        except BaseException:
            self.lifecycle().move_to(memory, MemoryState.DELETED)
            raise

    def look_at(self, memory: Memory, progress: Progress = SILENT) -> Memory:
        """Look at a memory once, whatever comes of it; return it with the answer that the look gave."""
        with contextlib.suppress(BacktrailError), self.open_memory(memory) as work:
            work.scan(progress=progress)
        return self.database.memories.get(memory.id) or memory

    def checkpoint(self, given: str) -> tuple[Memory, Checkpoint]:
        """Return the checkpoint that an id or id prefix names, and its memory. Raises Unknown or Ambiguous."""
        found = self.database.checkpoints.find(given) if len(given) >= _SHORTEST_PREFIX else []
        memories = {memory.id: memory for memory in self.memories()}
        found = [checkpoint for checkpoint in found if checkpoint.memory_id in memories]
        if not found:
            raise Unknown("checkpoint", given)
        if len(found) > 1:
            raise Ambiguous("checkpoint", given, tuple(checkpoint.id for checkpoint in found))
        return memories[found[0].memory_id], found[0]

    def archives(self, memory: Memory | None = None) -> list[tuple[Memory, Archive]]:
        """Return the archives of one memory or of all, newest first within each."""
        memories = self.memories() if memory is None else [memory]
        return [(one, archive) for one in memories for archive in self._archives(one)]

    def archive(self, given: str) -> tuple[Memory, Archive]:
        """Return the archive (or restore) that an id or id prefix names. Raises Unknown or Ambiguous."""
        known = self.archives()
        found = find_archive([archive for _, archive in known], given)
        return next((memory, archive) for memory, archive in known if archive is found)

    def _archives(self, memory: Memory) -> Iterator[Archive]:
        yield from archives(memory.path)


def _as_observed(latest: Checkpoint) -> Observation:
    """Return the observation that a rebuilt memory goes on from: what differs from the last checkpoint is told anew."""
    return Observation(
        memory_id=latest.memory_id,
        token=latest.content_token,
        branch=latest.branch,
        head=latest.head,
        checkpoint=latest.id,
        beyond=(),
        at=latest.captured_at,
    )


def _raise_file_limit() -> None:
    """Let a deep tree be walked: each level of it is an open folder."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES_WANTED if hard == resource.RLIM_INFINITY else min(hard, _FILES_WANTED)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
