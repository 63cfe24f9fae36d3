"""What is shown of the chosen folder: what happened in it over the details of one state, and its archives.

Owns the tabs and where each room stands in them. Made when there is a first folder to show: the window's first picture
has none. Connects nothing but what stays within it.
"""

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QSplitter, QTabWidget

from backtrail_desktop.archives.tab import ArchivesTab
from backtrail_desktop.client.port import HostPort, Port
from backtrail_desktop.details.panel import DetailsPanel
from backtrail_desktop.shell.actions import REGISTRY, Name
from backtrail_desktop.shell.layout import Story
from backtrail_desktop.timeline.clock import Clock
from backtrail_desktop.timeline.panel import TimelinePanel


class FolderPage(QTabWidget):
    """The tabs of a folder."""

    def __init__(self, host: HostPort, reader: Port, settings: QSettings, clock: Clock) -> None:
        super().__init__()
        self.timeline = TimelinePanel(host, settings, clock, reader=reader)
        self.details = DetailsPanel(reader, clock)
        self.archives = ArchivesTab(host, clock=clock)
        self.story = Story(self.timeline, self.details)
        self.setDocumentMode(True)
        self.tabBar().setDrawBase(False)
        self.tabBar().setExpanding(False)
        for name, room in ((Name.TIMELINE, self.story), (Name.ARCHIVES, self.archives)):
            self.addTab(room, REGISTRY[name].text)
        self.offer_archives(offered=False)
        self.details.history_wanted.connect(self.timeline.show_history)

    @property
    def splitters(self) -> dict[str, QSplitter]:
        """What a person may have moved, by the name it is remembered under."""
        return {"over": self.story.over, "files": self.details.splitter}

    @property
    def archives_offered(self) -> bool:
        """Whether the archives' tab is there."""
        return self.isTabVisible(self.indexOf(self.archives))

    def offer_archives(self, *, offered: bool) -> None:
        """Show the archives' tab: there is none before the first restore."""
        self.setTabVisible(self.indexOf(self.archives), offered)
