"""The window as a person meets it: truthful at the bottom, and never a restore without the guide's plan."""

from pathlib import Path

import msgspec
import pytest
from backtrail.model.changes import Change, Changes, ChangeStatus, CopySaved, ListChanges, SaveCopy, SaveEnd
from backtrail.model.commands import (
    AddMemory,
    Archives,
    CheckpointPage,
    HeadPage,
    LeaveOut,
    ListArchives,
    ListCheckpoints,
    ListHeads,
    ListMemories,
    Memories,
    MoveMemory,
    PauseMemory,
    PlanRestore,
    Recover,
    Restore,
    ResumeMemory,
    Scan,
    TakeCheckpoint,
)
from backtrail.model.coverage import Coverage, LeftOut, Reason
from backtrail.model.ids import RelPath
from backtrail.model.memory import BY_CHOICE, Memory, MemoryState, Omission, Protection, ProtectionState
from backtrail_desktop.client.port import Link
from backtrail_desktop.shell.actions import REGISTRY, Name
from backtrail_desktop.shell.notice import Notice
from backtrail_desktop.shell.standing import Remedy
from backtrail_desktop.shell.window import MainWindow
from desktop.answering_port import AnsweringPort
from desktop.shell.desktop_around import DesktopAround
from desktop.values import at, checkpoint, memory, oid, scan_result
from PySide6.QtCore import QMimeData, QPoint, QSettings, Qt, QTimer, QUrl
from PySide6.QtGui import QDropEvent
from pytestqt.qtbot import QtBot

PARTLY = Protection(ProtectionState.DEGRADED, "left-out", at(9, 0), at(14, 3))
CONFLICT = Protection(ProtectionState.NOT_PROTECTED, "unmerged-index", at(14, 1), at(14, 3))


class Stage:
    """A window, the Host and reader it asks, and the desktop around it."""

    def __init__(self, settings: QSettings) -> None:
        self.host, self.reader, self.around = AnsweringPort(), AnsweringPort(), DesktopAround()
        self.window = MainWindow(
            self.host, self.reader, settings=settings, dialogs=self.around, clock=lambda: at(14, 5)
        )

    def tell(self, *memories: Memory, states: int = 2) -> None:
        """Answer everything that is asked about lists."""
        page = CheckpointPage(tuple(checkpoint(seq) for seq in range(states, 0, -1)), more=False, total=states)
        while questions := self.host.open_questions():
            for question in questions:
                match question.command:
                    case ListMemories():
                        question.answer(Memories(memories))
                    case ListCheckpoints():
                        question.answer(page)
                    case ListArchives():
                        question.answer(Archives(()))
                    case ListHeads():
                        question.answer(HeadPage((), more=False))
                    case _:
                        return


@pytest.fixture
def stage(qtbot: QtBot, tmp_path: Path) -> Stage:
    made = Stage(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    qtbot.addWidget(made.window)
    return made


def test_the_line_at_the_bottom_follows_the_host(stage: Stage) -> None:
    line = stage.window.rooms.state_line
    assert not line.sentence.text().startswith("Everything")
    stage.tell(memory())
    assert line.sentence.text().startswith("Everything up to")
    stage.host.set_link(Link.NOT_ANSWERING, at(14, 4))
    assert line.sentence.text().startswith("Backtrail is not answering since")
    stage.host.set_link(Link.STOPPED, at(14, 4))
    assert line.sentence.text() == "Backtrail is not running in the background"
    assert stage.window.rooms.folders.model.row(stage.window.rooms.folders.model.index(0, 0)).standing.brief
    stage.host.set_link(Link.OTHER_VERSION, at(14, 4))
    assert "another version" in line.sentence.text()


def test_start_is_wished_for_and_not_done_by_the_window(stage: Stage, qtbot: QtBot) -> None:
    stage.tell(memory())
    stage.host.set_link(Link.STOPPED, at(14, 4))
    assert stage.window.rooms.state_line.button.text() == "Start"
    with qtbot.waitSignal(stage.window.start_wanted):
        stage.window.rooms.state_line.button.click()


def test_start_can_be_pressed_before_any_folder_is_known(stage: Stage, qtbot: QtBot) -> None:
    stage.host.set_link(Link.STOPPED, at(14, 4))
    assert stage.window.rooms.pages.currentWidget() is stage.window.rooms.waiting
    with qtbot.waitSignal(stage.window.start_wanted):
        stage.window.rooms.waiting.button.click()


def test_now_agrees_with_the_line_at_the_bottom_from_the_first_folder_on(stage: Stage) -> None:
    stage.tell()
    stage.window.book.refresh()
    stage.tell(memory())
    model = stage.window.rooms.folder_page.timeline.model
    now = model.row(model.index(0, 0))
    assert stage.window.rooms.state_line.sentence.text().startswith("Everything up to")
    assert model.lines(now)[0].startswith("same as ")
    stage.host.set_link(Link.STOPPED, at(14, 4))
    assert model.lines(now)[0].endswith(": Backtrail is not running in the background")
    stage.host.set_link(Link.READY, at(14, 5))
    stage.tell(memory())
    assert model.lines(now)[0].startswith("same as ")


def test_no_folder_is_not_told_before_the_host_has_said_so(stage: Stage) -> None:
    rooms = stage.window.rooms
    assert rooms.pages.currentWidget() is rooms.waiting
    stage.tell()
    assert rooms.pages.currentWidget() is rooms.first_minute
    assert rooms.state_line.sentence.text() == "No folder is kept yet"


def test_the_lines_for_someone_who_comes_after_a_loss_can_be_copied(stage: Stage) -> None:
    stage.tell()
    for button in stage.window.rooms.first_minute.copy_buttons:
        button.click()
    assert stage.around.copied[:3] == ["git reflog", "git stash list", "git fsck --lost-found"]


def test_double_click_never_restores_without_review(stage: Stage, qtbot: QtBot) -> None:
    stage.tell(memory())
    stage.window.show()
    table = stage.window.rooms.folder_page.timeline.table
    stage.tell(memory())
    place = table.visualRect(table.model().index(table.model().rowCount() - 1, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    guide = stage.window.guiding.guide
    assert guide is not None
    assert stage.host.open_questions(PlanRestore)
    assert not stage.host.open_questions(Restore)
    assert not stage.host.open_questions(Recover)
    guide.reject()
    assert stage.window.guiding.guide is None
    stage.window.close()
    qtbot.waitUntil(lambda: not stage.window.isVisible())


def test_no_action_restores_by_itself(stage: Stage) -> None:
    stage.tell(memory())
    for name in Name:
        if name is not Name.QUIT:
            stage.window.registry[name].trigger()
            if stage.window.guiding.guide is not None:
                stage.window.guiding.guide.reject()
    assert not stage.host.open_questions(Restore)
    assert not stage.host.open_questions(Recover)


def test_saving_is_called_done_only_when_the_host_says_so(stage: Stage) -> None:
    stage.tell(memory())
    stage.window.registry[Name.SAVE_NOW].trigger()
    assert stage.window.rooms.notice.notice is None
    stage.host.next(TakeCheckpoint).fail("no-space", "The disk is full.", "Free some space.")
    assert stage.window.rooms.notice.what.text() == "⚠ atlas was not saved. The disk is full."
    assert stage.window.rooms.notice.remedy.text() == "Free some space."


def test_nothing_can_be_asked_of_a_host_that_is_away(stage: Stage) -> None:
    stage.tell(memory())
    stage.host.set_link(Link.STOPPED, at(14, 4))
    asking = (Name.ADD_FOLDER, Name.SAVE_NOW, Name.LOOK_NOW, Name.STOP_KEEPING, Name.GO_BACK, Name.GET_FILES)
    assert not any(stage.window.registry[name].isEnabled() for name in asking)
    assert stage.window.registry[Name.OPEN_FOLDER].isEnabled()


def test_which_files_are_not_kept_is_told_from_a_fresh_look(stage: Stage) -> None:
    papers = memory("papers", protection=PARTLY)
    stage.tell(papers)
    stage.host.next(Scan).fail("cancelled")
    assert stage.window.rooms.state_line.sentence.text() == "Kept except some files"
    stage.window.rooms.state_line.pressed.emit(Remedy.WHICH)
    coverage = Coverage((LeftOut(RelPath(b"big\n.psd"), Reason.TOO_LARGE, 5 << 30),))
    stage.host.next(Scan).answer(scan_result(papers, coverage=coverage))
    assert stage.window.rooms.notice.what.text() == "⚠ papers is kept except 1 file:"
    assert stage.window.rooms.notice.items.toPlainText() == "big\\n.psd (above the size cap, 5.0 GiB)"
    assert stage.window.rooms.state_line.sentence.text() == "Kept except 1 file"


def test_what_is_not_kept_can_be_left_out_and_counted_again(stage: Stage) -> None:
    papers = memory("papers", protection=PARTLY)
    stage.tell(papers)
    stage.host.next(Scan).fail("cancelled")
    stage.window.rooms.state_line.pressed.emit(Remedy.WHICH)
    left = LeftOut(RelPath(b"big.psd"), Reason.TOO_LARGE, 5 << 30)
    stage.host.next(Scan).answer(scan_result(papers, coverage=Coverage((left,))))
    notice = stage.window.rooms.notice
    notice.action_button.click()
    asked = stage.host.next(LeaveOut)
    assert asked.command == LeaveOut(memory=papers.id, paths=(left.path,))
    agreed = msgspec.structs.replace(
        memory("papers", protection=Protection(ProtectionState.PROTECTED, BY_CHOICE, at(9, 0), at(14, 4))),
        omissions=(Omission(left.path, left.reason),),
    )
    asked.answer(scan_result(agreed, coverage=Coverage((left,))))
    assert notice.what.text().endswith("is kept, except 1 file that you left out:")
    assert stage.window.rooms.state_line.sentence.text().endswith("is kept, except 1 file that you left out")
    notice.action_button.click()
    assert stage.host.next(LeaveOut).command == LeaveOut(memory=papers.id, paths=(left.path,), again=True)


def test_what_to_do_about_a_conflict_names_the_file(stage: Stage) -> None:
    folder = memory(protection=CONFLICT)
    stage.tell(folder)
    failure = {"failure": "unmerged-index", "failure_paths": (RelPath(b"f"),)}
    stage.host.next(Scan).answer(scan_result(folder, **failure))
    assert stage.window.rooms.state_line.sentence.text().endswith("merge conflict in f")
    stage.window.rooms.state_line.pressed.emit(Remedy.WHAT_TO_DO)
    stage.host.next(Scan).answer(scan_result(folder, **failure))
    assert "git merge --abort" in stage.window.rooms.notice.remedy.text()


def test_a_folder_that_cannot_be_added_leaves_no_row_behind(stage: Stage) -> None:
    stage.tell()
    stage.window.rooms.first_minute.add_button.click()
    stage.around.choose(b"/home/mira/no-git")
    assert stage.window.rooms.folders.model.rowCount() == 1
    stage.host.next(AddMemory).fail("no-working-tree", "There is no Git working tree.", "Run `git init`.")
    assert stage.window.rooms.folders.model.rowCount() == 0
    assert "was not added" in stage.window.rooms.notice.what.text()


def test_an_added_folder_is_shown_once_it_is_kept(stage: Stage) -> None:
    stage.tell(memory())
    stage.window.add_folder(b"/home/mira/notes/website")
    stage.host.next(AddMemory).answer(scan_result(memory("website")))
    assert stage.window.rooms.folders.memory == memory("website")
    assert stage.window.rooms.notice.what.text() == "website is kept from now on."


def test_a_dropped_folder_is_asked_of_the_host_with_its_exact_bytes(stage: Stage) -> None:
    stage.tell()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/home/mira/é 1")])
    keys, buttons = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    stage.window.dropEvent(QDropEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, buttons, keys))
    command = stage.host.next(AddMemory).command
    assert isinstance(command, AddMemory)
    assert command.path == "/home/mira/é 1".encode()


def test_a_folder_put_aside_can_be_taken_back_at_once(stage: Stage) -> None:
    stage.tell(memory())
    stage.window.registry[Name.STOP_KEEPING].trigger()
    away = memory(state=MemoryState.DETACHED)
    stage.host.next(MoveMemory).answer(away)
    stage.tell(away)
    assert stage.window.rooms.state_line.sentence.text().startswith("Not watched")
    stage.window.rooms.notice.action_button.click()
    command = stage.host.next(MoveMemory).command
    assert isinstance(command, MoveMemory)
    assert command.state is MemoryState.ATTACHED


def test_a_pause_keeps_what_is_there_first_and_is_ended_beside_the_answer(stage: Stage) -> None:
    stage.tell(memory())
    stage.window.registry[Name.PAUSE].trigger()
    assert not stage.host.open_questions(PauseMemory)
    stage.host.next(Scan).answer(scan_result(memory()))
    asked = stage.host.next(PauseMemory)
    assert asked.command == PauseMemory(memory=memory().id, until=at(15, 5))
    protection = Protection(ProtectionState.NOT_PROTECTED, "paused", at(14, 5), at(14, 5))
    paused = memory(protection=protection, paused_until=at(15, 5))
    asked.answer(paused)
    stage.tell(paused)
    line, registry = stage.window.rooms.state_line, stage.window.registry
    assert line.sentence.text() == f"Paused until {at(15, 5).astimezone():%H:%M}"
    assert (registry[Name.PAUSE].isEnabled(), registry[Name.RESUME].isEnabled()) == (False, True)
    assert stage.window.rooms.folder_page.timeline.model.now is None
    line.button.click()
    stage.host.next(ResumeMemory).answer(memory())
    stage.tell(memory())
    assert line.sentence.text().startswith("Everything up to")


@pytest.mark.parametrize("left_out", [(), (LeftOut(RelPath(b"big.psd"), Reason.TOO_LARGE),)])
def test_a_look_at_a_paused_folder_claims_no_more_than_it_kept(stage: Stage, left_out: tuple[LeftOut, ...]) -> None:
    protection = Protection(ProtectionState.NOT_PROTECTED, "paused", at(14, 5), at(14, 5))
    paused = memory(protection=protection, paused_until=at(15, 5))
    stage.tell(paused)
    stage.window.registry[Name.LOOK_NOW].trigger()
    stage.host.next(Scan).answer(scan_result(paused, coverage=Coverage(left_out=left_out)))
    notice = stage.window.rooms.notice.notice
    assert notice is not None
    assert notice.what.startswith("atlas is kept except 1 file" if left_out else "Everything in atlas up to ")


def test_a_folder_that_cannot_be_looked_at_is_paused_all_the_same(stage: Stage) -> None:
    stage.tell(memory())
    stage.window.registry[Name.PAUSE].trigger()
    stage.host.next(Scan).fail("not-reachable", "It is away.")
    assert stage.host.next(PauseMemory)


def test_coming_back_to_the_window_looks_once_and_never_at_a_paused_folder(stage: Stage) -> None:
    stage.tell(memory())
    stage.window.acting.came_back()
    stage.window.acting.came_back()
    assert len(stage.host.open_questions(Scan)) == 1
    stage.host.next(Scan).answer(scan_result(memory()))
    stage.window.acting.came_back()
    stage.host.next(Scan).answer(scan_result(memory(paused_until=at(15, 5))))
    stage.window.acting.came_back()
    assert not stage.host.open_questions(Scan)


def test_where_nothing_opens_folders_the_place_is_told(stage: Stage) -> None:
    stage.tell(memory())
    stage.around.opens = False
    stage.window.registry[Name.OPEN_FOLDER].trigger()
    assert stage.around.opened == [memory().path]
    assert "/home/mira/notes/atlas" in stage.window.rooms.notice.remedy.text()


def test_what_needs_the_host_is_offered_only_while_it_answers(stage: Stage) -> None:
    stage.tell(memory())
    page = stage.window.rooms.folder_page
    page.timeline.stand_on(checkpoint(1).id)
    buttons = [page.details.header.whole, page.details.header.files, page.timeline.banner.get_back_button]
    assert all(button.isEnabled() for button in buttons)
    for link in (Link.STOPPED, Link.NOT_ANSWERING):
        stage.host.set_link(link, at(14, 4))
        assert not any(button.isEnabled() for button in buttons)
        assert all("in the background" in button.toolTip() for button in buttons)
    stage.host.set_link(Link.READY, at(14, 5))
    stage.tell(memory())
    assert all(button.isEnabled() and not button.toolTip() for button in buttons)


@pytest.mark.parametrize("goes_on", [True, False])
def test_closing_a_window_that_would_stop_keeping_asks_once(stage: Stage, *, goes_on: bool) -> None:
    window, around = stage.window, stage.around
    stage.tell(memory())
    window.closing.ends_host = lambda: True
    window.show()
    window.close()
    assert window.isVisible()
    assert around.asked is not None
    assert around.asked.stop == "Stop keeping 1 folder"
    assert around.answer is not None
    around.answer(None)
    assert window.isVisible()
    window.close()
    around.answer(goes_on)
    assert not window.isVisible()
    assert window.closing.goes_on is goes_on
    assert window.registry[Name.GO_ON].isChecked() is goes_on
    around.asked = None
    window.show()
    window.close()
    assert not window.isVisible()
    assert around.asked is None
    window.registry[Name.GO_ON].toggle()
    assert window.closing.goes_on is not goes_on


@pytest.mark.parametrize("answer", [True, False, None])
def test_quitting_asks_each_time_before_it_stops_keeping(stage: Stage, *, answer: bool | None) -> None:
    stage.tell(memory(), memory("papers"))
    window, closed = stage.window, list[None]()
    window.closing.ends_host = lambda: True
    window.closing.hides = lambda: True
    window.closed.connect(lambda: closed.append(None))
    window.show()
    window.close()
    assert (window.isHidden(), stage.around.asked, closed) == (True, None, [])
    window.registry[Name.END].trigger()
    assert stage.around.asked is not None
    assert stage.around.asked.question == "Stop keeping 2 folders?"
    assert not window.isHidden()
    assert stage.around.answer is not None
    stage.around.answer(answer)
    assert len(closed) == (answer is not None)
    assert window.closing.goes_on == (answer is True)
    assert not window.registry[Name.GO_ON].isChecked(), "it was an answer for this time"
    if answer is None:
        window.close()
        assert window.isHidden(), "who did not quit only hides it"


def test_quitting_asks_nothing_of_whom_said_that_it_goes_on(stage: Stage) -> None:
    stage.tell(memory())
    stage.window.closing.ends_host = lambda: True
    stage.window.registry[Name.GO_ON].setChecked(True)
    stage.window.show()
    stage.window.registry[Name.END].trigger()
    assert stage.around.asked is None
    assert stage.window.isHidden()


def test_a_signal_closes_the_window_while_it_asks(stage: Stage) -> None:
    stage.tell(memory())
    stage.window.closing.ends_host = lambda: True
    stage.window.show()
    stage.window.close()
    assert stage.window.isVisible()
    stage.window.closing.by_signal = True
    stage.window.close()
    assert not stage.window.isVisible()
    assert not stage.window.closing.goes_on


def test_closing_asks_nothing_where_it_ends_nothing_or_a_signal_came(stage: Stage) -> None:
    window, around = stage.window, stage.around
    window.closing.ends_host = lambda: True
    for before in (stage.tell, lambda: setattr(window.closing, "by_signal", True)):
        before()
        window.show()
        window.close()
        assert not window.isVisible()
        window.book.refresh()
        stage.tell(memory())
    window.closing.by_signal = False
    window.closing.ends_host = lambda: False
    window.show()
    window.close()
    assert not window.isVisible()
    assert around.asked is None
    assert not window.closing.goes_on


def test_good_news_goes_by_itself_and_a_warning_stays(stage: Stage) -> None:
    bar = stage.window.rooms.notice
    for notice, passes in (
        (Notice("saved"), True),
        (Notice("failed", warns=True), False),
        (Notice("x", action="y"), False),
    ):
        bar.tell(notice)
        timers = [timer for timer in bar.findChildren(QTimer) if timer.isActive()]
        assert bool(timers) is passes
        for timer in timers:
            timer.timeout.emit()
        assert bar.isHidden() is passes


def test_no_two_actions_share_a_shortcut_and_each_tells_what_it_does() -> None:
    shortcuts = [spec.shortcut for spec in REGISTRY.values() if spec.shortcut]
    assert len(shortcuts) == len(set(shortcuts))
    assert set(REGISTRY) == set(Name)
    assert all(spec.text and spec.tip for spec in REGISTRY.values())


def test_the_window_opens_on_the_folder_that_was_shown_last(stage: Stage, qtbot: QtBot, tmp_path: Path) -> None:
    stage.tell(memory(), memory("website"))
    stage.window.rooms.folders.step(1)
    stage.window.close()
    again = Stage(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    qtbot.addWidget(again.window)
    again.tell(memory(), memory("website"))
    assert again.window.rooms.folders.memory == memory("website")


def test_in_a_narrow_window_everything_can_still_be_reached(stage: Stage, qtbot: QtBot) -> None:
    stage.window.resize(640, 440)
    stage.window.show()
    stage.tell(memory())
    qtbot.waitUntil(stage.window.rooms.folders.isVisible)
    assert stage.window.width() == 640
    assert stage.window.rooms.state_line.geometry().bottom() < stage.window.height()
    assert stage.window.rooms.top_bar.menu_button.geometry().right() < 640
    stage.window.close()


def test_the_history_of_a_file_in_the_details_is_shown_in_the_timeline(stage: Stage) -> None:
    stage.tell(memory())
    stage.window.rooms.folder_page.details.history_wanted.emit(RelPath(b"caf\xe9.md"))
    assert stage.window.rooms.folder_page.timeline.filters.text.text() == "caf\\xe9.md"


def test_a_copy_of_a_file_is_saved_where_the_person_chooses(stage: Stage, qtbot: QtBot) -> None:
    stage.tell(memory())
    details = stage.window.rooms.folder_page.details
    qtbot.waitUntil(lambda: bool(stage.reader.open_questions(ListChanges)))
    gone = Change(RelPath(b"a"), ChangeStatus.REMOVED, staged=False, old=oid(1), new=None)
    here = Change(RelPath(b"sub/b\n\xe9.md"), ChangeStatus.CHANGED, staged=False, old=oid(1), new=oid(2))
    stage.reader.next(ListChanges).answer(Changes((gone, here), 2))
    details.files.save_action.trigger()
    stage.around.choose_place(b"/elsewhere/a")
    gone_from = stage.reader.next(SaveCopy)
    assert gone_from.command == SaveCopy(root=memory().path, content=oid(1), target=b"/elsewhere/a", over=False)
    gone_from.answer(CopySaved(SaveEnd.SAVED))
    details.files.setCurrentIndex(details.files_model.find(here))
    details.files.save_action.trigger()
    assert stage.around.suggested == "b\\n\\xe9.md"
    stage.around.choose_place(b"/elsewhere/b", over=True)
    question = stage.reader.next(SaveCopy)
    assert question.command == SaveCopy(root=memory().path, content=oid(2), target=b"/elsewhere/b", over=True)
    question.answer(CopySaved(SaveEnd.NO_SPACE))
    notice = stage.window.rooms.notice.notice
    assert notice is not None
    assert notice.warns
    assert notice.what == "/elsewhere/b was not saved. The disk is full."
    stage.around.choose_place(b"/elsewhere/b")
    stage.reader.next(SaveCopy).answer(CopySaved(SaveEnd.SAVED))
    notice = stage.window.rooms.notice.notice
    assert notice is not None
    assert notice.what == "A copy is saved as /elsewhere/b."


def test_a_row_of_the_timeline_offers_its_two_ways_back_in_a_menu(stage: Stage) -> None:
    stage.tell(memory())
    table = stage.window.rooms.folder_page.timeline.table
    assert table.contextMenuPolicy() is Qt.ContextMenuPolicy.ActionsContextMenu
    assert table.actions() == [stage.window.registry[Name.GO_BACK], stage.window.registry[Name.GET_FILES]]
