"""The rooms of the window, each made when it is first wanted, and put in their places.

Owns which room gets which port, and where it stands. The window's first picture has neither folders nor the page of the
first minute: what is wanted is imported and made then. Connects nothing: that is the window's.
"""

from typing import TYPE_CHECKING

from backtrail.model.memory import Memory
from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from backtrail_desktop.client.port import HostPort, Port
from backtrail_desktop.folders.book import FolderBook
from backtrail_desktop.shell.actions import FOLDER_MENU, STATE_MENU, WINDOW_MENU, Actions, Name
from backtrail_desktop.shell.layout import Layout
from backtrail_desktop.shell.notice import NoticeBar
from backtrail_desktop.shell.state_line import StateLine
from backtrail_desktop.shell.top_bar import TopBar
from backtrail_desktop.timeline.clock import Clock
from backtrail_desktop.timeline.empty_note import EmptyNote

if TYPE_CHECKING:
    from backtrail_desktop.folders.panel import FoldersPanel
    from backtrail_desktop.shell.first_minute import FirstMinute
    from backtrail_desktop.shell.folder_page import FolderPage


class Rooms(QObject):
    """What stands in the window. `pages` shows one of `folder_page`, `first_minute` and `waiting`.

    Each of these three signals tells that a room is there from now on, and wants to be connected.
    """

    folders_made = Signal(object)
    folder_page_made = Signal(object)
    first_minute_made = Signal(object)

    def __init__(
        self,
        window: QWidget,
        host: HostPort,
        reader: Port,
        commits: Port,
        book: FolderBook,
        actions: Actions,
        settings: QSettings,
        clock: Clock,
    ) -> None:
        super().__init__(window)
        self._host, self._reader, self._commits = host, reader, commits
        self._settings, self._clock = settings, clock
        self._book, self._actions = book, actions
        self._standing: QWidget | None = None
        self._folders: FoldersPanel | None = None
        self._folder_page: FolderPage | None = None
        self._first_minute: FirstMinute | None = None
        self.notice = NoticeBar()
        self.waiting = EmptyNote()
        self.state_line = StateLine()
        menu = actions.menu(WINDOW_MENU, window)
        self.top_bar = TopBar(actions[Name.SAVE_NOW], actions[Name.OPEN_FOLDER], menu)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.waiting)
        self.layout = Layout(self.top_bar, self.notice, self.pages, self.state_line)

    @property
    def folders(self) -> "FoldersPanel":
        """The list of folders."""
        if self._folders is None:
            from backtrail_desktop.folders.panel import FoldersPanel  # noqa: PLC0415 - see above

            self._folders = FoldersPanel(self._book)
            self._folders.offer(self._actions.listed(FOLDER_MENU))
            self.layout.put_beside(self._folders)
            self.folders_made.emit(self._folders)
        return self._folders

    @property
    def folder_page(self) -> "FolderPage":
        """The page of the chosen folder."""
        if self._folder_page is None:
            from backtrail_desktop.shell.folder_page import FolderPage  # noqa: PLC0415 - see above

            self._folder_page = FolderPage(self._host, self._reader, self._commits, self._settings, self._clock)
            self._folder_page.timeline.table.addActions(self._actions.listed(STATE_MENU))
            self.pages.addWidget(self._folder_page)
            self.folder_page_made.emit(self._folder_page)
        return self._folder_page

    @property
    def first_minute(self) -> "FirstMinute":
        """The page for a person who has no folder yet."""
        if self._first_minute is None:
            from backtrail_desktop.shell.first_minute import FirstMinute  # noqa: PLC0415 - see above

            self._first_minute = FirstMinute()
            self.pages.addWidget(self._first_minute)
            self.first_minute_made.emit(self._first_minute)
        return self._first_minute

    @property
    def memory(self) -> Memory | None:
        """The folder that is chosen."""
        return self._folders.memory if self._folders is not None else None

    @property
    def has_folder_page(self) -> bool:
        """Whether a folder was shown yet."""
        return self._folder_page is not None

    def close(self) -> None:
        """End what runs for a room; for the end of the window."""
        if self._folder_page is not None:
            self._folder_page.graph.close_processes()

    def make_ready(self) -> None:
        """Make the page of a folder before there is one to show."""
        _ = self.folder_page

    @property
    def archives_offered(self) -> bool:
        """Whether the archives can be shown."""
        return self._folder_page is not None and self._folder_page.archives_offered

    def show_folder(self) -> None:
        """Show the page of the chosen folder, and the list of folders beside it."""
        self.folders.show()
        self._show(self.folder_page, self.folder_page.timeline.table)

    def show_first_minute(self) -> None:
        """Show the page for a person who has no folder yet."""
        self._show_alone(self.first_minute, self.first_minute.add_button)

    def show_waiting(self) -> None:
        """Show that nothing is known yet, and why."""
        self._show_alone(self.waiting, self.waiting.button)

    def _show_alone(self, page: QWidget, first: QWidget) -> None:
        if self._folders is not None:
            self._folders.hide()
        self._show(page, first)

    def _show(self, page: QWidget, first: QWidget) -> None:
        """Show a page, the keyboard on `first` of it where another one was shown before."""
        if self._standing is not page:
            self.pages.setCurrentWidget(page)
            first.setFocus()
        self._standing = page
