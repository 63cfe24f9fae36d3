"""Notices that time has passed: a pause is over, or the machine was asleep.

Owns one thread that looks at the clocks every two seconds. Does nothing by itself: it calls.
"""

import logging
import threading
import time
from collections.abc import Callable

_log = logging.getLogger(__name__)
_EVERY_S = 2.0
_ASLEEP_S = 3.0


def _slept() -> float:
    """Return the seconds that this machine has been asleep since it was started."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)


class TimeWatch(threading.Thread):
    """Calls `on_tick` every `every` seconds, and `on_wake` after the machine was asleep. Call `close` at the end.

    slept: the seconds asleep until now, which only grow.
    """

    def __init__(
        self,
        on_tick: Callable[[], None],
        on_wake: Callable[[], None],
        every: float = _EVERY_S,
        slept: Callable[[], float] = _slept,
    ) -> None:
        super().__init__(name="time watch", daemon=True)
        self._on_tick, self._on_wake = on_tick, on_wake
        self._every, self._slept = every, slept
        self._over = threading.Event()

    def run(self) -> None:
        """Look at the clocks until closed."""
        known = self._slept()
        while not self._over.wait(self._every):
            slept = self._slept()
            try:
                self._on_tick()
                if slept - known > _ASLEEP_S:
                    self._on_wake()
            except Exception:  # noqa: BLE001 - the edge of a thread: it is logged, and the clock goes on
                _log.exception("what was to be done at this time failed")
            known = slept

    def close(self) -> None:
        """End the thread; a call that runs is waited for, but not for long."""
        self._over.set()
        if self.is_alive():
            self.join(_EVERY_S)
