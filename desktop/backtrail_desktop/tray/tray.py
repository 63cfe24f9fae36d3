"""Backtrail outside its window: icon, menu and bubbles, tied to the window.

Owns when there is an icon, and that the window is never out of reach: without an icon it is not hidden, and when the
icon goes away it is shown. Does nothing to folders itself: it asks the window's rooms.
"""

from collections.abc import Callable
from typing import Protocol

from backtrail.model.commands import CheckpointPage, ListCheckpoints
from backtrail.model.ids import MemoryId
from backtrail.model.memory import Memory
from PySide6.QtCore import QObject, QTimer

from backtrail_desktop.client.port import Failure, HostPort, Link
from backtrail_desktop.folders.book import FolderBook
from backtrail_desktop.shell.actions import Name
from backtrail_desktop.shell.notice import Notice
from backtrail_desktop.shell.palette import Colours
from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.shell.standing import Standing, worst
from backtrail_desktop.timeline.clock import Clock, system_clock
from backtrail_desktop.timeline.wish import Wanted, Wish
from backtrail_desktop.timeline.words import led_to, when_text
from backtrail_desktop.tray.bubbles import Bubble
from backtrail_desktop.tray.icon import TrayPort
from backtrail_desktop.tray.menu import Offered, StateLine, TrayMenu, states_in_words
from backtrail_desktop.tray.notifications import Notifications
from backtrail_desktop.tray.notifier import Notifier

_STATES = 5
_SOON_MS = 500
_LOOK_MS = 1_000
_TRIES = 60


class Inside(Protocol):
    """What the tray needs of the window."""

    def show_folder(self, memory_id: MemoryId | None) -> None:
        """Bring the window to the front, with this folder; None: with what it shows."""

    def open_guide(self, memory_id: MemoryId, wish: Wish) -> None:
        """Bring the window to the front, with the guide for this wish."""

    def act(self, name: Name, memory_id: MemoryId) -> None:
        """Save, pause or resume a folder."""

    def start(self) -> None:
        """Have the Host started."""

    def tell(self, notice: Notice) -> None:
        """Tell something in the window itself."""

    def end(self) -> None:
        """End Backtrail, after asking where that stops keeping."""

    def is_seen(self, memory_id: MemoryId) -> bool:
        """Tell whether a person sees this folder now."""

    def is_hidden(self) -> bool:
        """Tell whether the window is hidden."""

    def shown(self) -> Memory | None:
        """Return the folder that the window shows."""

    def colours(self) -> Colours:
        """Return the colours of the window."""


class Tray(QObject):
    """The icon and what belongs to it. `begin` puts it up; until then nothing outside the window is touched."""

    def __init__(
        self,
        inside: Inside,
        host: HostPort,
        book: FolderBook,
        port: TrayPort,
        notifier: Notifier,
        clock: Clock = system_clock,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._inside, self._host, self._book = inside, host, book
        self._port, self._notifier, self._clock = port, notifier, clock
        self.notifications = Notifications(
            host, book, notifier, inside.is_seen, inside.is_hidden, clock=clock, parent=self
        )
        self._menu = TrayMenu(self)
        self._states: tuple[MemoryId, tuple[StateLine, ...]] | None = None
        self._message: Bubble | None = None
        self._put = False
        self._tries = 0
        self._without: Callable[[], None] | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON_MS)
        self._soon.timeout.connect(self._renew)
        self._look = QTimer(self)
        self._look.setInterval(_LOOK_MS)
        self._look.timeout.connect(self._look_for_a_place)
        self._connect()

    @property
    def is_there(self) -> bool:
        """Tell whether the icon can be seen, so that the window may be hidden."""
        return self._put and self._port.is_available()

    def begin(self, without: Callable[[], None] | None = None) -> None:
        """Put the icon up, or try for a minute. without: called if there is no place for one by then."""
        self._without = without
        self._renew()
        self._look.start()
        self._look_for_a_place()

    def close(self) -> None:
        """Take the icon away, and tell nothing any more."""
        self._look.stop()
        self._soon.stop()
        self._port.take_away()
        self._notifier.close()
        self._put = False

    def _connect(self) -> None:
        self._book.changed.connect(self._change_soon)
        self._host.happened.connect(self._change_soon)
        self._notifier.pressed.connect(self._pressed)
        self._notifier.refused.connect(self._tell_otherwise)
        self._notifier.tray_came.connect(self._put_up)
        self._port.opened.connect(self._opened)
        self._port.message_pressed.connect(self._message_pressed)
        self._menu.wanted.connect(self._inside.show_folder)
        self._menu.acted.connect(self._inside.act)
        self._menu.state_wanted.connect(self._state_wanted)
        self._menu.start_wanted.connect(self._inside.start)
        self._menu.ended.connect(self._inside.end)

    # where the icon is

    def _look_for_a_place(self) -> None:
        """Put the icon up once there is a place for it; never leave the window hidden where there is none."""
        self._tries += 1
        if self._port.is_available():
            if not self._put:
                self._put_up()
            return
        self._put = False
        if self._tries > _TRIES and self._inside.is_hidden():
            self._inside.show_folder(None)
        if self._tries > _TRIES and self._without is not None:
            without, self._without = self._without, None
            without()

    def _put_up(self) -> None:
        self._put = True
        self._port.put(self._menu.menu)
        self._tries = _TRIES - 3  # if it goes away, the window comes back after a few seconds

    # what it shows

    def _change_soon(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    def _renew(self) -> None:
        memory, standing = self._worst()
        tip = standing.sentence if memory is None else f"{memory.name}: {standing.sentence}"
        self._port.show(standing.mark, plain_text(tip), self._inside.colours())
        self._offer(memory, standing)
        self._ask_for_states()

    def _worst(self) -> tuple[Memory | None, Standing]:
        book = self._book
        answers = {one: book.standing(one) for one in book.memories} if book.link.link is Link.READY else {}
        standing = worst(answers.values())
        if standing is None:
            return None, book.standing(None)
        return next(one for one, answer in answers.items() if answer == standing), standing

    def _offer(self, memory: Memory | None, standing: Standing) -> None:
        of = self._folder_of_states()
        known = self._states if of is not None and self._states and self._states[0] == of.id else None
        self._menu.offer(
            Offered(
                standing=standing,
                worst=memory,
                memories=self._book.memories,
                answering=self._book.link.link is Link.READY,
                states_of=of.name if of else "",
                states=known[1] if known else (),
            )
        )

    def _folder_of_states(self) -> Memory | None:
        shown = self._inside.shown()
        return self._book.memory(shown.id) if shown else next(iter(self._book.memories), None)

    def _ask_for_states(self) -> None:
        memory = self._folder_of_states()
        if memory is not None and self._book.link.link is Link.READY:
            self._host.ask(ListCheckpoints(memory=memory.id, limit=_STATES + 1), self._states_told, self._states_failed)

    def _states_told(self, page: CheckpointPage) -> None:
        memory = self._book.memory(page.checkpoints[0].memory_id) if page.checkpoints else None
        if memory is None:
            return
        today = self._clock().astimezone().date()
        lines = states_in_words(
            memory, page.checkpoints, led_to, lambda state: when_text(state.captured_at, today), _STATES
        )
        self._states = (memory.id, lines)
        self._offer(*self._worst())

    def _states_failed(self, failure: Failure) -> None:
        del failure  # the menu goes on without them, and asks again with the next change
        self._states = None

    # what is pressed

    def _opened(self) -> None:
        self._inside.show_folder(None)

    def _state_wanted(self, state: StateLine) -> None:
        self._inside.open_guide(state.memory, Wish(state.checkpoint, Wanted.WHOLE))

    def _pressed(self, bubble: Bubble) -> None:
        if bubble.wish is not None:
            self._inside.open_guide(bubble.about, bubble.wish)
        else:
            self._inside.show_folder(bubble.about or None)

    def _message_pressed(self) -> None:
        if self._message is not None:
            self._pressed(self._message)

    def _tell_otherwise(self, bubble: Bubble) -> None:
        """Tell it by the icon's own message, or in the window."""
        self._message = bubble
        title, body = plain_text(bubble.title), plain_text(bubble.body)
        if not (self.is_there and self._port.tell(title, body)):
            self._inside.tell(Notice(f"{title}. {body}", warns=bubble.wish is not None))
