"""The one window: folders, what happened in the one that is chosen, its details, and whether the work is kept.

Owns how the rooms hear of each other, and nothing that a room does. Restores nothing: a wish opens the guide. Host and
reader are passed in; the window starts neither, it only says that a start is wanted.
"""

import os
from typing import TYPE_CHECKING

from backtrail.model.ids import MemoryId
from backtrail.model.memory import Memory
from backtrail.wording.sentence import counted
from PySide6.QtCore import QSettings, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow

from backtrail_desktop.client.port import HostPort, Link, Port
from backtrail_desktop.folders.book import FolderBook
from backtrail_desktop.shell.acting import Acting
from backtrail_desktop.shell.actions import Actions, Name, Situation
from backtrail_desktop.shell.closing import Closing
from backtrail_desktop.shell.deeds import Deeds
from backtrail_desktop.shell.dialogs import Dialogs, QtDialogs
from backtrail_desktop.shell.guiding import Guiding
from backtrail_desktop.shell.layout import recall, recall_splitters, remember, remember_splitters
from backtrail_desktop.shell.notice import Notice
from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.shell.rooms import Rooms
from backtrail_desktop.shell.saving import CopySaver
from backtrail_desktop.shell.state_line import BUTTONS
from backtrail_desktop.shell.theme import Theme
from backtrail_desktop.timeline.clock import Clock, system_clock
from backtrail_desktop.timeline.wish import Chosen

if TYPE_CHECKING:
    from backtrail_desktop.folders.panel import FoldersPanel
    from backtrail_desktop.shell.first_minute import FirstMinute
    from backtrail_desktop.shell.folder_page import FolderPage

_WIDTH, _HEIGHT = 1280, 800
_SMALLEST = (640, 440)
_FRAME = 48  # what a window manager may put around a window: the state line stays on the screen
_MINUTE_MS = 60_000
_FOLDER = "window/folder"
_TAB = "window/tab"


class MainWindow(QMainWindow):
    """The window. start_wanted: Backtrail is to run in the background. demo_wanted: a demo is to be made.

    hidden: closing it only hid it. closed: it is closed.
    """

    start_wanted = Signal()
    demo_wanted = Signal()
    hidden = Signal()
    closed = Signal()

    def __init__(
        self,
        host: HostPort,
        reader: Port,
        *,
        commits: Port | None = None,
        settings: QSettings | None = None,
        dialogs: Dialogs | None = None,
        clock: Clock = system_clock,
    ) -> None:
        super().__init__()
        self._theme = Theme(self)  # before there is anything in it: each widget is then dressed once
        self._host, self._clock, self._settings = host, clock, settings or QSettings()
        self._dialogs: Dialogs = dialogs or QtDialogs()
        self._memory: Memory | None = None
        self.book = FolderBook(host, clock, self)
        self.deeds = Deeds(host, self.book, clock, self)
        self.guiding = Guiding(self, host, reader, clock)
        self.saver = CopySaver(self, reader, self._dialogs)
        self.registry = Actions(self)
        self.rooms = Rooms(self, host, reader, commits or reader, self.book, self.registry, self._settings, clock)
        self.closing = Closing(self, self._settings, self._dialogs, self.registry[Name.GO_ON])
        self.acting = Acting(self, self.rooms, self.registry, self.book, self.deeds, self.guiding, self._dialogs)
        self.setCentralWidget(self.rooms.layout)
        self._connect()
        self._minute = QTimer(self)
        self._minute.setInterval(_MINUTE_MS)
        self._minute.timeout.connect(self._renewed)  # at midnight a time needs its day
        self._minute.start()
        self.setAcceptDrops(True)
        self.setMinimumSize(*_SMALLEST)
        room = self.screen().availableGeometry()
        self.resize(min(_WIDTH, room.width() - _FRAME), min(_HEIGHT, room.height() - _FRAME))
        recall(self._settings, self)
        self._show_memory(None)
        self.book.refresh()

    def add_folder(self, path: bytes) -> None:
        """Have a folder kept; if it is kept already, show it."""
        self.acting.add(path)

    def bring_up(self) -> None:
        """Show the window, before all others, with the keyboard."""
        if self.isMinimized():
            self.showNormal()
        self.show()
        self.raise_()
        self.activateWindow()

    def end(self) -> None:
        """Close the window for good, after asking where that stops keeping."""
        self.closing.ending = True
        if self.isHidden() and self.closing.ends_host():
            self.bring_up()  # there may be a question
        self.close()

    # Qt's overrides

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """From now on what is shown is seen."""
        super().showEvent(event)
        self._renewed()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Fit the columns to the width."""
        self.rooms.layout.fit(event.size().width())
        super().resizeEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """Remember how the window was, once it is known what becomes of the Host."""
        if self.closing.only_hides():
            event.ignore()
            self.remember_place()
            self.hide()
            self.hidden.emit()
            return
        if not self.closing.may_close(len(self.book.memories)):
            event.ignore()
            return
        self.remember_place()
        super().closeEvent(event)
        self.closed.emit()

    def remember_place(self) -> None:
        """Write down size, place and what is shown."""
        remember(self._settings, self)
        if self._memory is not None:
            remember_splitters(self._settings, self.rooms.folder_page.splitters)
            self._settings.setValue(_FOLDER, self._memory.id)
            self._settings.setValue(_TAB, self.rooms.folder_page.tab)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802 - Qt's name
        """Take folders of this machine, while there is someone to keep them."""
        if self.book.link.link is Link.READY and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802 - Qt's name
        """Have what was dropped kept; the Host says if it is no Git folder."""
        for url in event.mimeData().urls():
            if url.isLocalFile():
                self.acting.add(os.fsencode(url.toLocalFile()))
        event.acceptProposedAction()

    # what there is

    def _renewed(self) -> None:
        """Show what the book says now."""
        rooms = self.rooms
        if self.book.memories or self.book.coming:
            rooms.show_folder()  # with the first one, this chooses it
        memory = self._memory
        standing = self.book.standing(memory)
        self._situation_changed()
        rooms.state_line.show_standing(standing)
        if self.book.memories or self.book.coming:
            rooms.folder_page.timeline.model.tell_unknown(self.book.unknown(memory) if memory is not None else "")
        elif self.book.link.link is Link.READY and self.book.failure is None:
            rooms.show_first_minute()  # only while the Host answers: its buttons make sense then
        else:
            rooms.waiting.tell(standing.sentence, BUTTONS.get(standing.remedy, ""))
            rooms.show_waiting()
        if memory is not None and self.isVisible():
            self.book.loss_was_seen(memory)

    def _show_memory(self, memory: Memory | None) -> None:
        before, self._memory = self._memory, memory
        another = before is None or memory is None or memory.id != before.id
        notice = self.rooms.notice.notice
        if another and notice is not None and not notice.warns:
            self.rooms.notice.put_aside()
        self.setWindowTitle(f"{plain_text(memory.name)} · Backtrail" if memory else "Backtrail")
        self.rooms.top_bar.show_memory(memory)
        if another:
            self.rooms.state_line.show_figures("")
        if memory is not None or self.rooms.has_folder_page:
            moved = before is not None and memory is not None and memory.path != before.path
            self._show_in_page(memory, another=another, moved=moved)
        self._renewed()

    def _show_in_page(self, memory: Memory | None, *, another: bool, moved: bool) -> None:
        page = self.rooms.folder_page
        if another:
            page.offer_archives(offered=False)
        page.show_memory(memory)
        if another or moved:
            page.archives.show_memory(memory)

    def _show_chosen(self, chosen: Chosen | None) -> None:
        self.acting.choose(chosen, self._clock().astimezone().date())
        self.rooms.folder_page.details.show_chosen(chosen)
        self._situation_changed()

    def _show_count(self, count: int) -> None:
        self.rooms.state_line.show_figures(counted(count, "state") if count and self._memory is not None else "")

    def _archives_found(self, count: int) -> None:
        self.rooms.folder_page.offer_archives(offered=count > 0)
        self._situation_changed()

    def _situation_changed(self) -> None:
        offers = self.acting.offers
        now = Situation(
            answering=self.book.link.link is Link.READY,
            state=self._memory.state if self._memory else None,
            paused=self._memory is not None and self._memory.paused_until is not None,
            can_go_back=offers is not None and offers.whole is not None,
            can_get_files=offers is not None and offers.files is not None,
            folders=len(self.book.memories),
            archives=self.rooms.archives_offered,
        )
        self.registry.update(now)
        if self.rooms.has_folder_page:
            self.rooms.folder_page.show_answering(answering=now.answering)
        if offers is not None:
            self.registry[Name.GO_BACK].setText(offers.whole_text)
            self.registry[Name.GET_FILES].setText(offers.files_text)

    def _ask_for_demo(self) -> None:
        self.rooms.first_minute.show_making_demo(making=True)
        self.demo_wanted.emit()

    def show_demo(self, folder: bytes) -> None:
        """Show the demo's folder, which is one like any other."""
        self.rooms.first_minute.show_making_demo(making=False)
        self.add_folder(folder)

    def show_no_demo(self, reason: str) -> None:
        """Say why there is no demo."""
        self.rooms.first_minute.show_making_demo(making=False)
        self.tell(Notice(reason, "", warns=True))

    def _guide_closed(self) -> None:
        """Show what the folder is like now, whether or not an event tells of it."""
        self.book.refresh()
        self.rooms.folder_page.timeline.model.refresh()
        self.rooms.folder_page.archives.refresh()

    def tell(self, notice: Notice) -> None:
        """Tell something above what is shown."""
        self.rooms.notice.tell(notice)
        self.rooms.layout.show_notice(shown=True)

    def _notice_gone(self) -> None:
        self.rooms.layout.show_notice(shown=False)

    def _notice_pressed(self) -> None:
        notice = self.rooms.notice.notice
        memory = self.book.memory(notice.about) if notice else None
        if notice is not None and memory is not None:
            self.deeds.act(notice, memory)

    def _waiting_pressed(self) -> None:
        self.acting.remedy(self.book.standing(None).remedy)

    def _added(self, memory: Memory) -> None:
        self.rooms.folders.choose(memory.id)

    def _connect(self) -> None:
        rooms, acting = self.rooms, self.acting
        self.book.changed.connect(self._renewed)
        self.deeds.told.connect(self.tell)
        self.closing.close_wanted.connect(self.close)
        self.saver.told.connect(self.tell)
        self.deeds.added.connect(self._added)
        acting.told.connect(self.tell)
        acting.start_wanted.connect(self.start_wanted)
        self.guiding.folder_wanted.connect(acting.open_folder)
        self.guiding.archive_wanted.connect(acting.show_archive)
        self.guiding.start_wanted.connect(self.start_wanted)
        self.guiding.closed.connect(self._guide_closed)
        rooms.folders_made.connect(self._connect_folders)
        rooms.folder_page_made.connect(self._connect_folder_page)
        rooms.first_minute_made.connect(self._connect_first_minute)
        rooms.waiting.pressed.connect(self._waiting_pressed)
        rooms.notice.pressed.connect(self._notice_pressed)
        rooms.notice.dismissed.connect(self._notice_gone)
        rooms.state_line.pressed.connect(acting.remedy)

    def _connect_folders(self, folders: "FoldersPanel") -> None:
        wanted = self._settings.value(_FOLDER)
        if isinstance(wanted, str):
            folders.choose(MemoryId(wanted))
        folders.chosen.connect(self._show_memory)
        folders.add_wanted.connect(self.acting.choose_folder)
        self.registry[Name.ADD_FOLDER].enabledChanged.connect(folders.add_button.setEnabled)
        folders.add_button.setEnabled(self.registry[Name.ADD_FOLDER].isEnabled())
        self._show_memory(folders.memory)

    def _connect_folder_page(self, page: "FolderPage") -> None:
        acting = self.acting
        page.timeline.chosen.connect(self._show_chosen)
        page.timeline.wished.connect(acting.open_guide)
        page.timeline.counted.connect(self._show_count)
        page.details.wished.connect(acting.open_guide)
        page.details.copy_wanted.connect(self.saver.save)
        page.details.folder_wanted.connect(acting.open_folder)
        page.archives.folder_asked.connect(acting.open_folder)
        page.archives.bring_back_asked.connect(acting.bring_back)
        page.archives.found.connect(self._archives_found)
        recall_splitters(self._settings, page.splitters)
        page.recall_tab(self._settings.value(_TAB))

    def _connect_first_minute(self, page: "FirstMinute") -> None:
        page.add_wanted.connect(self.acting.choose_folder)
        page.demo_wanted.connect(self._ask_for_demo)
        page.copy_wanted.connect(self._dialogs.copy)
