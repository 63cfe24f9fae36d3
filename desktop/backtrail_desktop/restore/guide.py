"""The guide: a sheet over the window that leads from a chosen state to a folder that looks like it again.

Owns which page is shown and what a key or a button leads to. It never restores by itself: opening it only asks for a
plan. Window-modal, without an event loop of its own; while a restore runs it cannot be closed, only cancelled.
"""

from backtrail.model.ids import RestoreId
from backtrail.model.memory import Memory
from backtrail.model.restore import Ignored, PathChange, RestoreRecord
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDialog, QStackedLayout, QWidget

from backtrail_desktop.client.port import Failure, HostPort, Link, LinkState, Port
from backtrail_desktop.restore.diff_page import DiffPage
from backtrail_desktop.restore.differences import Differences
from backtrail_desktop.restore.end_page import EndPage, Press
from backtrail_desktop.restore.flow import FilesBack, Flow, Goal, Proposal, Stopped
from backtrail_desktop.restore.looking_page import LookingPage
from backtrail_desktop.restore.path_list import change_text
from backtrail_desktop.restore.plan_page import PlanPage
from backtrail_desktop.restore.plan_watch import PlanWatch
from backtrail_desktop.restore.progress_page import ProgressPage
from backtrail_desktop.restore.sentences import clock_text
from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.shell.theme import Theme
from backtrail_desktop.timeline.clock import Clock, system_clock
from backtrail_desktop.timeline.wish import Wanted, Wish

_WIDTH, _HEIGHT = 780, 560
_EDGE = 40


class RestoreGuide(QDialog):
    """One guide, for one folder. Open it with `fulfil` or `bring_back`.

    folder_asked: bytes of a folder to open. archive_asked: the id of the restore whose archive is to be shown.
    went_back: the record of a restore. got_files: a FilesBack. start_asked: Backtrail is to run in the background.
    """

    folder_asked = Signal(object)
    archive_asked = Signal(str)
    went_back = Signal(object)
    got_files = Signal(object)
    start_asked = Signal()

    def __init__(
        self, memory: Memory, host: HostPort, reader: Port, parent: QWidget | None = None, clock: Clock = system_clock
    ) -> None:
        super().__init__(parent)
        Theme(self)  # before there is anything in it: each widget is then dressed once
        self._memory = memory
        self._host = host
        self._clock = clock
        self._chosen: tuple[bytes, ...] = ()
        self._files_first = False
        self._undo = Goal()
        self._archive: RestoreId | None = None
        self._proposal: Proposal | None = None
        self.flow = Flow(memory, host, self)
        self.watch = PlanWatch(memory, host, self)
        self.differences = Differences(memory.path, reader, self)
        self.looking_page, self.plan_page, self.diff_page = LookingPage(), PlanPage(), DiffPage()
        self.progress_page, self.end_page = ProgressPage(), EndPage()
        self._pages = QStackedLayout(self)
        for page in (self.looking_page, self.plan_page, self.diff_page, self.progress_page, self.end_page):
            self._pages.addWidget(page)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setWindowTitle(f"Go back: {plain_text(memory.name)}")
        self._fit(parent)
        self._connect()
        self.setProperty("role", "page")

    @property
    def page(self) -> QWidget | None:
        """The page that is shown."""
        return self._pages.currentWidget()

    def fulfil(self, wish: Wish) -> None:
        """Open, and show what fulfilling a wish would do."""
        self._chosen = tuple(wish.paths)
        self._start(Goal(checkpoint=wish.checkpoint), files_first=wish.wanted is not Wanted.WHOLE)

    def bring_back(self, restore: RestoreId) -> None:
        """Open, and show what going back to the archive of a restore would do."""
        self._chosen = ()
        self._start(Goal(undo=restore), files_first=False)

    def tell(self, sentence: str) -> None:
        """Say something of the last page's buttons."""
        self.end_page.tell(sentence)

    def reject(self) -> None:
        """Close by Esc or Cancel; from a difference go back to the plan; while it runs, ask it to stop."""
        if self.flow.is_running:
            if self.flow.can_stop:
                self.progress_page.cancel.click()
            return
        if self.page is self.diff_page:
            self._show_plan()
            return
        self.flow.let_go()
        self.flow.leave()
        self.differences.forget()
        super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """Stay open while a restore runs."""
        if self.flow.is_running:
            event.ignore()
            self.reject()
            return
        if self.page is self.diff_page:
            self._show_plan()  # Qt closes a dialog by `reject`, which would only lead back to the plan
        super().closeEvent(event)

    def _start(self, goal: Goal, *, files_first: bool) -> None:
        self._files_first = files_first
        self.flow.plan(goal)
        self.open()

    def _connect(self) -> None:
        flow, plan = self.flow, self.plan_page
        flow.looking.connect(self._on_looking)
        flow.planned.connect(self._on_planned)
        flow.not_planned.connect(self._on_not_planned)
        flow.running.connect(self._on_running)
        flow.progressed.connect(self.progress_page.show_progress)
        flow.checking.connect(self._on_checking)
        flow.stopped.connect(self._on_stopped)
        flow.restored.connect(self._on_restored)
        flow.files_back.connect(self._on_files_back)
        self.watch.moved.connect(self._on_moved)
        plan.go_asked.connect(self._on_go)
        plan.files_asked.connect(flow.get_files)
        plan.cancel_asked.connect(self.reject)
        plan.look_again_asked.connect(flow.look_again)
        plan.ignored_chosen.connect(self._on_ignored)
        plan.path_opened.connect(self._on_path)
        self.looking_page.cancel.clicked.connect(self.reject)
        self.diff_page.back.clicked.connect(self._show_plan)
        self.differences.shown.connect(self.diff_page.show_diff)
        self.differences.not_shown.connect(self.diff_page.show_reason)
        self.progress_page.cancel_asked.connect(flow.stop)
        self.end_page.pressed.connect(self._on_press)
        self._host.link_changed.connect(self._on_link)
        self.finished.connect(self._on_closed)

    def _on_looking(self) -> None:
        self.watch.begin(None)
        self._pages.setCurrentWidget(self.looking_page)
        self.looking_page.show_link(self._host.link)
        self.looking_page.cancel.setDefault(True)
        self.looking_page.cancel.setFocus()

    def _on_planned(self, proposal: Proposal) -> None:
        self._proposal = proposal
        plan = proposal.plan
        self.watch.begin(proposal)
        self.differences.use(proposal)
        self.plan_page.show_proposal(
            self._memory.name,
            proposal,
            self._chosen,
            self._clock(),
            files_first=self._files_first or (plan.undo_of is None and plan.commits_leaving_count > 0),
        )
        self._show_plan()

    def _show_plan(self) -> None:
        self.differences.forget()
        self._pages.setCurrentWidget(self.plan_page)

    def _on_not_planned(self, failure: Failure) -> None:
        self.end_page.show_not_planned(failure)
        self._pages.setCurrentWidget(self.end_page)

    def _on_go(self, despite_in_use: bool) -> None:  # noqa: FBT001 - a signal's argument
        self.flow.go_back(despite_in_use=despite_in_use)

    def _on_ignored(self, ignored: Ignored) -> None:
        if self._proposal is not None:
            self._files_first = self.plan_page.only_files.isChecked()
            self.flow.choose_ignored(ignored)

    def _on_path(self, change: PathChange) -> None:
        self.diff_page.begin(change_text(change))
        self._pages.setCurrentWidget(self.diff_page)
        self.differences.open(change)

    def _on_running(self, whole: bool) -> None:  # noqa: FBT001 - a signal's argument
        self.watch.begin(None)
        self.progress_page.begin(whole=whole)
        self.progress_page.show_link(self._host.link)
        self._pages.setCurrentWidget(self.progress_page)

    def _on_checking(self, _: Failure) -> None:
        self.progress_page.show_checking()
        self._pages.setCurrentWidget(self.progress_page)

    def _on_stopped(self, stopped: Stopped) -> None:
        self.end_page.show_stopped(stopped, self._clock())
        self._proposal = stopped.fresh
        self.watch.begin(stopped.fresh)
        self._pages.setCurrentWidget(self.end_page)

    def _on_restored(self, record: RestoreRecord) -> None:
        self._archive = record.id
        self._undo = Goal(undo=record.id)
        self.end_page.show_restored(self._memory.name, self._target_time(), record)
        self._pages.setCurrentWidget(self.end_page)
        self.went_back.emit(record)

    def _on_files_back(self, back: FilesBack) -> None:
        self._undo = Goal(checkpoint=back.before)
        self.end_page.show_files(self._memory.name, self._target_time(), back)
        self._pages.setCurrentWidget(self.end_page)
        self.got_files.emit(back)

    def _on_closed(self) -> None:
        self.watch.begin(None)

    def _on_moved(self) -> None:
        """Take back what is shown of a plan that is not true any more."""
        if self.page is self.end_page:
            self._proposal = None  # a review begins with a fresh look
        else:
            self.plan_page.show_moved()

    def _target_time(self) -> str:
        return "" if self._proposal is None else clock_text(self._proposal.plan.target.captured_at, self._clock())

    def _on_press(self, press: Press) -> None:
        match press:
            case Press.OPEN_FOLDER:
                self.folder_asked.emit(self._memory.path)
            case Press.SHOW_ARCHIVE if self._archive is not None:
                archive = self._archive
                self.accept()
                self.archive_asked.emit(archive)
            case Press.UNDO:
                self._chosen, self._files_first = (), False
                self.flow.plan(self._undo)
            case Press.REVIEW if self._proposal is not None:
                self._on_planned(self._proposal)
            case Press.LOOK_AGAIN | Press.REVIEW:
                self.flow.look_again()
            case Press.START:
                self.start_asked.emit()
            case _:
                self.accept()

    def _on_link(self, state: LinkState) -> None:
        self.progress_page.show_link(state)
        self.looking_page.show_link(state)
        if state.link is Link.READY and self.page is self.end_page and self.end_page.waits_for_start:
            self.flow.go_on()

    def _fit(self, window: QWidget | None) -> None:
        """Be as large as the plan needs, and smaller than the window."""
        size = window.window().size() if window is not None else None
        width = _WIDTH if size is None else min(_WIDTH, size.width() - _EDGE)
        height = _HEIGHT if size is None else min(_HEIGHT, size.height() - _EDGE)
        self.resize(width, height)
