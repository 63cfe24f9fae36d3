"""The details as a person uses them: the ways back, the comparison, files and their difference."""

import time

import msgspec
import pytest
from backtrail.model.changes import (
    Change,
    Changes,
    ChangeStatus,
    DiffLine,
    FileDiff,
    LineKind,
    ListChanges,
    ReadDiff,
    Shown,
)
from backtrail.model.checkpoint import CheckpointState
from backtrail.model.ids import Oid, RelPath
from backtrail_desktop.details.comparing import Against, trees
from backtrail_desktop.details.panel import DetailsPanel
from backtrail_desktop.timeline.wish import Chosen, Wanted, Wish
from desktop.answering_port import AnsweringPort
from desktop.values import at, checkpoint, memory, oid
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

F, G = RelPath(b"f"), RelPath(b"sub/g")
CHANGES = Changes(
    (
        Change(F, ChangeStatus.CHANGED, staged=False, old=oid(1), new=oid(2)),
        Change(G, ChangeStatus.REMOVED, staged=False, old=oid(3), new=None),
    ),
    2,
)
DIFF = FileDiff(
    Shown.TEXT,
    (
        DiffLine(LineKind.HUNK, None, None, "@@ -1,2 +1,2 @@"),
        DiffLine(LineKind.REMOVED, 1, None, "the old bed"),
        DiffLine(LineKind.ADDED, None, 1, "the new bed"),
        DiffLine(LineKind.SAME, 2, 2, "end\u202e\x1b[31m"),
    ),
    10,
    10,
)


def chosen(seq: int = 2, *, now: int | None = 3, before: int | None = 1) -> Chosen:
    return Chosen(
        memory=memory(),
        checkpoint=checkpoint(seq),
        before=None if before is None else checkpoint(before),
        before_known=True,
        now=None if now is None else checkpoint(now),
        same_as_now=seq == now,
    )


class Room:
    """A panel, its reader, and what it asked for."""

    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot = qtbot
        self.reader = AnsweringPort()
        self.panel = DetailsPanel(self.reader, lambda: at(14, 5))
        self.wishes: list[Wish] = []
        self.panel.wished.connect(self.wishes.append)
        qtbot.addWidget(self.panel)
        self.panel.resize(900, 400)
        self.panel.show()

    def show(self, state: Chosen) -> ListChanges:
        self.panel.show_chosen(state)
        self.qtbot.waitUntil(lambda: bool(self.reader.open_questions(ListChanges)))
        command = self.reader.next(ListChanges).command
        assert isinstance(command, ListChanges)
        return command

    def show_with_files(self, state: Chosen) -> None:
        self.show(state)
        self.reader.next(ListChanges).answer(CHANGES)


@pytest.fixture
def room(qtbot: QtBot) -> Room:
    return Room(qtbot)


def test_a_state_that_the_folder_looks_like_offers_the_state_before_first(room: Room) -> None:
    room.show(chosen(3, before=2))
    header = room.panel.header
    assert header.whole.text().startswith("Go back to before this change (")
    header.whole.click()
    header.files.click()
    assert room.wishes == [Wish(checkpoint(2).id, Wanted.WHOLE), Wish(checkpoint(2).id, Wanted.FILES)]


def test_an_older_state_offers_itself(room: Room) -> None:
    room.show(chosen())
    room.panel.header.whole.click()
    room.panel.header.files.click()
    assert room.wishes == [Wish(checkpoint(2).id, Wanted.WHOLE), Wish(checkpoint(2).id, Wanted.FILES)]


def test_nothing_is_offered_where_there_is_nothing_to_go_back_to(room: Room) -> None:
    room.show(chosen(1, now=1, before=None))
    assert not room.panel.header.whole.isEnabled()
    assert not room.panel.header.files.isEnabled()


def test_a_state_in_which_nothing_changed_does_not_offer_the_one_before_it(room: Room) -> None:
    same = chosen(3, before=2)
    assert same.before is not None
    token = same.checkpoint.content_token
    room.show(msgspec.structs.replace(same, before=msgspec.structs.replace(same.before, content_token=token)))
    assert not room.panel.header.whole.isEnabled()
    assert "before" not in room.panel.header.whole.text()


def test_a_damaged_state_does_not_offer_the_whole_folder(room: Room) -> None:
    damaged = msgspec.structs.replace(chosen(), checkpoint=checkpoint(2, state=CheckpointState.DAMAGED))
    room.show(damaged)
    assert not room.panel.header.whole.isEnabled()
    assert "damaged" in room.panel.header.story.text()


def test_a_state_is_compared_with_now_where_that_is_known_else_with_the_one_before(room: Room) -> None:
    assert room.show(chosen()).old == trees(checkpoint(3))
    room.reader.next(ListChanges).answer(CHANGES)
    assert room.show(chosen(2, now=None)).old == trees(checkpoint(1))
    assert room.panel.against is Against.BEFORE


def test_another_comparison_is_asked_at_once_and_stays_for_the_next_state(room: Room, qtbot: QtBot) -> None:
    room.show_with_files(chosen())
    room.panel.header.against.activated.emit(2)
    qtbot.waitUntil(lambda: bool(room.reader.open_questions(ListChanges)))
    assert room.reader.next(ListChanges).command.head == checkpoint(2).head
    room.reader.next(ListChanges).answer(CHANGES)
    assert room.show(chosen(1, before=None)).head == checkpoint(1).head


def test_files_of_one_state_are_never_listed_under_the_heading_of_another(room: Room) -> None:
    room.show_with_files(chosen(2))
    assert room.panel.files_model.rowCount()
    room.panel.show_chosen(chosen(1, before=None))
    assert room.panel.files_model.rowCount() == 0


def test_an_answer_for_a_state_left_behind_is_dropped(room: Room) -> None:
    room.show(chosen(2))
    late = room.reader.next(ListChanges)
    room.panel.show_chosen(chosen(1, before=None))
    assert late.cancelled
    late.answer(CHANGES)
    assert room.panel.files_model.rowCount() == 0


def test_walking_through_the_timeline_does_not_queue_a_question_per_row(room: Room, qtbot: QtBot) -> None:
    for seq in range(40, 2, -1):
        room.panel.show_chosen(chosen(seq, now=50, before=seq - 1))
    qtbot.waitUntil(lambda: bool(room.reader.questions))
    assert len(room.reader.questions) == 1


def test_the_same_state_told_again_is_not_compared_again(room: Room) -> None:
    room.show_with_files(chosen())
    asked = len(room.reader.questions)
    room.panel.show_chosen(chosen())
    assert len(room.reader.questions) == asked
    assert room.panel.files_model.rowCount()


def test_the_first_file_opens_with_what_changed_within_its_lines(room: Room) -> None:
    room.show_with_files(chosen())
    question = room.reader.next(ReadDiff)
    assert (question.command.old, question.command.new) == (oid(1), oid(2))
    question.answer(DIFF)
    view = room.panel.diff
    shown = view.toPlainText().split("\n")
    assert shown[1:3] == ["-the old bed", "+the new bed"]
    assert [shown[2][begin:end] for begin, end in view.marked(2)] == ["new"]
    assert shown[3] == r" end\u202e\u001b[31m"
    view.grab()


@pytest.mark.parametrize(
    ("diff", "said"),
    [
        (FileDiff(Shown.BINARY, (), 2048, 4096), "Not text: 2.0 KiB became 4.0 KiB."),
        (FileDiff(Shown.TOO_LARGE, (), None, 5 << 20), "Too large to show line by line: 5.0 MiB."),
        (FileDiff(Shown.MISSING, (), None, None), "not in the repository any more"),
    ],
)
def test_what_cannot_be_shown_is_named(room: Room, diff: FileDiff, said: str) -> None:
    room.show_with_files(chosen())
    room.reader.next(ReadDiff).answer(diff)
    assert said in room.panel.diff.toPlainText()


def test_a_file_that_is_not_in_the_state_cannot_be_got_back_from_it(room: Room, qtbot: QtBot) -> None:
    room.show_with_files(chosen())
    files = room.panel.files
    qtbot.keyClick(files, Qt.Key.Key_Return)
    assert room.wishes == [Wish(checkpoint(2).id, Wanted.FILES, (F,))]
    qtbot.keyClick(files, Qt.Key.Key_Down)
    assert not files.get_action.isEnabled()
    qtbot.keyClick(files, Qt.Key.Key_Return)
    assert len(room.wishes) == 1


def test_a_file_that_was_lost_here_is_got_back_from_the_state_before(room: Room, qtbot: QtBot) -> None:
    copies: list[tuple[bytes, RelPath, Oid]] = []
    room.panel.copy_wanted.connect(lambda root, path, content: copies.append((root, path, content)))
    room.show_with_files(chosen(3, before=2))
    assert room.panel.against is Against.BEFORE
    files = room.panel.files
    files.setFocus()
    qtbot.keyClick(files, Qt.Key.Key_Down)
    qtbot.keyClick(files, Qt.Key.Key_Return)
    files.save_action.trigger()
    assert room.wishes == [Wish(checkpoint(2).id, Wanted.FILES, (G,))]
    assert copies == [(memory().path, G, oid(3))]


def test_the_difference_of_a_file_left_behind_is_dropped(room: Room, qtbot: QtBot) -> None:
    room.show_with_files(chosen())
    late = room.reader.next(ReadDiff)
    qtbot.keyClick(room.panel.files, Qt.Key.Key_Down)
    late.answer(DIFF)
    assert "bed" not in room.panel.diff.toPlainText()


def test_a_reader_that_fails_says_why_and_choosing_again_asks_again(room: Room) -> None:
    room.show(chosen())
    room.reader.next(ListChanges).fail("not-reachable", "The folder <b>cannot</b> be reached.", "Mount it.")
    assert "The folder <b>cannot</b> be reached. Mount it." in str(room.panel.files_model.index(0, 0).data())
    room.show(chosen())


def test_all_labels_show_plain_text(room: Room) -> None:
    for label in room.panel.findChildren(QLabel):
        assert label.textFormat() is Qt.TextFormat.PlainText, label.text()


def test_ten_thousand_lines_and_a_line_of_a_million_characters_show_without_a_pause(room: Room) -> None:
    lines = [DiffLine(LineKind.REMOVED, at, None, f"line {at} of the old text") for at in range(5000)]
    lines += [DiffLine(LineKind.ADDED, None, at, f"line {at} of the new text") for at in range(5000)]
    lines.append(DiffLine(LineKind.ADDED, None, 5001, "x" * 1_000_000))
    begin = time.perf_counter()
    room.panel.show_chosen(chosen())
    room.panel.diff.show_diff(FileDiff(Shown.TEXT, tuple(lines), 1, 1, cut=True))
    room.panel.diff.grab()
    assert time.perf_counter() - begin < 1, "many times what it takes on a quiet machine"
    assert "more characters" in room.panel.diff.toPlainText()


def test_a_files_history_can_be_asked_for(room: Room) -> None:
    wanted: list[bytes] = []
    room.panel.history_wanted.connect(wanted.append)
    room.show_with_files(chosen())
    room.panel.files.history_action.trigger()
    assert wanted == [F]
