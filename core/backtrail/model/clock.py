"""Time is passed in: a clock is a function, so that tests can use a fixed one."""

import datetime
from collections.abc import Callable

Clock = Callable[[], datetime.datetime]
"""Returns the present time, aware, in UTC."""


def system_clock() -> datetime.datetime:
    """Return what the machine's clock says."""
    return datetime.datetime.now(datetime.UTC)
