"""The timeline as a person uses it: keys, double clicks, the banner, the filters."""

from pathlib import Path

import pytest
from backtrail.model.checkpoint import Checkpoint, Lost
from backtrail.model.commands import CheckpointPage, ListCheckpoints, PlanRestore, Recover, Restore
from backtrail.model.events import CheckpointRecorded
from backtrail.model.ids import RelPath
from backtrail_desktop.timeline.panel import TimelinePanel
from backtrail_desktop.timeline.wish import Chosen, Wanted, Wish
from desktop.answering_port import AnsweringPort
from desktop.values import at, checkpoint, memory, oid
from PySide6.QtCore import QModelIndex, QSettings, Qt
from pytestqt.qtbot import QtBot

LOST = tuple(Lost(RelPath(name), oid(number)) for number, name in enumerate((b"a", b"b")))
STORY = (
    checkpoint(3, captured_at=at(14, 3, 20), lost=LOST, kept_in=2),
    checkpoint(2, captured_at=at(13, 58, 12)),
    checkpoint(1, captured_at=at(13, 0)),
)


def page(states: tuple[Checkpoint, ...], *, more: bool, total: int) -> CheckpointPage:
    return CheckpointPage(states, more, total)


class Room:
    """A panel, its Host, and what it asked for."""

    def __init__(self, qtbot: QtBot, settings: QSettings) -> None:
        self.host = AnsweringPort()
        self.panel = TimelinePanel(self.host, settings, lambda: at(14, 5))
        self.wishes: list[Wish] = []
        self.chosen: list[Chosen | None] = []
        self.panel.wished.connect(self.wishes.append)
        self.panel.chosen.connect(self.chosen.append)
        qtbot.addWidget(self.panel)
        self.panel.resize(700, 500)
        self.panel.show()

    def show(self, *states: Checkpoint, more: bool = False) -> None:
        self.panel.show_memory(memory())
        self.host.next(ListCheckpoints).answer(CheckpointPage(states, more, len(states)))

    def double_click(self, qtbot: QtBot, index: QModelIndex) -> None:
        self.panel.table.scrollTo(index)
        place = self.panel.table.visualRect(index).center()
        viewport = self.panel.table.viewport()
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=place)
        qtbot.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=place)

    def index(self, seq: int) -> QModelIndex:
        return self.panel.model.index_of(checkpoint(seq).id)


@pytest.fixture
def settings(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def room(qtbot: QtBot, settings: QSettings) -> Room:
    return Room(qtbot, settings)


def test_double_click_never_restores_without_review(qtbot: QtBot, room: Room) -> None:
    room.show(*STORY)
    room.double_click(qtbot, room.index(1))
    assert room.wishes == [Wish(checkpoint(1).id, Wanted.WHOLE)]
    asked = [question.command for question in room.host.questions]
    assert not [one for one in asked if isinstance(one, Restore | Recover | PlanRestore)]


def test_double_click_on_the_row_where_it_went_wrong_offers_the_state_before(qtbot: QtBot, room: Room) -> None:
    room.show(*STORY)
    room.double_click(qtbot, room.index(3))
    assert room.wishes == [Wish(checkpoint(2).id, Wanted.WHOLE)]


def test_the_same_state_further_down_is_not_offered_as_a_way_back_to_itself(qtbot: QtBot, room: Room) -> None:
    room.show(checkpoint(3, content=2), checkpoint(2), checkpoint(1))
    room.double_click(qtbot, room.index(2))
    assert room.wishes == [Wish(checkpoint(1).id, Wanted.WHOLE)]


def test_enter_does_what_a_double_click_does_and_arrows_pass_over_days(qtbot: QtBot, room: Room) -> None:
    room.show(*STORY)
    table = room.panel.table
    table.setFocus()
    assert table.currentIndex().row() == 0
    for _press in range(2):
        qtbot.keyClick(table, Qt.Key.Key_Down)
    assert table.currentIndex() == room.index(2)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert room.wishes == [Wish(checkpoint(2).id, Wanted.WHOLE)]


def test_the_first_kept_state_offers_no_way_to_before_it(qtbot: QtBot, room: Room) -> None:
    room.show(checkpoint(1))
    room.double_click(qtbot, room.index(1))
    assert room.wishes == []


def test_the_loss_is_named_with_the_state_that_keeps_it(qtbot: QtBot, room: Room) -> None:
    room.show(*STORY)
    banner = room.panel.banner
    assert banner.isVisible()
    assert "Uncommitted changes in 2 files disappeared at" in banner.what.text()
    assert "kept in the state of" in banner.where.text()
    qtbot.mouseClick(banner.get_back_button, Qt.MouseButton.LeftButton)
    assert room.wishes == [Wish(checkpoint(2).id, Wanted.LOST, (RelPath(b"a"), RelPath(b"b")))]
    assert banner.isVisible(), "asking for the guide brings nothing back yet"


def test_a_dismissed_loss_stays_dismissed_but_its_row_still_names_it(
    qtbot: QtBot, room: Room, settings: QSettings
) -> None:
    room.show(*STORY)
    qtbot.mouseClick(room.panel.banner.dismiss_button, Qt.MouseButton.LeftButton)
    assert not room.panel.banner.isVisible()
    assert "disappeared here" in str(room.index(3).data())
    again = Room(qtbot, settings)
    again.show(*STORY)
    assert not again.panel.banner.isVisible()


def test_a_filter_does_not_hide_the_banner(room: Room) -> None:
    room.show(*STORY)
    room.panel.filters.branch.setCurrentIndex(1)
    first, newest = room.host.open_questions(ListCheckpoints)
    assert first.command.branch == b"main"
    first.answer(page((), more=False, total=3))
    newest.answer(page(STORY[:1], more=True, total=3))
    assert room.panel.banner.isVisible()
    assert room.panel.note.label.text() == "No state matches."
    room.panel.note.button.click()
    room.host.next(ListCheckpoints).answer(page(STORY, more=False, total=3))
    assert room.index(3).isValid()


def test_a_change_seen_by_the_host_moves_now_but_not_the_row_that_is_stood_on(qtbot: QtBot, room: Room) -> None:
    room.show(*STORY)
    room.panel.stand_on(checkpoint(2).id)
    room.host.happened.emit(CheckpointRecorded(memory=memory("website").id))
    room.host.happened.emit(CheckpointRecorded(memory=memory().id))
    qtbot.waitUntil(lambda: bool(room.host.open_questions(ListCheckpoints)))
    room.host.next(ListCheckpoints).answer(page((checkpoint(4, captured_at=at(14, 4)), *STORY), more=False, total=4))
    assert room.panel.table.currentIndex() == room.index(2)
    last = room.chosen[-1]
    assert last is not None
    assert last.checkpoint.seq == 2
    assert last.now is not None
    assert last.now.seq == 4


def test_the_state_before_is_asked_for_where_a_filter_hides_it(room: Room) -> None:
    newer = checkpoint(4, captured_at=at(14, 4))
    room.show(newer, *STORY)
    room.panel.show_losses()
    first, newest = room.host.open_questions(ListCheckpoints)
    newest.answer(page((newer,), more=True, total=4))
    first.answer(page(STORY[:1], more=False, total=4))
    room.panel.stand_on(checkpoint(3).id)
    last = room.chosen[-1]
    assert last is not None
    assert not last.before_known
    question = room.host.open_questions(ListCheckpoints)[-1]
    assert (question.command.limit, question.command.below_seq) == (1, 3)
    question.answer(page(STORY[1:2], more=True, total=3))
    last = room.chosen[-1]
    assert last is not None
    assert last.before == STORY[1]


def test_a_timeline_without_anything_says_why(room: Room) -> None:
    assert "Choose a folder" in room.panel.note.label.text()
    room.show()
    assert "Nothing is kept" in room.panel.note.label.text()
    assert room.panel.note.label.textFormat() is Qt.TextFormat.PlainText


def test_a_failure_is_shown_with_a_way_to_try_again(room: Room) -> None:
    room.panel.show_memory(memory())
    room.host.next(ListCheckpoints).fail("host-busy", "It is <b>busy</b>.", "Wait.")
    assert room.panel.note.label.text() == "It is <b>busy</b>. Wait."
    room.panel.note.button.click()
    room.host.next(ListCheckpoints).answer(page(STORY, more=False, total=3))
    assert room.index(3).isValid()
