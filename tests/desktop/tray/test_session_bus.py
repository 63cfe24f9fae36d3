"""Bubbles over a real bus: escaped, replaced, answered, and nobody is held up by a daemon that never answers."""

import time
from collections.abc import Iterator

import pytest
from backtrail.model.ids import MemoryId
from backtrail_desktop.tray.bubbles import Bubble
from backtrail_desktop.tray.session_bus import SessionBus
from desktop.tray.a_bus import NotificationDaemon, TrayHost, session_bus, wait_until
from pytestqt.qtbot import QtBot

ATLAS, PAPERS = MemoryId("atlas"), MemoryId("papers")
LONG_MS = 20_000


def bubble(title: str, about: MemoryId = ATLAS, body: str = "body") -> Bubble:
    return Bubble(about=about, title=title, body=body)


@pytest.fixture
def address() -> Iterator[str]:
    with session_bus() as found:
        yield found


@pytest.fixture
def bus(qtbot: QtBot, address: str) -> Iterator[SessionBus]:
    del qtbot, address
    made = SessionBus("Backtrail")
    yield made
    made.close()


def test_a_button_tells_which_bubble_it_belongs_to(qtbot: QtBot, address: str, bus: SessionBus) -> None:
    with NotificationDaemon(address) as daemon:
        bus.start()
        bus.show(bubble("one"))
        bus.show(bubble("two", PAPERS))
        wait_until(lambda: len(daemon.calls) == 2)
        assert daemon.calls[0]["buttons"] == {"default": "Open Backtrail", "open": "Open Backtrail"}
        for number, about in ((2, PAPERS), (1, ATLAS)):
            with qtbot.waitSignal(bus.pressed, timeout=LONG_MS) as pressed:
                daemon.press(number)
            assert pressed.args[0].about == about


def test_one_bubble_about_a_folder_takes_the_place_of_another(address: str, bus: SessionBus) -> None:
    with NotificationDaemon(address) as daemon:
        bus.start()
        bus.show(bubble("first"))
        wait_until(lambda: len(daemon.calls) == 1)
        bus.show(bubble("of another folder", PAPERS))
        bus.show(bubble("second"))
        wait_until(lambda: "second" in [call["title"] for call in daemon.shown.values()])
        assert sorted(call["title"] for call in daemon.shown.values()) == ["of another folder", "second"]
        daemon.put_away(1)
        bus.show(bubble("third"))
        wait_until(lambda: len(daemon.calls) == 4)
        assert daemon.calls[3]["replaces"] in {0, 1}  # closed meanwhile, or not heard of yet


@pytest.mark.parametrize(("markup", "told"), [(True, "&lt;b&gt;a &amp; b\\u202e"), (False, "<b>a & b\\u202e")])
def test_text_of_a_folder_is_never_markup(address: str, bus: SessionBus, *, markup: bool, told: str) -> None:
    with NotificationDaemon(address, markup=markup) as daemon:
        bus.start()
        bus.show(bubble("first"))
        wait_until(lambda: daemon.calls)
        bus.show(bubble("<i>\n", PAPERS, "<b>a & b\u202e"))
        wait_until(lambda: len(daemon.calls) == 2)
        assert (daemon.calls[1]["title"], daemon.calls[1]["body"]) == ("<i>\\n", told)


def test_a_mute_daemon_holds_nobody_up_and_is_not_flooded(address: str, bus: SessionBus) -> None:
    with NotificationDaemon(address, mute=True) as daemon:
        bus.start()
        begin = time.monotonic()
        for number in range(1000):
            bus.show(bubble(f"number {number}"))
        bus.show(bubble("of another folder", PAPERS))
        assert time.monotonic() - begin < 5
        wait_until(lambda: len(daemon.calls) == 2)
        assert [call["title"] for call in daemon.calls] == ["number 0", "of another folder"]


def test_of_many_that_waited_only_the_newest_is_shown(address: str, bus: SessionBus) -> None:
    with NotificationDaemon(address) as daemon:
        for number in range(1000):
            bus.show(bubble(f"number {number}"))
        bus.start()
        wait_until(lambda: daemon.calls and daemon.calls[-1]["title"] == "number 999")
        assert len(daemon.calls) <= 3
        assert len(daemon.shown) == 1


@pytest.mark.parametrize("refuses", [True, False])
def test_what_nobody_shows_is_given_back(qtbot: QtBot, address: str, bus: SessionBus, *, refuses: bool) -> None:
    with NotificationDaemon(address, refuses=True) if refuses else TrayHost(address):
        with qtbot.waitSignal(bus.refused, timeout=LONG_MS) as refused:
            bus.start()
            bus.show(bubble("nobody sees this"))
        assert refused.args[0].title == "nobody sees this"


def test_what_a_daemon_took_with_it_is_given_back(qtbot: QtBot, address: str, bus: SessionBus) -> None:
    with qtbot.waitSignal(bus.refused, timeout=LONG_MS) as refused, NotificationDaemon(address, mute=True) as daemon:
        bus.start()
        bus.show(bubble("nobody sees this"))
        wait_until(lambda: daemon.calls)
    assert refused.args[0].title == "nobody sees this"


def test_without_a_bus_everything_is_given_back(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/at/all")
    bus = SessionBus("Backtrail")
    with qtbot.waitSignals([bus.refused, bus.refused], timeout=LONG_MS):
        bus.show(bubble("before"))
        bus.start()
        bus.show(bubble("after"))
    bus.close()


def test_a_place_for_icons_that_comes_later_is_heard_of(qtbot: QtBot, address: str, bus: SessionBus) -> None:
    with NotificationDaemon(address) as daemon:
        bus.start()
        bus.show(bubble("it listens"))
        wait_until(lambda: daemon.calls)
        with qtbot.waitSignal(bus.tray_came, timeout=LONG_MS), TrayHost(address):
            pass


def test_the_bus_may_end_at_any_time(qtbot: QtBot) -> None:
    bus = SessionBus("Backtrail")
    with session_bus() as address, NotificationDaemon(address) as daemon:
        bus.start()
        bus.show(bubble("it listens"))
        wait_until(lambda: daemon.calls)
        # the daemon's thread ends with its connection: it is left before the bus is
    with qtbot.waitSignal(bus.refused, timeout=LONG_MS):
        bus.show(bubble("after the end"))
    bus.close()
