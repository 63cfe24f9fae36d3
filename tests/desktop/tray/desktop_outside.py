"""The desktop outside the window, for tests: keeps what it is shown, and lets the test press it."""

from backtrail.model.ids import MemoryId
from backtrail.model.memory import Memory
from backtrail_desktop.shell.actions import Name
from backtrail_desktop.shell.notice import Notice
from backtrail_desktop.shell.palette import LIGHT, Colours
from backtrail_desktop.shell.standing import Mark
from backtrail_desktop.timeline.wish import Wish
from backtrail_desktop.tray.bubbles import Bubble
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu


class KeepingNotifier(QObject):
    """Fills `Notifier`."""

    pressed = Signal(object)
    refused = Signal(object)
    tray_came = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.bubbles: list[Bubble] = []
        self.closed = False

    def show(self, bubble: Bubble) -> None:
        self.bubbles.append(bubble)

    def close(self) -> None:
        self.closed = True


class KeepingTray(QObject):
    """Fills `TrayPort`."""

    opened = Signal()
    message_pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.available = True
        self.shows_messages = True
        self.made = 0
        self.menu: QMenu | None = None
        self.mark: Mark | None = None
        self.tip = ""
        self.messages: list[tuple[str, str]] = []

    def is_available(self) -> bool:
        return self.available

    def put(self, menu: QMenu) -> None:
        self.made += 1
        self.menu = menu

    def take_away(self) -> None:
        self.menu = None

    def show(self, mark: Mark, tip: str, colours: Colours) -> None:
        assert colours == LIGHT
        self.mark, self.tip = mark, tip

    def tell(self, title: str, body: str) -> bool:
        self.messages.append((title, body))
        return self.shows_messages


class Window:
    """Fills `Inside`."""

    def __init__(self) -> None:
        self.hidden = False
        self.seen: MemoryId | None = None
        self.memory: Memory | None = None
        self.did: list[tuple[object, ...]] = []

    def show_folder(self, memory_id: MemoryId | None) -> None:
        self.hidden = False
        self.did.append(("show", memory_id))

    def open_guide(self, memory_id: MemoryId, wish: Wish) -> None:
        self.did.append(("guide", memory_id, wish))

    def act(self, name: Name, memory_id: MemoryId) -> None:
        self.did.append((name, memory_id))

    def start(self) -> None:
        self.did.append(("start",))

    def tell(self, notice: Notice) -> None:
        self.did.append(("tell", notice.what))

    def end(self) -> None:
        self.did.append(("end",))

    def is_seen(self, memory_id: MemoryId) -> bool:
        return memory_id == self.seen

    def is_hidden(self) -> bool:
        return self.hidden

    def shown(self) -> Memory | None:
        return self.memory

    def colours(self) -> Colours:
        return LIGHT
