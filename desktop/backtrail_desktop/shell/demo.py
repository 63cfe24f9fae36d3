"""A made-up folder in which work has just been lost, for a person to rescue.

Owns the process that makes it: the command line's. Really does what it tells: commits, edits, a reset; no time is faked
and nothing is shown that did not happen. The folder is a folder like any other afterwards.
"""

import json
import pathlib
import sys

from backtrail.model.path_text import path_bytes
from PySide6.QtCore import QObject, QProcess, Signal

FAILED = "The demo could not be made."


class DemoMaker(QObject):
    """Makes demos, one at a time. ready(bytes): the folder stands. failed(str): why it could not be made."""

    ready = Signal(bytes)
    failed = Signal(str)

    def __init__(self, home: pathlib.Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = ["-m", "backtrail.cli.main", "--json", "--home", str(home), "demo", "--until-loss"]
        self._process: QProcess | None = None

    def make(self) -> None:
        """Begin; nothing happens while one is being made."""
        if self._process is not None:
            return
        self._process = QProcess(self)
        self._process.finished.connect(self._finished)
        self._process.errorOccurred.connect(self._not_started)
        self._process.start(sys.executable, self._words)

    def close(self) -> None:
        """End what is under way."""
        if self._process is not None:
            self._process.finished.disconnect(self._finished)
            self._process.terminate()
            self._process.waitForFinished(1000)
            self._process = None

    def _finished(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        told = bytes(process.readAllStandardOutput().data())
        process.deleteLater()
        try:
            answer = json.loads(told)
        except ValueError:
            self.failed.emit(FAILED)
            return
        if "demo" in answer and answer["demo"]["ok"]:
            self.ready.emit(bytes(path_bytes(answer["demo"]["folder"])))
        else:
            self.failed.emit(str(answer.get("error", {}).get("message", FAILED)))

    def _not_started(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart and self._process is not None:
            self._process = None
            self.failed.emit(FAILED)
