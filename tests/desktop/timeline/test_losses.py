"""What counts as lost, and until when the banner says so."""

from pathlib import Path

from backtrail.model.checkpoint import Cause, Context, Difference, Lost, Origin
from backtrail.model.ids import RelPath
from backtrail_desktop.timeline.losses import Dismissed, open_losses, paths_to_get
from desktop.values import checkpoint, memory, oid
from PySide6.QtCore import QSettings

LOST = tuple(Lost(RelPath(name), oid(number)) for number, name in enumerate((b"a", b"b", b"c")))


def test_a_loss_stays_named_when_other_work_goes_on() -> None:
    states = [checkpoint(4), checkpoint(3), checkpoint(2, lost=LOST, kept_in=1), checkpoint(1)]
    assert [state.seq for state in open_losses(states, 0)] == [2]


def test_a_loss_that_was_restored_is_not_told_again() -> None:
    back = Context(Origin.HUMAN_COMMAND, Cause.HUMAN_RESTORE, cause_id=checkpoint(1).id)
    states = [checkpoint(3, context=back), checkpoint(2, lost=LOST, kept_in=1), checkpoint(1)]
    assert open_losses(states, 0) == []


def test_a_loss_whose_state_is_there_again_by_whatever_way_is_not_told() -> None:
    states = [checkpoint(3, content=1), checkpoint(2, lost=LOST, kept_in=1), checkpoint(1)]
    assert open_losses(states, 0) == []


def test_getting_one_file_of_three_back_does_not_hide_the_other_two() -> None:
    back = Context(Origin.HUMAN_COMMAND, Cause.HUMAN_FILE_RESTORE, cause_id=checkpoint(1).id)
    one = checkpoint(3, context=back, difference=Difference(added=1, first=(RelPath(b"a"),)))
    rest = checkpoint(4, context=back, difference=Difference(added=2, first=(RelPath(b"b"), RelPath(b"c"))))
    lossy = [checkpoint(2, lost=LOST, kept_in=1), checkpoint(1)]
    assert [state.seq for state in open_losses([one, *lossy], 0)] == [2]
    assert open_losses([rest, one, *lossy], 0) == []


def test_a_dismissed_loss_does_not_hide_a_later_one(tmp_path: Path) -> None:
    dismissed = Dismissed(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))
    first, second = checkpoint(2, lost=LOST, kept_in=1), checkpoint(5, lost=LOST[:1], kept_in=4)
    dismissed.put_aside(first)
    assert [state.seq for state in open_losses([second, first], dismissed.up_to(memory().id))] == [5]
    again = Dismissed(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))
    assert again.up_to(memory().id) == 2
    assert again.up_to(memory("website").id) == 0


def test_a_path_that_was_lost_twice_is_got_once_and_a_staged_one_only_with_the_whole() -> None:
    a, b = RelPath(b"a"), RelPath(b"b")
    lost = (Lost(a, oid(1)), Lost(a, oid(2), staged=True), Lost(b, oid(3), staged=True))
    assert paths_to_get(lost) == (a,)
