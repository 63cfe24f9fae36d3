"""The rooms of the window, made once and put in their places.

Owns which room gets which port, and where it stands. Connects nothing: that is the window's.
"""

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QStackedWidget, QTabWidget, QWidget

from backtrail_desktop.archives.tab import ArchivesTab
from backtrail_desktop.client.port import HostPort, Port
from backtrail_desktop.details.panel import DetailsPanel
from backtrail_desktop.folders.book import FolderBook
from backtrail_desktop.folders.panel import FoldersPanel
from backtrail_desktop.shell.actions import FOLDER_MENU, REGISTRY, WINDOW_MENU, Actions, Name
from backtrail_desktop.shell.first_minute import FirstMinute
from backtrail_desktop.shell.layout import Layout, Story
from backtrail_desktop.shell.notice import NoticeBar
from backtrail_desktop.shell.state_line import StateLine
from backtrail_desktop.shell.top_bar import TopBar
from backtrail_desktop.timeline.clock import Clock
from backtrail_desktop.timeline.empty_note import EmptyNote
from backtrail_desktop.timeline.panel import TimelinePanel


class Rooms:
    """What stands in the window. `pages` shows one of `tabs`, `first_minute` and `waiting`."""

    def __init__(
        self,
        window: QWidget,
        host: HostPort,
        reader: Port,
        book: FolderBook,
        actions: Actions,
        settings: QSettings,
        clock: Clock,
    ) -> None:
        self.folders = FoldersPanel(book)
        self.folders.offer(actions.listed(FOLDER_MENU))
        self.timeline = TimelinePanel(host, settings, clock, reader=reader)
        self.details = DetailsPanel(reader, clock)
        self.archives = ArchivesTab(host, clock=clock)
        self.notice = NoticeBar()
        self.first_minute = FirstMinute()
        self.waiting = EmptyNote()
        self.state_line = StateLine()
        menu = actions.menu(WINDOW_MENU, window)
        self.top_bar = TopBar(actions[Name.SAVE_NOW], actions[Name.OPEN_FOLDER], menu)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.tabBar().setExpanding(False)
        self.story = Story(self.timeline, self.details)
        for name, room in ((Name.TIMELINE, self.story), (Name.ARCHIVES, self.archives)):
            self.tabs.addTab(room, REGISTRY[name].text)
        self.offer_archives(offered=False)
        self._standing: QWidget | None = None
        self.pages = QStackedWidget()
        for page in (self.tabs, self.first_minute, self.waiting):
            self.pages.addWidget(page)
        self.layout = Layout(self.top_bar, self.folders, self.notice, self.pages, self.state_line)

    def show_page(self, page: QWidget, first: QWidget) -> None:
        """Show a page, the keyboard on `first` of it; the list of folders stands beside the tabs alone."""
        if self._standing is not page:
            self.pages.setCurrentWidget(page)
            first.setFocus()
        self._standing = page
        self.folders.setVisible(page is self.tabs)

    @property
    def archives_offered(self) -> bool:
        """Whether the archives' tab is there."""
        return self.tabs.isTabVisible(self.tabs.indexOf(self.archives))

    def offer_archives(self, *, offered: bool) -> None:
        """Show the archives' tab: there is none before the first restore."""
        self.tabs.setTabVisible(self.tabs.indexOf(self.archives), offered)
