"""The Host as a process that serves: it watches, answers front ends, and tells them what became durable.

Owns a queue per memory (a thread each, so that one odd repository never stops the others), the watcher's hints and what
they lead to, and the server. Events are never waited for, and what they say has happened is durable by then.
"""

import concurrent.futures
import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

import msgspec

from backtrail.git.index_file import index_lock
from backtrail.git.repository import Repository, git_folder_of
from backtrail.host.answering import Answering
from backtrail.host.first_look import FirstLook, UntilStopped
from backtrail.host.folder_ignoring import FolderIgnoring
from backtrail.host.gate import Gate
from backtrail.host.host import Host
from backtrail.host.time_watch import TimeWatch
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.commands import (
    AddMemory,
    AnyCommand,
    Command,
    DeleteArchive,
    Done,
    Lend,
    MoveMemory,
    PauseMemory,
    Recover,
    Recovered,
    Restore,
    ResumeMemory,
    Scan,
    ScanResult,
    SetMemory,
    TakeCheckpoint,
)
from backtrail.model.errors import BacktrailError
from backtrail.model.errors.host import UnknownCommand
from backtrail.model.events import (
    ArchiveDeleted,
    CheckpointRecorded,
    HostEvent,
    MemoryChanged,
    MemoryObserved,
    ProtectionChanged,
    RestoreFinished,
    WatchChanged,
)
from backtrail.model.ids import MemoryId
from backtrail.model.memory import Memory, MemoryState
from backtrail.model.progress import Cancelled, Progress
from backtrail.model.restore import RestoreRecord
from backtrail.model.watching import WatchState
from backtrail.watch.watcher import Watcher
from backtrail.wire.address import socket_to_serve
from backtrail.wire.calls import Call
from backtrail.wire.coding import NotACommand, command_of, message_of, result_of
from backtrail.wire.messages import JsonObject
from backtrail.wire.server import Server

_log = logging.getLogger(__name__)
_WORKERS = 8
_NAMED_IN_EVENT = 100  # of the longest paths that there are, these still fit into one message
_GRACE_S = 0.25
_PATIENCE_S = 30.0
_POLL_S = 0.1
_LENT_S = 2.0


class Serving:
    """Serves one open Host until `close`. Use as a context manager."""

    def __init__(self, host: Host, heard: Callable[[HostEvent], None] | None = None) -> None:
        """`heard` is given each event too, on the thread that it comes from."""
        self._heard = heard
        self._host = host
        self._answering = Answering(host, self._watched)
        self._workers = concurrent.futures.ThreadPoolExecutor(_WORKERS, "backtrail-answer")
        self._queues: dict[MemoryId, concurrent.futures.ThreadPoolExecutor] = {}
        self._hinted: dict[MemoryId, concurrent.futures.Future[None]] = {}
        self._guard = threading.Lock()
        self._gate = Gate()
        self._stopping = threading.Event()
        self.failed = threading.Event()
        self._watcher = Watcher(self._on_hint, self._on_watch_state)
        self._time = TimeWatch(self._end_pauses, self._look_at_all)
        self._paused: dict[MemoryId, Memory] = {}
        self._lent: threading.Thread | None = None
        self._server: Server | None = None

    def __enter__(self) -> Self:
        """Begin to serve and to watch. Raises OSError if the socket cannot be made."""
        self._server = Server.open(socket_to_serve(self._host.home), self, lock_held=True)
        self._begin_watching()
        self._time.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop watching, let what runs come to its end, and close the server."""
        self._stopping.set()
        if self._lent is not None:
            self._lent.join(_LENT_S)  # the Host is closed next; whoever has the data folder for longer keeps it
        self._time.close()
        self._watcher.close()
        with self._guard:
            queues = list(self._queues.values())
        for queue in (*queues, self._workers):
            queue.shutdown(wait=True, cancel_futures=True)
        if self._server is not None:
            self._server.close()

    @property
    def workers(self) -> concurrent.futures.Executor:
        """The threads that requests begin on."""
        return self._workers

    def handle(self, call: Call) -> object:
        """Answer a request: at once, or as a Future from the queue of the memory that it is about."""
        try:
            command = command_of(call.command, call.arguments, AnyCommand)
        except NotACommand as error:
            raise UnknownCommand(call.command, str(error)) from error
        if isinstance(command, Lend):
            return self._lend()
        with self._gate.inside():
            memory_id = self._answering.memory_of(command)
        if memory_id is None:
            return self._do(command, call, None)
        return self._queue(memory_id).submit(self._do, command, call, memory_id)

    def _lend(self) -> object:
        """Step aside for a process that will take the data folder's lock now; come back when it lets go of it."""
        self._gate.close()
        try:
            self._host.step_aside()
        except BaseException:
            self._gate.open()
            raise
        self._lent = threading.Thread(target=self._come_back, name="backtrail-lent", daemon=True)
        self._lent.start()
        return result_of(Done())

    def _come_back(self) -> None:
        """Take the data folder again, and look at everything: whoever had it may have changed anything."""
        self._stopping.wait(_GRACE_S)
        try:
            self._host.step_back()
        except Exception:  # noqa: BLE001 - the edge of a thread: it is logged, and the process ends
            _log.exception("the data folder cannot be taken back; the process ends")
            self.failed.set()
            return
        self._gate.open()
        if self._stopping.is_set():
            return
        self._publish(MemoryChanged(memory=None))
        self._begin_watching()

    def _begin_watching(self) -> None:
        """Watch every attached memory, and look at each."""
        with self._guard:
            self._paused.clear()
        for memory in self._host.memories():
            if memory.state is MemoryState.ATTACHED:
                self._note_pause(memory)
                self._watch(memory)
                self._hint(memory.id)

    def _note_pause(self, memory: Memory) -> None:
        with self._guard:
            self._paused.pop(memory.id, None)
            if memory.paused_until is not None:
                self._paused[memory.id] = memory

    def _end_pauses(self) -> None:
        """Look at memories whose pause is over."""
        now = self._host.clock()
        with self._guard:
            over = [memory.id for memory in self._paused.values() if not memory.is_paused(now)]
        for memory_id in over:
            self._hint(memory_id)

    def _look_at_all(self) -> None:
        """Look at every memory: the machine was asleep, and its folders may have been reached from elsewhere."""
        with self._gate.inside():
            memories = self._host.memories()
        for memory in memories:
            if memory.state is MemoryState.ATTACHED:
                self._hint(memory.id)

    def facts(self, error: BacktrailError) -> JsonObject:
        """Return the facts of an error as JSON values."""
        return {name: msgspec.to_builtins(value) for name, value in error.facts().items()}

    def _do(self, command: Command[object], call: Call, memory_id: MemoryId | None) -> object:
        call.check()
        with self._gate.inside():
            try:
                answer = self._answering.answer(command, call)
            except BaseException:
                if isinstance(command, AddMemory | Scan | TakeCheckpoint):
                    self._publish(MemoryChanged(memory=memory_id))  # no first checkpoint is being made any more
                raise
            self._after(command, answer, memory_id)
        return result_of(answer)

    def _after(self, command: Command[object], answer: object, memory_id: MemoryId | None) -> None:
        """Watch, stop watching or watch anew, and tell what happened.

        memory_id: what the command was about before it was done; an archive that is gone tells it no more.
        """
        match command, answer:
            case ((AddMemory() | Scan()), ScanResult()):
                if isinstance(command, AddMemory):
                    self._watch(answer.memory)
                self._publish_scan(answer)
            case ((PauseMemory() | ResumeMemory()), Memory()):
                self._note_pause(answer)
                self._publish(MemoryChanged(memory=answer.id))
                self._hint(answer.id)
            case ((MoveMemory() | SetMemory()), Memory()):
                self._note_pause(answer)
                self._watcher.remove(answer.id)
                if answer.state is MemoryState.ATTACHED:
                    self._watch(answer)
                    self._hint(answer.id)
                self._publish(MemoryChanged(memory=answer.id))
            case TakeCheckpoint(), Checkpoint():
                self._publish_checkpoint(answer)
            case Recover(), Recovered(checkpoint=Checkpoint() as taken):
                self._publish_checkpoint(taken)
            case Restore(), RestoreRecord() if memory_id is not None:
                self._watcher.renew(memory_id)
                self._publish(RestoreFinished(memory=memory_id))
            case DeleteArchive(), _ if memory_id is not None:
                self._publish(ArchiveDeleted(memory=memory_id))
            case _:
                pass

    def _watched(self, memory: Memory, progress: Progress) -> Progress:
        """Let everybody hear how far the first checkpoint of a memory is."""
        if memory.protection.looked_at is not None:
            return progress
        return FirstLook(memory.id, self._publish, progress)

    def _publish_scan(self, result: ScanResult) -> None:
        if result.checkpoint is not None:
            self._publish_checkpoint(result.checkpoint)
        names = len(result.coverage.left_out) + len(result.failure_paths)
        named = names <= _NAMED_IN_EVENT  # else who wants the names has the Host look
        self._publish(
            MemoryObserved(
                memory=result.memory.id,
                protection=result.protection,
                left_out=result.coverage.left_out if named else None,
                failure_paths=result.failure_paths if named else None,
            )
        )

    def _publish_checkpoint(self, taken: Checkpoint) -> None:
        self._publish(CheckpointRecorded(memory=taken.memory_id, lost=len(taken.lost), kept_in=taken.kept_in))

    def _publish(self, event: HostEvent) -> None:
        if self._heard is not None:
            self._heard(event)
        if self._server is not None:
            self._server.publish(message_of(event))

    def _queue(self, memory_id: MemoryId) -> concurrent.futures.ThreadPoolExecutor:
        with self._guard:
            if memory_id not in self._queues:
                self._queues[memory_id] = concurrent.futures.ThreadPoolExecutor(1, f"backtrail-{memory_id[:8]}")
            return self._queues[memory_id]

    def _on_hint(self, key: str) -> None:
        self._hint(MemoryId(key))

    def _hint(self, memory_id: MemoryId) -> None:
        """Look at a memory when its queue comes to it; at most one such look waits."""
        queue = self._queue(memory_id)
        with self._guard:
            waiting = self._hinted.get(memory_id)
            if waiting is None or waiting.done() or waiting.running():
                self._hinted[memory_id] = queue.submit(self._look, memory_id)

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
            self._publish(ProtectionChanged(memory=memory_id, code=error.code))
        except Exception:  # noqa: BLE001 - the edge of a queue: it is logged, told, and the queue goes on
            _log.exception("look at %s", memory_id)
            self._publish(ProtectionChanged(memory=memory_id, code="internal"))
        else:
            self._publish_scan(result)
        finally:
            self._watcher.looked(memory_id, time.monotonic() - begin)

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

    def _on_watch_state(self, key: str, state: WatchState) -> None:
        self._publish(WatchChanged(memory=MemoryId(key), watch=state))

    def _watch(self, memory: Memory) -> None:
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
