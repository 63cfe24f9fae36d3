"""When many events become one hint.

Owns the arithmetic only: no clock, no thread, no timer; every time is passed in, in seconds of one monotonic clock.
watchdog's own debouncer starts anew with every event, so that a constant writer would starve it: here the wait has an
end.
"""


class Debounce:
    """Due once it has been quiet for `quiet` seconds, and `longest` seconds after the first event at the latest."""

    def __init__(self, quiet: float = 0.75, longest: float = 5.0) -> None:
        self._quiet = quiet
        self._longest = longest
        self._first: float | None = None
        self._last = 0.0

    def note(self, at: float) -> None:
        """Take in that something happened at `at`."""
        if self._first is None:
            self._first = self._last = at
        self._last = max(self._last, at)

    @property
    def due(self) -> float | None:
        """When the hint is due, if nothing more happens; None when nothing happened."""
        return None if self._first is None else min(self._last + self._quiet, self._first + self._longest)

    def clear(self) -> None:
        """Forget what happened: the hint was given."""
        self._first = None
