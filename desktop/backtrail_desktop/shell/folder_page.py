"""What is shown of the chosen folder: what happened in it beside its commits, over details of one; its archives.

Owns the tabs, where each room stands in them, and how timeline and graph follow each other: the one that a person
points at leads, and below is shown what was pointed at. Made when there is a first folder to show. Connects nothing but
what stays within it.
"""

from backtrail.model.ids import CheckpointId
from backtrail.model.memory import Memory
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QTabWidget, QWidget

from backtrail_desktop.archives.tab import ArchivesTab
from backtrail_desktop.client.port import HostPort, Port
from backtrail_desktop.details.panel import DetailsPanel
from backtrail_desktop.graph.commit_panel import CommitPanel
from backtrail_desktop.graph.commit_rows import NOW
from backtrail_desktop.graph.panel import GraphPanel
from backtrail_desktop.shell.actions import REGISTRY, Name
from backtrail_desktop.shell.layout import NARROW, Story
from backtrail_desktop.timeline.clock import Clock
from backtrail_desktop.timeline.panel import TimelinePanel
from backtrail_desktop.timeline.wish import Chosen


class FolderPage(QTabWidget):
    """The tabs of a folder."""

    def __init__(self, host: HostPort, reader: Port, commits: Port, settings: QSettings, clock: Clock) -> None:
        """Put the rooms in. commits: a reader of the graph's own, which waits for no long difference."""
        super().__init__()
        self.timeline = TimelinePanel(host, settings, clock, reader=reader)
        self.details = DetailsPanel(reader, clock)
        self.archives = ArchivesTab(host, clock=clock)
        self.graph = GraphPanel(host, commits, clock)
        self.commit = CommitPanel(commits)
        self.below = QStackedWidget()
        self.below.addWidget(self.details)
        self.story = Story(self.timeline.loss_place, self.timeline, self.below)
        self._graph_tab = QSplitter(Qt.Orientation.Vertical)
        self._graph_tab.setChildrenCollapsible(False)
        self._graph_tab.setHandleWidth(1)
        self._beside: bool | None = None
        self._rooms = {"timeline": self.story, "graph": self._graph_tab, "archives": self.archives}
        self._wanted: QWidget | None = None
        self._memory: Memory | None = None
        self.setDocumentMode(True)
        self.tabBar().setDrawBase(False)
        self.tabBar().setExpanding(False)
        for name, room in ((Name.TIMELINE, self.story), (Name.ARCHIVES, self.archives)):
            self.addTab(room, REGISTRY[name].text)
        self.offer_archives(offered=False)
        self._put_graph(beside=True)
        self.tabBarClicked.connect(self._forget_wanted)
        self.timeline.chosen.connect(self._state_chosen)
        self.timeline.table.clicked.connect(self._show_details)
        self.graph.chosen.connect(self._commit_chosen)
        self.commit.commit_wanted.connect(self.graph.table.go_to)
        self.details.history_wanted.connect(self.timeline.show_history)

    @property
    def splitters(self) -> dict[str, QSplitter]:
        """What a person may have moved, by the name it is remembered under."""
        beside = {"graph": self.story.upper} if self._beside else {}
        return {"over": self.story.over, "files": self.details.splitter, **beside}

    @property
    def tab(self) -> str:
        """The tab that is shown, by the name it is remembered under."""
        return next(name for name, room in self._rooms.items() if room is self.currentWidget())

    def recall_tab(self, name: object) -> None:
        """Show a tab again as soon as it is there; what is no tab's name is let be."""
        self._wanted = self._rooms.get(name) if isinstance(name, str) else None
        self._show_wanted()

    def show_memory(self, memory: Memory | None) -> None:
        """Show a folder; the same one again only renews what is said of now."""
        if memory is None or self._memory is None or memory.id != self._memory.id:
            self._show_details()
            if self._memory is not None:
                self._forget_wanted()
        self._memory = memory
        self.timeline.show_memory(memory)
        self.graph.show_memory(memory)

    def show_answering(self, *, answering: bool) -> None:
        """Offer what needs the Host only while it answers."""
        self.timeline.show_answering(answering=answering)
        self.details.show_answering(answering=answering)
        self.archives.show_answering(answering=answering)

    def show_graph(self) -> None:
        """Let the person look at the graph."""
        self.setCurrentWidget(self.story if self._beside else self._graph_tab)
        self.graph.table.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Put the graph beside the timeline in a wide window, else in a tab of its own."""
        super().resizeEvent(event)
        self._put_graph(beside=self.window().width() >= NARROW)

    @property
    def archives_offered(self) -> bool:
        """Whether the archives' tab is there."""
        return self.isTabVisible(self.indexOf(self.archives))

    def offer_archives(self, *, offered: bool) -> None:
        """Show the archives' tab: there is none before the first restore."""
        self.setTabVisible(self.indexOf(self.archives), offered)
        self._show_wanted()

    def _put_graph(self, *, beside: bool) -> None:
        if beside is self._beside:
            return
        self._beside = beside
        chosen = self.commit.oid is not None
        if beside:
            self.removeTab(self.indexOf(self._graph_tab))
            self.story.put_beside(self.graph)
            self.below.addWidget(self.commit)
            self.below.setCurrentWidget(self.commit if chosen else self.details)
        else:
            self._graph_tab.addWidget(self.graph)
            self._graph_tab.addWidget(self.commit)
            self.commit.setVisible(chosen)
            self.insertTab(1, self._graph_tab, REGISTRY[Name.GRAPH].text)
        self.graph.show()
        self._show_wanted()

    def _show_wanted(self) -> None:
        if self._wanted is not None and self.isTabVisible(self.indexOf(self._wanted)):
            self.setCurrentWidget(self._wanted)
            self._wanted = None

    def _forget_wanted(self) -> None:
        """Stay where a person has gone."""
        self._wanted = None

    # timeline and graph

    def _state_chosen(self, chosen: Chosen | None) -> None:
        """Follow the timeline, unless a person looks at a commit and the timeline moved by itself."""
        if self.commit.oid is not None and not self.timeline.table.hasFocus():
            return
        self._show_details()
        self.graph.stand_on(chosen.checkpoint.head if chosen is not None else None)

    def _commit_chosen(self, oid: bytes, newest: CheckpointId | None) -> None:
        if oid == NOW or self._memory is None:
            self._show_details()
            self.timeline.stand_on_now()
            return
        self.commit.show_commit(self._memory.path, oid)
        if self._beside:
            self.below.setCurrentWidget(self.commit)
        else:
            self.commit.show()
        if newest is not None:
            self.timeline.stand_on(newest)

    def _show_details(self) -> None:
        self.commit.clear()
        self.below.setCurrentWidget(self.details)
        if not self._beside:
            self.commit.hide()
