"""What the Host answers to each command of `model.commands`.

Owns nothing but the way from a command to the room that does it: the same for a command line that runs a Host inside
itself and for a front end behind the wire. Commands about one memory are run one at a time by the caller.
"""

import time
from collections.abc import Callable
from typing import TypeVar, cast

from backtrail.host.host import Host
from backtrail.host.omitting import count_again, leave_out
from backtrail.host.open_memory import OpenMemory
from backtrail.host.restoring import Restoring
from backtrail.inbox.observing import Observed
from backtrail.model.commands import (
    AddMemory,
    ArchiveInfo,
    Archives,
    CheckpointPage,
    Command,
    DeleteArchive,
    Done,
    HeadPage,
    LeaveOut,
    ListArchives,
    ListCheckpoints,
    ListHeads,
    ListMemories,
    Memories,
    MoveMemory,
    PauseMemory,
    PlanRestore,
    Recover,
    Recovered,
    Restore,
    ResumeMemory,
    Scan,
    ScanResult,
    SetMemory,
    TakeCheckpoint,
)
from backtrail.model.errors.capture import UnmergedIndex
from backtrail.model.errors.lookup import Unknown
from backtrail.model.ids import MemoryId
from backtrail.model.memory import Memory
from backtrail.model.progress import SILENT, Progress
from backtrail.model.restore import RestorePlan, RestoreRecord
from backtrail.restore.archives import Archive, delete_archive
from backtrail.restore.target import Target

A = TypeVar("A")
_IN_USE = "in-use"


def _by_the_asker(memory: Memory, progress: Progress) -> Progress:
    del memory
    return progress


class Answering:
    """Answers commands for one open Host."""

    def __init__(self, host: Host, watched: Callable[[Memory, Progress], Progress] = _by_the_asker) -> None:
        """`watched`: is given the memory and the asker's progress before a look, and returns the one to tell."""
        self._host = host
        self._watched = watched

    def answer(self, command: Command[A], progress: Progress = SILENT) -> A:
        """Do what a command asks; return its answer. Raises errors of `model.errors`."""
        return cast("A", self._answer(command, progress))

    def memory_of(self, command: Command[A]) -> MemoryId | None:
        """Return the memory a command is about, None where it is about none or not yet. Raises Unknown, Ambiguous."""
        match command:
            case Scan() | LeaveOut() | MoveMemory() | SetMemory() | PauseMemory() | ResumeMemory() | TakeCheckpoint():
                return self._host.memory(command.memory).id
            case PlanRestore() | Restore():
                return self._place(command.checkpoint, command.undo).id
            case Recover():
                return self._host.checkpoint(command.checkpoint)[0].id
            case DeleteArchive():
                return self._host.archive(command.archive)[0].id
            case _:
                return None

    def memory(self, command: PlanRestore | Restore) -> Memory:
        """Return the memory that a restore is about. Raises Unknown, Ambiguous."""
        return self._place(command.checkpoint, command.undo)

    def _answer(self, command: Command[A], progress: Progress) -> object:  # noqa: C901, PLR0912 - one line per command
        host = self._host
        match command:
            case ListMemories():
                return Memories(tuple(host.memories()))
            case AddMemory():
                return self._add(command, progress)
            case Scan():
                return self._scan(host.memory(command.memory), progress, full_hash=command.full_hash)
            case MoveMemory():
                return host.lifecycle().move_to(host.memory(command.memory), command.state)
            case SetMemory():
                return host.lifecycle().set(host.memory(command.memory), command.key, command.value)
            case LeaveOut():
                return self._leave_out(command)
            case PauseMemory():
                return host.lifecycle().pause(host.memory(command.memory), command.until)
            case ResumeMemory():
                return host.lifecycle().resume(host.memory(command.memory))
            case TakeCheckpoint():
                memory = host.memory(command.memory)
                with host.open_memory(memory) as work:
                    return work.take(command.note, self._watched(memory, progress))
            case ListCheckpoints():
                return self._page(command)
            case ListHeads():
                return self._heads(command)
            case PlanRestore():
                return self._plan(command)
            case Restore():
                return self._restore(command, progress)
            case Recover():
                return self._recover(command)
            case ListArchives():
                found = host.archives(None if command.memory is None else host.memory(command.memory))
                return Archives(tuple(self._archive_info(one, item) for one, item in found))
            case DeleteArchive():
                delete_archive(self._host.archive(command.archive)[1], for_good=command.for_good)
                return Done()
            case _:
                raise Unknown("command", type(command).__name__)

    def _add(self, command: AddMemory, progress: Progress) -> ScanResult:
        with self._host.added(command.path, command.name) as memory:
            return self._scan(memory, progress, full_hash=False)

    def _scan(self, memory: Memory, progress: Progress, *, full_hash: bool) -> ScanResult:
        begin = time.monotonic()
        with self._host.open_memory(memory) as work:
            observed = work.scan(full_hash=full_hash, progress=self._watched(memory, progress))
        return scan_result(self._host.database.memories.get(memory.id) or memory, observed, begin)

    def _leave_out(self, command: LeaveOut) -> ScanResult:
        begin = time.monotonic()
        memory = self._host.memory(command.memory)
        observed = (count_again if command.again else leave_out)(self._host, memory, command.paths)
        return scan_result(self._host.database.memories.get(memory.id) or memory, observed, begin)

    def _page(self, command: ListCheckpoints) -> CheckpointPage:
        memory = self._host.memory(command.memory)
        rows = self._host.database.checkpoints
        found = rows.page(
            memory.id,
            limit=command.limit + 1,
            below_seq=command.below_seq,
            branch=command.branch,
            origin=command.origin,
            since=command.since,
            with_losses=command.with_losses,
        )
        return CheckpointPage(tuple(found[: command.limit]), len(found) > command.limit, rows.count(memory.id))

    def _heads(self, command: ListHeads) -> HeadPage:
        memory = self._host.memory(command.memory)
        found = self._host.database.checkpoints.heads(memory.id, command.limit + 1, command.below_seq)
        return HeadPage(tuple(found[: command.limit]), len(found) > command.limit)

    def _archive_info(self, memory: Memory, item: Archive) -> ArchiveInfo:
        record = item.journal.record(item.places)
        target = self._host.database.checkpoints.get(record.target)
        return ArchiveInfo(memory, record, target.captured_at if target else None, whole=not item.journal.deleting)

    def _place(self, checkpoint: str | None, undo: str | None) -> Memory:
        if undo is not None:
            return self._host.archive(undo)[0]
        return self._host.checkpoint(checkpoint or "")[0]

    def _target(self, work: OpenMemory, checkpoint: str | None, undo: str | None) -> Target:
        if undo is not None:
            return Restoring(work).undo_target(self._host.archive(undo)[1])
        return Restoring(work).target(self._host.checkpoint(checkpoint or "")[1])

    def _plan(self, command: PlanRestore) -> RestorePlan:
        with self._host.open_memory(self._place(command.checkpoint, command.undo)) as work:
            target = self._target(work, command.checkpoint, command.undo)
            return Restoring(work).plan(target, command.ignored)

    def _restore(self, command: Restore, progress: Progress) -> RestoreRecord:
        despite = frozenset({_IN_USE}) if command.despite_in_use else frozenset()
        with self._host.open_memory(self._place(command.checkpoint, command.undo)) as work:
            target = self._target(work, command.checkpoint, command.undo)
            return Restoring(work).restore(target, command.token, command.ignored, despite, progress)

    def _recover(self, command: Recover) -> Recovered:
        memory, checkpoint = self._host.checkpoint(command.checkpoint)
        with self._host.open_memory(memory) as work:
            taken = Restoring(work).recover(checkpoint, command.token, list(command.paths))
        return Recovered(taken, ())


def scan_result(memory: Memory, observed: Observed, begin: float) -> ScanResult:
    """Return what a look led to as it is told; `begin`: the monotonic time at which it began."""
    failure = observed.failure
    return ScanResult(
        memory=memory,
        content_token=observed.look.token,
        changed=observed.changed,
        checkpoint=observed.checkpoint,
        lost=observed.checkpoint.lost if observed.checkpoint else (),
        kept_in=observed.checkpoint.kept_in if observed.checkpoint else None,
        event=observed.event,
        protection=observed.protection,
        coverage=observed.look.state.coverage,
        took_ms=int((time.monotonic() - begin) * 1000),
        failure=failure.code if failure else None,
        failure_paths=observed.look.state.conflicts if isinstance(failure, UnmergedIndex) else (),
    )
