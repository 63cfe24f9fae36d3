"""The application: one window, the Host and the reader behind it, and the end of them.

Owns what lives as long as the process. Leaves a Host running that it did not start, that another window uses, or that a
person wants to go on; ends any other that it started when the window is closed. Shows nothing itself.
"""

import os
import pathlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSettings, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from backtrail_desktop.client.host_client import HostClient
from backtrail_desktop.client.port import Link, LinkState
from backtrail_desktop.client.reader_client import ReaderClient
from backtrail_desktop.client.starting import HostStarter
from backtrail_desktop.shell.actions import Name
from backtrail_desktop.shell.autostart import Autostart, autostart_folder
from backtrail_desktop.shell.collecting import Collecting
from backtrail_desktop.shell.demo import DemoMaker
from backtrail_desktop.shell.from_outside import FromOutside
from backtrail_desktop.shell.later_starts import LaterStarts
from backtrail_desktop.shell.notice import Notice
from backtrail_desktop.shell.palette import LIGHT, qt_palette
from backtrail_desktop.shell.screen import check_screen
from backtrail_desktop.shell.session_start import SessionStart
from backtrail_desktop.shell.signals import EndSignals
from backtrail_desktop.shell.single import Single
from backtrail_desktop.shell.theme import system_colours
from backtrail_desktop.shell.warming import Warming
from backtrail_desktop.shell.window import MainWindow

if TYPE_CHECKING:
    from backtrail_desktop.tray.tray import Tray

NAME = "Backtrail"
_SAID = "tray/said-that-it-goes-on"
NOT_STARTED = "Backtrail could not be started in the background."


def main(argv: Sequence[str], single: Single) -> int:
    """Run the window until it is closed; return the exit code.

    argv: the data folder; `background` where only the tray icon is to be shown, else empty; maybe a folder to show.
    single: the right to be the one window of the data folder.

    Raises NoDesktop where no window can be opened.
    """
    home, background, *folders = argv
    check_screen()
    app = QApplication([NAME])
    app.setQuitOnLastWindowClosed(False)  # the window may be hidden while the icon stays
    app.setApplicationName(NAME.lower())
    app.setApplicationDisplayName(NAME)
    app.setOrganizationName(NAME.lower())
    app.setDesktopFileName(NAME.lower())
    app.setStyle("Fusion")  # the one style that follows a palette everywhere
    Collecting(app)
    signals = EndSignals()
    running = Running(app, pathlib.Path(home), folders[0] if folders else None, background=bool(background))
    signals.came.connect(running.end_by_signal)
    starts = LaterStarts(single.listening)
    starts.came.connect(running.show_again)
    running.begin()
    code = app.exec()
    signals.close()
    starts.close()
    single.close()
    running.end()
    return code


def start_command(home: pathlib.Path) -> tuple[str, ...]:
    """Return what starts this program again, out of the way."""
    program = (sys.executable, "-P", "-m", "backtrail.cli.main")
    return (*program, "--home", os.path.abspath(home), "desktop", "--background")


class Running(QObject):
    """The window and what is behind it."""

    def __init__(self, app: QApplication, home: pathlib.Path, folder: str | None, *, background: bool = False) -> None:
        super().__init__()
        self._background = background
        self.tray: Tray | None = None
        self._app = app
        self._folders = [] if folder is None else [os.fsencode(os.path.realpath(folder))]
        self.host = HostClient(home)
        self.reader = ReaderClient()
        self.commits = ReaderClient()
        self.starter = HostStarter(self.host, home)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._dress)
        self._dress()
        self.window = MainWindow(self.host, self.reader, commits=self.commits, settings=QSettings())
        self.window.hidden.connect(self._hidden)
        self.window.closed.connect(app.quit)
        self.warming = Warming(self.window.rooms, self._put_up_tray, self)
        autostart = Autostart(autostart_folder(), start_command(home))
        self.session_start = SessionStart(self.window.registry[Name.AUTOSTART], autostart, self)
        self.session_start.told.connect(self.window.tell)
        self.demo = DemoMaker(home, self)
        self.demo.ready.connect(self.window.show_demo)
        self.demo.failed.connect(self.window.show_no_demo)
        self.window.demo_wanted.connect(self.demo.make)
        self.window.start_wanted.connect(self.host.start)
        self.starter.failed.connect(self._not_started)
        self.window.closing.ends_host = self.starter.is_alone
        self.host.link_changed.connect(self._link_changed)
        app.applicationStateChanged.connect(self._state_changed)
        app.commitDataRequest.connect(self._session_ends)

    def begin(self) -> None:
        """Show the window, then find the Host. In the background the window waits for a person."""
        if self._background:
            self._put_up_tray()
        else:
            self.window.show()
        self.host.start()
        self.reader.start()
        self.warming.start()

    def show_again(self, folder: bytes) -> None:
        """Bring the window to the front, and show a folder in it. folder: empty for none."""
        self.window.bring_up()
        if self.host.link.link is Link.STOPPED:
            self.host.start()  # who starts Backtrail wants their work kept
        if folder:
            self._folders.append(folder)
            self._show_folders()

    def end_by_signal(self) -> None:
        """Close the window without a question."""
        self.window.closing.by_signal = True
        self.window.close()

    def end(self) -> None:
        """Let go of everything, in order, while there still is a Qt to do it in."""
        self._app.applicationStateChanged.disconnect(self._state_changed)
        self._app.commitDataRequest.disconnect(self._session_ends)
        self.warming.stop()
        if self.tray is not None:
            self.tray.close()
        self.demo.close()
        self.host.close()
        self.window.rooms.close()
        self.reader.close()
        self.commits.close()
        self.starter.leave() if self.window.closing.goes_on else self.starter.stop()
        self.window.deleteLater()
        self._app.processEvents()

    def _put_up_tray(self) -> None:
        """Make the window's icon and the one in the tray, after the first picture."""
        if self.tray is not None:
            return
        from backtrail_desktop.shell.app_icon import app_icon  # noqa: PLC0415 - see above
        from backtrail_desktop.tray.icon import QtTray  # noqa: PLC0415 - see above
        from backtrail_desktop.tray.session_bus import SessionBus  # noqa: PLC0415
        from backtrail_desktop.tray.tray import Tray  # noqa: PLC0415

        bus = SessionBus(NAME, self)
        self._app.setWindowIcon(app_icon(LIGHT))
        self.tray = Tray(FromOutside(self.window), self.host, self.window.book, QtTray(self), bus, parent=self)
        self.window.closing.hides = self._has_icon
        bus.start()
        self.tray.begin(self.window.show if self._background else None)

    def _has_icon(self) -> bool:
        return self.tray is not None and self.tray.is_there

    def _hidden(self) -> None:
        """Say once that Backtrail goes on."""
        settings = QSettings()
        if self.tray is not None and not settings.value(_SAID):
            from backtrail_desktop.tray.bubbles import goes_on  # noqa: PLC0415 - see above

            settings.setValue(_SAID, "yes")
            self.tray.notifications.tell(goes_on())

    def _dress(self) -> None:
        """Give Qt's own dialogs and tips the colours of the window."""
        self._app.setPalette(qt_palette(system_colours()))

    def _link_changed(self, state: LinkState) -> None:
        del state
        self._show_folders()

    def _show_folders(self) -> None:
        while self._folders and self.host.link.link is Link.READY:
            self.window.add_folder(self._folders.pop(0))

    def _state_changed(self, state: Qt.ApplicationState) -> None:
        if state is not Qt.ApplicationState.ApplicationActive:
            return
        self.window.closing.by_signal = False  # a session that was to end goes on, if a person works in it
        self.session_start.read()
        if self.window.book.link.link is Link.READY:
            self.window.acting.came_back()

    def _session_ends(self) -> None:
        """Put away what is to be remembered, and ask nothing when the end comes."""
        self.window.closing.by_signal = True
        self.window.remember_place()

    def _not_started(self, reason: str) -> None:
        self.window.acting.told.emit(Notice(NOT_STARTED, reason, warns=True))
