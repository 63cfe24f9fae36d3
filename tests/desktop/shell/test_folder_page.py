"""Timeline and graph of one folder: each follows the other, and below is shown what a person pointed at."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.commands import CheckpointPage, HeadCount, HeadPage, ListArchives, ListCheckpoints, ListHeads
from backtrail.model.ids import Oid
from backtrail_desktop.client.reader_client import ReaderClient
from backtrail_desktop.graph.commit_rows import NOW
from backtrail_desktop.shell.folder_page import FolderPage
from core.git_oracle import ask, git, new_repository
from desktop.answering_port import AnsweringPort
from desktop.graph.repositories import PATIENCE_MS
from desktop.values import at, checkpoint, memory
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot


class Page:
    """A page over a repository of five commits, with a state kept at each of the last two."""

    def __init__(self, qtbot: QtBot, place: Path, reader: ReaderClient) -> None:
        self.qtbot, self.root, self.host = qtbot, new_repository(place / "notes"), AnsweringPort()
        for number in range(4):
            git(self.root, "commit", "-q", "--allow-empty", "-m", f"c{number}")
        self.heads = [self.oid("HEAD~1"), self.oid("HEAD")]
        self.states = [msgspec.structs.replace(checkpoint(seq), head=head) for seq, head in enumerate(self.heads, 1)]
        settings = QSettings(str(place / "settings.ini"), QSettings.Format.IniFormat)
        self.page = FolderPage(self.host, AnsweringPort(), reader, settings, lambda: at(14, 5))
        qtbot.addWidget(self.page)
        self.page.resize(1200, 700)
        self.page.show()
        with qtbot.waitSignal(self.page.graph.loading.finished, timeout=PATIENCE_MS):
            self.page.show_memory(memory(path=bytes(self.root)))
        self.tell(self.states)

    def tell(self, states: list[Checkpoint]) -> None:
        while questions := self.host.open_questions():
            for question in questions:
                match question.command:
                    case ListCheckpoints():
                        question.answer(CheckpointPage(tuple(reversed(states)), more=False, total=len(states)))
                    case ListHeads():
                        heads = [
                            HeadCount(state.head, 1, state.id, state.seq) for state in states if state.head is not None
                        ]
                        question.answer(HeadPage(tuple(heads), more=False))
                    case ListArchives():
                        return

    def oid(self, name: str) -> Oid:
        return Oid(bytes.fromhex(ask(self.root, "rev-parse", name).decode().strip()))

    @property
    def state(self) -> int | None:
        """The state that the timeline stands on, by its number."""
        chosen = self.page.timeline.model.chosen(self.page.timeline.table.currentIndex())
        return chosen.checkpoint.seq if chosen else None

    def choose_state(self, seq: int) -> None:
        self.page.activateWindow()
        self.page.timeline.table.setFocus()
        self.qtbot.waitUntil(self.page.timeline.table.hasFocus, timeout=PATIENCE_MS)
        assert self.page.timeline.stand_on(self.states[seq - 1].id)

    def choose_commit(self, oid: bytes) -> None:
        self.page.activateWindow()
        self.page.graph.table.setFocus()
        self.qtbot.waitUntil(self.page.graph.table.hasFocus, timeout=PATIENCE_MS)
        assert self.page.graph.table.go_to(oid)


@pytest.fixture
def page(qtbot: QtBot, tmp_path: Path) -> Iterator[Page]:
    reader = ReaderClient()
    made = Page(qtbot, tmp_path, reader)
    yield made
    made.page.graph.close_processes()
    reader.close()


def test_a_state_that_is_chosen_chooses_its_commit(page: Page) -> None:
    for seq in (1, 2):
        page.choose_state(seq)
        assert page.page.graph.table.current == page.heads[seq - 1]
        assert page.page.below.currentWidget() is page.page.details


def test_a_commit_that_is_chosen_is_shown_and_chooses_the_newest_state_there(page: Page) -> None:
    page.choose_commit(page.heads[0])
    assert page.page.below.currentWidget() is page.page.commit
    assert page.page.commit.oid == page.heads[0]
    assert page.state == 1
    page.choose_state(2)
    assert page.page.below.currentWidget() is page.page.details


def test_what_is_said_of_a_commit_is_what_git_says(page: Page) -> None:
    page.choose_commit(page.heads[0])
    commit = page.page.commit
    page.qtbot.waitUntil(lambda: "c2" in commit.title.text(), timeout=PATIENCE_MS)
    page.qtbot.waitUntil(lambda: commit.diff.toPlainText() != "", timeout=PATIENCE_MS)
    assert commit.title.text() == f"{page.heads[0].hex()[:10]}  c2"
    assert commit.who.text().startswith("t <t@example.invalid> · ")
    assert commit.diff.toPlainText() == "No file differs from the parent."
    page.choose_commit(page.oid("HEAD~4"))
    page.qtbot.waitUntil(lambda: "base" in commit.diff.toPlainText(), timeout=PATIENCE_MS)
    assert [commit.files_model.row(commit.files_model.index(row, 0)).text for row in range(1)] == ["Files"]


def test_a_new_state_does_not_take_a_commit_from_the_screen(page: Page) -> None:
    page.choose_commit(page.oid("HEAD~3"))
    newer = msgspec.structs.replace(checkpoint(3), head=page.heads[1])
    page.page.timeline.model.refresh()
    page.tell([*page.states, newer])
    assert page.page.below.currentWidget() is page.page.commit
    assert page.page.graph.table.current == page.oid("HEAD~3")


def test_the_row_of_now_leads_to_now(page: Page) -> None:
    page.choose_commit(page.heads[0])
    page.choose_commit(NOW)
    assert page.page.below.currentWidget() is page.page.details
    assert page.page.timeline.table.currentIndex().row() == 0


def test_in_a_narrow_window_the_graph_has_a_tab_with_the_commit_below_it(page: Page) -> None:
    page.choose_commit(page.heads[0])
    page.page.resize(700, 600)
    assert [page.page.tabText(at) for at in range(2)] == ["Timeline", "Git graph"]
    page.page.show_graph()
    assert page.page.graph.isVisible()
    assert page.page.commit.isVisible()
    page.page.resize(1200, 700)
    assert page.page.currentWidget() is page.page.story
    assert page.page.below.currentWidget() is page.page.commit
    assert page.page.graph.isVisible()


def test_another_folder_shows_no_commit_of_the_one_before(page: Page, tmp_path: Path) -> None:
    page.choose_commit(page.heads[0])
    other = new_repository(tmp_path / "other")
    with page.qtbot.waitSignal(page.page.graph.loading.finished, timeout=PATIENCE_MS):
        page.page.show_memory(memory("other", path=bytes(other)))
    assert page.page.below.currentWidget() is page.page.details
    assert page.page.commit.oid is None


def test_the_tab_that_was_shown_comes_back_as_soon_as_it_is_there(page: Page) -> None:
    page.page.recall_tab("archives")
    assert page.page.tab == "timeline"
    page.page.offer_archives(offered=True)
    assert page.page.tab == "archives"


def test_a_remembered_tab_never_takes_a_person_away_from_another_folder(page: Page) -> None:
    page.page.recall_tab("archives")
    page.page.show_memory(memory("papers", path=bytes(page.root)))
    page.page.offer_archives(offered=True)
    assert page.page.tab == "timeline"


@pytest.mark.parametrize("stored", [None, 7, "no-such-tab", ["archives"]])
def test_a_remembered_tab_that_is_none_is_no_obstacle(page: Page, stored: object) -> None:
    page.page.recall_tab(stored)
    page.page.offer_archives(offered=True)
    assert page.page.tab == "timeline"
