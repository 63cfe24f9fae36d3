"""One process that prints commits with their parents: git where it is installed, else the reader's stand-in.

Owns that process and how it is asked. Nothing is fetched, written or run for it that the repository names: git prints
ids and no more. What it prints comes a piece at a time, and no faster than it is taken.
"""

import enum
import os
import shutil
import sys
from collections.abc import Iterable

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal

_NOTHING_FETCHED = ("-c", "protocol.allow=never")


class Printer(enum.Enum):
    """Who prints."""

    GIT = "git"
    READER = "reader"


def best_printer() -> Printer:
    """Return git if it is installed."""
    return Printer.GIT if shutil.which("git") else Printer.READER


class RowProcess(QObject):
    """Prints once, what `ask` names. printed(list[str]): whole lines. ended(bool): all came; False where it failed.

    It starts at once, and is ready by the time that somebody knows what to ask.
    """

    printed = Signal(object)
    ended = Signal(bool)

    def __init__(self, root: bytes, printer: Printer, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rest = b""
        self._stopped = False
        self._process = QProcess(self)
        self._process.setProcessEnvironment(_environment(root))
        self._process.setWorkingDirectory("/")
        self._process.setStandardErrorFile(QProcess.nullDevice())
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._finished)
        self._process.errorOccurred.connect(self._failed)
        program, *arguments = _command(root, printer)
        self._process.start(program, arguments)

    def ask(self, tips: Iterable[bytes], hidden: Iterable[bytes] = ()) -> None:
        """Have the commits printed that `tips` lead to and `hidden` do not, each after all its children."""
        self._process.write("".join([*_lines("", tips), *_lines("^", hidden)]).encode())
        self._process.closeWriteChannel()

    def stop(self) -> None:
        """End it; nothing is told any more. The object goes once the process is gone."""
        self._stopped = True
        if self._process.state() is QProcess.ProcessState.NotRunning:
            self.deleteLater()
        else:
            self._process.kill()

    def wait_until_gone(self, most_ms: int) -> None:
        """Wait for a stopped process: for the end of the window."""
        self._process.waitForFinished(most_ms)

    def _read(self) -> None:
        if self._stopped:
            return
        whole, _, self._rest = (self._rest + self._process.readAllStandardOutput().data()).rpartition(b"\n")
        if whole:
            self.printed.emit(whole.decode("ascii", "replace").split("\n"))

    def _finished(self, code: int, status: QProcess.ExitStatus) -> None:
        if self._stopped:
            self.deleteLater()
            return
        self._read()
        self._tell(whole=code == 0 and status is QProcess.ExitStatus.NormalExit and not self._rest)

    def _tell(self, *, whole: bool) -> None:
        self.ended.emit(whole)

    def _failed(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart and not self._stopped:
            self._tell(whole=False)


def _command(root: bytes, printer: Printer) -> list[str]:
    top = os.fsdecode(root)
    if printer is Printer.READER:
        return [sys.executable, "-P", "-m", "backtrail.reading.rows", top]
    git = ["git", "--no-replace-objects", *_NOTHING_FETCHED, "-C", top]
    return [*git, "rev-list", "--topo-order", "--parents", "--stdin"]


def _lines(sign: str, oids: Iterable[bytes]) -> Iterable[str]:
    return (f"{sign}{oid.hex()}\n" for oid in oids)


def _environment(root: bytes) -> QProcessEnvironment:
    """Return ours without what would send git elsewhere; it looks for a repository in `root` and no folder above."""
    environment = QProcessEnvironment.systemEnvironment()
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        environment.remove(name)
    environment.insert("GIT_CEILING_DIRECTORIES", os.fsdecode(os.path.dirname(root)))
    environment.insert("GIT_TERMINAL_PROMPT", "0")
    return environment
