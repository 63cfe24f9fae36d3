"""The states of one folder as they arrive from the Host, page by page.

Owns what is loaded and what is being asked for; newest first by `seq`. Knows nothing of rows or of text that is looked
for. A page that arrives after another folder or filter was chosen is dropped. Failures are told, and asked again only
when somebody wants more.
"""

from collections.abc import Callable
from functools import partial

from backtrail.model.checkpoint import Checkpoint
from backtrail.model.commands import PAGE, CheckpointPage, ListCheckpoints
from backtrail.model.ids import CheckpointId, MemoryId
from PySide6.QtCore import QObject, Signal

from backtrail_desktop.client.port import Asked, Failure, Port
from backtrail_desktop.timeline.clock import Clock
from backtrail_desktop.timeline.rows import Filter

_FRESH = 50
"""How many of the newest are asked for when something has happened."""


class Pages(QObject):
    """Loads checkpoints of one folder.

    appended(list): older ones arrived, or the first ones. prepended(list): new ones. replaced: look at `loaded` anew.
    newest_changed: the newest of all, whatever the filter. failed(Failure).
    """

    appended = Signal(object)
    prepended = Signal(object)
    replaced = Signal()
    newest_changed = Signal()
    failed = Signal(object)

    def __init__(self, port: Port, clock: Clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._port = port
        self._clock = clock
        self._memory: MemoryId | None = None
        self._filter = Filter()
        self._generation = 0
        self._asked: Asked | None = None
        self._refreshing = False
        self._again = False
        self._places: dict[CheckpointId, int] = {}
        self.loaded: list[Checkpoint] = []
        self.more = False
        self.started = False
        self.total = 0
        self.newest: Checkpoint | None = None

    @property
    def loading(self) -> bool:
        """True while a page is on its way."""
        return self._asked is not None

    def show(self, memory: MemoryId | None, wanted: Filter) -> None:
        """Begin anew with a folder and a filter, of which `text` is not looked at here."""
        if self._asked is not None:
            self._asked.cancel()
        self._generation += 1
        self._asked, self._refreshing, self._again = None, False, False
        if memory != self._memory:
            self.newest, self.total = None, 0
        self._memory, self._filter = memory, wanted
        self.more, self.started = False, False
        self._take([])
        self.replaced.emit()
        self.load_more()
        if not self._contiguous:
            self._ask_newest()

    def load_more(self) -> None:
        """Ask for the next page, unless one is on its way or there is none."""
        if self._memory is None or self._asked is not None or (self.started and not self.more):
            return
        below = self.loaded[-1].seq if self.loaded else None
        self._asked = self._ask(PAGE, below, self._page_arrived, self._page_failed)

    def refresh(self) -> None:
        """Ask for what is new."""
        if self._memory is None or not self.started:
            return
        if self._refreshing:
            self._again = True
            return
        self._refreshing = True
        self._ask(_FRESH, None, self._fresh_arrived, self._fresh_failed)
        if not self._contiguous:
            self._ask_newest()

    def before(self, checkpoint: Checkpoint) -> tuple[Checkpoint | None, bool]:
        """Return the state before this one, and whether that is known; a filter may hide it."""
        place = self._places.get(checkpoint.id)
        if place is None or not self._contiguous:
            return None, False
        if place + 1 < len(self.loaded):
            return self.loaded[place + 1], True
        return None, not self.more

    def find(self, checkpoint: CheckpointId | str | None) -> Checkpoint | None:
        """Return a checkpoint if it is loaded."""
        place = self._places.get(CheckpointId(checkpoint)) if checkpoint else None
        return None if place is None else self.loaded[place]

    def ask_before(self, checkpoint: Checkpoint, tell: Callable[[Checkpoint | None], None]) -> None:
        """Ask for the state before this one, whatever the filter; `tell` is not called if that fails."""
        command = ListCheckpoints(memory=checkpoint.memory_id, limit=1, below_seq=checkpoint.seq)
        self._port.ask(command, lambda page: tell(page.checkpoints[0] if page.checkpoints else None), self.failed.emit)

    @property
    def _contiguous(self) -> bool:
        return self._filter.branch is None and self._filter.origin is None and not self._filter.only_losses

    def _ask(
        self,
        limit: int,
        below: int | None,
        arrived: Callable[[int, CheckpointPage], None],
        failed: Callable[[int, Failure], None],
    ) -> Asked:
        command = ListCheckpoints(
            memory=self._memory or "",
            limit=limit,
            below_seq=below,
            branch=self._filter.branch,
            origin=self._filter.origin,
            since=self._filter.since(self._clock()),
            with_losses=self._filter.only_losses,
        )
        return self._port.ask(command, partial(arrived, self._generation), partial(failed, self._generation))

    def _ask_newest(self) -> None:
        command = ListCheckpoints(memory=self._memory or "", limit=1)
        generation = self._generation
        self._port.ask(command, partial(self._newest_arrived, generation), partial(self._newest_failed, generation))

    def _newest_arrived(self, generation: int, page: CheckpointPage) -> None:
        if generation == self._generation:
            self._set_newest(page.checkpoints)
            self.total = page.total

    def _newest_failed(self, generation: int, failure: Failure) -> None:
        if generation == self._generation:
            self.failed.emit(failure)

    def _page_arrived(self, generation: int, page: CheckpointPage) -> None:
        if generation != self._generation:
            return
        first = not self.started
        self._asked, self.started, self.more, self.total = None, True, page.more, page.total
        self._take(self.loaded + list(page.checkpoints))
        if first and self._contiguous and (page.checkpoints or self._filter.days is None):
            self._set_newest(page.checkpoints)
        elif first and self._contiguous:
            self._ask_newest()
        self.appended.emit(list(page.checkpoints))

    def _page_failed(self, generation: int, failure: Failure) -> None:
        if generation == self._generation:
            self._asked = None
            self.failed.emit(failure)

    def _fresh_arrived(self, generation: int, page: CheckpointPage) -> None:
        if generation != self._generation:
            return
        self._refreshing = False
        self.total = page.total
        fresh = list(page.checkpoints)
        if self._contiguous and fresh:
            self._set_newest(page.checkpoints)
        self._merge(fresh, more=page.more)
        if self._again:
            self._again = False
            self.refresh()

    def _fresh_failed(self, generation: int, failure: Failure) -> None:
        if generation == self._generation:
            self._refreshing = False
            self.failed.emit(failure)

    def _merge(self, fresh: list[Checkpoint], *, more: bool) -> None:
        """Put what is new on top; where what was known has changed (pinned, damaged, thinned), begin the rows anew."""
        lowest = fresh[-1].seq if fresh and more else 0
        known = [checkpoint for checkpoint in self.loaded if checkpoint.seq >= lowest]
        new = fresh[: len(fresh) - len(known)]
        if known and fresh[len(new) :] == known:
            if new:
                self._take(new + self.loaded)
                self.prepended.emit(new)
            return
        last = self.loaded[-1].seq if self.loaded else None
        reaches = bool(known) or not more  # else so much is new that it does not reach what was known
        self._take(fresh + self.loaded[len(known) :] if reaches else fresh)
        self.more = self.more if self.loaded and self.loaded[-1].seq == last else more
        if self._asked is not None and (self.loaded[-1].seq if self.loaded else None) != last:
            self._asked.cancel()  # it asks for what is below a state that is not the last one any more
            self._asked = None
            self._generation += 1
        self.replaced.emit()

    def _take(self, loaded: list[Checkpoint]) -> None:
        self.loaded = loaded
        self._places = {checkpoint.id: place for place, checkpoint in enumerate(loaded)}

    def _set_newest(self, checkpoints: tuple[Checkpoint, ...]) -> None:
        newest = checkpoints[0] if checkpoints else None
        if newest != self.newest:
            self.newest = newest
            self.newest_changed.emit()
