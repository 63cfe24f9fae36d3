"""How often one memory may be hinted at, and how often it must be.

Owns the arithmetic only; every time is passed in, in seconds of one monotonic clock. Looks that a turn or a person asks
for do not come this way and never wait for it.
"""

_PAUSE_PER_LOOK = 10
_LONGEST_PAUSE = 30.0


class Pace:
    """The pause after a look is ten times what it took, 30 s at most; without any event a hint is due every `regular`.

    So hints cost a tenth of one core at most, and what events never told is seen all the same (cases B67, B68).
    `regular` may be changed at any time: a memory that is polled has a shorter one.
    """

    def __init__(self, now: float, regular: float = 300.0) -> None:
        self._free = now
        self.regular = regular
        self._hinted = now

    def looked(self, now: float, took: float) -> None:
        """Take in that an ordinary look ended at `now` after `took` seconds; not a first capture, not a re-hash."""
        self._free = now + min(took * _PAUSE_PER_LOOK, _LONGEST_PAUSE)

    def hinted(self, now: float) -> None:
        """Take in that a hint was given at `now`."""
        self._hinted = now

    def next_hint(self, due: float | None) -> float:
        """Return when the next hint may be given, if events make one due at `due`, or none (None)."""
        regular = self._hinted + self.regular
        return max(self._free, regular if due is None else min(due, regular))
