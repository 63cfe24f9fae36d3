"""Long lists of paths keep Qt's rules, and a path opens into its own difference and no other's."""

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
    TreePair,
)
from backtrail.model.restore import PathChange
from backtrail_desktop.restore import differences
from backtrail_desktop.restore.chosen_files import ChosenFilesModel
from backtrail_desktop.restore.differences import Differences
from backtrail_desktop.restore.flow import Proposal
from backtrail_desktop.restore.path_list import PathCard, PathListModel, change_text
from desktop.answering_port import AnsweringPort
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from desktop import values

TARGET, NOW = values.checkpoint(4), values.checkpoint(9)
DRAFT, OUTLINE = values.path_changes(b"draft.md", b"outline.md")
TEXT = FileDiff(Shown.TEXT, (DiffLine(LineKind.ADDED, None, 1, "the lost hour"),), 0, 13)


@pytest.fixture
def reader() -> AnsweringPort:
    return AnsweringPort()


@pytest.fixture
def opened(qtbot: QtBot, reader: AnsweringPort) -> Differences:
    del qtbot
    found = Differences(b"/home/mira/notes/atlas", reader)
    found.use(Proposal(values.plan(TARGET), NOW))
    return found


def _change(path: bytes, number: int) -> Change:
    return Change(
        values.path_changes(path)[0].path,
        ChangeStatus.CHANGED,
        staged=False,
        old=values.oid(number),
        new=values.oid(90),
    )


def test_models_keep_qts_rules(qtbot: QtBot) -> None:
    del qtbot
    paths, files = PathListModel(), ChosenFilesModel()
    testers = [QAbstractItemModelTester(m, QAbstractItemModelTester.FailureReportingMode.Fatal) for m in (paths, files)]
    paths.show(values.path_changes(*(b"%d.md" % n for n in range(1000))))
    files.show(values.plan(TARGET), [b"draft.md"])
    files.narrow("outline")
    files.turn(0)
    files.narrow("")
    files.choose_shown(chosen=True)
    assert files.chosen == (b"draft.md", b"figures/map-v2.svg", b"ideas/loose-ends.md", b"outline.md")
    del testers


def test_choosing_all_that_is_shown_leaves_hidden_files_alone(qtbot: QtBot) -> None:
    del qtbot
    files = ChosenFilesModel()
    files.show(values.plan(TARGET), [b"draft.md"])
    files.narrow("OUTLINE")
    files.choose_shown(chosen=True)
    files.choose_shown(chosen=False)
    assert files.chosen == (b"draft.md",)


def test_a_row_opens_by_key(qtbot: QtBot) -> None:
    card = PathCard("Changes")
    qtbot.addWidget(card)
    card.show_changes((DRAFT, OUTLINE))
    card.view.setCurrentIndex(card.model.index(1, 0))
    with qtbot.waitSignal(card.opened) as asked:
        QTest.keyClick(card.view, Qt.Key.Key_Return)
    assert asked.args == [OUTLINE]


def test_a_file_that_is_staged_too_counts_once(qtbot: QtBot) -> None:
    card = PathCard("Comes back")
    qtbot.addWidget(card)
    card.show_changes((DRAFT, *values.path_changes(b"draft.md", b"outline.md", staged=True)))
    assert card.view.accessibleName() == "Comes back · 2"
    assert card.model.rowCount() == 3


def test_a_difference_compares_now_with_the_target(opened: Differences, reader: AnsweringPort, qtbot: QtBot) -> None:
    opened.open(DRAFT)
    assert reader.next(ListChanges).command == ListChanges(
        root=b"/home/mira/notes/atlas",
        old=TreePair(NOW.index_tree, NOW.working_tree),
        new=TreePair(TARGET.index_tree, TARGET.working_tree),
    )
    reader.next(ListChanges).answer(Changes((_change(b"draft.md", 80),), 1))
    with qtbot.waitSignal(opened.shown) as shown:
        reader.next(ReadDiff).answer(TEXT)
    assert shown.args == [TEXT]


def test_a_late_difference_is_never_shown_for_another_path(opened: Differences, reader: AnsweringPort) -> None:
    heard: list[object] = []
    opened.shown.connect(heard.append)
    opened.open(DRAFT)
    reader.next(ListChanges).answer(Changes((_change(b"draft.md", 80), _change(b"outline.md", 81)), 2))
    late = reader.next(ReadDiff)
    opened.open(OUTLINE)
    late.answer(TEXT)
    assert not heard


def test_what_cannot_be_compared_says_so(opened: Differences, reader: AnsweringPort) -> None:
    heard: list[object] = []
    opened.not_shown.connect(heard.append)
    opened.use(Proposal(values.plan(TARGET, before=None), None))
    opened.open(DRAFT)
    opened.use(Proposal(values.plan(TARGET), NOW))
    opened.open(DRAFT)
    reader.next(ListChanges).answer(Changes((), 6000))
    assert heard == [differences.NOT_KEPT_NOW, differences.TOO_MANY]


def test_what_has_no_content_to_compare_says_what_it_is(qtbot: QtBot, reader: AnsweringPort) -> None:
    del qtbot
    hollow, left = (PathChange(values.path_changes(path)[0].path, staged=False, folder=True) for path in (b"h", b"l"))
    plan = msgspec.structs.replace(values.plan(TARGET), comes_back=(hollow,), changes=(DRAFT,), leaves=(left,))
    opened = Differences(b"/home/mira/notes/atlas", reader)
    opened.use(Proposal(plan, NOW))
    heard: list[object] = []
    opened.not_shown.connect(heard.append)
    opened.open(hollow)
    reader.next(ListChanges).answer(Changes((), 0))
    opened.open(DRAFT)
    opened.open(left)
    assert heard == [differences.FOLDER, differences.SAME_CONTENT, differences.NOT_LISTED]
    files = ChosenFilesModel()
    files.show(plan, [b"h", b"draft.md"])
    assert files.chosen == (b"draft.md",)
    assert change_text(hollow) == "h/"
