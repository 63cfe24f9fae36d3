"""The Host as a process that serves: it watches, answers front ends, and tells them what became durable.

Owns the way from a request to its answer and to the events that it leads to, the server, and lending the data folder.
Events are never waited for, and what they say has happened is durable by then.
"""

import concurrent.futures
import logging
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

import msgspec

from backtrail.host.answering import Answering
from backtrail.host.first_look import FirstLook
from backtrail.host.gate import Gate
from backtrail.host.host import Host
from backtrail.host.looking import Looking
from backtrail.host.queues import Queues
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.commands import (
    AddMemory,
    AnyCommand,
    Command,
    DeleteArchive,
    Done,
    LeaveOut,
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
    RestoreFinished,
)
from backtrail.model.ids import MemoryId
from backtrail.model.memory import Memory
from backtrail.model.progress import Progress
from backtrail.model.restore import RestoreRecord
from backtrail.wire.address import socket_to_serve
from backtrail.wire.calls import Call
from backtrail.wire.coding import NotACommand, command_of, message_of, result_of
from backtrail.wire.messages import JsonObject
from backtrail.wire.server import Server

_log = logging.getLogger(__name__)
_WORKERS = 8
_NAMED_IN_EVENT = 100  # of the longest paths that there are, these still fit into one message
_GRACE_S = 0.25
_LENT_S = 2.0


class Serving:
    """Serves one open Host until `close`. Use as a context manager."""

    def __init__(self, host: Host, heard: Callable[[HostEvent], None] | None = None) -> None:
        """`heard` is given each event too, on the thread that it comes from."""
        self._heard = heard
        self._host = host
        self._answering = Answering(host, self._watched)
        self._workers = concurrent.futures.ThreadPoolExecutor(_WORKERS, "backtrail-answer")
        self._queues = Queues()
        self._gate = Gate()
        self._looking = Looking(host, self._answering, self._queues, self._gate, self._publish_scan, self._publish)
        self._stopping = threading.Event()
        self.failed = threading.Event()
        self._lent: threading.Thread | None = None
        self._server: Server | None = None

    def __enter__(self) -> Self:
        """Begin to serve and to watch. Raises OSError if the socket cannot be made."""
        self._server = Server.open(socket_to_serve(self._host.home), self, lock_held=True)
        self._looking.begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop watching, let what runs come to its end, and close the server."""
        self._stopping.set()
        if self._lent is not None:
            self._lent.join(_LENT_S)  # the Host is closed next; whoever has the data folder for longer keeps it
        self._looking.close()
        self._queues.close()
        self._workers.shutdown(wait=True, cancel_futures=True)
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
        return self._queues.submit(memory_id, self._do, command, call, memory_id)

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
        self._looking.begin_anew()

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
            case ((AddMemory() | Scan() | LeaveOut()), ScanResult()):
                if isinstance(command, AddMemory):
                    self._looking.watch(answer.memory)
                self._publish_scan(answer)
            case ((PauseMemory() | ResumeMemory()), Memory()):
                self._publish(MemoryChanged(memory=answer.id))
                self._looking.pause_changed(answer)
            case ((MoveMemory() | SetMemory()), Memory()):
                self._looking.changed(answer)
                self._publish(MemoryChanged(memory=answer.id))
            case TakeCheckpoint(), Checkpoint():
                self._publish_checkpoint(answer)
            case Recover(), Recovered(checkpoint=Checkpoint() as taken):
                self._publish_checkpoint(taken)
            case Restore(), RestoreRecord() if memory_id is not None:
                self._looking.switched(memory_id)
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
