"""The menu of the tray icon: the answer, the window, what can be done to each folder, and its last states.

Owns which entries there are. Does nothing: it tells what was chosen. Words of the actions are the registry's.
"""

import functools
from collections.abc import Callable, Sequence

import msgspec
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.ids import CheckpointId, MemoryId
from backtrail.model.memory import Memory, MemoryState
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMenu

from backtrail_desktop.shell.actions import REGISTRY, Name
from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.shell.standing import Remedy, Standing
from backtrail_desktop.tray.bubbles import OPEN

START = "Start keeping again"
_LONGEST = 60
_OF_A_FOLDER = (Name.SAVE_NOW, Name.PAUSE, Name.RESUME)


class StateLine(msgspec.Struct, frozen=True):
    """One of the last states, in words."""

    text: str
    memory: MemoryId
    checkpoint: CheckpointId


class Offered(msgspec.Struct, frozen=True, kw_only=True):
    """What the menu is made of. standing: of the worst folder, `worst`; None where there is no folder.

    states: the last ones of the folder `states_of`.
    """

    standing: Standing
    worst: Memory | None = None
    memories: tuple[Memory, ...] = ()
    answering: bool = False
    states_of: str = ""
    states: tuple[StateLine, ...] = ()


class TrayMenu(QObject):
    """The menu. wanted(MemoryId or None): the window, with this folder. acted(Name, MemoryId). state_wanted(StateLine).

    start_wanted: keeping is to begin again. ended: Backtrail is to end.
    """

    wanted = Signal(object)
    acted = Signal(object, object)
    state_wanted = Signal(object)
    start_wanted = Signal()
    ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.menu = QMenu()
        self._offered: Offered | None = None
        self._later: Offered | None = None
        self.menu.aboutToHide.connect(self._offer_later, Qt.ConnectionType.QueuedConnection)

    def offer(self, offered: Offered) -> None:
        """Show other entries, if they are others; while the menu is open it stays as it is."""
        if self.menu.isVisible():
            self._later = offered
            return
        if offered == self._offered:
            return
        self._offered = offered
        self.menu.clear()
        self._add_answer(offered)
        if offered.standing.remedy is Remedy.START:
            self._add(self.menu, START, self.start_wanted.emit)
        self._add(self.menu, OPEN, functools.partial(self.wanted.emit, None))
        if offered.memories:
            self.menu.addSeparator()
            for name in _OF_A_FOLDER:
                self._add_for_each(name, offered)
        if offered.states:
            states = self.menu.addMenu(entry_text(f"Last states of {offered.states_of}"))
            states.setEnabled(offered.answering)
            for state in offered.states:
                self._add(states, state.text, functools.partial(self.state_wanted.emit, state))
        self.menu.addSeparator()
        self._add(self.menu, REGISTRY[Name.END].text, self.ended.emit)

    def _offer_later(self) -> None:
        later, self._later = self._later, None
        if later is not None:
            self.offer(later)

    def _add_answer(self, offered: Offered) -> None:
        worst = offered.worst
        told = offered.standing.sentence if worst is None else f"{worst.name}: {offered.standing.sentence}"
        about = None if worst is None else worst.id
        self._add(self.menu, told, functools.partial(self.wanted.emit, about))

    def _add_for_each(self, name: Name, offered: Offered) -> None:
        """Add what can be done to folders: at once where there is one, in a menu of its own where there are several."""
        fitting = [memory for memory in offered.memories if _fits(name, memory)]
        if not fitting:
            return
        many = len(offered.memories) > 1
        menu = self.menu.addMenu(REGISTRY[name].text) if many else self.menu
        for memory in fitting:
            text = memory.name if many else REGISTRY[name].text
            self._add(menu, text, functools.partial(self.acted.emit, name, memory.id), enabled=offered.answering)

    def _add(self, menu: QMenu, text: str, done: Callable[[], object], *, enabled: bool = True) -> None:
        action = menu.addAction(entry_text(text))
        action.setEnabled(enabled)
        action.triggered.connect(functools.partial(_without_arguments, done))


def _without_arguments(done: Callable[[], object], *_: object) -> None:
    done()


def _fits(name: Name, memory: Memory) -> bool:
    if memory.state is not MemoryState.ATTACHED:
        return False
    if name is Name.PAUSE:
        return memory.paused_until is None
    return name is not Name.RESUME or memory.paused_until is not None


def entry_text(text: str) -> str:
    """Return text as a menu shows it unchanged: on one line, not too long, and `&` as itself."""
    shown = plain_text(text)
    if len(shown) > _LONGEST:
        shown = f"{shown[: _LONGEST - 1]}…"
    return shown.replace("&", "&&")


def states_in_words(
    memory: Memory,
    newest_first: Sequence[Checkpoint],
    led_to: Callable[[Checkpoint, Checkpoint | None], str],
    at: Callable[[Checkpoint], str],
    count: int,
) -> tuple[StateLine, ...]:
    """Return the newest states as entries: when, and what led to each."""
    before: list[Checkpoint | None] = [*newest_first[1:], None]
    told = zip(newest_first, before, strict=True)
    lines = [StateLine(f"{at(one)}  {led_to(one, last)}", memory.id, one.id) for one, last in told]
    return tuple(lines[:count])
