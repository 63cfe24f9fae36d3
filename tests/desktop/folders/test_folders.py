"""The list of folders: truthful dots, and the folder a person stands on stays the one that is shown."""

import datetime

import msgspec
import pytest
from backtrail.model.commands import ListMemories, Memories, Scan
from backtrail.model.coverage import LeftOut, Reason
from backtrail.model.events import (
    CheckpointRecorded,
    FirstCheckpoint,
    HostEvent,
    MemoryChanged,
    MemoryObserved,
    ProtectionChanged,
    RestoreFinished,
    WatchChanged,
)
from backtrail.model.ids import MemoryId, RelPath
from backtrail.model.memory import Memory, MemoryState, Protection, ProtectionState
from backtrail.model.watching import Unreachable, UnreachableReason, Watching
from backtrail_desktop.client.port import Link
from backtrail_desktop.folders.book import FolderBook
from backtrail_desktop.folders.model import LOST, FolderModel
from backtrail_desktop.folders.panel import FoldersPanel
from backtrail_desktop.shell.standing import Mark
from desktop.answering_port import AnsweringPort
from desktop.values import at, memory, scan_result
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

PARTLY = Protection(ProtectionState.DEGRADED, "left-out", at(9, 0), at(14, 3))
CONFLICT = Protection(ProtectionState.NOT_PROTECTED, "unmerged-index", at(14, 1), at(14, 3))


@pytest.fixture
def host() -> AnsweringPort:
    return AnsweringPort()


@pytest.fixture
def book(host: AnsweringPort) -> FolderBook:
    return FolderBook(host, lambda: at(14, 5))


def _tell(host: AnsweringPort, book: FolderBook, *memories: Memory) -> None:
    book.refresh()
    host.next(ListMemories).answer(Memories(memories))


def test_nothing_is_claimed_before_the_host_has_told_the_folders(book: FolderBook) -> None:
    assert book.link.link is Link.STARTING
    assert book.standing(None).mark is Mark.UNKNOWN


def test_after_the_host_came_back_nothing_old_is_claimed_as_fresh(host: AnsweringPort, book: FolderBook) -> None:
    _tell(host, book, memory())
    host.set_link(Link.STOPPED, at(14, 4))
    host.set_link(Link.READY, at(14, 5))
    assert book.standing(memory()).mark is Mark.UNKNOWN
    host.next(ListMemories).answer(Memories((memory(),)))
    assert book.standing(memory()).mark is Mark.KEPT


def test_a_list_that_failed_is_not_shown_as_if_all_were_well(host: AnsweringPort, book: FolderBook) -> None:
    _tell(host, book, memory())
    book.refresh()
    host.next(ListMemories).fail("database-damaged", "The database cannot be read.")
    assert book.standing(memory()).mark is Mark.UNKNOWN
    assert "cannot be read" in book.standing(memory()).sentence


def test_an_older_answer_never_replaces_a_newer_one(host: AnsweringPort, book: FolderBook) -> None:
    book.refresh()
    book.refresh()
    first, second = host.open_questions(ListMemories)
    second.answer(Memories((memory(), memory("website"))))
    first.answer(Memories((memory(),)))
    assert len(book.memories) == 2


LEFT_OUT = (LeftOut(RelPath(b"big"), Reason.TOO_LARGE), LeftOut(RelPath(b"s\xff"), Reason.SPECIAL_FILE))


def _observed(protection: Protection) -> MemoryObserved:
    papers = MemoryId("memory-papers")
    return MemoryObserved(memory=papers, protection=protection, left_out=LEFT_OUT, failure_paths=())


def test_what_is_not_kept_is_counted_as_the_host_tells_it(host: AnsweringPort, book: FolderBook) -> None:
    papers = memory("papers", protection=PARTLY)
    host.happened.emit(_observed(PARTLY))
    _tell(host, book, papers)
    assert book.standing(papers).sentence == "Kept except 2 files"
    assert book.seen(papers).left_out == LEFT_OUT
    assert not host.open_questions(Scan), "what an event told needs no look"


def test_a_count_of_an_earlier_look_is_not_told_of_a_later_one(host: AnsweringPort, book: FolderBook) -> None:
    host.happened.emit(_observed(PARTLY))
    later = memory("papers", protection=msgspec.structs.replace(PARTLY, looked_at=at(14, 4)))
    _tell(host, book, later)
    assert book.standing(later).sentence == "Kept except some files"
    assert host.open_questions(Scan)


def test_an_event_that_does_not_name_what_is_left_out_counts_nothing(host: AnsweringPort, book: FolderBook) -> None:
    papers = memory("papers", protection=PARTLY)
    host.happened.emit(MemoryObserved(memory=papers.id, protection=PARTLY))
    _tell(host, book, papers)
    assert book.standing(papers).sentence == "Kept except some files"


def test_naming_a_conflict_does_not_go_round_in_circles(host: AnsweringPort, book: FolderBook) -> None:
    folder = memory(protection=CONFLICT)
    _tell(host, book, folder)
    host.next(Scan).fail("not-reachable")
    _tell(host, book, folder)
    assert not host.open_questions(Scan)


def test_events_without_end_do_not_put_off_the_next_look_at_the_list(
    host: AnsweringPort, book: FolderBook, qtbot: QtBot
) -> None:
    _tell(host, book, memory())
    event = RestoreFinished(memory=MemoryId("memory-atlas"))

    def asked_while_events_go_on() -> bool:
        host.happened.emit(event)
        return bool(host.open_questions(ListMemories))

    qtbot.waitUntil(asked_while_events_go_on)


def test_a_folder_that_went_away_is_not_called_kept(host: AnsweringPort, book: FolderBook) -> None:
    _tell(host, book, memory())
    atlas = MemoryId("memory-atlas")
    host.happened.emit(WatchChanged(memory=atlas, watch=Unreachable(UnreachableReason.GONE)))
    assert book.standing(memory()).mark is Mark.NOT_KEPT
    assert "the folder cannot be reached" in book.standing(memory()).sentence
    host.happened.emit(WatchChanged(memory=atlas, watch=Watching()))
    assert book.standing(memory()).mark is Mark.KEPT


def test_a_folder_that_went_away_is_looked_for_once_the_host_is_back(host: AnsweringPort, book: FolderBook) -> None:
    _tell(host, book, memory())
    host.happened.emit(WatchChanged(memory=MemoryId("memory-atlas"), watch=Unreachable(UnreachableReason.GONE)))
    host.set_link(Link.STOPPED, at(14, 4))
    host.set_link(Link.READY, at(14, 5))
    host.next(ListMemories).answer(Memories((memory(),)))
    assert book.standing(memory()).mark is Mark.NOT_KEPT, "nobody has seen it again"
    host.next(Scan).fail("not-reachable")
    assert book.standing(memory()).mark is Mark.NOT_KEPT
    host.set_link(Link.READY, at(14, 6))
    for question in host.open_questions(ListMemories):
        question.answer(Memories((memory(),)))
    host.next(Scan).answer(scan_result(memory()))
    assert book.standing(memory()).mark is Mark.KEPT


@pytest.mark.parametrize(("link", "sentence"), [(Link.STOPPED, "not running"), (Link.NOT_ANSWERING, "not answering")])
def test_how_a_folder_is_now_is_not_known_while_nobody_looks(
    host: AnsweringPort, book: FolderBook, link: Link, sentence: str
) -> None:
    _tell(host, book, memory())
    assert book.unknown(memory()) == ""
    host.set_link(link, at(14, 4))
    assert sentence in book.unknown(memory())
    detached = memory(state=MemoryState.DETACHED)
    host.set_link(Link.READY, at(14, 5))
    host.next(ListMemories).answer(Memories((detached,)))
    assert "you stopped keeping" in book.unknown(detached)
    host.happened.emit(WatchChanged(memory=detached.id, watch=Unreachable(UnreachableReason.GONE)))
    assert book.unknown(memory()) == "the folder cannot be reached"


def test_a_narrow_list_does_not_cut_the_time_off(host: AnsweringPort, book: FolderBook, qtbot: QtBot) -> None:
    _tell(host, book, memory())
    pictures = []
    for second in (1, 2):
        host.set_link(Link.STARTING, at(14, 4))
        host.set_link(Link.NOT_ANSWERING, at(14, 4, second) - datetime.timedelta(days=1))
        panel = FoldersPanel(book)
        qtbot.addWidget(panel)
        panel.resize(184, 300)
        pictures.append(panel.table.grab().toImage())
    assert pictures[0] != pictures[1]


def test_a_loss_in_another_folder_is_marked_until_it_is_opened(host: AnsweringPort, book: FolderBook) -> None:
    _tell(host, book, memory(), memory("website"))
    model = FolderModel(book)
    host.happened.emit(CheckpointRecorded(memory=MemoryId("memory-website"), lost=9))
    book.changed.emit()
    assert [model.row(model.index(at_row, 0)).badge for at_row in range(2)] == ["", LOST]
    book.loss_was_seen(memory("website"))
    assert model.row(model.index(1, 0)).badge == ""


NEW = Protection(ProtectionState.NOT_PROTECTED, "not-looked-at", at(14, 4), None)


def _first(host: AnsweringPort, percent: int | None, name: str = "atlas") -> None:
    host.happened.emit(FirstCheckpoint(memory=MemoryId(f"memory-{name}"), percent=percent))


def test_how_far_a_first_checkpoint_is_stands_below_the_name_and_asks_nobody(
    host: AnsweringPort, book: FolderBook
) -> None:
    _tell(host, book, memory(protection=NEW), memory("website"))
    model = FolderModel(book)
    said = []
    for percent in (None, 0, 38, 99):
        _first(host, percent)
        row = model.row(model.index(0, 0))
        assert row.standing.mark is Mark.FIRST
        said.append((row.standing.sentence, row.standing.brief))
    assert said == [
        ("First checkpoint…", "first checkpoint…"),
        ("First checkpoint: 0 %", "first checkpoint: 0 %"),
        ("First checkpoint: 38 %", "first checkpoint: 38 %"),
        ("First checkpoint: 99 %", "first checkpoint: 99 %"),
    ]
    assert model.row(model.index(1, 0)).standing.mark is Mark.KEPT
    assert not host.open_questions()


def test_a_folder_that_is_added_elsewhere_is_listed_while_its_first_checkpoint_is_made(
    host: AnsweringPort, book: FolderBook, qtbot: QtBot
) -> None:
    _tell(host, book, memory())
    _first(host, 3, "website")
    qtbot.waitUntil(lambda: bool(host.open_questions(ListMemories)))
    website = memory("website", protection=NEW)
    host.next(ListMemories).answer(Memories((memory(), website)))
    assert book.standing(website).sentence == "First checkpoint: 3 %"


def test_the_end_of_a_first_look_is_believed_from_the_list_alone(host: AnsweringPort, book: FolderBook) -> None:
    new = memory(protection=NEW)
    _tell(host, book, new)
    _first(host, 99)
    host.happened.emit(CheckpointRecorded(memory=new.id))
    assert book.standing(new).sentence == "First checkpoint: 99 %"
    _tell(host, book, memory())
    assert book.standing(memory()).mark is Mark.KEPT
    _tell(host, book, new)
    assert book.standing(new).mark is Mark.UNKNOWN, "what was told of another first look is forgotten"


@pytest.mark.parametrize(
    "event",
    [
        ProtectionChanged(memory=MemoryId("memory-atlas"), code="not-reachable"),
        MemoryChanged(memory=MemoryId("memory-atlas")),
        MemoryChanged(memory=None),
    ],
)
def test_a_first_look_that_failed_or_was_stopped_is_not_shown_as_going_on(
    host: AnsweringPort, book: FolderBook, event: HostEvent
) -> None:
    new = memory(protection=NEW)
    _tell(host, book, new)
    _first(host, 38)
    host.happened.emit(event)
    assert book.standing(new).mark is Mark.UNKNOWN
    _first(host, 38)
    host.set_link(Link.STOPPED, at(14, 5))
    host.set_link(Link.READY, at(14, 6))
    _tell(host, book, new)
    assert book.standing(new).mark is Mark.UNKNOWN


def test_rows_keep_their_place_while_only_their_words_change(
    host: AnsweringPort, book: FolderBook, qtmodeltester: ModelTester
) -> None:
    model = FolderModel(book)
    qtmodeltester.check(model)
    _tell(host, book, memory(), memory("website"))
    resets: list[None] = []
    model.modelReset.connect(lambda: resets.append(None))
    _tell(host, book, memory(), memory("website", protection=PARTLY))
    assert not resets
    book.is_being_added(b"/elsewhere", None)
    assert model.rowCount() == 3
    qtmodeltester.check(model)


def test_a_name_that_turns_the_line_around_is_written_out(host: AnsweringPort, book: FolderBook) -> None:
    _tell(host, book, memory("a\u202eb", path=b"/home/a\nb"))
    model = FolderModel(book)
    index = model.index(0, 0)
    assert model.data(index) == "a\\u202eb"
    assert "\u202e" not in str(model.data(index, Qt.ItemDataRole.AccessibleTextRole))
    assert "a\\nb" in str(model.data(index, Qt.ItemDataRole.ToolTipRole))


def test_a_folder_that_is_added_does_not_take_the_place_of_the_one_that_is_shown(
    host: AnsweringPort, book: FolderBook, qtbot: QtBot
) -> None:
    panel = FoldersPanel(book)
    qtbot.addWidget(panel)
    _tell(host, book, memory(), memory("website"))
    panel.step(1)
    _tell(host, book, memory("aaa"), memory(), memory("website"))
    assert panel.memory == memory("website")
    assert panel.model.row(panel.table.currentIndex()).name == "website"


def test_a_folder_that_leaves_the_list_is_not_shown_any_longer(
    host: AnsweringPort, book: FolderBook, qtbot: QtBot
) -> None:
    panel = FoldersPanel(book)
    qtbot.addWidget(panel)
    _tell(host, book, memory(), memory("website"))
    panel.step(1)
    _tell(host, book, memory())
    assert panel.memory == memory()
    _tell(host, book)
    assert panel.memory is None
