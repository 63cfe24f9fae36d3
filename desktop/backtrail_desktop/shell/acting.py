"""What each action does: the registry's actions, and the buttons that stand for one, tied to deeds and rooms.

Owns these ties, for the folder that is shown. Restores nothing: the two ways back open the guide.
"""

import datetime
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from backtrail.model.commands import ArchiveInfo
from backtrail.model.memory import Memory, MemoryState
from PySide6.QtCore import QObject, Signal

from backtrail_desktop.folders.book import FolderBook
from backtrail_desktop.shell.actions import Actions, Name
from backtrail_desktop.shell.deeds import Deeds
from backtrail_desktop.shell.dialogs import Dialogs
from backtrail_desktop.shell.guiding import Guiding
from backtrail_desktop.shell.notice import Notice
from backtrail_desktop.shell.plain_text import plain_path
from backtrail_desktop.shell.rooms import Rooms
from backtrail_desktop.shell.standing import Remedy
from backtrail_desktop.timeline.wish import Chosen, Wish

if TYPE_CHECKING:
    from backtrail_desktop.details.header import Offers
    from backtrail_desktop.shell.window import MainWindow

NOTHING_OPENS = "Nothing on this desktop opens folders."


class Acting(QObject):
    """Does what is asked for. told(Notice): something to say. start_wanted: start the Host."""

    told = Signal(object)
    start_wanted = Signal()

    def __init__(
        self,
        window: "MainWindow",
        rooms: Rooms,
        actions: Actions,
        book: FolderBook,
        deeds: Deeds,
        guiding: Guiding,
        dialogs: Dialogs,
    ) -> None:
        super().__init__(window)
        self._window, self._rooms, self._book = window, rooms, book
        self._deeds, self._guiding, self._dialogs = deeds, guiding, dialogs
        self.offers: Offers | None = None
        for name, done in self._table(window).items():
            actions[name].triggered.connect(done)

    @property
    def memory(self) -> Memory | None:
        """The folder that is shown."""
        return self._rooms.memory

    def choose(self, chosen: Chosen | None, today: datetime.date) -> None:
        """Take note of the state that is chosen, and of the ways back that it offers."""
        self.offers = None
        if chosen is not None:
            from backtrail_desktop.details.header import offers  # noqa: PLC0415 - it comes with the first folder

            self.offers = offers(chosen, today)

    def add(self, path: bytes) -> None:
        """Have a folder kept; if it is kept already, show it."""
        known = next((one for one in self._book.memories if one.path == path), None)
        if known is not None:
            self._rooms.folders.choose(known.id)
        else:
            self._deeds.add(path)

    def choose_folder(self) -> None:
        """Let the person choose a folder to add."""
        self._dialogs.choose_folder(self._window, self.add)

    def open_guide(self, wish: Wish) -> None:
        """Show what fulfilling a wish would do."""
        if self.memory is not None:
            self._guiding.fulfil(self.memory, wish)

    def bring_back(self, archive: ArchiveInfo) -> None:
        """Show what bringing an archive back would do."""
        self._guiding.bring_back(archive.memory, archive.restore.id)

    def open_folder(self, path: bytes) -> None:
        """Open a folder in the file manager, or say where it is: in the guide, while that is open."""
        self._dialogs.open_folder(path, partial(self._nothing_opens, path))

    def _nothing_opens(self, path: bytes) -> None:
        guide, where = self._guiding.guide, f"It is {plain_path(path)}"
        if guide is not None:
            guide.tell(f"{NOTHING_OPENS} {where}")
        else:
            self.told.emit(Notice(NOTHING_OPENS, where, warns=True))

    def remedy(self, remedy: Remedy) -> None:
        """Do what the button beside an answer says."""
        {
            Remedy.START: self.start_wanted.emit,
            Remedy.TRY_AGAIN: self._book.refresh,
            Remedy.ATTACH: self.keep_again,
            Remedy.RESUME: self.resume,
        }.get(remedy, self.look)()

    def look(self) -> None:
        """Look again, and tell what was found."""
        if self.memory is not None:
            self._deeds.look(self.memory)

    def came_back(self) -> None:
        """Look quietly at the folder that is shown: a person has come back to the window, and wants to know."""
        memory = self.memory
        if memory is not None and memory.state is MemoryState.ATTACHED and memory.paused_until is None:
            self._deeds.look_quietly(memory)

    def save(self) -> None:
        """Keep the folder as it is now."""
        if self.memory is not None:
            self._deeds.save(self.memory)

    def pause(self) -> None:
        """Look no more for an hour."""
        if self.memory is not None:
            self._deeds.pause(self.memory)

    def resume(self) -> None:
        """End a pause."""
        if self.memory is not None:
            self._deeds.resume(self.memory)

    def stop_keeping(self) -> None:
        """Watch the folder no more."""
        if self.memory is not None:
            self._deeds.move(self.memory, MemoryState.DETACHED)

    def keep_again(self) -> None:
        """Watch the folder again."""
        if self.memory is not None:
            self._deeds.move(self.memory, MemoryState.ATTACHED)

    def show_archive(self, restore: str) -> None:
        """Show the archive that a restore made."""
        self._rooms.folder_page.offer_archives(offered=True)
        self.show_archives()
        self._rooms.folder_page.archives.show_archive(restore)

    def show_archives(self) -> None:
        """Show the archives, if there are any."""
        if self._rooms.archives_offered:
            page = self._rooms.folder_page
            page.setCurrentWidget(page.archives)
            page.archives.table.setFocus()

    def show_timeline(self) -> None:
        """Show the timeline."""
        page = self._rooms.folder_page
        page.setCurrentWidget(page.story)
        page.timeline.table.setFocus()

    def _show_graph(self) -> None:
        self._rooms.folder_page.show_graph()

    def _find_commit(self) -> None:
        self._rooms.folder_page.show_graph()
        self._rooms.folder_page.graph.search()

    def _find(self) -> None:
        self.show_timeline()
        self._rooms.folder_page.timeline.search()

    def _only_losses(self) -> None:
        self.show_timeline()
        self._rooms.folder_page.timeline.show_losses()

    def _go_back(self) -> None:
        if self.offers is not None and self.offers.whole is not None:
            self.open_guide(self.offers.whole)

    def _get_files(self) -> None:
        if self.offers is not None and self.offers.files is not None:
            self.open_guide(self.offers.files)

    def _open_this_folder(self) -> None:
        if self.memory is not None:
            self.open_folder(self.memory.path)

    def _next_folder(self) -> None:
        self._rooms.folders.step(1)

    def _previous_folder(self) -> None:
        self._rooms.folders.step(-1)

    def _table(self, window: "MainWindow") -> dict[Name, Callable[[], object]]:
        return {
            Name.ADD_FOLDER: self.choose_folder,
            Name.SAVE_NOW: self.save,
            Name.LOOK_NOW: self.look,
            Name.OPEN_FOLDER: self._open_this_folder,
            Name.PAUSE: self.pause,
            Name.RESUME: self.resume,
            Name.STOP_KEEPING: self.stop_keeping,
            Name.KEEP_AGAIN: self.keep_again,
            Name.GO_BACK: self._go_back,
            Name.GET_FILES: self._get_files,
            Name.FIND: self._find,
            Name.LOSSES: self._only_losses,
            Name.TIMELINE: self.show_timeline,
            Name.GRAPH: self._show_graph,
            Name.FIND_COMMIT: self._find_commit,
            Name.ARCHIVES: self.show_archives,
            Name.NEXT_FOLDER: self._next_folder,
            Name.PREVIOUS_FOLDER: self._previous_folder,
            Name.QUIT: window.close,
            Name.END: window.end,
        }
