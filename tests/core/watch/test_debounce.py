"""When a hint is due: soon after the last event, and in the end also for one who never stops writing."""

from backtrail.watch.debounce import Debounce


def test_nothing_happened() -> None:
    assert Debounce().due is None


def test_quiet_after_the_last_event() -> None:
    debounce = Debounce()
    debounce.note(10.0)
    assert debounce.due == 10.75
    debounce.note(10.5)
    assert debounce.due == 11.25


def test_constant_writer_does_not_starve_it() -> None:
    debounce = Debounce()
    for tenth in range(100):
        debounce.note(10 + tenth / 10)
    assert debounce.due == 15.0


def test_event_that_is_heard_late_does_not_bring_the_hint_forward() -> None:
    debounce = Debounce()
    debounce.note(12.0)
    debounce.note(11.0)
    assert debounce.due == 12.75


def test_begins_anew_after_the_hint() -> None:
    debounce = Debounce()
    debounce.note(10.0)
    debounce.clear()
    assert debounce.due is None
    debounce.note(20.0)
    assert debounce.due == 20.75
