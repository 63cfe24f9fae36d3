"""Watches memories and says "look at this folder now".

Owns the threads: one per memory, watchdog's reader for all, and one from which every callback comes, one at a time.
A hint is never a fact and may be lost or come for nothing: the look is the truth, and a regular hint comes every five
minutes. Does not know sleep or window focus: the Host looks by itself then. Does not know what a memory is beyond key
and folders. Field cases B19, B66, B67, B68, B71.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable

from backtrail.model.watching import WatchState
from backtrail.watch.inotify import Inotify
from backtrail.watch.memory_watch import MemoryWatch, Place, WatchOptions

_log = logging.getLogger(__name__)

_CLOSE_WITHIN = 2.0

OnHint = Callable[[str], None]
OnState = Callable[[str, WatchState], None]


class Watcher:
    """Call `close` at the end. Methods return at once, except `close`, and may be called from any thread.

    on_hint, on_state: called with a memory's key on a thread of the watcher's own; while one runs, the others wait.
    Once `remove` has returned, no call for that key begins. Each time that a watch begins to stand, and each time that
    a memory is back, there is a hint without delay, since nobody saw what happened before.
    """

    def __init__(
        self,
        on_hint: OnHint,
        on_state: OnState,
        *,
        options: WatchOptions | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._callbacks = _CallbackThread(on_hint, on_state)
        self._callbacks.start()
        self._options = options or WatchOptions()
        self._clock = clock
        self._inotify = Inotify()
        self._lock = threading.Lock()
        self._memories: dict[str, MemoryWatch] = {}
        self._threads: list[MemoryWatch] = []

    def add(self, key: str, root: bytes, git_dir: bytes, is_ignored: Callable[[bytes], bool]) -> None:
        """Watch the memory `key` from now on. Raises ValueError if there is one of this key.

        git_dir: where HEAD and index are. is_ignored: whether Git ignores a folder, given by its path from the root,
        none of whose parents it ignores; called on this memory's own thread, parents first, anew at each walk.
        """
        with self._lock:
            if key in self._memories:
                raise ValueError(key)
            teller = _Teller(self._callbacks, key)
            place = Place(root, git_dir, is_ignored)
            memory = MemoryWatch(place, teller, self._inotify, self._options, self._clock, self._freed)
            teller.memory = memory
            self._memories[key] = memory
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            self._threads.append(memory)
            memory.start()

    def remove(self, key: str) -> None:
        """Stop watching; nothing happens if `key` is not known."""
        with self._lock:
            if (memory := self._memories.pop(key, None)) is not None:
                memory.stop()

    def renew(self, key: str) -> None:
        """Watch anew what stands at the memory's path now; nothing happens if `key` is not known.

        Call it after a restore's switch, since the old watch follows the archived folder (case B19); after the state
        `replaced`, once the folder was found to be the same memory; and after ignore files elsewhere have changed.
        """
        with self._lock:
            if (memory := self._memories.get(key)) is not None:
                memory.renew()

    def looked(self, key: str, seconds: float) -> None:
        """Take in that an ordinary look just ended and how long it took: hints keep a pause accordingly.

        Nothing happens if `key` is not known: it may have been removed during the look.
        """
        with self._lock:
            if (memory := self._memories.get(key)) is not None:
                memory.looked(seconds)

    def close(self) -> None:
        """Stop everything, within 2 s even if a file system does not answer. No callback begins after it returned."""
        deadline = time.monotonic() + _CLOSE_WITHIN
        with self._lock:
            self._memories.clear()
            threads, self._threads = self._threads, []
        for thread in threads:
            thread.stop()
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._inotify.close(max(0.0, deadline - time.monotonic()))
        self._callbacks.close(max(0.0, deadline - time.monotonic()))

    def _freed(self, most: float) -> None:
        """Let memories that were short of watches, with fewer folders than `most`, try again."""
        with self._lock:
            for memory in self._memories.values():
                memory.retry(most)


class _CallbackThread(threading.Thread):
    """Calls back in the order in which it was asked to."""

    def __init__(self, on_hint: OnHint, on_state: OnState) -> None:
        super().__init__(name="watch callbacks", daemon=True)
        self.on_hint = on_hint
        self.on_state = on_state
        self._waiting: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()

    def post(self, call: Callable[[], None]) -> None:
        self._waiting.put(call)

    def close(self, timeout: float) -> None:
        self._waiting.put(None)
        if threading.current_thread() is not self:
            self.join(timeout)

    def run(self) -> None:
        while (call := self._waiting.get()) is not None:
            try:
                call()
            except Exception:  # noqa: BLE001 - an edge: the others are to be heard all the same
                _log.exception("a callback of the watcher failed")


class _Teller:
    """Tells of one memory as long as that is watched."""

    memory: MemoryWatch

    def __init__(self, callbacks: _CallbackThread, key: str) -> None:
        self._callbacks = callbacks
        self._key = key

    def hint(self) -> None:
        self._callbacks.post(lambda: None if self.memory.stopping else self._callbacks.on_hint(self._key))

    def state(self, state: WatchState) -> None:
        self._callbacks.post(lambda: None if self.memory.stopping else self._callbacks.on_state(self._key, state))
