"""The time, passed in: what is today depends on it, and tests fix it."""

import datetime
from collections.abc import Callable

Clock = Callable[[], datetime.datetime]
"""Returns the present time with its time zone."""


def system_clock() -> datetime.datetime:
    """Return the time of this machine."""
    return datetime.datetime.now(datetime.UTC)
