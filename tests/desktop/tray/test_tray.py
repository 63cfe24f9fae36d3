"""Outside the window: truthful, never flooding, never in the way, and the window is never out of reach."""

import pytest
from backtrail.model.checkpoint import Checkpoint, Lost
from backtrail.model.commands import CheckpointPage, ListCheckpoints, ListMemories, Memories
from backtrail.model.events import CheckpointRecorded, RestoreFinished
from backtrail.model.ids import CheckpointId, RelPath
from backtrail.model.memory import Memory, Protection, ProtectionState
from backtrail_desktop.client.port import Link
from backtrail_desktop.folders.book import FolderBook
from backtrail_desktop.shell.actions import Name
from backtrail_desktop.shell.palette import DARK, LIGHT
from backtrail_desktop.shell.standing import Mark
from backtrail_desktop.timeline.wish import Wanted, Wish
from backtrail_desktop.tray.bubbles import GET_BACK, PATIENCE_S, Bubble
from backtrail_desktop.tray.icon import mark_icon
from backtrail_desktop.tray.menu import START
from backtrail_desktop.tray.tray import Tray
from desktop.answering_port import AnsweringPort
from desktop.tray.desktop_outside import KeepingNotifier, KeepingTray, Window
from desktop.values import at, checkpoint, memory, oid
from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

FULL = Protection(ProtectionState.NOT_PROTECTED, "no-space", at(14, 1), at(14, 1))
LOST = (Lost(RelPath(b"draft.md"), oid(1)), Lost(RelPath(b"notes.md"), oid(2)))


class Outside:
    """A tray, and everything around it."""

    def __init__(self, *, available: bool = True) -> None:
        self.host, self.window = AnsweringPort(), Window()
        self.port, self.notifier = KeepingTray(), KeepingNotifier()
        self.port.available = available
        self.seconds = 0.0
        self.without = 0
        self.book = FolderBook(self.host, lambda: at(14, 5))
        self.tray = Tray(self.window, self.host, self.book, self.port, self.notifier, lambda: at(14, 5))
        self.tray.notifications._seconds = lambda: self.seconds
        self.tray.begin(self._went_without)

    def _went_without(self) -> None:
        self.without += 1

    def tell(self, *memories: Memory) -> None:
        """Let the Host list these folders, and whatever is asked after that."""
        self.book.refresh()
        for question in self.host.open_questions(ListMemories):
            question.answer(Memories(memories))

    def states(self, *states: Checkpoint) -> None:
        for question in self.host.open_questions(ListCheckpoints):
            question.answer(CheckpointPage(states, more=False, total=len(states)))

    def entries(self) -> dict[str, QAction]:
        """Return the menu's entries by their texts, those of the menus in it too."""
        assert self.port.menu is not None
        found: dict[str, QAction] = {}
        waiting = list(self.port.menu.actions())
        while waiting:
            action = waiting.pop(0)
            found[action.text()] = action
            if action.menu() is not None:
                waiting += action.menu().actions()
        return found

    def renew(self, qtbot: QtBot) -> None:
        """Wait until the icon shows what was told."""
        with qtbot.waitSignal(self.tray._soon.timeout):
            self.tray._change_soon()


@pytest.fixture
def outside(qtbot: QtBot) -> Outside:
    del qtbot
    return Outside()


def loss_rows() -> tuple[Checkpoint, ...]:
    return checkpoint(3, captured_at=at(14, 3), lost=LOST, kept_in=2), checkpoint(2, captured_at=at(13, 58, 12))


def lose(outside: Outside, name: str = "atlas") -> None:
    kept_in = loss_rows()[0].kept_in
    outside.host.happened.emit(CheckpointRecorded(memory=memory(name).id, lost=2, kept_in=kept_in))
    outside.states(*loss_rows())


def test_the_icon_names_the_worst_folder_with_the_words_of_the_state_line(outside: Outside, qtbot: QtBot) -> None:
    outside.tell(memory(), memory("papers & <b>", protection=FULL))
    outside.renew(qtbot)
    worst = outside.book.standing(outside.book.memories[1])
    assert outside.port.mark is Mark.NOT_KEPT
    assert outside.port.tip == f"papers & <b>: {worst.sentence}"
    assert next(iter(outside.entries())).startswith("papers && <b>: Not kept since")
    outside.host.set_link(Link.STOPPED, at(14, 4))
    outside.renew(qtbot)
    assert (outside.port.mark, outside.port.tip) == (Mark.UNKNOWN, "Backtrail is not running in the background")


def test_no_two_marks_look_the_same_in_the_tray(qtbot: QtBot) -> None:
    del qtbot
    for colours in (LIGHT, DARK):
        pictures = [mark_icon(mark, colours).pixmap(22, 22).toImage() for mark in Mark]
        grey = [picture.convertToFormat(picture.Format.Format_Grayscale8) for picture in pictures]
        assert all(grey[a] != grey[b] for a in range(len(grey)) for b in range(a))


def test_the_menu_asks_the_window_and_does_nothing_itself(outside: Outside, qtbot: QtBot) -> None:
    atlas, papers = memory(), memory("papers", paused_until=at(15, 0))
    outside.tell(atlas, papers)
    outside.renew(qtbot)
    outside.states(*(checkpoint(seq) for seq in range(9, 3, -1)))
    entries = outside.entries()
    states = [text for text in entries if text.startswith(("0", "1", "2"))]
    assert len(states) == 5
    for text in ("Open Backtrail", "Quit Backtrail", states[1]):
        entries[text].trigger()
    [pause] = entries["Pause for an hour"].menu().actions()
    pause.trigger()
    [resume] = entries["Resume"].menu().actions()
    resume.trigger()
    assert [one.text() for one in entries["Save now"].menu().actions()] == ["atlas", "papers"]
    wish = Wish(CheckpointId(checkpoint(8).id), Wanted.WHOLE)
    assert outside.window.did == [
        ("show", None),
        ("end",),
        ("guide", checkpoint(8).memory_id, wish),
        (Name.PAUSE, atlas.id),
        (Name.RESUME, papers.id),
    ]


def test_an_open_menu_does_not_change_under_the_mouse(outside: Outside, qtbot: QtBot) -> None:
    outside.tell(memory())
    outside.renew(qtbot)
    menu = outside.port.menu
    assert menu is not None
    menu.popup(QPoint(0, 0))
    before = list(outside.entries())
    outside.tell(memory(protection=FULL))
    outside.renew(qtbot)
    assert list(outside.entries()) == before
    menu.close()
    qtbot.waitUntil(lambda: list(outside.entries()) != before)
    assert next(iter(outside.entries())).startswith("atlas: Not kept since")


def test_nothing_is_offered_while_the_host_is_away(outside: Outside, qtbot: QtBot) -> None:
    outside.tell(memory())
    outside.renew(qtbot)
    assert outside.entries()["Save now"].isEnabled()
    outside.host.set_link(Link.NOT_ANSWERING, at(14, 4))
    outside.renew(qtbot)
    assert not outside.entries()["Save now"].isEnabled()
    assert outside.entries()["Quit Backtrail"].isEnabled()


def test_a_loss_is_told_with_where_it_is_kept_and_its_button_opens_the_guide(outside: Outside) -> None:
    outside.tell(memory())
    lose(outside)
    [bubble] = outside.notifier.bubbles
    assert bubble.title == "Uncommitted changes in 2 files disappeared"
    assert bubble.body.startswith("atlas, at ")
    assert "Kept in the state of " in bubble.body
    assert bubble.button == GET_BACK
    outside.notifier.pressed.emit(bubble)
    wish = Wish(loss_rows()[1].id, Wanted.LOST, (RelPath(b"draft.md"), RelPath(b"notes.md")))
    assert outside.window.did == [("guide", memory().id, wish)]


def test_a_loss_that_the_window_shows_is_not_told_beside_it(outside: Outside) -> None:
    outside.tell(memory())
    outside.window.seen = memory().id
    lose(outside)
    assert outside.notifier.bubbles == []


def test_a_storm_of_losses_gives_one_bubble_and_then_the_newest(outside: Outside) -> None:
    outside.tell(memory())
    for _ in range(50_000):
        outside.host.happened.emit(CheckpointRecorded(memory=memory().id, lost=1, kept_in=loss_rows()[0].kept_in))
    assert len(outside.host.open_questions(ListCheckpoints)) == 1
    while outside.host.open_questions(ListCheckpoints):
        outside.states(*loss_rows())
    assert len(outside.notifier.bubbles) == 1
    outside.seconds += 10
    outside.tray.notifications.look()
    assert len(outside.notifier.bubbles) == 2
    outside.seconds += 100
    outside.tray.notifications.look()
    assert len(outside.notifier.bubbles) == 2


def test_each_folder_has_a_bubble_of_its_own(outside: Outside) -> None:
    outside.tell(memory(), memory("papers"))
    lose(outside)
    lose(outside, "papers")
    assert [bubble.about for bubble in outside.notifier.bubbles] == [memory().id, memory("papers").id]


def test_a_folder_that_stays_not_kept_is_told_and_so_is_its_end(outside: Outside) -> None:
    outside.tell(memory(protection=FULL))
    for seconds in (0.0, PATIENCE_S, PATIENCE_S + 60):
        outside.seconds = seconds
        outside.tray.notifications.look()
    outside.tell(memory())
    outside.tray.notifications.look()
    assert [bubble.title for bubble in outside.notifier.bubbles] == ["atlas is not kept", "atlas is kept again"]


@pytest.mark.parametrize("hidden", [True, False])
def test_a_restore_is_told_only_where_nobody_sees_it_end(outside: Outside, *, hidden: bool) -> None:
    outside.tell(memory())
    outside.window.hidden = hidden
    outside.host.happened.emit(RestoreFinished(memory=memory().id))
    assert [bubble.title for bubble in outside.notifier.bubbles] == (["atlas was brought back"] if hidden else [])


def test_what_the_bus_does_not_show_the_icon_tells_else_the_window(outside: Outside) -> None:
    bubble = Bubble(about=memory().id, title="<b>title", body="body\u202e")
    outside.notifier.refused.emit(bubble)
    assert outside.port.messages == [("<b>title", "body\\u202e")]
    outside.port.message_pressed.emit()
    outside.port.shows_messages = False
    outside.notifier.refused.emit(bubble)
    assert outside.window.did == [("show", memory().id), ("tell", "<b>title. body\\u202e")]


def test_the_icon_is_made_anew_when_a_place_for_it_comes(outside: Outside) -> None:
    assert (outside.port.made, outside.tray.is_there) == (1, True)
    outside.notifier.tray_came.emit()
    assert outside.port.made == 2


def test_after_a_minute_without_a_place_the_window_is_shown(qtbot: QtBot) -> None:
    del qtbot
    outside = Outside(available=False)
    assert (outside.port.made, outside.tray.is_there) == (0, False)
    for _ in range(59):
        outside.tray._look_for_a_place()
    assert outside.without == 0
    outside.tray._look_for_a_place()
    outside.tray._look_for_a_place()
    assert outside.without == 1


def test_a_place_that_comes_late_gets_the_icon_and_no_window(qtbot: QtBot) -> None:
    del qtbot
    outside = Outside(available=False)
    outside.port.available = True
    outside.tray._look_for_a_place()
    assert (outside.port.made, outside.without) == (1, 0)


def test_a_hidden_window_comes_back_when_the_icon_goes_away(outside: Outside) -> None:
    outside.window.hidden = True
    outside.port.available = False
    for _ in range(5):
        outside.tray._look_for_a_place()
    assert outside.window.did == [("show", None)]
    assert not outside.tray.is_there


def test_nothing_is_left_in_the_tray_at_the_end(outside: Outside) -> None:
    outside.tray.close()
    assert (outside.port.menu, outside.notifier.closed) == (None, True)


def test_the_menu_starts_keeping_again_where_nobody_keeps(outside: Outside, qtbot: QtBot) -> None:
    outside.tell(memory())
    outside.renew(qtbot)
    assert START not in outside.entries()
    outside.host.set_link(Link.STOPPED, at(14, 6))
    outside.renew(qtbot)
    outside.entries()[START].trigger()
    assert outside.window.did == [("start",)]
