"""The guide never restores by itself, and says "nothing was changed" only when a fresh look has shown it."""

import pytest
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.commands import CheckpointPage, ListCheckpoints, PlanRestore, Recover, Recovered, Restore
from backtrail.model.events import CheckpointRecorded
from backtrail.model.ids import MemoryId, RelPath, RestoreId
from backtrail.model.restore import Blocker, Caution, Ignored, Inside, RestorePlan, RestoreState, Step
from backtrail_desktop.client.failures import host_stopped
from backtrail_desktop.client.port import Link
from backtrail_desktop.restore.end_page import Press
from backtrail_desktop.restore.guide import RestoreGuide
from backtrail_desktop.restore.offers import Offer
from backtrail_desktop.timeline.wish import Wanted, Wish
from desktop.answering_port import AnsweringPort
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop import values

TARGET = values.checkpoint(4)
NOW = values.checkpoint(9)
WISH = Wish(TARGET.id, Wanted.WHOLE)


class Talk:
    """A guide, and the two ports that it asks."""

    def __init__(self, qtbot: QtBot) -> None:
        self.host, self.reader = AnsweringPort(), AnsweringPort()
        self.guide = RestoreGuide(values.memory(), self.host, self.reader, clock=lambda: values.at(14, 5))
        qtbot.addWidget(self.guide, before_close_func=_stop_running)

    def plan(self, plan: RestorePlan, before: Checkpoint = NOW) -> None:
        """Answer the question for a plan."""
        self.host.next(PlanRestore).answer(plan)
        if plan.before is not None:
            self.host.next(ListCheckpoints).answer(CheckpointPage((before,), more=True, total=9))

    def open(self, plan: RestorePlan | None = None, wish: Wish = WISH) -> None:
        """Open the guide with a plan."""
        self.guide.fulfil(wish)
        self.plan(plan or values.plan(TARGET))

    def restores(self) -> list[Restore]:
        """Return every restore that was asked for."""
        return [question.command for question in self.host.questions if isinstance(question.command, Restore)]

    def recovers(self) -> list[Recover]:
        """Return every request for files."""
        return [question.command for question in self.host.questions if isinstance(question.command, Recover)]


@pytest.fixture
def talk(qtbot: QtBot) -> Talk:
    return Talk(qtbot)


def test_opening_the_guide_never_restores_without_review(talk: Talk) -> None:
    talk.open()
    assert talk.guide.page is talk.guide.plan_page
    assert not talk.restores()
    assert not talk.recovers()


def test_enter_on_a_fresh_plan_never_restores(talk: Talk) -> None:
    talk.open()
    assert talk.guide.plan_page.cancel.isDefault()
    assert not talk.guide.plan_page.go.isDefault()
    QTest.keyClick(talk.guide, Qt.Key.Key_Return)
    assert not talk.restores()
    assert not talk.guide.isVisible()


def test_restore_uses_the_token_of_the_plan_that_was_shown(talk: Talk) -> None:
    talk.open(values.plan(TARGET, guard=7))
    talk.guide.plan_page.go.click()
    assert talk.restores() == [
        Restore(
            checkpoint=TARGET.id, undo=None, token=values.guard_token(7), ignored=Ignored.CARRY, despite_in_use=False
        )
    ]


def test_a_second_press_never_restores_twice(talk: Talk) -> None:
    talk.open()
    talk.guide.plan_page.go_asked.emit(False)  # noqa: FBT003 - a signal's argument
    talk.guide.plan_page.go_asked.emit(False)  # noqa: FBT003 - a signal's argument
    assert len(talk.restores()) == 1


def test_the_archive_is_named_before_anything_happens(talk: Talk) -> None:
    talk.open()
    assert "/home/mira/notes/.backtrail/atlas" in talk.guide.plan_page.promise.text()
    assert talk.guide.plan_page.headline.text().startswith("Make “atlas” look as it did at ")
    assert talk.guide.plan_page.headline.text().endswith(" on main")


def test_only_files_are_offered_first_where_commits_would_leave(talk: Talk) -> None:
    talk.open(values.plan(TARGET, commits=(values.leaving_commit(1), values.leaving_commit(2))))
    page = talk.guide.plan_page
    assert page.only_files.isChecked()
    assert not page.go.isEnabled(), "nothing is chosen yet"
    assert page.facts.texts()["Commits"].startswith("2 commits leave main")


def test_lost_files_are_chosen_at_first_and_come_back_alone(talk: Talk) -> None:
    lost = (RelPath(b"draft.md"), RelPath(b"ideas/loose-ends.md"))
    talk.open(wish=Wish(TARGET.id, Wanted.LOST, lost))
    assert talk.guide.plan_page.go.text() == "Get 2 files back"
    talk.guide.plan_page.go.click()
    assert talk.recovers() == [Recover(checkpoint=TARGET.id, token=values.guard_token(1), paths=lost)]
    assert not talk.restores()


def test_a_path_that_the_state_does_not_hold_is_never_asked_for(talk: Talk) -> None:
    talk.open(wish=Wish(TARGET.id, Wanted.LOST, (RelPath(b"draft.md"), RelPath(b"elsewhere.md"))))
    talk.guide.plan_page.go.click()
    assert talk.recovers()[0].paths == (b"draft.md",)


def test_a_hidden_choice_stays_chosen_and_is_counted(talk: Talk) -> None:
    talk.open(wish=Wish(TARGET.id, Wanted.FILES, (RelPath(b"draft.md"),)))
    talk.guide.plan_page.files.field.setText("outline")
    assert talk.guide.plan_page.files.model.rowCount() == 1
    assert talk.guide.plan_page.go.text() == "Get 1 file back"


def test_a_blocked_plan_cannot_be_pressed_through(talk: Talk) -> None:
    talk.open(values.plan(TARGET, blockers=(Blocker("mount-inside", (b"/home/mira/notes/atlas/usb",)),)))
    assert not talk.guide.plan_page.go.isEnabled()
    talk.guide.plan_page.only_files.click()
    talk.guide.plan_page.whole.click()
    assert not talk.guide.plan_page.go.isEnabled()


def test_programs_that_write_need_a_word_of_their_own(talk: Talk) -> None:
    talk.open(values.plan(TARGET, blockers=(Blocker("in-use", (), "claude (4711)"),)))
    page = talk.guide.plan_page
    assert not page.go.isEnabled()
    box = page.obstacles.despite
    assert box is not None
    assert not box.isChecked()
    box.click()
    assert page.go.isEnabled()
    page.go.click()
    assert talk.restores()[0].despite_in_use


def test_a_word_for_one_plan_does_not_count_for_the_next(talk: Talk) -> None:
    plan = values.plan(TARGET, blockers=(Blocker("in-use", (), "claude (4711)"),))
    talk.open(plan)
    page = talk.guide.plan_page
    assert page.obstacles.despite is not None
    page.obstacles.despite.click()
    page.look_again_asked.emit()
    talk.plan(plan)
    assert not page.go.isEnabled()
    assert not page.obstacles.despite_in_use


def test_too_little_room_offers_to_leave_ignored_files(talk: Talk) -> None:
    talk.open(values.plan(TARGET, blockers=(Blocker("no-space", (b"/home/mira",), "1000 10"),)))
    talk.guide.plan_page.obstacles.pressed.emit(Offer.LEAVE_IGNORED)
    question = talk.host.next(PlanRestore)
    assert question.command == PlanRestore(checkpoint=TARGET.id, undo=None, ignored=Ignored.LEAVE)


def test_an_unknown_blocker_or_caution_of_a_newer_host_still_blocks_and_is_named(talk: Talk) -> None:
    talk.open(values.plan(TARGET, blockers=(Blocker("moon-phase"),), cautions=(Caution("tide"),)))
    assert not talk.guide.plan_page.go.isEnabled()


def test_a_state_that_looks_like_now_offers_no_restore(talk: Talk) -> None:
    same = values.checkpoint(9, content=4)
    talk.guide.fulfil(WISH)
    talk.plan(values.plan(TARGET, comes_back=(), changes=(), leaves=()), same)
    assert not talk.guide.plan_page.go.isEnabled()
    assert "already looks like this" in talk.guide.plan_page.promise.text()


def test_stop_is_not_called_unchanged_before_the_fresh_look(talk: Talk) -> None:
    talk.open()
    talk.guide.plan_page.go.click()
    talk.host.next(Restore).fail("copy-differs", "Nothing was changed: the prepared copy was not what it should be.")
    assert talk.guide.progress_page.isVisible()
    assert "Nothing was changed" not in _all_text(talk)
    talk.plan(values.plan(TARGET))
    assert talk.guide.end_page.isVisible()
    assert talk.guide.end_page.title.text() == "Nothing was changed"


def test_stop_with_a_folder_that_moved_is_not_called_unchanged(talk: Talk) -> None:
    talk.open()
    talk.guide.plan_page.go.click()
    talk.host.next(Restore).fail("state-changed", "Nothing was changed: the folder is no longer as it was (draft.md).")
    talk.plan(values.plan(TARGET, guard=2))
    assert "Nothing was changed" not in talk.guide.end_page.text()
    assert "draft.md" in talk.guide.end_page.text()
    talk.guide.end_page.buttons[Press.REVIEW].click()
    talk.guide.plan_page.go.click()
    assert talk.restores()[-1].token == values.guard_token(2)


def test_stop_without_a_fresh_look_is_not_called_unchanged(talk: Talk) -> None:
    talk.open()
    talk.guide.plan_page.go.click()
    talk.host.next(Restore).fail("restore-failed", "Nothing was changed: the system refused the step copying.")
    talk.host.next(PlanRestore).fail("stopped", "Backtrail stopped.")
    assert "Nothing was changed" not in talk.guide.end_page.text()
    assert not talk.guide.end_page.buttons[Press.LOOK_AGAIN].isHidden()


def gone(talk: Talk) -> None:
    """Let the Host end while the guide waits for it."""
    talk.host.set_link(Link.STOPPED, values.at(14, 4))
    for question in talk.host.open_questions():
        failure = host_stopped()
        question.fail(failure.code, failure.message, failure.remedy)


def test_while_nobody_can_make_a_plan_the_guide_offers_to_start_and_goes_on_by_itself(talk: Talk, qtbot: QtBot) -> None:
    talk.guide.fulfil(WISH)
    gone(talk)
    end = talk.guide.end_page
    assert end.text().startswith("There is no plan yet\n⚠  Backtrail is not running in the background.")
    assert "command" not in end.text()
    with qtbot.waitSignal(talk.guide.start_asked):
        end.buttons[Press.START].click()
    talk.host.set_link(Link.READY, values.at(14, 5))
    talk.plan(values.plan(TARGET))
    assert talk.guide.page is talk.guide.plan_page


def test_how_a_restore_ended_while_the_host_died_is_found_out_once_it_runs_again(talk: Talk) -> None:
    talk.open()
    talk.guide.plan_page.go.click()
    gone(talk)
    gone(talk)
    end = talk.guide.end_page
    assert end.title.text() == "It is not known yet how this ended"
    assert "Nothing was changed" not in end.text()
    assert not end.buttons[Press.START].isHidden()
    talk.host.set_link(Link.READY, values.at(14, 5))
    talk.plan(values.plan(TARGET))
    assert end.title.text() == "Nothing was changed"
    assert not end.buttons[Press.REVIEW].isHidden()


def test_a_host_that_died_after_the_switch_is_not_called_a_failure(talk: Talk) -> None:
    talk.open()
    talk.guide.plan_page.go.click()
    talk.host.next(Restore).fail("stopped", "Backtrail stopped.")
    talk.plan(values.plan(TARGET, guard=2, before=12), values.checkpoint(12, content=4))
    assert talk.guide.end_page.title.text() == "The folder is as you wanted it"


def test_cancel_works_until_the_switch_and_not_after_it(talk: Talk) -> None:
    talk.open()
    talk.guide.plan_page.go.click()
    question = talk.host.next(Restore)
    question.progress(Step.COPYING, 10, 100)
    assert talk.guide.progress_page.cancel.isEnabled()
    question.progress(Step.SWITCHED)
    assert not talk.guide.progress_page.cancel.isEnabled()
    talk.guide.reject()
    assert not question.cancelled
    assert talk.guide.isVisible()


def test_cancel_waits_for_what_became_of_it(talk: Talk) -> None:
    talk.open()
    talk.guide.plan_page.go.click()
    question = talk.host.next(Restore)
    QTest.keyClick(talk.guide, Qt.Key.Key_Escape)
    assert question.cancelled
    assert talk.guide.isVisible()
    question.answer(values.restore_record())
    assert talk.guide.page is talk.guide.end_page
    assert "is back as it was" in talk.guide.end_page.title.text()


def test_closing_the_window_never_hides_a_running_restore(talk: Talk) -> None:
    talk.open()
    talk.guide.plan_page.go.click()
    assert not talk.guide.close()
    assert talk.guide.isVisible()
    talk.host.next(Restore).fail("cancelled")
    talk.plan(values.plan(TARGET))
    assert "You cancelled it." in talk.guide.end_page.text()


def test_a_record_that_is_not_done_is_not_called_done(talk: Talk) -> None:
    talk.open()
    talk.guide.plan_page.go.click()
    talk.host.next(Restore).answer(values.restore_record(state=RestoreState.ROLLED_BACK))
    assert talk.guide.page is talk.guide.progress_page
    talk.plan(values.plan(TARGET))
    assert talk.guide.end_page.title.text() == "Nothing was changed"


def test_terminals_in_the_archive_are_told_what_to_run(talk: Talk) -> None:
    talk.open()
    talk.guide.plan_page.go.click()
    inside = (Inside(1, "bash", writes=False), Inside(2, "zsh", writes=False))
    talk.host.next(Restore).answer(values.restore_record(inside=inside, late=(b"draft.md",)))
    text = talk.guide.end_page.text()
    assert '2 terminals still stand in the archived folder: run cd "$PWD" there.' in text
    assert "1 file was written in the archive after the switch: draft.md" in text
    talk.guide.end_page.copy.click()
    assert QGuiApplication.clipboard().text() == 'cd "$PWD"'


def test_undo_is_reviewed_like_any_restore(talk: Talk) -> None:
    talk.open()
    talk.guide.plan_page.go.click()
    record = values.restore_record()
    talk.host.next(Restore).answer(record)
    talk.guide.end_page.buttons[Press.UNDO].click()
    assert len(talk.restores()) == 1
    talk.plan(values.plan(NOW, undo_of=record.id, guard=3, before=21), values.checkpoint(21))
    talk.guide.plan_page.go.click()
    assert talk.restores()[-1] == Restore(undo=record.id, token=values.guard_token(3))


def test_files_that_came_back_can_be_undone_to_the_state_before(talk: Talk) -> None:
    talk.open(wish=Wish(TARGET.id, Wanted.FILES, (RelPath(b"draft.md"),)))
    talk.guide.plan_page.go.click()
    talk.host.next(Recover).answer(Recovered(values.checkpoint(10), ()))
    assert talk.guide.end_page.title.text() == "1 file of “atlas” is back"
    talk.guide.end_page.buttons[Press.UNDO].click()
    assert talk.host.next(PlanRestore).command == PlanRestore(checkpoint=NOW.id)


def test_bringing_back_an_archive_is_reviewed_first(talk: Talk) -> None:
    talk.guide.bring_back(RestoreId("ab"))
    talk.plan(values.plan(NOW, undo_of="ab"))
    assert not talk.restores()
    assert talk.guide.plan_page.headline.text() == "Bring “atlas” back as it was before that restore"


def test_a_late_plan_of_a_closed_guide_is_dropped(talk: Talk) -> None:
    talk.guide.fulfil(WISH)
    question = talk.host.next(PlanRestore)
    talk.guide.reject()
    assert question.cancelled
    question.answer(values.plan(TARGET))
    assert not talk.host.open_questions(ListCheckpoints)


def test_silence_of_the_host_is_said_while_it_runs(talk: Talk) -> None:
    talk.open()
    talk.guide.plan_page.go.click()
    talk.host.set_link(Link.NOT_ANSWERING, values.at(14, 1, 7))
    assert "not answering since" in talk.guide.progress_page.trouble.text()


def test_no_plan_is_said_and_can_be_asked_for_again(talk: Talk) -> None:
    talk.guide.fulfil(WISH)
    talk.host.next(PlanRestore).fail("not-reachable", "/media/usb cannot be reached.", "Mount it.")
    assert "cannot be reached" in talk.guide.end_page.text()
    talk.guide.end_page.buttons[Press.LOOK_AGAIN].click()
    talk.plan(values.plan(TARGET))
    assert talk.guide.page is talk.guide.plan_page


def test_esc_on_a_difference_leads_back_to_the_plan_and_close_closes(talk: Talk) -> None:
    talk.open()
    card = talk.guide.plan_page.comes_back
    card.opened.emit(card.model.change_at(0))
    QTest.keyClick(talk.guide, Qt.Key.Key_Escape)
    assert talk.guide.plan_page.isVisible()
    card.opened.emit(card.model.change_at(0))
    assert talk.guide.close()
    assert not talk.guide.isVisible()


def test_files_are_never_written_over_what_could_not_be_kept(talk: Talk) -> None:
    talk.guide.fulfil(Wish(TARGET.id, Wanted.LOST, (RelPath(b"draft.md"), RelPath(b"ideas/loose-ends.md"))))
    talk.plan(values.plan(TARGET, before=None))
    assert talk.guide.plan_page.files.model.chosen == (b"ideas/loose-ends.md",), "draft.md has content that is not kept"


@pytest.mark.parametrize("evil", [b"a\xe2\x80\xaetxt.exe", b"<b>bold</b>", b"two\nlines", b"\x1b[31mred"])
def test_names_from_a_repository_are_shown_as_plain_text(talk: Talk, evil: bytes) -> None:
    target = values.checkpoint(4, branch=evil)
    talk.guide.fulfil(WISH)
    talk.plan(values.plan(target, changes=values.path_changes(evil)))
    page = talk.guide.plan_page
    shown = str(page.changes.model.data(page.changes.model.index(0, 0)))
    for text in (shown, page.headline.text(), page.facts.texts()["Branch"]):
        assert not set(text) & {"\u202e", "\n", "\x1b"}
    assert page.headline.textFormat() is Qt.TextFormat.PlainText


def test_every_button_can_be_reached_by_keyboard(talk: Talk) -> None:
    talk.open(values.plan(TARGET, blockers=(Blocker("in-use", (), "claude (4711)"),)))
    buttons: list[QPushButton] = talk.guide.plan_page.findChildren(QPushButton)
    assert buttons
    assert all(button.focusPolicy() & Qt.FocusPolicy.TabFocus for button in buttons)


def _all_text(talk: Talk) -> str:
    page = talk.guide.progress_page
    return f"{page.title.text()} {page.told.text()} {page.trouble.text()} {page.amount.text()}"


def _stop_running(guide: RestoreGuide) -> None:
    """Let a guide be closed in whose test a restore was left running."""
    guide.flow.leave()


def changed(talk: Talk, newest: Checkpoint) -> None:
    """Let the Host tell that a state was kept, and name the newest one to whoever asks."""
    talk.host.happened.emit(CheckpointRecorded(memory=values.memory().id))
    for question in talk.host.open_questions(ListCheckpoints):
        question.answer(CheckpointPage((newest,), more=True, total=9))


def test_a_plan_of_an_earlier_moment_is_not_carried_out_from_the_screen(talk: Talk) -> None:
    lost = (RelPath(b"draft.md"),)
    talk.open(wish=Wish(TARGET.id, Wanted.LOST, lost))
    page = talk.guide.plan_page
    changed(talk, NOW)
    assert page.moved.isHidden(), "the state that the plan was made of"
    talk.host.happened.emit(CheckpointRecorded(memory=MemoryId("another")))
    assert not talk.host.open_questions(ListCheckpoints)
    changed(talk, values.checkpoint(10))
    assert not page.moved.isHidden()
    assert not page.go.isEnabled()
    page.whole.click()
    assert not page.go.isEnabled()
    page.moved.look_again.click()
    talk.plan(values.plan(TARGET))
    assert page.moved.isHidden()
    assert page.go.isEnabled()


def test_a_running_restore_is_not_called_a_change(talk: Talk) -> None:
    talk.open()
    talk.guide.plan_page.go.click()
    changed(talk, values.checkpoint(10))
    assert talk.guide.page is talk.guide.progress_page
    assert talk.guide.plan_page.moved.isHidden()
