"""The folders as the Host tells them, kept fresh: the one place in the window that knows them.

Owns the list and what is known beyond it: which files the last look could not keep, what a conflict is in. Asks again
whenever the Host tells that something happened, or is there again. Changes nothing in any folder, except that it has
the Host look once more where a conflict is to be named.
"""

import datetime
import functools

import msgspec
from backtrail.model.commands import ListMemories, Memories, Scan, ScanResult
from backtrail.model.errors.capture import UnmergedIndex
from backtrail.model.errors.repository import NotReachable
from backtrail.model.events import (
    CheckpointRecorded,
    FirstCheckpoint,
    HostEvent,
    MemoryChanged,
    MemoryObserved,
    ProtectionChanged,
    WatchChanged,
)
from backtrail.model.ids import MemoryId
from backtrail.model.memory import Memory, MemoryState, ProtectionState
from backtrail.model.watching import Unreachable
from backtrail.wording.protection import reason_text
from PySide6.QtCore import QObject, QTimer, Signal

from backtrail_desktop.client.port import Failure, HostPort, Link, LinkState
from backtrail_desktop.shell.standing import NOTHING_MORE, Mark, Remedy, Seen, Standing, link_sentence, standing_of
from backtrail_desktop.shell.standing_words import NOT_ANSWERING
from backtrail_desktop.timeline.clock import Clock, system_clock

_SOON_MS = 30


class FolderBook(QObject):
    """All folders. changed: anything said of them may have changed."""

    changed = Signal()

    def __init__(self, host: HostPort, clock: Clock = system_clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._host = host
        self._clock = clock
        self._memories: tuple[Memory, ...] = ()
        self._seen: dict[MemoryId, Seen] = {}
        self._adding: dict[bytes, int | None] = {}
        self._first: dict[MemoryId, int | None] = {}
        self._lost: set[MemoryId] = set()
        self._unreachable: set[MemoryId] = set()
        self._doubted: set[MemoryId] = set()
        self._naming: set[MemoryId] = set()
        self._round = 0
        self._told_round = 0
        self.known = False
        self.failure: Failure | None = None
        self._fresh = False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON_MS)
        self._soon.timeout.connect(self.refresh)
        host.happened.connect(self._happened)
        host.link_changed.connect(self._link_changed)

    @property
    def memories(self) -> tuple[Memory, ...]:
        """The folders in order of adding."""
        return self._memories

    @property
    def coming(self) -> dict[bytes, int | None]:
        """Folders that are being added and that the Host does not list yet, with how far their first checkpoint is."""
        return {path: percent for path, percent in self._adding.items() if self._holding(path) is None}

    @property
    def link(self) -> LinkState:
        """How things stand with the Host; not ready before it has told the folders anew."""
        link = self._host.link
        return LinkState(Link.STARTING, link.since) if link.link is Link.READY and not self._fresh else link

    def memory(self, memory_id: MemoryId | None) -> Memory | None:
        """Return a folder as it was told last."""
        return next((one for one in self._memories if one.id == memory_id), None)

    def standing(self, memory: Memory | None) -> Standing:
        """Return whether the work in a folder is kept; of None, how things stand with the Host."""
        today = self._clock().astimezone().date()
        if self.failure is not None and self._host.link.link is Link.READY:
            told = f"The folders could not be asked for: {self.failure.message}"
            return Standing(Mark.UNKNOWN, told, "not known", Remedy.TRY_AGAIN)
        if memory is None:
            return link_sentence(self.link, today)
        return standing_of(memory, self.link, self.seen(memory), today)

    def unknown(self, memory: Memory) -> str:
        """Return why nobody knows what a folder is like now; empty where it is looked at."""
        standing = self.standing(memory)
        if standing.mark is Mark.NOT_KEPT and self.seen(memory).unreachable:
            return reason_text(NotReachable.code)
        if self._host.link.link is Link.NOT_ANSWERING:
            return NOT_ANSWERING
        return standing.sentence if standing.mark in {Mark.UNKNOWN, Mark.AWAY} else ""

    def seen(self, memory: Memory) -> Seen:
        """Return what is known of a folder beyond its row."""
        seen = self._seen.get(memory.id, NOTHING_MORE)
        adding = [percent for path, percent in self._adding.items() if _holds(memory, path)]
        return msgspec.structs.replace(
            seen,
            making_first=bool(adding) or memory.id in self._first,
            percent=adding[0] if adding else self._first.get(memory.id),
            unreachable=memory.id in self._unreachable,
        )

    def has_loss(self, memory: Memory) -> bool:
        """Tell whether work disappeared from a folder since it was last opened here."""
        return memory.id in self._lost

    def loss_was_seen(self, memory: Memory) -> None:
        """Take note that the person opened a folder from which work disappeared."""
        if memory.id in self._lost:
            self._lost.discard(memory.id)
            self.changed.emit()

    def is_being_added(self, path: bytes, percent: int | None) -> None:
        """Take note of a folder that is being added, and of how far its first checkpoint is."""
        self._adding[path] = percent
        self.changed.emit()

    def was_added(self, path: bytes) -> None:
        """Take note that adding a folder is over, whatever came of it."""
        self._adding.pop(path, None)
        self.changed.emit()

    def was_looked_at(self, result: ScanResult) -> None:
        """Take in what a look found."""
        told = result.memory.id
        known = tuple(result.memory if one.id == told else one for one in self._memories)
        self._memories = known if result.memory in known else (*known, result.memory)
        looked_at = result.protection.looked_at
        self._unreachable.discard(told)
        self._seen[told] = Seen(looked_at, result.coverage.left_out, result.failure_paths)
        self.changed.emit()

    def refresh(self) -> None:
        """Ask the Host for the folders."""
        if self._host.link.link is not Link.READY:
            return
        self._round += 1
        self._host.ask(
            ListMemories(), functools.partial(self._told, self._round), functools.partial(self._not_told, self._round)
        )

    def _told(self, here: int, answer: Memories) -> None:
        if here < self._told_round:
            return  # an older answer than the one that is shown
        self._told_round = here
        self._memories, self.known, self._fresh, self.failure = answer.memories, True, True, None
        for memory in answer.memories:
            if memory.protection.looked_at is not None:
                self._first.pop(memory.id, None)  # not before: until then the row says that nobody looked
            self._name_what_is_not_kept(memory)
            self._look_for_the_unreachable(memory)
        self.changed.emit()

    def _not_told(self, here: int, failure: Failure) -> None:
        if here == self._round:
            self.failure = failure
            self.changed.emit()

    def _name_what_is_not_kept(self, memory: Memory) -> None:
        """Have the Host look where the row does not tell which files it is about, and no event did.

        The newest state does not tell either: what is left out makes no new state. Our own look is known: no circle.
        """
        protection, looked_at = memory.protection, memory.protection.looked_at
        known = self._seen.get(memory.id, NOTHING_MORE).looked_at == looked_at
        if known or looked_at is None or memory.id in self._naming or memory.state is not MemoryState.ATTACHED:
            return
        if protection.state is ProtectionState.DEGRADED or protection.reason == UnmergedIndex.code:
            self._naming.add(memory.id)
            failed = functools.partial(self._not_named, memory.id, looked_at)
            self._host.ask(Scan(memory=memory.id), functools.partial(self._looked, memory.id), failed)

    def _look_for_the_unreachable(self, memory: Memory) -> None:
        """Have the Host look whether a folder that could not be reached still cannot, once it is there again."""
        if memory.id in self._doubted:
            self._doubted.discard(memory.id)
            self._host.ask(
                Scan(memory=memory.id),
                functools.partial(self._looked, memory.id),
                functools.partial(self._not_looked, memory.id),
            )

    def _not_looked(self, memory_id: MemoryId, failure: Failure) -> None:
        if failure.code != NotReachable.code:
            self._unreachable.discard(memory_id)  # something else is wrong with it, and its row says what
        self.refresh()

    def _looked(self, memory_id: MemoryId, result: ScanResult) -> None:
        self._naming.discard(memory_id)
        self.was_looked_at(result)

    def _not_named(self, memory_id: MemoryId, looked_at: datetime.datetime, failure: Failure) -> None:
        del failure  # the row says what it says without the names
        self._naming.discard(memory_id)
        self._seen[memory_id] = Seen(looked_at)

    def _holding(self, path: bytes) -> Memory | None:
        return next((one for one in self._memories if _holds(one, path)), None)

    def _happened(self, event: HostEvent) -> None:
        match event:
            case FirstCheckpoint():
                self._first[event.memory] = event.percent
                self.changed.emit()
                if self.memory(event.memory) is not None:
                    return  # it tells no more than how far that is
            case CheckpointRecorded() if event.lost:
                self._lost.add(event.memory)
            case MemoryObserved() if event.left_out is not None:
                looked_at = event.protection.looked_at
                self._seen[event.memory] = Seen(looked_at, event.left_out, event.failure_paths or ())
            case WatchChanged():
                self._unreachable.discard(event.memory)
                if isinstance(event.watch, Unreachable):
                    self._unreachable.add(event.memory)
                self.changed.emit()
            case ProtectionChanged():
                self._first.pop(event.memory, None)
            case MemoryChanged():
                self._first = {one: far for one, far in self._first.items() if event.memory not in {None, one}}
            case _:
                pass
        if not self._soon.isActive():  # starting it again with every event would put it off for ever
            self._soon.start()

    def _link_changed(self, state: LinkState) -> None:
        if state.link is Link.READY:
            self._fresh, self.failure = False, None
            self._naming.clear()
            self._first.clear()
            self._doubted = set(self._unreachable)
            self.refresh()
        self.changed.emit()


def _holds(memory: Memory, path: bytes) -> bool:
    return path == memory.path or path.startswith(memory.path.rstrip(b"/") + b"/")
