"""What reaches the window from outside it: its icon in the tray, and the notifications.

Owns how each of these finds the folder, the guide or the deed that it is about. Restores nothing: a wish opens the
guide, over the window.
"""

from backtrail.model.ids import MemoryId
from backtrail.model.memory import Memory

from backtrail_desktop.shell.actions import Name
from backtrail_desktop.shell.notice import Notice
from backtrail_desktop.shell.palette import Colours, colours_of
from backtrail_desktop.shell.window import MainWindow
from backtrail_desktop.timeline.wish import Wish


class FromOutside:
    """Fills `tray.Inside` for a window."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def show_folder(self, memory_id: MemoryId | None) -> None:
        """Bring the window up, with this folder; None: with the one that it shows."""
        self._window.bring_up()
        if memory_id is not None and self._window.book.memory(memory_id) is not None:
            self._window.rooms.folders.choose(memory_id)

    def open_guide(self, memory_id: MemoryId, wish: Wish) -> None:
        """Bring the window up, with the guide for a wish about this folder."""
        self.show_folder(memory_id)
        memory = self.shown()
        if memory is not None and memory.id == memory_id:
            self._window.acting.open_guide(wish)

    def act(self, name: Name, memory_id: MemoryId) -> None:
        """Save, pause or resume a folder, whichever is shown."""
        memory, deeds = self._window.book.memory(memory_id), self._window.deeds
        if memory is not None:
            {Name.SAVE_NOW: deeds.save, Name.PAUSE: deeds.pause, Name.RESUME: deeds.resume}[name](memory)

    def start(self) -> None:
        """Have the Host started."""
        self._window.start_wanted.emit()

    def tell(self, notice: Notice) -> None:
        """Tell something in the window."""
        self._window.tell(notice)

    def end(self) -> None:
        """Close the window for good, after asking where that stops keeping."""
        self._window.end()

    def is_seen(self, memory_id: MemoryId) -> bool:
        """Tell whether a person sees this folder now."""
        memory = self.shown()
        return self._window.isActiveWindow() and memory is not None and memory.id == memory_id

    def is_hidden(self) -> bool:
        """Tell whether the window is hidden."""
        return self._window.isHidden()

    def shown(self) -> Memory | None:
        """Return the folder that the window shows."""
        return self._window.acting.memory

    def colours(self) -> Colours:
        """Return the colours of the window."""
        return colours_of(self._window)
