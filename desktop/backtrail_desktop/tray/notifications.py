"""When something is told outside the window: work disappeared, a folder is not kept for long, a restore is over.

Owns which events lead to a bubble, and how often: one about a folder in ten seconds at most, and of those that came
meanwhile only the newest. What a person sees in the window anyway is not told beside it. Shows nothing itself.
"""

import functools
import time
from collections.abc import Callable

from backtrail.model.commands import CheckpointPage, ListCheckpoints
from backtrail.model.events import CheckpointRecorded, HostEvent, RestoreFinished
from backtrail.model.ids import CheckpointId, MemoryId
from backtrail.model.memory import Memory
from PySide6.QtCore import QObject, QTimer

from backtrail_desktop.client.port import Failure, HostPort, Link
from backtrail_desktop.folders.book import FolderBook
from backtrail_desktop.shell.standing import Standing
from backtrail_desktop.timeline.clock import Clock, system_clock
from backtrail_desktop.timeline.words import when_text
from backtrail_desktop.tray import bubbles
from backtrail_desktop.tray.bubbles import HOST, Bubble, Unkept
from backtrail_desktop.tray.notifier import Notifier

_BETWEEN_S = 10.0
_LOOK_MS = 5_000
_STATES = 20


class Notifications(QObject):
    """Hears of what happens and has it told. is_seen: a person sees this folder in the window now."""

    def __init__(
        self,
        host: HostPort,
        book: FolderBook,
        notifier: Notifier,
        is_seen: Callable[[MemoryId], bool],
        is_hidden: Callable[[], bool],
        *,
        clock: Clock = system_clock,
        seconds: Callable[[], float] = time.monotonic,
        parent: QObject | None = None,
    ) -> None:
        """is_hidden: the window is. seconds: they only grow."""
        super().__init__(parent)
        self._host, self._book, self._notifier = host, book, notifier
        self._is_seen, self._is_hidden = is_seen, is_hidden
        self._clock, self._seconds = clock, seconds
        self._unkept = Unkept()
        self._told_at: dict[MemoryId, float] = {}
        self._held: dict[MemoryId, Bubble] = {}
        self._asking: set[MemoryId] = set()
        self._asked_again: dict[MemoryId, CheckpointRecorded] = {}
        host.happened.connect(self._happened)
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def tell(self, bubble: Bubble) -> None:
        """Have it told now, or as soon as there was none about this folder for a while."""
        now = self._seconds()
        if now - self._told_at.get(bubble.about, -_BETWEEN_S) < _BETWEEN_S:
            self._held[bubble.about] = bubble
            return
        self._told_at[bubble.about] = now
        self._held.pop(bubble.about, None)
        self._notifier.show(bubble)

    def look(self) -> None:
        """Tell what has become true by time alone."""
        for bubble in self._unkept.tell(self._seconds(), self._standings()):
            self.tell(bubble)
        for bubble in list(self._held.values()):
            self.tell(bubble)

    def _standings(self) -> dict[MemoryId, tuple[str, Standing]]:
        book = self._book
        if not book.memories:
            return {}
        host = {HOST: ("", book.standing(None))}
        if book.link.link is not Link.READY:
            return host
        return host | {one.id: (one.name, book.standing(one)) for one in book.memories}

    def _happened(self, event: HostEvent) -> None:
        match event:
            case CheckpointRecorded(lost=lost) if lost and not self._is_seen(event.memory):
                self._ask_what_was_lost(event)
            case RestoreFinished() if self._is_hidden():
                if (memory := self._book.memory(event.memory)) is not None:
                    self.tell(bubbles.restored(memory))
            case _:
                pass

    def _ask_what_was_lost(self, event: CheckpointRecorded) -> None:
        """Ask for the rows: the event tells only that something was lost. In a storm, one question at a time."""
        if event.memory in self._asking:
            self._asked_again[event.memory] = event
            return
        self._asking.add(event.memory)
        self._host.ask(
            ListCheckpoints(memory=event.memory, limit=_STATES),
            functools.partial(self._states_told, event),
            functools.partial(self._not_told, event),
        )

    def _states_told(self, event: CheckpointRecorded, page: CheckpointPage) -> None:
        memory = self._book.memory(event.memory)
        found = [one for one in page.checkpoints if one.lost and one.kept_in == event.kept_in]
        if memory is not None and found and not self._is_seen(memory.id):
            self.tell(self._loss(memory, page, found[0].id))
        self._done(event)

    def _loss(self, memory: Memory, page: CheckpointPage, state_id: CheckpointId) -> Bubble:
        today = self._clock().astimezone().date()
        rows = {one.id: one for one in page.checkpoints}
        state = rows[state_id]
        kept = rows.get(state.kept_in) if state.kept_in else None
        kept_at = when_text(kept.captured_at, today) if kept else None
        return bubbles.loss(memory, state, when_text(state.captured_at, today), kept_at)

    def _not_told(self, event: CheckpointRecorded, failure: Failure) -> None:
        del failure  # the window's own banner asks again once the Host answers
        self._done(event)

    def _done(self, event: CheckpointRecorded) -> None:
        self._asking.discard(event.memory)
        if (again := self._asked_again.pop(event.memory, None)) is not None:
            self._ask_what_was_lost(again)
