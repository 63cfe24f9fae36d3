"""The graph as a person uses it: rows, names, keys, search, one branch alone, and places that are kept."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from backtrail.model.commands import HeadCount, HeadPage, ListHeads
from backtrail.model.commits import ReadCommitLines
from backtrail.model.events import CheckpointRecorded
from backtrail.model.ids import CheckpointId, Oid, oid_from_hex
from backtrail_desktop.client.reader_client import ReaderClient
from backtrail_desktop.graph.commit_rows import NOW
from backtrail_desktop.graph.names import Label, LabelKind
from backtrail_desktop.graph.panel import GraphPanel
from core.git_oracle import ask, git, new_repository
from desktop.answering_port import AnsweringPort
from desktop.graph.repositories import PATIENCE_MS, grown
from desktop.values import at, memory
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot


class Room:
    """A panel over a real repository and a real reader."""

    def __init__(self, qtbot: QtBot, root: Path, reader: ReaderClient) -> None:
        self.qtbot, self.root, self.host = qtbot, root, AnsweringPort()
        self.panel = GraphPanel(self.host, reader, lambda: at(14, 5))
        self.tester = QAbstractItemModelTester(self.panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
        self.chosen: list[tuple[bytes, CheckpointId | None]] = []
        self.panel.chosen.connect(lambda oid, newest: self.chosen.append((oid, newest)))
        qtbot.addWidget(self.panel)
        self.panel.resize(460, 360)
        self.panel.show()
        self.wait_for(lambda: self.panel.show_memory(memory(path=bytes(root))))
        self.wait_until_at_rest()

    def wait_until_at_rest(self) -> None:
        """Wait for the look at the refs that being shown leads to: else its end is taken for that of a later one."""
        panel = self.panel
        self.qtbot.waitUntil(lambda: not panel._soon.isActive() and not panel.loading.loading, timeout=PATIENCE_MS)

    def wait_for(self, done: Callable[[], object]) -> None:
        with self.qtbot.waitSignal(self.panel.loading.finished, timeout=PATIENCE_MS):
            done()
        self.qtbot.waitUntil(lambda: not self.panel.loading.loading, timeout=PATIENCE_MS)

    def oid(self, name: str) -> bytes:
        return bytes.fromhex(ask(self.root, "rev-parse", f"{name}^{{commit}}").decode().strip())

    def row(self, name: str) -> int:
        return self.panel.model.index_of(self.oid(name)).row()

    def subject(self, row: int) -> str:
        """Return what a row says once the reader has told it."""
        model = self.panel.model
        self.qtbot.waitUntil(lambda: model.is_now(row) or model.texts.knows(model.oid(row)), timeout=PATIENCE_MS)
        return model.subject(row)

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self.panel.activateWindow()
        self.panel.table.setFocus()
        self.qtbot.waitUntil(self.panel.table.hasFocus, timeout=PATIENCE_MS)
        self.qtbot.keyClick(self.panel.table, key, modifier)

    def told_heads(self, *heads: HeadCount) -> None:
        for question in self.host.open_questions(ListHeads):
            question.answer(HeadPage(heads, more=False))


@pytest.fixture
def reader() -> Iterator[ReaderClient]:
    made = ReaderClient()
    yield made
    made.close()


@pytest.fixture
def room(qtbot: QtBot, tmp_path: Path, reader: ReaderClient) -> Iterator[Room]:
    made = Room(qtbot, grown(tmp_path / "notes"), reader)
    yield made
    made.panel.close_processes()


def test_rows_say_what_the_commits_say_and_the_first_is_the_working_state(room: Room) -> None:
    told = ask(room.root, "log", "--topo-order", "--format=%H%x00%s", "main").decode().splitlines()
    assert room.subject(0) == "Now · main"
    for line in told[:5]:
        oid, subject = line.split("\0")
        assert room.subject(room.panel.model.index_of(bytes.fromhex(oid)).row()) == subject


def test_names_stand_at_their_commits_and_ours_nowhere(room: Room) -> None:
    git(room.root, "update-ref", "refs/remotes/origin/side", "side")
    git(room.root, "update-ref", "refs/remotes/fork/other", "main~3")
    git(room.root, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/side")
    room.wait_for(room.panel.loading.refresh)
    labels = room.panel.model.labels
    assert labels(room.row("main")) == [Label(LabelKind.HEAD, "main")]
    assert labels(room.row("side")) == [Label(LabelKind.BRANCH, "side + origin"), Label(LabelKind.TAG, "heavy")]
    assert labels(room.row("main~3")) == [Label(LabelKind.REMOTE, "fork/other")]
    shown = [label.text for row in range(room.panel.model.rowCount()) for label in labels(row)]
    assert sorted(shown) == ["fork/other", "heavy", "main", "other", "side + origin"]
    git(room.root, "switch", "-q", "--detach", "other")
    room.wait_for(room.panel.loading.refresh)
    assert labels(room.row("other")) == [Label(LabelKind.HEAD, "HEAD"), Label(LabelKind.BRANCH, "other")]
    assert room.subject(0) == "Now · not on a branch"


def test_only_what_is_looked_at_is_read(room: Room) -> None:
    asked: list[ReadCommitLines] = []
    room.panel.model.texts._reader = AnsweringPort()
    port = room.panel.model.texts._reader
    room.panel.model.texts.show(b"another")
    room.panel.table.viewport().repaint()
    room.qtbot.waitUntil(lambda: bool(port.open_questions(ReadCommitLines)), timeout=PATIENCE_MS)
    asked += [question.command for question in port.open_questions(ReadCommitLines)]
    seen = room.panel.table.viewport().height() // room.panel.table.rowHeight(0) + 2
    assert len(asked) == 1
    assert 0 < len(asked[0].oids) <= seen < room.panel.model.rowCount()


def test_after_the_first_rows_the_graph_looks_again_soon_for_what_moved(room: Room) -> None:
    assert not room.panel.loading.loading
    assert room.panel._again.isActive()
    assert room.panel._again.interval() < 60_000


def test_a_commit_that_is_chosen_is_told_with_the_newest_state_there(room: Room) -> None:
    newest = CheckpointId("c7")
    room.told_heads(HeadCount(Oid(room.oid("side")), 3, newest, 7))
    states = room.panel.model.states(room.row("side"))
    assert states is not None
    assert states.count == 3
    room.panel.table.go_to(room.oid("side"))
    room.panel.table.go_to(room.oid("other"))
    room.panel.table.go_to(NOW)
    assert room.chosen == [(room.oid("side"), newest), (room.oid("other"), None), (NOW, None)]


def test_a_commit_that_the_program_chooses_is_not_told(room: Room) -> None:
    assert room.panel.stand_on(room.oid("side"))
    assert room.panel.table.current == room.oid("side")
    assert room.chosen == []


def test_a_commit_that_is_on_no_branch_any_more_is_said_to_be_so(room: Room) -> None:
    left = room.oid("main")
    git(room.root, "reset", "-q", "--hard", "main~1")
    room.wait_for(room.panel.loading.refresh)
    room.panel.table.go_to(room.oid("side"))
    assert not room.panel.stand_on(left)
    assert room.panel.table.current is None
    assert room.panel.bar.missing.text() == "The commit of this state is on no branch any more."
    git(room.root, "branch", "again", left.hex())
    room.wait_for(room.panel.loading.refresh)
    assert room.panel.table.current == left
    assert room.panel.bar.missing.isHidden()


def test_keys_lead_to_parent_child_and_head(room: Room) -> None:
    room.panel.table.go_to(room.oid("side"))
    alt = Qt.KeyboardModifier.AltModifier
    room.key(Qt.Key.Key_Down, alt)
    assert room.panel.table.current == room.oid("side~1")
    room.key(Qt.Key.Key_Up, alt)
    assert room.panel.table.current in {room.oid("side"), room.oid("main~10")}
    room.key(Qt.Key.Key_Home, alt)
    assert room.panel.table.current == room.oid("main")
    room.key(Qt.Key.Key_Up, alt)
    assert room.panel.table.current == NOW
    room.key(Qt.Key.Key_Down, alt)
    assert room.panel.table.current == room.oid("main")
    room.key(Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == room.oid("main").hex()


def test_what_makes_no_sense_is_not_offered(room: Room) -> None:
    table = room.panel.table
    table.go_to(NOW)
    assert not table.copy_action.isEnabled()
    assert not table.child_action.isEnabled()
    assert table.parent_action.isEnabled()
    table.go_to(bytes.fromhex(ask(room.root, "rev-list", "--max-parents=0", "main").decode().strip()))
    assert not table.parent_action.isEnabled()
    assert table.copy_action.isEnabled()


def test_choice_and_place_stay_while_commits_come_on_top(room: Room) -> None:
    table = room.panel.table
    table.go_to(room.oid("main~20"))
    top = table.top
    assert top is not None
    assert top[0] != NOW
    for number in range(3):
        git(room.root, "commit", "-q", "--allow-empty", "-m", f"fresh {number}")
    room.wait_for(room.panel.loading.refresh)
    assert table.current == room.oid("main~23")
    assert table.top is not None
    assert table.top[0] == top[0]
    assert room.chosen == [(room.oid("main~23"), None)]


def test_what_the_host_tells_brings_the_graph_up_to_date(room: Room) -> None:
    room.told_heads()
    git(room.root, "commit", "-q", "--allow-empty", "-m", "fresh")
    room.wait_for(lambda: room.host.happened.emit(CheckpointRecorded(memory=memory().id)))
    assert room.subject(room.row("main")) == "fresh"
    room.qtbot.waitUntil(lambda: bool(room.host.open_questions(ListHeads)), timeout=PATIENCE_MS)


def test_a_graph_nobody_sees_reads_nothing_until_it_is_seen(room: Room, tmp_path: Path) -> None:
    room.panel.hide()
    other = new_repository(tmp_path / "other")
    room.panel.show_memory(memory("other", path=bytes(other)))
    assert not room.panel.loading.loading
    assert room.panel.model.rowCount() == 0
    room.root = other
    room.wait_for(room.panel.show)
    assert room.subject(1) == "base"


@pytest.mark.parametrize("text", ["OCTOPUS", "t@example", "c12", "{id}"])
def test_a_search_finds_the_next_one_below_and_goes_round(room: Room, text: str) -> None:
    wanted = {"OCTOPUS": "main", "t@example": "main", "c12": "main~18", "{id}": "main~5"}[text]
    room.panel.table.go_to(NOW)
    room.panel.bar.text.setText(text.replace("{id}", room.oid("main~5").hex()[:9]))
    room.qtbot.keyClick(room.panel.bar.text, Qt.Key.Key_Return)
    room.qtbot.waitUntil(lambda: room.panel.table.current == room.oid(wanted), timeout=PATIENCE_MS)
    assert room.panel.bar.told.text() == ""


def test_a_search_goes_up_with_shift_and_says_when_there_is_nothing(room: Room) -> None:
    room.panel.table.go_to(room.oid("main~10"))
    room.panel.bar.text.setText("c2")
    room.qtbot.keyClick(room.panel.bar.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    rows = [row for row in range(room.row("main~10")) if room.subject(row).startswith("c2")]
    room.qtbot.waitUntil(lambda: room.panel.table.currentIndex().row() == rows[-1], timeout=PATIENCE_MS)
    room.panel.bar.text.setText("nowhere at all")
    room.qtbot.keyClick(room.panel.bar.text, Qt.Key.Key_Return)
    room.qtbot.waitUntil(lambda: room.panel.bar.told.text() == "Not found", timeout=PATIENCE_MS)


def test_one_branch_can_be_shown_alone(room: Room) -> None:
    assert room.panel.bar.branch.count() == 4
    room.wait_for(lambda: room.panel.bar.branch.setCurrentIndex(3))
    assert room.panel.bar.name == b"side"
    shown = {room.panel.model.oid(row).hex() for row in range(room.panel.model.rowCount())}
    assert shown == set(ask(room.root, "rev-list", "side", "--").decode().split())
    git(room.root, "tag", "-d", "heavy")
    git(room.root, "branch", "-D", "side")
    room.wait_for(room.panel.loading.refresh)
    room.qtbot.waitUntil(lambda: not room.panel.loading.loading, timeout=PATIENCE_MS)
    assert room.panel.bar.name is None
    assert room.panel.model.is_now(0)


def test_names_that_would_steer_the_screen_are_written_out(room: Room) -> None:
    git(room.root, "commit", "-q", "--allow-empty", "-m", "<b>x</b>\u202egpj\x1b[31m")
    room.wait_for(room.panel.loading.refresh)
    row = room.row("main")
    room.subject(row)
    model = room.panel.model
    assert model.data(model.index(row, 0)) == r"<b>x</b>\u202egpj\u001b[31m"
    spoken = model.data(model.index(row, 0), Qt.ItemDataRole.AccessibleTextRole)
    assert isinstance(spoken, str)
    assert spoken.startswith(r"<b>x</b>\u202egpj\u001b[31m, t, ")
    assert spoken.endswith(", main")


def test_a_folder_that_cannot_be_read_says_so_and_offers_to_try_again(room: Room, tmp_path: Path) -> None:
    with room.qtbot.waitSignal(room.panel.loading.failed, timeout=PATIENCE_MS):
        room.panel.show_memory(memory("gone", path=bytes(tmp_path / "gone")))
    assert "gone" in room.panel.note.label.text()
    room.root = new_repository(tmp_path / "gone")
    room.wait_for(room.panel.note.button.click)
    assert room.subject(1) == "base"
    assert oid_from_hex(room.oid("main").hex()) == room.panel.model.oid(1)
