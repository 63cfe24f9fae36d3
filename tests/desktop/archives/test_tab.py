"""Archives are never deleted without a question, never for good without two, and never brought back without review."""

import pytest
from backtrail.model.commands import Archives, DeleteArchive, Done, ListArchives, PlanRestore, Restore
from backtrail.model.events import ArchiveDeleted, MemoryChanged, RestoreFinished
from backtrail.model.ids import MemoryId
from backtrail_desktop.archives.model import ArchivesModel
from backtrail_desktop.archives.tab import ArchivesTab
from desktop.answering_port import AnsweringPort
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from desktop import values

ARCHIVES = (values.archive_info(3, undo_of="x"), values.archive_info(2), values.archive_info(1))


@pytest.fixture
def host() -> AnsweringPort:
    return AnsweringPort()


@pytest.fixture
def tab(qtbot: QtBot, host: AnsweringPort) -> ArchivesTab:
    tab = ArchivesTab(host, clock=lambda: values.at(15, 0))
    qtbot.addWidget(tab)
    tab.show_memory(values.memory())
    host.next(ListArchives).answer(Archives(ARCHIVES))
    tab.show()
    return tab


def _deletes(host: AnsweringPort) -> list[DeleteArchive]:
    return [question.command for question in host.questions if isinstance(question.command, DeleteArchive)]


def test_model_keeps_qts_rules(qtbot: QtBot) -> None:
    del qtbot
    model = ArchivesModel(lambda: values.at(15, 0))
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show(ARCHIVES)
    assert model.rowCount() == 3
    model.show(())
    del tester


def test_delete_key_never_deletes_without_a_question(tab: ArchivesTab, host: AnsweringPort) -> None:
    tab.table.setFocus()
    QTest.keyClick(tab.table, Qt.Key.Key_Delete)
    assert tab.question.isVisible()
    assert not _deletes(host)


def test_enter_on_the_question_keeps_the_archive(tab: ArchivesTab, host: AnsweringPort) -> None:
    tab.trash.click()
    QTest.keyClick(tab.question, Qt.Key.Key_Return)
    assert not tab.question.isVisible()
    assert not _deletes(host)


def test_another_row_never_gets_the_answer_of_the_first(tab: ArchivesTab, host: AnsweringPort) -> None:
    tab.trash.click()
    tab.table.select_row(1)
    assert not tab.question.isVisible()
    tab.question.agreed.emit()
    assert not _deletes(host)


def test_trash_is_asked_for_the_archive_in_the_question(tab: ArchivesTab, host: AnsweringPort) -> None:
    tab.table.select_row(1)
    tab.trash.click()
    tab.question.yes.click()
    assert _deletes(host) == [DeleteArchive(archive=ARCHIVES[1].restore.id)]
    host.next(DeleteArchive).answer(Done())
    host.next(ListArchives).answer(Archives(ARCHIVES[:1]))
    assert tab.model.rowCount() == 1


def test_for_good_only_after_the_trash_failed_and_a_second_question(tab: ArchivesTab, host: AnsweringPort) -> None:
    assert tab.for_good.isHidden()
    tab.trash.click()
    tab.question.yes.click()
    host.next(DeleteArchive).fail("restore-failed", "There is no trash on this disk.")
    assert "no trash" in tab.trouble.text()
    tab.for_good.click()
    assert len(_deletes(host)) == 1
    assert "cannot be undone" in tab.question.question.text()
    tab.question.yes.click()
    assert _deletes(host)[-1] == DeleteArchive(archive=ARCHIVES[0].restore.id, for_good=True)


def test_for_good_is_not_offered_for_another_archive(tab: ArchivesTab, host: AnsweringPort) -> None:
    tab.trash.click()
    tab.question.yes.click()
    tab.table.select_row(2)
    host.next(DeleteArchive).fail("restore-failed", "There is no trash on this disk.")
    assert tab.for_good.isHidden()


def test_double_click_never_brings_back_without_review(tab: ArchivesTab, host: AnsweringPort, qtbot: QtBot) -> None:
    with qtbot.waitSignal(tab.bring_back_asked) as asked:
        tab.table.activated.emit(tab.model.index(0, 0))
    assert asked.args == [ARCHIVES[0]]
    assert not host.open_questions(Restore)
    assert not host.open_questions(PlanRestore)


def test_archives_of_another_folder_are_never_shown_late(tab: ArchivesTab, host: AnsweringPort) -> None:
    tab.refresh()
    late = host.next(ListArchives)
    tab.show_memory(values.memory("website"))
    late.answer(Archives(ARCHIVES))
    assert tab.model.rowCount() == 0
    assert not tab.bring_back.isVisible()


def test_a_restore_that_finished_elsewhere_shows_its_archive(tab: ArchivesTab, host: AnsweringPort) -> None:
    host.happened.emit(RestoreFinished(memory=MemoryId("memory-website")))
    assert not host.open_questions(ListArchives)
    host.happened.emit(RestoreFinished(memory=MemoryId("memory-atlas")))
    host.next(ListArchives).answer(Archives((values.archive_info(4), *ARCHIVES)))
    assert tab.chosen == ARCHIVES[0], "the row that was chosen stays chosen"


def test_an_archive_that_was_deleted_elsewhere_is_shown_no_longer(tab: ArchivesTab, host: AnsweringPort) -> None:
    for event in (ArchiveDeleted(memory=MemoryId("memory-atlas")), MemoryChanged(memory=None)):
        host.happened.emit(event)
        host.next(ListArchives).answer(Archives(ARCHIVES[:1]))
        assert tab.model.rowCount() == 1
        tab.refresh()
        host.next(ListArchives).answer(Archives(ARCHIVES))


def test_show_archive_selects_it_once_it_is_listed(tab: ArchivesTab, host: AnsweringPort) -> None:
    newest = values.archive_info(4)
    tab.show_archive(newest.restore.id)
    host.next(ListArchives).answer(Archives((*ARCHIVES, newest)))
    assert tab.chosen == newest


def test_a_list_that_failed_is_no_empty_list(tab: ArchivesTab, host: AnsweringPort) -> None:
    tab.show_memory(values.memory("website"))
    host.next(ListArchives).fail("restore-unfinished", "An earlier restore is not settled.")
    assert tab.empty.isHidden()
    assert "not settled" in tab.trouble.text()
    tab.try_again.click()
    host.next(ListArchives).answer(Archives(()))
    assert tab.empty.text() == "No archives yet."
