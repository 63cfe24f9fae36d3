"""How often a memory is hinted at: not so often that the machine only looks, not so seldom that nothing is seen."""

from backtrail.watch.pace import Pace


def test_no_pause_before_the_first_look() -> None:
    assert Pace(100.0).next_hint(100.75) == 100.75


def test_pause_is_ten_times_the_look() -> None:
    pace = Pace(100.0)
    pace.looked(101.0, 0.4)
    assert pace.next_hint(101.75) == 105.0
    assert pace.next_hint(106.0) == 106.0


def test_pause_has_an_end() -> None:
    pace = Pace(100.0)
    pace.looked(120.0, 19.0)
    assert pace.next_hint(121.0) == 150.0


def test_hint_every_five_minutes_without_events() -> None:
    pace = Pace(100.0)
    assert pace.next_hint(None) == 400.0
    pace.hinted(400.0)
    assert pace.next_hint(None) == 700.0


def test_regular_hint_does_not_wait_for_a_later_event() -> None:
    assert Pace(100.0).next_hint(401.0) == 400.0


def test_polling_has_a_shorter_interval() -> None:
    pace = Pace(100.0)
    pace.regular = 30.0
    assert pace.next_hint(None) == 130.0
