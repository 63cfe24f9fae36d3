"""The Host as the window sees it: questions, events, and how things stand with it.

Owns one connection at a time, the questions under way, and the link: not answering after six seconds without a sign of
life, stopped at the end of file, found again by looking for it once a second. Runs in the UI thread and never waits.
Starts no Host: it tells that there is none.
"""

import collections
import logging
import os
import pathlib
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from backtrail import __version__
from backtrail.model.clock import Clock, system_clock
from backtrail.model.commands import Command
from backtrail.model.events import HostEvent, MemoryChanged
from backtrail.model.ids import MemoryId
from backtrail.wire import messages
from backtrail.wire.coding import NotAnEvent, event_of, request_of
from backtrail.wire.errors import FrameTooLong, HostRefused
from backtrail.wire.limits import LIMITS, Limits
from PySide6.QtCore import QObject, Qt, QTimer, Signal

from backtrail_desktop.client.failures import failure_of, host_stopped, told_failure
from backtrail_desktop.client.port import Failure, Link, LinkState
from backtrail_desktop.client.question import Question

if TYPE_CHECKING:
    from backtrail_desktop.client.host_socket import HostSocket

A = TypeVar("A")
_log = logging.getLogger(__name__)
_SURE_MS = 200
_LOOK_MS = 1000
_SHARE = 0.75
"""How much of the requests that the Host takes at once are used: the rest waits here, and none is refused."""


class HostClient(QObject):
    """Fills `HostPort` for the Host of the data folder `home`. missing: it was looked for, and none serves."""

    link_changed = Signal(object)
    happened = Signal(object)
    missing = Signal()

    def __init__(
        self,
        home: pathlib.Path,
        clock: Clock = system_clock,
        limits: Limits = LIMITS,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._home, self._clock, self._limits = home, clock, limits
        self._link = LinkState(Link.STARTING, clock())
        self._heard_at = self._link.since
        self._socket: HostSocket | None = None
        self._welcomed = False
        self._refused: messages.Refused | None = None
        self._refusal: Failure | None = None
        self._places: list[pathlib.Path] = []
        self._waiting: collections.deque[Question] = collections.deque()
        self._under_way: dict[int, Question] = {}
        self._last = 0
        self._failing: list[tuple[Question, Failure]] = []
        self._silent = _timer(self, round(limits.silent_s * 1000), self._on_silence)
        self._sure = _timer(self, _SURE_MS, self._on_sure)
        self._look = _timer(self, _LOOK_MS, self._try)
        self._fail_soon = _timer(self, 0, self._fail)

    @property
    def link(self) -> LinkState:
        """How things stand now."""
        return self._link

    def start(self) -> None:
        """Look for the Host; nothing where one is connected. `missing` is told if there is none."""
        if self._socket is None:
            self._look.stop()
            self._set_link(Link.STARTING)
            self._try()

    def give_up(self) -> None:
        """Take note that none could be started. It is still looked for."""
        if self._socket is None:
            self._stopped()

    def close(self) -> None:
        """Leave: nothing is told any more. What the Host was asked for it goes on with."""
        for timer in (self._silent, self._sure, self._look, self._fail_soon):
            timer.stop()
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def ask(
        self,
        command: Command[A],
        on_answer: Callable[[A], None],
        on_failure: Callable[[Failure], None],
        on_progress: Callable[[str, int, int | None], None] | None = None,
    ) -> Question:
        """Send a command, or keep it until there is a Host; while there is none, it fails."""
        question = Question(command, on_answer, on_failure, on_progress, self._cancel)
        if self._link.link is Link.STOPPED:
            self._fail_later(question, host_stopped())
        elif self._link.link is Link.OTHER_VERSION and self._refusal is not None:
            self._fail_later(question, self._refusal)
        else:
            self._waiting.append(question)
            self._send()
        return question

    # questions

    def _send(self) -> None:
        if self._socket is None or not self._welcomed:
            return
        while self._waiting and len(self._under_way) < self._limits.requests * _SHARE:
            question = self._waiting.popleft()
            self._last += 1
            try:
                self._socket.say(messages.Request(self._last, *request_of(question.command)))
            except FrameTooLong as error:
                self._fail_later(question, failure_of(error))
            else:
                self._under_way[self._last] = question

    def _cancel(self, question: Question) -> None:
        if question in self._waiting:
            self._waiting.remove(question)
            self._fail_later(question, told_failure("cancelled"))
        elif self._socket is not None:
            for number, one in self._under_way.items():
                if one is question:
                    self._socket.say(messages.Cancel(number))

    def _fail_later(self, question: Question, failure: Failure) -> None:
        """Let it fail once whoever asks has got it back."""
        self._failing.append((question, failure))
        self._fail_soon.start()

    def _fail(self) -> None:
        failing, self._failing = self._failing, []
        for question, failure in failing:
            question.fail(failure)

    # the connection

    def _try(self) -> None:
        """Look for a Host."""
        if self._socket is None:
            from backtrail.wire.address import sockets_of  # noqa: PLC0415 - the window is painted first

            self._places = sockets_of(self._home)
            self._try_next()

    def _try_next(self) -> None:
        if not self._places:
            self._found_none()
            return
        from backtrail_desktop.client.host_socket import HostSocket  # noqa: PLC0415 - as above

        self._welcomed, self._refused, self._heard_at = False, None, self._clock()
        self._socket = HostSocket(self._places.pop(0), self)
        self._socket.connected.connect(self._connected)
        self._socket.came.connect(self._came)
        self._socket.ended.connect(self._ended)
        self._silent.start()
        self._socket.open()

    def _connected(self) -> None:
        if self._socket is not None:
            self._socket.say(messages.Hello(role=messages.Role.WINDOW, pid=os.getpid(), product=__version__))

    def _ended(self) -> None:
        ended, self._socket = self._socket, None
        if ended is not None:
            ended.deleteLater()
        self._silent.stop()
        self._sure.stop()
        refused = self._refused
        if refused is not None and refused.code is messages.Refusal.OTHER_VERSION:
            self._refusal = failure_of(HostRefused(refused.code, refused.protocol, refused.product))
            self._set_link(Link.OTHER_VERSION)
            self._drop(self._refusal)
            self._look.start()
        elif refused is not None or self._welcomed:
            self._stopped()
        else:
            self._try_next()

    def _found_none(self) -> None:
        if self._link.link is Link.STARTING:
            self.missing.emit()
        else:
            self._stopped()

    def _stopped(self) -> None:
        self._set_link(Link.STOPPED)
        self._drop(host_stopped())
        self._look.start()

    def _drop(self, failure: Failure) -> None:
        dropped = [*self._under_way.values(), *self._waiting]
        self._under_way.clear()
        self._waiting.clear()
        for question in dropped:
            question.fail(failure)

    # what the Host says

    def _came(self, message: messages.FromHost) -> None:
        self._heard_at = self._clock()
        self._sure.stop()
        self._silent.start()
        if self._welcomed:
            self._set_link(Link.READY)
        match message:
            case messages.Welcome():
                self._welcomed = True
                self._set_link(Link.READY)
                self._send()
            case messages.Refused():
                self._refused = message
            case messages.Progress() if (question := self._under_way.get(message.number)) is not None:
                question.progress(message.step, message.done, message.total)
            case messages.Answer() if (question := self._under_way.pop(message.number, None)) is not None:
                question.answer(message.result)
                self._send()
            case messages.Failure() if (question := self._under_way.pop(message.number, None)) is not None:
                question.fail(told_failure(message.code, message.facts))
                self._send()
            case messages.Event():
                self.happened.emit(_told(message))
            case _:
                pass

    def _on_silence(self) -> None:
        self._sure.start()  # if it was this process that slept, what came meanwhile is read first

    def _on_sure(self) -> None:
        if self._socket is not None and not self._socket.has_more:
            self._set_link(Link.NOT_ANSWERING, since_heard=True)

    def _set_link(self, link: Link, *, since_heard: bool = False) -> None:
        if link is not self._link.link:
            self._link = LinkState(link, self._heard_at if since_heard else self._clock())
            self.link_changed.emit(self._link)


def _told(message: messages.Event) -> HostEvent:
    """Return what an event says; of one that is not understood, that something has changed: who cares asks."""
    try:
        return event_of(message)
    except NotAnEvent as error:
        _log.warning("an event %s: %s", message.name, error)
        return MemoryChanged(memory=None if message.memory_id is None else MemoryId(message.memory_id))


def _timer(parent: QObject, interval_ms: int, then: Callable[[], None]) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.setInterval(interval_ms)
    timer.timeout.connect(then)
    return timer
