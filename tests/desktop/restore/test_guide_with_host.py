"""The guide against a real Host and reader on a real repository: what it says is what happened on disk."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from backtrail.host.answering import Answering
from backtrail.host.host import Host
from backtrail.model.commands import (
    AddMemory,
    Archives,
    Command,
    DeleteArchive,
    ListArchives,
    Recover,
    Restore,
    Scan,
    ScanResult,
)
from backtrail.model.errors import BacktrailError
from backtrail.model.progress import Cancelled
from backtrail.model.restore import Step
from backtrail.reading.answering import Reader
from backtrail.wording.errors import code_of, explain
from backtrail_desktop.archives.tab import ArchivesTab
from backtrail_desktop.restore.end_page import Press
from backtrail_desktop.restore.guide import RestoreGuide
from backtrail_desktop.timeline.wish import Wanted, Wish
from core.git_oracle import ask, git, new_repository
from desktop.answering_port import AnsweringPort, Question
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

LOST = b"an hour of work\n"


class Told:
    """Progress that goes to the question, and ends the work once that is cancelled."""

    def __init__(self, question: Question, before: Callable[[str], None]) -> None:
        self._question = question
        self._before = before
        self._step = ""

    def step(self, name: str, total: int | None = None) -> None:
        self._before(name)
        if self._question.cancelled:
            raise Cancelled
        self._step = name
        self._question.progress(name, 0, total)

    def advance(self, done: int) -> None:
        del done
        if self._question.cancelled:
            raise Cancelled


class Inside(AnsweringPort):
    """Answers the open questions by a real Host, or a real reader, when the test says so."""

    def __init__(self, host: Host) -> None:
        super().__init__()
        self.answering, self.reader = Answering(host), Reader()
        self.before_step: Callable[[str], None] = lambda _: None

    def do(self, command: Command[Any]) -> object:
        return self.answering.answer(command)

    def run(self) -> None:
        """Answer until nobody asks any more."""
        while questions := self.open_questions():
            self._answer(questions[0])

    def _answer(self, question: Question) -> None:
        try:
            answer = self.answering.answer(question.command, Told(question, self.before_step))
        except Cancelled:
            question.fail("cancelled")
        except BacktrailError as error:
            sentence = explain(error)
            question.fail(code_of(error), sentence.message, sentence.remedy)
        else:
            question.answer(answer)


class InsideReader(AnsweringPort):
    """Answers by a real reader."""

    def __init__(self) -> None:
        super().__init__()
        self.reader = Reader()

    def run(self) -> None:
        while questions := self.open_questions():
            questions[0].answer(self.reader.answer(questions[0].command))


class Story:
    """A folder that had an hour of uncommitted work in it until `git reset --hard`."""

    def __init__(self, tmp_path: Path, host: Host, qtbot: QtBot) -> None:
        self.root = new_repository(tmp_path / "notes")
        (self.root / ".gitignore").write_bytes(b"build/\n")
        git(self.root, "add", ".gitignore")
        git(self.root, "commit", "-q", "-m", "ignore")
        (self.root / "f").write_bytes(LOST)
        (self.root / "new").write_bytes(LOST)
        (self.root / "build").mkdir()
        (self.root / "build" / "out").write_bytes(b"made")
        self.port, self.reader = Inside(host), InsideReader()
        kept = self._scan(AddMemory(path=bytes(self.root)))
        assert kept.checkpoint is not None
        self.kept = kept.checkpoint
        git(self.root, "reset", "-q", "--hard")
        (self.root / "new").unlink()
        after = self._scan(Scan(memory=kept.memory.id))
        self.memory, self.lost = after.memory, after.lost
        self.guide = RestoreGuide(self.memory, self.port, self.reader)
        qtbot.addWidget(self.guide)

    def _scan(self, command: Command[ScanResult]) -> ScanResult:
        answer = self.port.do(command)
        assert isinstance(answer, ScanResult)
        return answer


@pytest.fixture
def story(tmp_path: Path, qtbot: QtBot) -> Iterator[Story]:
    with Host.open(tmp_path / "home") as host:
        yield Story(tmp_path, host, qtbot)


def test_lost_work_comes_back_whole_and_the_rest_is_archived(story: Story, qtbot: QtBot) -> None:
    story.guide.fulfil(Wish(story.kept.id, Wanted.WHOLE))
    story.port.run()
    assert (story.root / "f").read_bytes() == b"base\n", "a plan changes nothing"
    story.guide.plan_page.go.click()
    story.port.run()
    assert "is back as it was at" in story.guide.end_page.title.text()
    assert (story.root / "f").read_bytes() == LOST
    assert (story.root / "new").read_bytes() == LOST
    assert (story.root / "build" / "out").read_bytes() == b"made"
    assert ask(story.root, "status", "--porcelain") == b" M f\n?? new\n"

    tab = ArchivesTab(story.port)
    qtbot.addWidget(tab)
    tab.show_memory(story.memory)
    story.port.run()
    assert tab.chosen is not None
    assert tab.chosen.target_at == story.kept.captured_at
    assert tab.chosen.restore.archive is not None
    assert (Path(tab.chosen.restore.archive.decode()) / "f").read_bytes() == b"base\n"

    story.guide.end_page.buttons[Press.UNDO].click()
    story.port.run()
    assert (story.root / "f").read_bytes() == LOST, "undo is reviewed first"
    story.guide.plan_page.go.click()
    story.port.run()
    assert (story.root / "f").read_bytes() == b"base\n"
    assert not (story.root / "new").exists()


def test_only_the_lost_files_come_back_and_others_stay(story: Story) -> None:
    (story.root / "other").write_bytes(b"written since\n")
    assert {lost.path for lost in story.lost} == {b"f", b"new"}
    story.guide.fulfil(Wish(story.kept.id, Wanted.LOST, tuple(lost.path for lost in story.lost)))
    story.port.run()
    assert story.guide.plan_page.go.text() == "Get 2 files back"
    story.guide.plan_page.go.click()
    story.port.run()
    assert story.guide.end_page.title.text() == "2 files of “notes” are back"
    assert (story.root / "f").read_bytes() == (story.root / "new").read_bytes() == LOST
    assert (story.root / "other").read_bytes() == b"written since\n"


def test_what_was_written_after_the_plan_stops_it_and_is_told(story: Story) -> None:
    story.guide.fulfil(Wish(story.kept.id, Wanted.WHOLE))
    story.port.run()
    (story.root / "f").write_bytes(b"written while reading\n")
    story.guide.plan_page.go.click()
    story.port.run()
    assert "Nothing was changed" not in story.guide.end_page.text()
    assert "It was not switched" in story.guide.end_page.text()
    assert (story.root / "f").read_bytes() == b"written while reading\n"
    story.guide.end_page.buttons[Press.REVIEW].click()
    story.guide.plan_page.go.click()
    story.port.run()
    assert (story.root / "f").read_bytes() == LOST


def test_cancelled_in_the_middle_nothing_was_changed_and_it_says_so(story: Story) -> None:
    story.guide.fulfil(Wish(story.kept.id, Wanted.WHOLE))
    story.port.run()

    def cancel(step: str) -> None:
        if step == Step.BUILDING:
            story.guide.reject()

    story.port.before_step = cancel
    story.guide.plan_page.go.click()
    story.port.run()
    assert story.guide.end_page.title.text() == "Nothing was changed"
    assert (story.root / "f").read_bytes() == b"base\n"
    archives = story.port.do(ListArchives(memory=story.memory.id))
    assert isinstance(archives, Archives)
    assert not archives.archives


def test_a_path_opens_into_what_comes_back(story: Story) -> None:
    story.guide.fulfil(Wish(story.kept.id, Wanted.WHOLE))
    story.port.run()
    card = story.guide.plan_page.changes
    card.opened.emit(card.model.change_at(0))
    story.reader.run()
    document: QTextDocument = story.guide.diff_page.view.document()
    assert "-base" in document.toPlainText()
    assert "+an hour of work" in document.toPlainText()
    assert not [q for q in story.port.questions if isinstance(q.command, Restore | Recover)]


def test_with_a_conflict_no_file_is_written_over_that_nothing_keeps(story: Story) -> None:
    git(story.root, "checkout", "-q", "-b", "side")
    (story.root / "f").write_bytes(b"side\n")
    git(story.root, "commit", "-qam", "side")
    git(story.root, "checkout", "-q", "main")
    (story.root / "f").write_bytes(b"main\n")
    git(story.root, "commit", "-qam", "main")
    git(story.root, "merge", "-q", "side", code=1)
    (story.root / "f").write_bytes(b"half solved by hand\n")
    story.guide.fulfil(Wish(story.kept.id, Wanted.LOST, tuple(lost.path for lost in story.lost)))
    story.port.run()
    assert story.guide.plan_page.files.model.chosen == (b"new",)
    story.guide.plan_page.go.click()
    story.port.run()
    assert (story.root / "f").read_bytes() == b"half solved by hand\n"
    assert (story.root / "new").read_bytes() == LOST


def test_an_archive_deleted_for_good_is_gone_and_the_folder_stays(story: Story, qtbot: QtBot) -> None:
    story.guide.fulfil(Wish(story.kept.id, Wanted.WHOLE))
    story.port.run()
    story.guide.plan_page.go.click()
    story.port.run()
    tab = ArchivesTab(story.port)
    qtbot.addWidget(tab)
    tab.show_memory(story.memory)
    story.port.run()
    assert tab.chosen is not None
    assert tab.chosen.restore.archive is not None
    place = Path(tab.chosen.restore.archive.decode())
    story.port.do(DeleteArchive(archive=tab.chosen.restore.id, for_good=True))
    tab.refresh()
    story.port.run()
    assert tab.model.rowCount() == 0
    assert not place.parent.exists()
    assert (story.root / "f").read_bytes() == LOST
