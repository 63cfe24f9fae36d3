"""What is known of the looks that were made last: it makes the next one cheap, and takes room.

Owns how much of it stays in memory: that of the last look in any case, and of earlier ones as far as they are small.
What is forgotten costs the next look of that memory a reading of its stat cache and a listing, and nothing else.
"""

import threading

from backtrail.model.ids import MemoryId
from backtrail.scan.stat_cache import StatCache

_ENTRIES_BESIDE_THE_LAST = 10_000  # a thousand take 1.5 to 2 MB


class RecentLooks:
    """The caches of one Host by memory, from the one that was used longest ago on. For several threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._caches: dict[MemoryId, StatCache] = {}

    def get(self, memory_id: MemoryId) -> StatCache | None:
        """Return what is known of a memory."""
        with self._guard:
            return self._caches.get(memory_id)

    def keep(self, memory_id: MemoryId, cache: StatCache) -> None:
        """Know this of a memory from now on; what was used longer ago gives way."""
        with self._guard:
            self._caches.pop(memory_id, None)
            self._caches[memory_id] = cache
            room = _ENTRIES_BESIDE_THE_LAST
            for other in list(reversed(self._caches))[1:]:
                room -= len(self._caches[other].working)
                if room < 0:
                    self._caches.pop(other)

    def forget(self, memory_id: MemoryId) -> None:
        """Know nothing of a memory any more."""
        with self._guard:
            self._caches.pop(memory_id, None)
