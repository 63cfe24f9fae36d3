"""The rows of the timeline: pages, days, now, and what a filter lets through."""

import datetime

from backtrail.model.changes import FindNames, NameHits
from backtrail.model.checkpoint import Cause, Checkpoint, Context, Difference, Origin
from backtrail.model.commands import PAGE, CheckpointPage, ListCheckpoints
from backtrail.model.ids import RelPath
from backtrail.model.memory import Protection, ProtectionState
from backtrail_desktop.timeline.model import Standing, TimelineModel
from backtrail_desktop.timeline.rows import Filter, RowKind
from desktop.answering_port import AnsweringPort
from desktop.values import DAY, at, checkpoint, memory
from PySide6.QtCore import QDate, QLocale, QModelIndex, Qt
from pytestqt.modeltest import ModelTester

ROOT = QModelIndex()


def noon() -> datetime.datetime:
    return at(14, 5)


def page(*states: Checkpoint, more: bool = False) -> CheckpointPage:
    return CheckpointPage(states, more, len(states))


def told(model: TimelineModel) -> list[str]:
    return [str(model.index(at, 0).data()) for at in range(model.rowCount())]


def seqs(model: TimelineModel) -> list[int]:
    rows = [model.row(model.index(at, 0)) for at in range(model.rowCount())]
    return [row.checkpoint.seq for row in rows if row.checkpoint is not None]


def shown(port: AnsweringPort, *states: Checkpoint, more: bool = False) -> TimelineModel:
    model = TimelineModel(port, noon)
    model.show(memory())
    port.next(ListCheckpoints).answer(page(*states, more=more))
    return model


def test_ten_thousand_states_arrive_by_pages_as_they_are_scrolled_to(qtmodeltester: ModelTester) -> None:
    port = AnsweringPort()
    model = TimelineModel(port, noon)
    model.show(memory())
    for below in range(10_000, 0, -PAGE):
        question = port.next(ListCheckpoints)
        assert question.command.limit == PAGE
        assert question.command.below_seq == (None if below == 10_000 else below + 1)
        states = [checkpoint(seq, captured_at=at(8, 0)) for seq in range(below, below - PAGE, -1)]
        question.answer(CheckpointPage(tuple(states), below > PAGE, 10_000))
        assert not port.open_questions(), "a page is asked for before somebody scrolls"
        if model.canFetchMore(ROOT):
            model.fetchMore(ROOT)
    assert seqs(model) == list(range(10_000, 0, -1))
    assert not model.canFetchMore(ROOT)
    qtmodeltester.check(model)


def test_now_stands_on_top_and_days_have_headings_that_cannot_be_chosen() -> None:
    model = shown(
        AnsweringPort(),
        checkpoint(3, captured_at=at(9, 0)),
        checkpoint(2, captured_at=DAY - datetime.timedelta(hours=2)),
        checkpoint(1, captured_at=DAY - datetime.timedelta(days=400)),
    )
    kinds = [model.row(model.index(row, 0)).kind for row in range(model.rowCount())]
    now, day, state = RowKind.NOW, RowKind.DAY, RowKind.STATE
    assert kinds == [now, day, state, day, state, day, state]
    assert told(model)[0].startswith("same as ")
    assert told(model)[1] == "Today"
    assert told(model)[3] == "Yesterday"
    assert told(model)[5].endswith(QLocale().toString(QDate(2025, 1, 1), "yyyy"))
    assert model.flags(model.index(1, 0)) == Qt.ItemFlag.NoItemFlags
    assert model.chosen(model.index(1, 0)) is None


def test_now_is_not_said_to_be_the_same_while_nobody_looks() -> None:
    model = shown(AnsweringPort(), checkpoint(2), checkpoint(1))
    now, newest = model.index(0, 0), model.index(2, 0)
    model.tell_unknown("Backtrail is not running in the background")
    first, second = model.lines(model.row(now))
    assert first.startswith("Not known since ")
    assert first.endswith(": Backtrail is not running in the background")
    assert second.startswith("The last kept state is of ")
    assert not model.looks_like_now(model.row(newest))
    for index in (now, newest):
        chosen = model.chosen(index)
        assert chosen is not None
        assert (chosen.checkpoint.seq, chosen.now, chosen.same_as_now) == (2, None, False)
    model.tell_unknown("")
    assert model.lines(model.row(now))[0].startswith("same as ")


def test_a_now_that_is_not_kept_is_never_said_to_be_the_newest_state() -> None:
    port = AnsweringPort()
    unkept = Protection(ProtectionState.NOT_PROTECTED, "unmerged-index", at(14, 1), at(14, 1))
    model = TimelineModel(port, noon)
    model.show(memory(protection=unkept))
    port.next(ListCheckpoints).answer(page(checkpoint(2), checkpoint(1)))
    now = model.index(0, 0)
    assert "Not kept" in str(now.data())
    assert "merge conflict" in str(now.data())
    assert model.warns(model.row(now))
    assert model.chosen(now) is None
    chosen = model.chosen(model.index_of(checkpoint(2).id))
    assert chosen is not None
    assert not chosen.same_as_now


def test_new_states_go_below_their_day_without_moving_what_is_there(qtmodeltester: ModelTester) -> None:
    port = AnsweringPort()
    model = shown(port, checkpoint(2, captured_at=at(9, 0)), checkpoint(1, captured_at=at(8, 0)))
    qtmodeltester.check(model)
    model.refresh()
    tomorrow = DAY + datetime.timedelta(days=1, hours=1)
    port.next(ListCheckpoints).answer(
        page(
            checkpoint(4, captured_at=tomorrow),
            checkpoint(3, captured_at=at(10, 0)),
            checkpoint(2, captured_at=at(9, 0)),
            checkpoint(1, captured_at=at(8, 0)),
        )
    )
    kinds = [model.row(model.index(row, 0)).kind for row in range(model.rowCount())]
    assert kinds.count(RowKind.DAY) == 2
    assert seqs(model) == [4, 3, 2, 1]
    place = model.index_of(checkpoint(3).id)
    row = model.row(place).checkpoint
    assert row is not None
    assert row.seq == 3
    qtmodeltester.check(model)


def test_a_state_that_was_thinned_or_damaged_meanwhile_is_not_shown_as_it_was() -> None:
    port = AnsweringPort()
    model = shown(port, checkpoint(3), checkpoint(2), checkpoint(1))
    model.refresh()
    port.next(ListCheckpoints).answer(page(checkpoint(3, pinned=True), checkpoint(1)))
    assert seqs(model) == [3, 1]
    found = model.row(model.index_of(checkpoint(3).id)).checkpoint
    assert found is not None
    assert found.pinned


def test_more_new_states_than_one_look_brings_leave_no_hole() -> None:
    port = AnsweringPort()
    model = shown(port, checkpoint(2), checkpoint(1))
    model.refresh()
    port.next(ListCheckpoints).answer(page(*[checkpoint(seq) for seq in range(90, 40, -1)], more=True))
    assert seqs(model) == list(range(90, 40, -1))
    assert model.canFetchMore(ROOT)
    model.fetchMore(ROOT)
    assert port.next(ListCheckpoints).command.below_seq == 41


def test_a_page_of_another_folder_that_comes_late_is_dropped() -> None:
    port = AnsweringPort()
    model = TimelineModel(port, noon)
    model.show(memory("atlas"))
    late = port.next(ListCheckpoints)
    model.show(memory("website"))
    assert late.cancelled
    late.answer(page(checkpoint(9)))
    assert seqs(model) == []
    assert model.standing is Standing.LOADING
    port.next(ListCheckpoints).answer(page(checkpoint(1, memory_name="website")))
    assert seqs(model) == [1]


def test_a_name_is_looked_for_in_older_pages_until_enough_is_found() -> None:
    port = AnsweringPort()
    model = shown(port, checkpoint(900), checkpoint(899), more=True)
    model.set_filter(Filter(text="Sources"))
    assert model.standing is Standing.LOADING
    found = Difference(changed=1, first=(RelPath(b"sources.bib"),))
    port.next(ListCheckpoints).answer(page(checkpoint(898), checkpoint(897, difference=found)))
    assert seqs(model) == [897]
    model.set_filter(Filter(text="nowhere"))
    assert model.standing is Standing.NO_MATCH
    model.set_filter(Filter())
    assert seqs(model) == [900, 899, 898, 897]


def test_the_host_filters_branch_origin_day_and_losses() -> None:
    port = AnsweringPort()
    model = shown(port, checkpoint(2), checkpoint(1))
    model.set_filter(Filter(branch=b"side", origin=Origin.AGENT_SESSION, days=7, only_losses=True))
    command = port.next(ListCheckpoints).command
    assert (command.branch, command.origin, command.with_losses) == (b"side", Origin.AGENT_SESSION, True)
    assert command.since == datetime.datetime(2026, 11, 24).astimezone()


def test_a_filter_does_not_make_an_older_state_pass_for_now() -> None:
    port = AnsweringPort()
    model = shown(port, checkpoint(2), checkpoint(1))
    model.set_filter(Filter(only_losses=True))
    first, newest = port.open_questions(ListCheckpoints)
    first.answer(page(checkpoint(1)))
    newest.answer(page(checkpoint(2), more=True))
    assert model.now == checkpoint(2)
    chosen = model.chosen(model.index_of(checkpoint(1).id))
    assert chosen is not None
    assert not chosen.same_as_now
    assert not chosen.before_known, "the row below is not the state before when a filter is on"


def test_a_failed_page_is_told_and_asked_again_only_on_wish() -> None:
    port = AnsweringPort()
    model = TimelineModel(port, noon)
    model.show(memory())
    port.next(ListCheckpoints).fail("database-damaged", "The database is damaged.", "Run doctor.")
    assert model.standing is Standing.FAILED
    assert not port.open_questions()
    model.refresh()
    assert len(port.open_questions(ListCheckpoints)) == 1


def test_names_from_the_repository_cannot_steer_the_screen() -> None:
    evil = Difference(changed=1, first=(RelPath("<b>a</b>\n\u202egnp.exe".encode()),))
    model = shown(AnsweringPort(), checkpoint(1, difference=evil, branch="m\u202eain".encode(), note="x\ny"))
    index = model.index(2, 0)
    for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
        text = str(index.data(role))
        assert "\u202e" not in text
        assert "\n" not in text
        assert r"\n\u202egnp.exe" in text


def test_saved_after_a_session_never_says_that_the_session_wrote_it() -> None:
    context = Context(Origin.AGENT_SESSION, Cause.SOURCE_EVENT, "3f2a9c", "event")
    model = shown(AnsweringPort(), checkpoint(1, context=context))
    sentence = str(model.index(2, 0).data(Qt.ItemDataRole.AccessibleTextRole))
    assert "Saved after session 3f2a9c" in sentence
    assert "by " not in sentence


def test_a_file_that_the_row_does_not_name_is_found_by_the_reader() -> None:
    port, reader = AnsweringPort(), AnsweringPort()
    model = TimelineModel(port, noon, reader=reader)
    model.show(memory())
    port.next(ListCheckpoints).answer(page(*[checkpoint(seq) for seq in range(120, 60, -1)], more=True))
    model.set_filter(Filter(text="hidden.md"))
    assert model.standing is Standing.LOADING
    assert not port.open_questions(), "older pages are loaded only once these are looked at"
    first = reader.next(FindNames)
    assert first.command.trees == tuple(checkpoint(seq).working_tree for seq in range(120, 69, -1))
    first.answer(NameHits((False, True, *[False] * 48)))
    assert seqs(model) == [119]
    second = reader.next(FindNames)
    assert len(second.command.trees) == 10, "the last is only compared with: what is before it is not loaded"
    second.answer(NameHits((False,) * 9))
    port.next(ListCheckpoints).answer(page(*[checkpoint(seq) for seq in range(60, 58, -1)]))
    third = reader.next(FindNames)
    assert third.command.trees == (*(checkpoint(seq).working_tree for seq in (61, 60, 59)), None)
    third.answer(NameHits((True, False, True)))
    assert seqs(model) == [119, 61, 59]


def test_an_answer_for_another_text_is_dropped() -> None:
    port, reader = AnsweringPort(), AnsweringPort()
    model = TimelineModel(port, noon, reader=reader)
    model.show(memory())
    port.next(ListCheckpoints).answer(page(checkpoint(2), checkpoint(1)))
    model.set_filter(Filter(text="one"))
    late = reader.next(FindNames)
    model.set_filter(Filter(text="two"))
    assert late.cancelled
    late.answer(NameHits((True, True)))
    assert seqs(model) == []
    reader.next(FindNames).answer(NameHits((False, True)))
    assert seqs(model) == [1]


def test_text_and_branch_together_still_compare_neighbours() -> None:
    port, reader = AnsweringPort(), AnsweringPort()
    model = TimelineModel(port, noon, reader=reader)
    model.show(memory())
    states = (checkpoint(3), checkpoint(2, branch=b"side"), checkpoint(1))
    port.next(ListCheckpoints).answer(page(*states))
    model.set_filter(Filter(text="x.md", branch=b"main"))
    assert not port.open_questions(ListCheckpoints), "all in a row are loaded already"
    assert len(reader.next(FindNames).command.trees) == 4
    reader.next(FindNames).answer(NameHits((True, True, False)))
    assert seqs(model) == [3]
