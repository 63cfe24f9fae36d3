"""Looks that nobody asked for: after a hint of the watcher, at the start, after a sleep, and when a pause is over.

Owns which memories are watched, which are paused, and that at most one such look of a memory waits at its queue. A look
is a `Scan` like any other; what comes of it is told to `heard`.
"""

import logging
import threading
import time
from collections.abc import Callable

from backtrail.git.index_file import index_lock
from backtrail.git.repository import Repository, git_folder_of
from backtrail.host.answering import Answering
from backtrail.host.first_look import UntilStopped
from backtrail.host.folder_ignoring import FolderIgnoring
from backtrail.host.gate import Gate
from backtrail.host.host import Host
from backtrail.host.queues import Queues
from backtrail.host.time_watch import TimeWatch
from backtrail.model.commands import Scan, ScanResult
from backtrail.model.errors import BacktrailError
from backtrail.model.events import HostEvent, ProtectionChanged, WatchChanged
from backtrail.model.ids import MemoryId
from backtrail.model.memory import Memory, MemoryState
from backtrail.model.progress import Cancelled
from backtrail.model.watching import WatchState
from backtrail.watch.watcher import Watcher

_log = logging.getLogger(__name__)
_PATIENCE_S = 30.0
_POLL_S = 0.1


class Looking:
    """Looks at the memories of one serving Host from `begin` to `close`.

    looked: is given what each look led to. tell: is given every other event.
    """

    def __init__(
        self,
        host: Host,
        answering: Answering,
        queues: Queues,
        gate: Gate,
        looked: Callable[[ScanResult], None],
        tell: Callable[[HostEvent], None],
    ) -> None:
        self._host, self._answering, self._queues, self._gate = host, answering, queues, gate
        self._looked, self._tell = looked, tell
        self._guard = threading.Lock()
        self._paused: dict[MemoryId, Memory] = {}
        self._stopping = threading.Event()
        self._watcher = Watcher(self._on_hint, self._on_watch_state)
        self._time = TimeWatch(self._end_pauses, self._look_at_all)

    def begin(self) -> None:
        """Watch every attached memory, look at each, and look at the clock."""
        self.begin_anew()
        self._time.start()

    def begin_anew(self) -> None:
        """Watch every attached memory and look at each: whoever had the data folder may have changed anything."""
        with self._guard:
            self._paused.clear()
        for memory in self._host.memories():
            if memory.state is MemoryState.ATTACHED:
                self._note_pause(memory)
                self.watch(memory)
                self.look_soon(memory.id)

    def close(self) -> None:
        """Begin no look any more, and have one that runs stop where it may."""
        self._stopping.set()
        self._time.close()
        self._watcher.close()

    def watch(self, memory: Memory) -> None:
        """Watch a memory, or watch it anew: with the ignore rules as they are now, in the folder that is there now."""
        try:
            repository = Repository.open(memory.path)
        except BacktrailError as error:
            _log.info("watch %s: %s", memory.name, error.code)
            return
        try:
            rules = FolderIgnoring(repository)
            with self._guard:
                self._watcher.remove(memory.id)
                self._watcher.add(memory.id, memory.path, repository.git_dir, rules.is_ignored)
        finally:
            repository.close()

    def changed(self, memory: Memory) -> None:
        """Take in that a memory was moved or set: watch it anew and look at it, or leave it alone."""
        self._note_pause(memory)
        self._watcher.remove(memory.id)
        if memory.state is MemoryState.ATTACHED:
            self.watch(memory)
            self.look_soon(memory.id)

    def pause_changed(self, memory: Memory) -> None:
        """Take in that a memory was paused, or that its pause was ended: then look."""
        self._note_pause(memory)
        self.look_soon(memory.id)

    def switched(self, memory_id: MemoryId) -> None:
        """Take in that another folder stands at the memory's path."""
        self._watcher.renew(memory_id)

    def look_soon(self, memory_id: MemoryId) -> None:
        """Look at a memory when its queue comes to it; at most one such look waits."""
        self._queues.submit_once(memory_id, self._look, memory_id)

    def _look(self, memory_id: MemoryId) -> None:
        """Do a hinted look. What goes wrong is the memory's state, which is told; the queue goes on (case B79)."""
        if self._is_paused(memory_id):
            return
        self._wait_for_git(memory_id)
        begin = time.monotonic()
        try:
            with self._gate.inside():
                until_stopped = UntilStopped(self._stopping.is_set)
                result = self._answering.answer(Scan(memory=memory_id), until_stopped)
        except Cancelled:
            return
        except BacktrailError as error:
            _log.info("look at %s: %s", memory_id, error.code)
            self._tell(ProtectionChanged(memory=memory_id, code=error.code))
        except Exception:  # noqa: BLE001 - the edge of a queue: it is logged, told, and the queue goes on
            _log.exception("look at %s", memory_id)
            self._tell(ProtectionChanged(memory=memory_id, code="internal"))
        else:
            self._looked(result)
        finally:
            self._watcher.looked(memory_id, time.monotonic() - begin)

    def _wait_for_git(self, memory_id: MemoryId) -> None:
        """Let a switch of branches come to its end first: what it shows half way is nobody's state (case B68)."""
        with self._gate.inside():
            memory = self._host.database.memories.get(memory_id)
        if memory is None:
            return
        git_dir = git_folder_of(memory.path)
        if git_dir is None:
            return  # the look says so
        until = time.monotonic() + _PATIENCE_S
        while index_lock(git_dir) is not None and time.monotonic() < until and not self._stopping.wait(_POLL_S):
            pass  # a lock that somebody left behind costs this wait once a look, and stops nothing (case B64)

    # pauses and sleep

    def _note_pause(self, memory: Memory) -> None:
        with self._guard:
            self._paused.pop(memory.id, None)
            if memory.paused_until is not None:
                self._paused[memory.id] = memory

    def _is_paused(self, memory_id: MemoryId) -> bool:
        """Tell whether a memory is paused; a pause whose time has passed is ended."""
        with self._gate.inside():
            memory = self._host.database.memories.get(memory_id)
            if memory is None or memory.paused_until is None:
                return False
            if memory.is_paused(self._host.clock()):
                return True
            self._note_pause(self._host.lifecycle().resume(memory))
            return False

    def _end_pauses(self) -> None:
        """Look at memories whose pause is over."""
        now = self._host.clock()
        with self._guard:
            over = [memory.id for memory in self._paused.values() if not memory.is_paused(now)]
        for memory_id in over:
            self.look_soon(memory_id)

    def _look_at_all(self) -> None:
        """Look at every memory: the machine was asleep, and its folders may have been reached from elsewhere."""
        with self._gate.inside():
            memories = self._host.memories()
        for memory in memories:
            if memory.state is MemoryState.ATTACHED:
                self.look_soon(memory.id)

    # what the watcher tells

    def _on_hint(self, key: str) -> None:
        self.look_soon(MemoryId(key))

    def _on_watch_state(self, key: str, state: WatchState) -> None:
        self._tell(WatchChanged(memory=MemoryId(key), watch=state))
