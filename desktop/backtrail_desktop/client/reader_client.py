"""The reader as the window sees it: a process of its own that only reads repositories, one question at a time.

Owns that process. A question that is no longer wanted is stopped by ending the process, since a library that computes
hears nothing; the next question gets a new one. A reader that dies costs the question it was at, and nothing else.
"""

import collections
import logging
import sys
from collections.abc import Callable
from typing import TypeVar

from backtrail.model.commands import Command
from backtrail.model.errors import BacktrailError
from backtrail.wire import messages
from backtrail.wire.coding import request_of
from backtrail.wire.errors import FrameTooLong
from backtrail.wire.frames import FrameReader
from backtrail.wire.parts import Parts, frames_of
from PySide6.QtCore import QObject, QProcess, QTimer

from backtrail_desktop.client.failures import READER_STOPPED, failure_of, told_failure
from backtrail_desktop.client.port import Failure
from backtrail_desktop.client.question import Question

_log = logging.getLogger(__name__)
A = TypeVar("A")
_GONE_MS = 2000
_PROGRAM = ("-P", "-m", "backtrail.reading")


class ReaderClient(QObject):
    """Fills `Port`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: collections.deque[Question] = collections.deque()
        self._asked: Question | None = None
        self._number = 0
        self._closed = False
        self._process: QProcess | None = None
        self._frames, self._parts = FrameReader(), Parts()
        self._cancelled: list[Question] = []
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._go_on)

    @property
    def pid(self) -> int:
        """The reader's process, 0 if there is none."""
        return self._process.processId() if self._process is not None else 0

    def start(self) -> None:
        """Start the process, so that the first question need not wait for it."""
        if self._process is not None or self._closed:
            return
        process = QProcess(self)
        process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
        process.setWorkingDirectory("/")
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._died)
        process.errorOccurred.connect(self._failed)
        self._process, self._frames, self._parts = process, FrameReader(), Parts()
        process.start(sys.executable, list(_PROGRAM))

    def close(self) -> None:
        """End the process; nothing is told any more. For the end of the window: it waits for the process to be gone."""
        self._closed = True
        self._soon.stop()
        self._waiting.clear()
        self._asked = None
        self._end()
        for process in self.findChildren(QProcess):
            process.waitForFinished(_GONE_MS)

    def ask(
        self,
        command: Command[A],
        on_answer: Callable[[A], None],
        on_failure: Callable[[Failure], None],
        on_progress: Callable[[str, int, int | None], None] | None = None,
    ) -> Question:
        """Ask, after what was asked before."""
        question = Question(command, on_answer, on_failure, on_progress, self._cancel)
        self._waiting.append(question)
        self._soon.start()
        return question

    def _cancel(self, question: Question) -> None:
        if question is self._asked:
            self._asked = None
            self._end()
        elif question in self._waiting:
            self._waiting.remove(question)
        else:
            return
        self._cancelled.append(question)
        self._soon.start()

    def _go_on(self) -> None:
        """Say which questions were stopped, and ask the next one."""
        cancelled, self._cancelled = self._cancelled, []
        for question in cancelled:
            question.cancelled()
        if self._asked is not None or not self._waiting:
            self.start()
            return
        question = self._waiting.popleft()
        self._number += 1
        try:
            frames = list(frames_of(messages.Request(self._number, *request_of(question.command))))
        except FrameTooLong as error:
            self._soon.start()
            question.fail(failure_of(error))
            return
        self._asked = question
        self.start()
        if self._process is not None:
            for frame in frames:
                self._process.write(frame)

    def _read(self) -> None:
        process = self._process
        if process is None or process is not self.sender():
            return
        try:
            for body in self._frames.read(bytes(process.readAllStandardOutput().data())):
                self._came(self._parts.take(messages.from_host(body)))
        except BacktrailError as error:
            _log.warning("the reader is ended: %s %s", error.code, error.facts())
            self._lost()

    def _came(self, message: messages.FromHost | None) -> None:
        if not isinstance(message, messages.Answer | messages.Failure) or message.number != self._number:
            return
        question, self._asked = self._asked, None
        self._soon.start()
        if question is None:
            return
        if isinstance(message, messages.Answer):
            question.answer(message.result)
        else:
            question.fail(told_failure(message.code, message.facts))

    def _died(self) -> None:
        if self.sender() is self._process:
            self._lost()

    def _failed(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart and self.sender() is self._process:
            self._lost()

    def _lost(self) -> None:
        """Take note that the reader is gone: what it was asked for fails."""
        question, self._asked = self._asked, None
        self._end()
        if question is not None:
            question.fail(told_failure(READER_STOPPED))
        if self._waiting:
            self._soon.start()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.state() is QProcess.ProcessState.NotRunning:
            process.deleteLater()
        else:
            process.finished.connect(process.deleteLater)  # destroying it now would wait for its end
            process.kill()
