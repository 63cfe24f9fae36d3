"""Pictures are shown side by side, and what is none, or would hold the window up, is named instead."""

import pytest
from backtrail.model.changes import (
    Change,
    Changes,
    ChangeStatus,
    Contents,
    FileDiff,
    ListChanges,
    ReadContents,
    ReadDiff,
    Shown,
)
from backtrail.model.ids import RelPath
from backtrail_desktop.details.image_pair import LIMIT, may_be_picture, picture_of
from backtrail_desktop.details.panel import DetailsPanel
from backtrail_desktop.timeline.wish import Chosen
from desktop.answering_port import AnsweringPort
from desktop.values import at, checkpoint, memory, oid
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

PICTURE = Change(RelPath(b"a.PNG"), ChangeStatus.CHANGED, staged=False, old=oid(1), new=oid(2))
TEXT = Change(RelPath(b"b.txt"), ChangeStatus.CHANGED, staged=False, old=oid(3), new=oid(4))
NOT_TEXT = FileDiff(Shown.BINARY, (), 10, 20)


def encoded(colour: str, width: int = 20, height: int = 10, kind: str = "PNG") -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(colour))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert image.save(buffer, kind)
    return bytes(buffer.data().data())


def state(seq: int) -> Chosen:
    return Chosen(
        memory=memory(),
        checkpoint=checkpoint(seq),
        before=None,
        before_known=True,
        now=checkpoint(3),
        same_as_now=False,
    )


@pytest.fixture
def reader(qtbot: QtBot) -> AnsweringPort:
    del qtbot
    return AnsweringPort()


@pytest.fixture
def panel(qtbot: QtBot, reader: AnsweringPort) -> DetailsPanel:
    made = DetailsPanel(reader, lambda: at(14, 5))
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    made.show_chosen(state(2))
    qtbot.waitUntil(lambda: bool(reader.open_questions(ListChanges)))
    reader.next(ListChanges).answer(Changes((PICTURE, TEXT), 2))
    reader.next(ReadDiff).answer(NOT_TEXT)
    return made


def test_both_pictures_are_shown_and_the_next_file_is_not_hidden_behind_them(
    panel: DetailsPanel, reader: AnsweringPort
) -> None:
    assert panel.diff.isVisible(), "its sizes are said until the pictures are there"
    question = reader.next(ReadContents)
    assert question.command == ReadContents(root=memory().path, old=oid(1), new=oid(2), limit=LIMIT)
    question.answer(Contents(encoded("red"), encoded("blue", kind="JPG")))
    assert panel.pictures is not None
    assert panel.pictures.isVisible()
    old, new = (side.pixmap().toImage().pixelColor(5, 5) for side in panel.pictures.sides)
    assert (old.red(), new.red() < 10, new.blue() > 240) == (255, True, True)
    panel.files.setCurrentIndex(panel.files_model.find(TEXT))
    assert panel.diff.isVisible()
    assert not panel.pictures.isVisible()


def test_pictures_of_one_state_never_stand_below_the_heading_of_another(
    panel: DetailsPanel, reader: AnsweringPort
) -> None:
    reader.next(ReadContents).answer(Contents(encoded("red"), encoded("blue")))
    panel.show_chosen(state(1))
    assert panel.diff.isVisible()


def test_a_picture_that_came_has_no_other_side(panel: DetailsPanel, reader: AnsweringPort) -> None:
    reader.next(ReadContents).answer(Contents(None, encoded("blue")))
    assert panel.pictures is not None
    old, new = panel.pictures.sides
    assert old.pixmap().isNull()
    assert "no picture" in old.caption.text()
    assert not new.pixmap().isNull()


def test_what_only_has_the_name_of_a_picture_stays_named(panel: DetailsPanel, reader: AnsweringPort) -> None:
    reader.next(ReadContents).answer(Contents(b"\x89PNG\r\n\x1a\n\0broken", b"\0not one"))
    assert panel.diff.isVisible()
    assert panel.diff.toPlainText().startswith("Not text: ")


def test_a_file_that_is_no_picture_is_not_read_for_one(panel: DetailsPanel, reader: AnsweringPort) -> None:
    reader.next(ReadContents).answer(Contents(None, encoded("blue")))
    panel.files.setCurrentIndex(panel.files_model.find(TEXT))
    reader.next(ReadDiff).answer(NOT_TEXT)
    assert not reader.open_questions(ReadContents)


def test_only_what_is_decoded_quickly_is_decoded() -> None:
    assert picture_of(encoded("red", 4000, 3000)) is None
    shown = picture_of(encoded("red", 4000, 3000, kind="JPG"))
    assert shown is not None
    assert max(shown.width(), shown.height()) == 900
    assert picture_of(b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>") is None
    assert [may_be_picture(name) for name in (b"a.jpeg", b"a.PnG", b"png", b"a.png.txt")] == [True, True, False, False]
