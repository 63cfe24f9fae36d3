"""The watch of one memory, on a thread of its own: one that hangs never holds the others up.

Owns the order: root first, then events, then the hint. Whatever goes wrong becomes a state that a person can see, and
the memory is polled (cases B66, B79). Never reads a file's content and never decides what a change was.
Does not handle a stat that never returns (a dead network drive): that thread waits, and ends with the process.
"""

import logging
import math
import os
import threading
from collections.abc import Callable
from typing import Protocol

import msgspec

from backtrail.model.watching import (
    Polling,
    PollingReason,
    Shortage,
    Unreachable,
    UnreachableReason,
    Watching,
    WatchState,
)
from backtrail.watch.areas import Area, areas_of
from backtrail.watch.debounce import Debounce
from backtrail.watch.folder_watches import FolderWatches
from backtrail.watch.inotify import Inotify, present_limit, shortage
from backtrail.watch.pace import Pace
from backtrail.watch.root_guard import SILENT_TYPES, RootGuard

_log = logging.getLogger(__name__)


class WatchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How to watch. All times in seconds.

    quiet, longest: see `Debounce`. guard: between two stats of a root. poll: between two hints of a memory that is
    polled. regular: the same for one that is watched. silent_types: file systems that are polled.
    """

    quiet: float = 0.75
    longest: float = 5.0
    guard: float = 2.0
    poll: float = 30.0
    regular: float = 300.0
    silent_types: frozenset[str] = SILENT_TYPES


class Place(msgspec.Struct, frozen=True):
    """Where a memory is. is_ignored: see `Watcher.add`."""

    root: bytes
    git_dir: bytes
    is_ignored: Callable[[bytes], bool]


class Teller(Protocol):
    """Who is told. Neither call waits."""

    def hint(self) -> None:
        """Say that a look is due."""

    def state(self, state: WatchState) -> None:
        """Say how the memory is watched from now on."""


class MemoryWatch(threading.Thread):
    """Watches one memory until `stop`.

    freed: called when watches were given back, with the number of folders that this memory has, infinity at its end.
    """

    def __init__(
        self,
        place: Place,
        teller: Teller,
        inotify: Inotify,
        options: WatchOptions,
        clock: Callable[[], float],
        freed: Callable[[float], None],
    ) -> None:
        super().__init__(name="watch " + os.fsdecode(os.path.basename(place.root)), daemon=True)
        self._place = place
        self._teller = teller
        self._inotify = inotify
        self._options = options
        self._clock = clock
        self._freed = freed
        self._wake = threading.Event()
        self._stopping = False
        self._renew = True
        self._state: WatchState | None = None
        self._guard = RootGuard(place.root)
        self._guard_at = 0.0
        self._watches: FolderWatches | None = None
        self._stale = False
        self._debounce = Debounce(options.quiet, options.longest)
        self._pace = Pace(clock(), options.regular)

    def renew(self) -> None:
        """Take the folder that stands at the path now for the root, and watch it from the beginning."""
        self._renew = True
        self._wake.set()

    def retry(self, most: float) -> None:
        """Try again if watches were short for fewer folders than `most`: some may be free now.

        Only smaller memories follow a large one that failed, or two large ones would take turns for ever.
        """
        state = self._state
        if isinstance(state, Polling) and state.shortage is not None and state.shortage.folders < most:
            self.renew()

    def looked(self, seconds: float) -> None:
        """Take in how long an ordinary look took."""
        self._pace.looked(self._clock(), seconds)

    def stop(self) -> None:
        """Ask the thread to end; watches are given back."""
        self._stopping = True
        self._wake.set()

    @property
    def stopping(self) -> bool:
        """True once `stop` was called."""
        return self._stopping

    def run(self) -> None:
        """Watch, and let no error end it."""
        while not self._stopping:
            self._wake.clear()
            try:
                self._step(self._clock())
            except Exception as error:  # noqa: BLE001 - this is the edge, and a person sees the state
                _log.exception("watching %r failed", self._place.root)
                self._poll(PollingReason.ERROR, detail=f"{type(error).__name__}: {error}")
                self._give_hint()
            self._wake.wait(max(0.0, min(self._guard_at, self._next_hint()) - self._clock()))
        self._let_go()
        self._freed(math.inf)

    def _step(self, now: float) -> None:
        if self._renew:
            self._renew = False
            self._begin()
        self._hear()
        if now >= self._guard_at:
            self._check_root()
        if self._clock() >= self._next_hint():
            self._hint()

    def _next_hint(self) -> float:
        return math.inf if isinstance(self._state, Unreachable) else self._pace.next_hint(self._debounce.due)

    def _begin(self) -> None:
        """Watch the folder that is there; if that cannot be, poll it. Ends with a hint: nobody saw what was before."""
        self._let_go()
        self._guard_at = self._clock() + self._options.guard
        try:
            root = self._guard.meet()
        except OSError as error:
            gone = isinstance(error, FileNotFoundError)
            reason = UnreachableReason.GONE if gone else UnreachableReason.UNREADABLE
            self._turn(Unreachable(reason, "" if gone else error.strerror or ""))
            return
        if self._guard.file_system in self._options.silent_types:
            self._poll(PollingReason.NO_EVENTS, detail=self._guard.file_system)
        else:
            self._watch(areas_of(root, self._place.git_dir, self._place.is_ignored))
        self._give_hint()

    def _watch(self, areas: tuple[Area, ...]) -> None:
        try:
            self._watches = FolderWatches(self._inotify, areas, self._clock, self._wake.set)
            self._watches.refresh(keep_on=lambda: not self._stopping)
        except OSError as error:
            self._refused(error, areas[0])
            return
        self._pace.regular = self._options.regular
        self._turn(Watching())

    def _hear(self) -> None:
        if self._watches is None:
            return
        try:
            heard = self._watches.take()
        except OSError as error:
            self._refused(error, self._watches.tree)
            self._give_hint()
            return
        if heard.changed_at is not None:
            self._debounce.note(heard.changed_at)
        self._stale |= heard.stale

    def _check_root(self) -> None:
        self._guard_at = self._clock() + self._options.guard
        watches = self._watches
        deaf = watches is not None and not watches.alive
        if deaf:  # what it believes to know of the root is worth nothing either
            self._let_go()
            watches = None
        trouble = self._guard.check(lost=watches is not None and watches.root_lost, held=watches is not None)
        if trouble is not None:
            self._let_go()
            self._turn(trouble)
        elif deaf or isinstance(self._state, Unreachable):
            self._begin()

    def _hint(self) -> None:
        if self._worth_trying():
            self._begin()
            return
        if self._watches is not None and (self._stale or self._debounce.due is None):
            try:
                self._watches.refresh(keep_on=lambda: not self._stopping)
            except OSError as error:
                self._refused(error, self._watches.tree)
        self._give_hint()

    def _give_hint(self) -> None:
        self._stale = False
        self._debounce.clear()
        self._pace.hinted(self._clock())
        self._teller.hint()
        if self._watches is not None:
            self._watches.rearm()

    def _worth_trying(self) -> bool:
        """Tell whether a memory that is polled might be watched by now; a walk only to meet the limit is not free."""
        if not isinstance(self._state, Polling) or self._state.reason is PollingReason.NO_EVENTS:
            return False
        short = self._state.shortage
        return short is None or present_limit(short.setting) != short.limit

    def _refused(self, error: OSError, tree: Area) -> None:
        """Poll this memory. What it holds already is given back: others need it, and half a watch is none."""
        self._let_go()
        short = shortage(error, lambda: sum(1 for _ in tree.folders()))
        if short is None:
            self._poll(PollingReason.ERROR, detail=error.strerror or "")
        else:
            self._poll(PollingReason.OUT_OF_WATCHES, short=short)
            self._freed(short.folders)

    def _poll(self, reason: PollingReason, *, short: Shortage | None = None, detail: str = "") -> None:
        self._let_go()
        self._pace.regular = self._options.poll
        self._turn(Polling(reason, self._options.poll, short, detail))

    def _let_go(self) -> None:
        watches, self._watches = self._watches, None
        self._debounce.clear()
        self._stale = False
        if watches is not None:
            watches.release()

    def _turn(self, state: WatchState) -> None:
        if state != self._state:
            self._state = state
            self._teller.state(state)
