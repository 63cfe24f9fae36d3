"""Running a restore under strace: every system call that can change something, and a kill or a fault at any of them.

The tracer is attached at a named step of the restore, so that calls are counted from there and a run can be repeated.
A call that a kill is injected at is not executed: killing before each call that changes something, and after the last
one, leaves no state in between untried.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from core.git_oracle import ENVIRONMENT
from end_to_end.scene import Scene

CHANGING = (
    "rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir", "mkdir", "mkdirat", "link", "linkat", "symlink",
    "symlinkat", "write", "pwrite64", "ftruncate", "copy_file_range", "chmod", "fchmod", "fchmodat", "chown", "fchown",
    "fchownat", "lchown", "utimensat", "fsync", "fdatasync", "syncfs",
)  # fmt: skip
OPENING = "openat"
_LINE = re.compile(r"^(?:(?P<pid>\d+) +)?(?P<name>\w+)\((?P<arguments>.*)\) += (?P<result>.*)$")
_PROCESS = str(Path(__file__).with_name("restoring_process.py"))
_PATIENCE_S = 120


class Call(NamedTuple):
    """One system call of a run: the how-many-th of its name since the tracer was attached."""

    name: str
    number: int
    arguments: str
    failed: bool

    @property
    def changes(self) -> bool:
        return not self.failed and (self.name != OPENING or "O_CREAT" in self.arguments)


class Disturbance(NamedTuple):
    """What is done to a restore. Either it kills itself at `kill`, or strace injects `inject` from step `hold` on.

    write_at: the step at which somebody else writes to a file of the folder.
    """

    kill: str | None = None
    hold: str | None = None
    inject: tuple[str, ...] = ()
    write_at: str | None = None

    def __str__(self) -> str:
        parts = [f"kill at {self.kill}" if self.kill else "", f"from {self.hold}" if self.hold else "", *self.inject]
        return " ".join([*filter(None, parts), *(["someone writes"] if self.write_at else [])])


def has_strace() -> bool:
    """Tell whether the tracer is installed."""
    return shutil.which("strace") is not None


def run(scene: Scene, what: Disturbance, log: Path | None = None) -> Mapping[str, str]:
    """Run one restore and return what it said; nothing if it was killed."""
    arguments = list(scene.arguments)
    if what.kill:
        arguments += ["--kill", what.kill]
    if what.hold:
        arguments += ["--hold", what.hold]
    if what.write_at:
        arguments += ["--write-at", what.write_at, str(scene.root / "f"), str(scene.told)]
    with subprocess.Popen(
        [sys.executable, _PROCESS, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        text=True,
    ) as restoring:
        tracer = _attach(restoring, what, log) if what.hold else None
        said, complaint = restoring.communicate("go\n" if what.hold else None, timeout=_PATIENCE_S)
        if tracer is not None:
            tracer.communicate(timeout=_PATIENCE_S)
    lines = [line for line in said.splitlines() if line.startswith("{")]
    if lines:
        answer: Mapping[str, str] = json.loads(lines[-1])
        return answer
    return {} if restoring.returncode == -9 else {"crashed": complaint[-500:]}


def _attach(restoring: "subprocess.Popen[str]", what: Disturbance, log: Path | None) -> "subprocess.Popen[str]":
    """Attach the tracer to a process that holds still, and return it when it is attached."""
    assert restoring.stdout is not None
    assert restoring.stdout.readline() == "holding\n"
    injected = [part for inject in what.inject for part in ("-e", "inject=" + inject)]
    command = ["strace", "-s", "300", "-o", log or "/dev/null", "-e", "trace=" + ",".join((*CHANGING, OPENING))]
    tracer = subprocess.Popen([*command, *injected, "-p", str(restoring.pid)], stderr=subprocess.PIPE, text=True)
    assert tracer.stderr is not None
    told = tracer.stderr.readline()
    assert "attached" in told, told
    return tracer


def calls(scene: Scene, what: Disturbance) -> list[Call]:
    """Run one restore with a tracer from `what.hold` on, and return the calls that it made, in order."""
    scene.set_up()
    log = scene.place / "trace"
    run(scene, what, log)
    counted: dict[str, int] = {}
    found: list[Call] = []
    for line in log.read_text(errors="replace").splitlines():
        if (match := _LINE.match(line)) is None:
            continue
        name = match["name"]
        counted[name] = counted.get(name, 0) + 1
        found.append(Call(name, counted[name], match["arguments"], match["result"].startswith("-1")))
    return _repeatable(found)


def _repeatable(found: list[Call]) -> list[Call]:
    """Leave out what cannot be counted on: how many files are opened below /proc, and all opened after those."""
    first = next((at for at, call in enumerate(found) if call.name == OPENING and '"/proc/' in call.arguments), None)
    return [call for at, call in enumerate(found) if call.name != OPENING or first is None or at < first]
