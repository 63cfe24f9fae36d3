"""A process that runs one restore and stops where it is told to: at a named point by its own hand, or under strace.

`python restoring_process.py HOME TARGET [--undo] [--kill POINT] [--hold STEP] [--write-at STEP FILE TOLD]`

TARGET is a checkpoint id, with --undo a restore id. POINT is a step's name, or `name+N` for the N-th piece of work
within it. --hold: at that step, say so on standard output and wait for a line on standard input, so that a tracer can
be attached. --write-at: at that step another process appends to FILE, and then makes TOLD. Prints what came of it as
one JSON object.
"""

import argparse
import ctypes
import json
import os
import pathlib
import signal
import subprocess
import sys

from backtrail.host.host import Host
from backtrail.host.restoring import Restoring
from backtrail.model.errors import BacktrailError
from backtrail.model.restore import Ignored, RestoreRecord

_PR_SET_PTRACER = 0x59616D61
_ANYONE = -1


class Watched:
    """Progress that kills its own process, holds it, or has somebody else write, at a named point."""

    def __init__(self, given: argparse.Namespace) -> None:
        self._given = given
        self._step = ""
        self._pieces = 0

    def step(self, name: str, total: int | None = None) -> None:
        del total
        self._step, self._pieces = str(name), 0
        self._die_at(self._step)
        if self._step == self._given.hold:
            sys.stdout.write("holding\n")
            sys.stdout.flush()
            sys.stdin.readline()
        if self._given.write_at and self._step == self._given.write_at[0]:
            subprocess.run(["sh", "-c", 'echo late >>"$1" && : >"$2"', "sh", *self._given.write_at[1:]], check=True)

    def advance(self, done: int) -> None:
        del done
        self._pieces += 1
        self._die_at(f"{self._step}+{self._pieces}")

    def _die_at(self, point: str) -> None:
        if point == self._given.kill:
            os.kill(os.getpid(), signal.SIGKILL)


def _restore(given: argparse.Namespace) -> RestoreRecord:
    progress = Watched(given)
    with Host.open(pathlib.Path(given.home)) as host:
        if given.undo:
            memory, archive = host.archive(given.target)
            with host.open_memory(memory) as work:
                restoring = Restoring(work)
                target = restoring.undo_target(archive)
                return restoring.restore(target, None, Ignored.CARRY, frozenset(), progress)
        memory, checkpoint = host.checkpoint(given.target)
        with host.open_memory(memory) as work:
            restoring = Restoring(work)
            target = restoring.target(checkpoint)
            token = restoring.plan(target, Ignored.CARRY).token
            return restoring.restore(target, token, Ignored.CARRY, frozenset(), progress)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("home")
    parser.add_argument("target")
    parser.add_argument("--undo", action="store_true")
    parser.add_argument("--kill")
    parser.add_argument("--hold")
    parser.add_argument("--write-at", nargs=3)
    given = parser.parse_args()
    ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_long(_ANYONE), 0, 0, 0)
    try:
        record = _restore(given)
    except BacktrailError as error:
        said = {"error": error.code, "facts": repr(error.facts())}
    else:
        said = {"done": record.id, "state": record.state}
    os.writev(sys.stdout.fileno(), [json.dumps(said).encode() + b"\n"])  # a call that no fault is injected into


if __name__ == "__main__":
    main()
