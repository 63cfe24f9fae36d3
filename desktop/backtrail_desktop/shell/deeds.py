"""What a person does to a folder from the window, as questions to the Host: add, save, look, stop keeping, keep again.

Owns these questions and the notice that each ends with. Restores nothing: that is the guide's. Says that something was
done only when the Host has said so.
"""

import datetime
import functools

from backtrail.model.checkpoint import Checkpoint
from backtrail.model.commands import (
    AddMemory,
    LeaveOut,
    MoveMemory,
    PauseMemory,
    ResumeMemory,
    Scan,
    ScanResult,
    TakeCheckpoint,
)
from backtrail.model.coverage import LeftOut
from backtrail.model.errors.capture import UnmergedIndex
from backtrail.model.ids import MemoryId
from backtrail.model.memory import PAUSED, Memory, MemoryState, ProtectionState
from backtrail.model.path_text import path_text
from backtrail.model.progress import look_percent
from backtrail.wording.coverage import left_out_text
from backtrail.wording.protection import reason_text
from PySide6.QtCore import QObject, Signal

from backtrail_desktop.client.port import Failure, HostPort
from backtrail_desktop.folders.book import FolderBook
from backtrail_desktop.shell.notice import Notice, notice_of
from backtrail_desktop.shell.standing import left_out_count
from backtrail_desktop.shell.standing_words import minute, when
from backtrail_desktop.timeline.clock import Clock, system_clock

KEEP_AGAIN = "Keep it again"
LEAVE_OUT = "Leave out on purpose"
COUNT_AGAIN = "Count again"
PAUSE = datetime.timedelta(hours=1)
NOT_KEPT_STAYS = "They stay as they are in the folder; a state that you go back to does not hold them."


class Deeds(QObject):
    """Does them. told(Notice): how it ended. added(Memory): a folder that is new, or was asked for again."""

    told = Signal(object)
    added = Signal(object)

    def __init__(
        self, host: HostPort, book: FolderBook, clock: Clock = system_clock, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._host = host
        self._book = book
        self._clock = clock
        self._looking: set[MemoryId] = set()

    def add(self, path: bytes) -> None:
        """Have the Host take a folder, and look at it for the first time."""
        self._book.is_being_added(path, None)
        self._host.ask(
            AddMemory(path=path),
            functools.partial(self._added, path),
            functools.partial(self._not_added, path),
            functools.partial(self._adding, path),
        )

    def save(self, memory: Memory) -> None:
        """Keep a folder as it is now."""
        self._host.ask(
            TakeCheckpoint(memory=memory.id),
            functools.partial(self._saved, memory.name),
            functools.partial(self._failed, f"{memory.name} was not saved."),
        )

    def look(self, memory: Memory) -> None:
        """Look again, and tell what could not be kept, why, and what to do."""
        self._host.ask(
            Scan(memory=memory.id),
            self._looked,
            functools.partial(self._failed, ""),
        )

    def pause(self, memory: Memory) -> None:
        """Keep a folder as it is now, and look at it no more for an hour, also where it cannot be looked at."""
        pause = functools.partial(self._pause, memory)
        self._host.ask(Scan(memory=memory.id), pause, pause)

    def resume(self, memory: Memory) -> None:
        """End a pause."""
        failed = functools.partial(self._failed, "Nothing changed.")
        self._host.ask(ResumeMemory(memory=memory.id), self._resumed, failed)

    def act(self, notice: Notice, memory: Memory) -> None:
        """Do what the button of a notice about a folder says."""
        if notice.action == KEEP_AGAIN:
            self.move(memory, MemoryState.ATTACHED)
            return
        command = LeaveOut(memory=memory.id, paths=notice.paths, again=notice.action == COUNT_AGAIN)
        self._host.ask(command, self._looked, functools.partial(self._failed, "Nothing changed."))

    def look_quietly(self, memory: Memory) -> None:
        """Look again, and tell nothing but what the answer becomes. While such a look lasts no other begins."""
        if memory.id not in self._looking:
            self._looking.add(memory.id)
            done = functools.partial(self._looked_quietly, memory)
            self._host.ask(Scan(memory=memory.id), done, done)

    def move(self, memory: Memory, state: MemoryState) -> None:
        """Stop keeping a folder, or keep it again."""
        self._host.ask(
            MoveMemory(memory=memory.id, state=state), self._moved, functools.partial(self._failed, "Nothing changed.")
        )

    def _adding(self, path: bytes, step: str, done: int, total: int | None) -> None:
        self._book.is_being_added(path, look_percent(step, done, total))

    def _added(self, path: bytes, result: ScanResult) -> None:
        self._book.was_looked_at(result)
        self._book.was_added(path)
        self.added.emit(result.memory)
        if result.protection.state is ProtectionState.PROTECTED:
            self.told.emit(Notice(f"{result.memory.name} is kept from now on."))
        else:
            self._looked(result)

    def _not_added(self, path: bytes, failure: Failure) -> None:
        self._book.was_added(path)
        self.told.emit(notice_of(failure, f"{path_text(path)} was not added."))

    def _saved(self, name: str, checkpoint: Checkpoint) -> None:
        at = when(checkpoint.captured_at, self._clock().astimezone().date())
        self.told.emit(Notice(f"{name} is saved as it was at {at}."))

    def _looked(self, result: ScanResult) -> None:
        self._book.was_looked_at(result)
        self.told.emit(self._found(result))

    def _found(self, result: ScanResult) -> Notice:
        """Return what a look found, in words."""
        name, protection = result.memory.name, result.protection
        left_out = result.coverage.left_out
        if protection.state is ProtectionState.PROTECTED and protection.looked_at is not None:
            at = when(protection.looked_at, self._clock().astimezone().date())
            if left_out:
                what = f"Everything in {name} up to {at} is kept, except {left_out_count(left_out)} that you left out:"
                return _with_paths(result.memory, what, left_out, COUNT_AGAIN, warns=False)
            return Notice(f"Everything in {name} up to {at} is kept.")
        if left_out and (protection.state is ProtectionState.DEGRADED or protection.reason == PAUSED):
            unexpected = result.memory.unexpected(left_out) or left_out
            what = f"{name} is kept except {left_out_count(unexpected)}:"
            return _with_paths(result.memory, what, unexpected, LEAVE_OUT, warns=True)
        if protection.reason == PAUSED and protection.looked_at is not None:
            at = when(protection.looked_at, self._clock().astimezone().date())
            return Notice(f"Everything in {name} up to {at} is kept. The folder stays paused.")
        if protection.reason == UnmergedIndex.code:
            from backtrail.wording.errors import explain  # noqa: PLC0415 - words for what is rare

            sentence = explain(UnmergedIndex(tuple(result.failure_paths)))
            return Notice(sentence.message, sentence.remedy, warns=True)
        items = tuple(path_text(path) for path in result.failure_paths)
        return Notice(f"{name} is not kept: {reason_text(protection.reason)}.", "", items, warns=True)

    def _pause(self, memory: Memory, looked: ScanResult | Failure) -> None:
        if isinstance(looked, ScanResult):
            self._book.was_looked_at(looked)
        failed = functools.partial(self._failed, "Nothing changed.")
        self._host.ask(PauseMemory(memory=memory.id, until=self._clock() + PAUSE), self._paused, failed)

    def _paused(self, memory: Memory) -> None:
        self._book.refresh()
        if memory.paused_until is not None:
            until = minute(memory.paused_until, self._clock().astimezone().date())
            what = f"{memory.name} is paused until {until}. What changes until then is not kept by itself."
            self.told.emit(Notice(what))

    def _resumed(self, memory: Memory) -> None:
        self._book.refresh()
        self.told.emit(Notice(f"{memory.name} is watched again."))

    def _looked_quietly(self, memory: Memory, looked: ScanResult | Failure) -> None:
        self._looking.discard(memory.id)
        if isinstance(looked, ScanResult):
            self._book.was_looked_at(looked)
        else:
            self._book.refresh()

    def _moved(self, memory: Memory) -> None:
        self._book.refresh()
        if memory.state is MemoryState.ATTACHED:
            self.told.emit(Notice(f"{memory.name} is watched again."))
            return
        what = f"{memory.name} is not watched any more. What is kept of it stays, and nothing in the folder changed."
        self.told.emit(Notice(what, action=KEEP_AGAIN, about=memory.id))

    def _failed(self, what: str, failure: Failure) -> None:
        self._book.refresh()
        self.told.emit(notice_of(failure, what))


def _with_paths(memory: Memory, what: str, left_out: tuple[LeftOut, ...], action: str, *, warns: bool) -> Notice:
    """Return a notice that names what is not kept. Its button is about these paths, whatever a later look finds."""
    return Notice(
        what,
        NOT_KEPT_STAYS,
        tuple(left_out_text(item) for item in left_out),
        warns=warns,
        action=action,
        about=memory.id,
        paths=tuple(item.path for item in left_out),
    )
