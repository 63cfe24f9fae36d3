"""A real Host in a process of its own, for the tests of the window's side of the wire."""

import os
import pathlib
import signal
import subprocess
import sys
from typing import Self

PROGRAM = (sys.executable, "-P", "-m", "backtrail.cli.main")


class Background:
    """`backtrail watch` on a data folder, from `start` on. Use as a context manager: it is gone at the end."""

    def __init__(self, home: pathlib.Path) -> None:
        self.home = home
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        ready, there = os.pipe()
        arguments = ("--home", str(self.home), "watch", "--ready-fd", str(there))
        self.process = subprocess.Popen((*PROGRAM, *arguments), pass_fds=(there,), stdout=subprocess.DEVNULL)
        os.close(there)
        with os.fdopen(ready, "rb") as told:
            assert told.read() == b"ready\n"

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self.process is not None
        self.process.send_signal(number)

    def kill(self) -> None:
        """End it at once, if it runs."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
