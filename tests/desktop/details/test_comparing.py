"""With what a state is compared, and which changes are staged."""

import msgspec
from backtrail.model.changes import Change, Changes, ChangeStatus
from backtrail.model.coverage import Coverage, LeftOut, Reason
from backtrail.model.ids import RelPath
from backtrail_desktop.details.comparing import Against, FileKind, can_compare, question, set_apart, trees
from backtrail_desktop.details.files_model import FilesModel, rows_of
from backtrail_desktop.timeline.wish import Chosen
from desktop.values import checkpoint, memory, oid
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester

ADDED, CHANGED, REMOVED = ChangeStatus.ADDED, ChangeStatus.CHANGED, ChangeStatus.REMOVED
F = RelPath(b"f")


def chosen(seq: int = 2, *, now: int = 3, before: int | None = 1, known: bool = True) -> Chosen:
    return Chosen(
        memory=memory(),
        checkpoint=checkpoint(seq),
        before=None if before is None else checkpoint(before),
        before_known=known,
        now=checkpoint(now),
        same_as_now=seq == now,
    )


def test_what_is_added_is_in_the_state_whatever_it_is_compared_with() -> None:
    for against, old in ((Against.NOW, trees(checkpoint(3))), (Against.BEFORE, trees(checkpoint(1)))):
        asked = question(chosen(), against)
        assert (asked.old, asked.new, asked.head) == (old, trees(checkpoint(2)), None)
    assert question(chosen(), Against.HEAD).head == checkpoint(2).head
    assert question(chosen(before=None), Against.BEFORE).old is None


def test_a_state_is_not_compared_with_a_state_before_that_is_not_known_or_with_itself() -> None:
    assert not can_compare(chosen(before=None, known=False), Against.BEFORE)
    assert can_compare(chosen(), Against.BEFORE)
    first = chosen(before=None)
    assert not can_compare(first, Against.BEFORE), "there is no state before the first"
    unborn = msgspec.structs.replace(first, checkpoint=msgspec.structs.replace(checkpoint(2), head=None))
    assert can_compare(unborn, Against.BEFORE), "nor a commit: all of it came"
    assert not can_compare(chosen(3), Against.NOW)


def test_a_change_that_is_staged_and_not_touched_since_is_told_once() -> None:
    staged = Change(F, CHANGED, staged=True, old=oid(1), new=oid(2))
    working = Change(F, CHANGED, staged=False, old=oid(1), new=oid(2))
    assert set_apart((working, staged), Against.HEAD) == ([], [staged])
    assert set_apart((working, staged), Against.BEFORE) == ([working], [])


def test_a_file_changed_again_after_staging_is_compared_with_what_is_staged() -> None:
    staged = Change(F, CHANGED, staged=True, old=oid(1), new=oid(2))
    working = Change(F, CHANGED, staged=False, old=oid(1), new=oid(3))
    again = Change(F, CHANGED, staged=False, old=oid(2), new=oid(3))
    assert set_apart((working, staged), Against.HEAD) == ([again], [staged])


def test_a_staged_change_that_the_file_no_longer_has_is_seen_in_both() -> None:
    staged = Change(F, CHANGED, staged=True, old=oid(1), new=oid(2))
    undone = Change(F, CHANGED, staged=False, old=oid(2), new=oid(1))
    assert set_apart((staged,), Against.HEAD) == ([undone], [staged])
    new = Change(F, ADDED, staged=True, old=None, new=oid(2))
    gone = Change(F, REMOVED, staged=False, old=oid(2), new=None)
    assert set_apart((new,), Against.HEAD) == ([gone], [new])


def test_what_is_not_kept_is_listed_with_its_reason(qtmodeltester: ModelTester) -> None:
    coverage = Coverage((LeftOut(RelPath(b"film.mov"), Reason.TOO_LARGE, 3 << 30),), 2)
    change = Change(RelPath("a\u202eb\n".encode()), ADDED, staged=False, old=None, new=oid(2))
    rows = rows_of(Changes((change,), 7000), Against.BEFORE, coverage)
    kinds = [row.kind for row in rows]
    assert kinds == [FileKind.HEADING, FileKind.CHANGE, FileKind.REMARK, FileKind.HEADING, FileKind.LEFT_OUT]
    model = FilesModel()
    model.show(rows)
    qtmodeltester.check(model)
    texts = [str(model.index(at, 0).data()) for at in range(len(rows))]
    assert texts[1] == r"a\u202eb\n"
    assert "6999 more" in texts[2]
    assert "film.mov (above the size cap, 3.0 GiB)" in texts[4]
    assert str(model.index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole)).endswith(", added")
