"""A gate that work passes through, and that can be closed to have the house for oneself.

Owns the counting. What is inside when the gate closes comes to its end first; what comes later waits outside.
"""

import contextlib
import threading
from collections.abc import Iterator


class Gate:
    """Many may be inside at once; or one, alone."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._closed = False

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """Go in, waiting while the gate is closed. Never twice from one thread: a closing gate would wait for it."""
        with self._changed:
            self._changed.wait_for(lambda: not self._closed)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    def close(self) -> None:
        """Let nobody in any more, and wait until all are out."""
        with self._changed:
            self._changed.wait_for(lambda: not self._closed)
            self._closed = True
            self._changed.wait_for(lambda: self._inside == 0)

    def open(self) -> None:
        """Let those who wait in."""
        with self._changed:
            self._closed = False
            self._changed.notify_all()
