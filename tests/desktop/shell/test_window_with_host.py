"""The window against a real Host, reader and repository: what its bottom line says is so, and lost work comes back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from backtrail.host.host import Host
from backtrail.model.commands import Scan
from backtrail.model.events import RestoreFinished
from backtrail.model.ids import MemoryId
from backtrail_desktop.shell.actions import Name
from backtrail_desktop.shell.standing import Mark
from backtrail_desktop.shell.window import MainWindow
from core.git_oracle import git, new_repository
from desktop.restore.test_guide_with_host import Inside, InsideReader
from desktop.shell.desktop_around import DesktopAround
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

WORK = b"an hour of work\n"


class Stage:
    """A window on a Host that has no folder yet, and a repository with uncommitted work."""

    def __init__(self, tmp_path: Path, host: Host, qtbot: QtBot) -> None:
        self.root = new_repository(tmp_path / "notes")
        (self.root / "f").write_bytes(WORK)
        self.port, self.reader, self.around = Inside(host), InsideReader(), DesktopAround()
        settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
        self.window = MainWindow(self.port, self.reader, settings=settings, dialogs=self.around)
        qtbot.addWidget(self.window)
        self.answer()

    @property
    def line(self) -> str:
        return self.window.rooms.state_line.sentence.text()

    @property
    def mark(self) -> Mark:
        return self.window.rooms.state_line.sign.mark

    def answer(self) -> None:
        """Let Host and reader answer until neither is asked any more, timers included."""
        self.window.book.refresh()
        self.window.rooms.folder_page.timeline.model.refresh()
        self.port.run()
        self.reader.run()

    def look(self) -> None:
        """Let the Host look by itself, and tell the window."""
        assert self.window.rooms.folders.memory is not None
        folder = MemoryId(self.window.rooms.folders.memory.id)
        self.port.do(Scan(memory=folder))
        self.port.happened.emit(RestoreFinished(memory=folder))
        self.answer()

    def add(self) -> None:
        self.window.rooms.first_minute.add_button.click()
        self.around.choose(bytes(self.root))
        self.answer()


@pytest.fixture
def stage(tmp_path: Path, qtbot: QtBot) -> Iterator[Stage]:
    with Host.open(tmp_path / "home") as host:
        yield Stage(tmp_path, host, qtbot)


def test_from_the_first_minute_to_lost_work_that_is_back(stage: Stage) -> None:
    stage.add()
    assert stage.line.startswith("Everything up to ")
    git(stage.root, "reset", "-q", "--hard")
    stage.look()
    banner = stage.window.rooms.folder_page.timeline.banner
    assert not banner.isHidden()
    assert banner.what.text().startswith("⚠ Uncommitted changes in 1 file disappeared at ")
    banner.get_back_button.click()
    stage.port.run()
    guide = stage.window.guiding.guide
    assert guide is not None
    assert (stage.root / "f").read_bytes() == b"base\n", "the guide shows a plan and changes nothing"
    guide.plan_page.whole.click()
    guide.plan_page.go.click()
    stage.port.run()
    assert (stage.root / "f").read_bytes() == WORK
    guide.reject()
    stage.answer()
    assert stage.mark is Mark.KEPT
    stage.window.registry[Name.ARCHIVES].trigger()
    assert stage.window.rooms.folder_page.currentWidget() is stage.window.rooms.folder_page.archives
    assert stage.window.rooms.folder_page.archives.chosen is not None
    assert not stage.window.rooms.folder_page.archives.isAncestorOf(stage.window.rooms.folder_page.details), (
        "one way back at a time"
    )


def test_a_conflict_is_never_shown_as_kept_and_is_named(stage: Stage) -> None:
    stage.add()
    git(stage.root, "commit", "-qam", "mine")
    git(stage.root, "checkout", "-q", "-b", "side", "HEAD~1")
    (stage.root / "f").write_bytes(b"theirs\n")
    git(stage.root, "commit", "-qam", "theirs")
    git(stage.root, "merge", "main", code=1)
    stage.look()
    assert stage.mark is Mark.NOT_KEPT
    assert stage.line.endswith("merge conflict in f")
    stage.window.rooms.state_line.button.click()
    stage.port.run()
    assert "git merge --abort" in stage.window.rooms.notice.remedy.text()
    git(stage.root, "merge", "--abort")
    stage.look()
    assert stage.mark is Mark.KEPT


def test_what_is_not_kept_is_counted_and_named(stage: Stage) -> None:
    stage.add()
    new_repository(stage.root / "lib")
    stage.look()
    assert stage.mark is Mark.PARTLY
    assert stage.line == "Kept except 1 folder"
    stage.window.rooms.state_line.button.click()
    stage.port.run()
    assert stage.window.rooms.notice.items.toPlainText().startswith("lib/ (a repository of its own")


def test_a_folder_that_was_taken_away_is_not_called_kept(stage: Stage) -> None:
    stage.add()
    stage.root.rename(stage.root.with_name("elsewhere"))
    stage.window.registry[Name.LOOK_NOW].trigger()
    stage.port.run()
    stage.answer()
    assert stage.mark is Mark.NOT_KEPT
    assert "cannot be reached" in stage.line or "no Git working tree" in stage.line
