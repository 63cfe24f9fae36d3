"""The watches of one memory, and what was heard through them.

Owns which watch descriptor stands for which folder. Hearing happens on watchdog's thread and only takes notes; making
and giving back watches happens on the memory's own. Keeps no list of changed paths: a hint names a memory and nothing
else. Folders moved about keep their old watch until `refresh`, so for a while a change may be heard that is outside.
"""

import errno
import os
import threading
from collections.abc import Callable
from typing import NamedTuple

import msgspec
from watchdog.observers.inotify_c import CallbackId, InotifyConstants, InotifyEvent, WatchCallback, WatchDescriptor

from backtrail.watch.areas import Area
from backtrail.watch.inotify import Inotify, is_running

_ARRIVED = InotifyConstants.IN_CREATE | InotifyConstants.IN_MOVED_TO
_NOT_OURS_TO_WATCH = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EACCES)


class Heard(msgspec.Struct):
    """What was heard since the last time. changed_at: when the last change was heard, None if there was none."""

    changed_at: float | None = None
    stale: bool = False
    arrived: list[tuple[WatchDescriptor, bytes]] = msgspec.field(default_factory=list)
    ended: list[WatchDescriptor] = msgspec.field(default_factory=list)


class _Watch(NamedTuple):
    listener: "_Listener"
    path: bytes
    callback_id: CallbackId


class FolderWatches:
    """Hears of changes below the areas of one memory. The first area's top is the root.

    wake: called, on watchdog's thread, when something was heard that does not wait.
    """

    def __init__(
        self, inotify: Inotify, areas: tuple[Area, ...], clock: Callable[[], float], wake: Callable[[], None]
    ) -> None:
        """Raise OSError (EMFILE) if inotify cannot be had."""
        self._inotify = inotify
        self._reader = inotify.reader()
        self._listeners = tuple(_Listener(area, self) for area in areas)
        self._clock = clock
        self._wake = wake
        self._watches: dict[WatchDescriptor, _Watch] = {}
        self._root: WatchDescriptor | None = None
        self._root_replaced = False
        self._lock = threading.Lock()
        self._heard = Heard()
        self._wakes = True

    @property
    def alive(self) -> bool:
        """False when watchdog's thread has ended: nothing would be heard any more (case B79)."""
        return is_running(self._reader)

    @property
    def tree(self) -> Area:
        """The first area: the working tree."""
        return self._listeners[0].area

    @property
    def root_lost(self) -> bool:
        """True when the root folder that was watched does not exist any more."""
        return self._root_replaced or (self._root is not None and self._root not in self._watches)

    def refresh(self, *, keep_on: Callable[[], bool]) -> None:
        """Watch every folder that takes part and let the others go. Raises OSError if the root or a limit refuses.

        Adds before it lets go: what is watched already stays so without a gap, and queues no event, so that a queue
        that ran over recovers. keep_on: asked at every folder; False ends it half done.
        """
        found: set[WatchDescriptor] = set()
        for listener in self._listeners:
            for path in listener.area.folders():
                if not keep_on():
                    return
                if (descriptor := self._add(listener, path)) is not None:
                    found.add(descriptor)
        self._let_go([descriptor for descriptor in self._watches if descriptor not in found])

    def rearm(self) -> None:
        """Wake up again at the next change: after the first one all others are only noted, until this is called."""
        with self._lock:
            self._wakes = self._heard.changed_at is None
            wake = not self._wakes
        if wake:
            self._wake()

    def take(self) -> Heard:
        """Return what was heard, with new folders watched. Raises OSError if a limit refuses."""
        with self._lock:
            heard, self._heard = self._heard, Heard()
        for descriptor in heard.ended:
            self._watches.pop(descriptor, None)
        for descriptor, name in heard.arrived:
            self._watch_arrived(descriptor, name)
        return heard

    def release(self) -> None:
        """Give all watches back."""
        self._let_go(list(self._watches))

    def heard(self, *, arrived: tuple[WatchDescriptor, bytes] | None = None, stale: bool = False) -> None:
        """Note a change. On watchdog's thread: never raises, never waits."""
        with self._lock:
            wake = self._wakes or arrived is not None
            self._wakes = False
            self._heard.changed_at = self._clock()
            self._heard.stale |= stale
            if arrived is not None:
                self._heard.arrived.append(arrived)
        if wake:
            self._wake()

    def ended(self, descriptor: WatchDescriptor) -> None:
        """Note that the system gave a watch back, with its folder. On watchdog's thread."""
        with self._lock:
            self._heard.ended.append(descriptor)

    def _watch_arrived(self, parent: WatchDescriptor, name: bytes) -> None:
        watch = self._watches.get(parent)
        if watch is None:
            return
        start = watch.path + b"/" + name if watch.path else name
        if watch.listener.area.enters(start):
            for path in watch.listener.area.folders(start):
                self._add(watch.listener, path)

    def _add(self, listener: "_Listener", path: bytes) -> WatchDescriptor | None:
        is_root = not path and listener is self._listeners[0]
        place = os.path.join(listener.area.folder, path) if path else listener.area.folder
        try:
            descriptor, callback_id = self._inotify.watch(self._reader, place, listener)
        except OSError as error:
            if is_root or error.errno not in _NOT_OURS_TO_WATCH:
                raise
            return None  # gone again, or not ours to read: the look says so
        known = self._watches.get(descriptor)
        if known is not None:
            self._reader.remove_callbacks([(descriptor, callback_id)])
            listener, callback_id = known.listener, known.callback_id
        self._watches[descriptor] = _Watch(listener, path, callback_id)
        if is_root:
            self._root_replaced |= self._root not in (None, descriptor)
            self._root = descriptor
        return descriptor

    def _let_go(self, descriptors: list[WatchDescriptor]) -> None:
        self._reader.remove_callbacks([(item, self._watches.pop(item).callback_id) for item in descriptors])


class _Listener(WatchCallback):
    """Hears of one area."""

    def __init__(self, area: Area, watches: FolderWatches) -> None:
        self.area = area
        self._watches = watches

    def on_event(self, event: InotifyEvent) -> None:
        name = event.name
        if not self.area.concerns(name):
            return
        is_folder = event.mask & InotifyConstants.IN_ISDIR and name
        self._watches.heard(
            arrived=(event.wd, name) if is_folder and event.mask & _ARRIVED else None,
            stale=self.area.reshapes(name) or bool(is_folder and event.mask & InotifyConstants.IN_MOVED_FROM),
        )

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        self._watches.ended(wd)

    def on_queue_overflow(self) -> None:
        """Events were lost (case B67): look, and see to folders that came meanwhile."""
        self._watches.heard(stale=True)
