"""Outside the window, on a real desktop: an icon by the session's bus, an icon in an X tray, and no icon at all."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from core.git_oracle import git
from desktop.tray.a_bus import Icon, NotificationDaemon, TrayHost, need_program, session_bus
from end_to_end.a_window import AWindow, need_window
from end_to_end.screen import Box, Screen, need_screen, wait_for

pytestmark = pytest.mark.slow
TRAY_PX = 24


@pytest.fixture
def window(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[AWindow]:
    need_screen()
    need_window()
    with session_bus() as address, Screen(tmp_path / "screen") as screen:
        screen.environment["DBUS_SESSION_BUS_ADDRESS"] = address
        yield AWindow(tmp_path, screen)
        screen.keep_picture(f"end-of-{request.node.name}", "root")


@pytest.fixture
def address(window: AWindow) -> str:
    return window.screen.environment["DBUS_SESSION_BUS_ADDRESS"]


@pytest.fixture
def daemon(address: str) -> Iterator[NotificationDaemon]:
    with NotificationDaemon(address) as made:
        yield made


@pytest.fixture
def host(address: str) -> Iterator[TrayHost]:
    with TrayHost(address) as made:
        yield made


def icon_of(host: TrayHost, address: str) -> Icon:
    return Icon(address, wait_for(lambda: host.icons[-1] if host.icons else None))


def hide(window: AWindow) -> None:
    """Close the window, which only hides it."""
    wait_for(lambda: window.screen.is_active(window.id))
    window.screen.press("ctrl+w")
    wait_for(lambda: not window.screen.has_window("Backtrail"))


def lost(daemon: NotificationDaemon) -> int | None:
    """Return the number of the bubble that tells of a loss."""
    found = [number for number, call in daemon.shown.items() if call["title"].startswith("Uncommitted changes in")]
    return found[0] if found else None


def quit_from(window: AWindow, icon: Icon) -> int:
    """Quit from the icon, and stop keeping; return the exit code."""
    icon.press("Quit Backtrail")
    window.screen.settled(window.screen.window("Quit Backtrail"))
    window.screen.keep_picture("quitting", "root")
    window.screen.press("Tab", "Return")
    assert window.process is not None
    return window.process.wait(30)


def test_hidden_in_the_tray_a_loss_is_told_and_its_button_leads_to_the_way_back(
    window: AWindow, address: str, daemon: NotificationDaemon, host: TrayHost
) -> None:
    window.open()
    window.keep()
    icon = icon_of(host, address)
    wait_for(lambda: icon.tip().startswith("notes: Everything up to "), instead=icon.tip)
    window.work()
    hide(window)
    wait_for(lambda: [call["title"] for call in daemon.calls] == ["Backtrail goes on in the tray"])
    git(window.root, "reset", "-q", "--hard")
    number = wait_for(lambda: lost(daemon))
    assert "Kept in the state of" in daemon.shown[number]["body"]
    assert not window.screen.has_window("Backtrail"), "it does not get in the way"
    daemon.press(number)
    window.guide()
    window.screen.keep_picture("guide-from-a-notification", "root")
    window.screen.press("Escape")
    wait_for(lambda: window.screen.is_active(window.id))
    hide(window)
    icon.click()
    wait_for(lambda: window.screen.is_active(window.id))
    assert {"Save now", "Pause for an hour", "Last states of notes"} <= icon.entries().keys()
    hide(window)
    assert quit_from(window, icon) == 0
    wait_for(lambda: not window.has_host())


def test_the_menu_saves_and_leads_to_a_state_without_restoring_it(
    window: AWindow, address: str, host: TrayHost
) -> None:
    window.open()
    window.keep()
    made = window.work()
    icon = icon_of(host, address)
    hide(window)
    git(window.root, "reset", "-q", "--hard")
    before = wait_for(lambda: [text for text in icon.entries() if "Uncommitted" in text])
    icon.press(before[0])
    window.guide()
    assert not (window.root / "staged.md").exists(), "nothing comes back before it was reviewed"
    assert made
    window.screen.press("Escape")
    wait_for(lambda: window.screen.is_active(window.id))
    assert quit_from(window, icon) == 0


def test_a_place_for_icons_that_comes_late_gets_one(window: AWindow, address: str) -> None:
    window.open()
    window.keep()
    with TrayHost(address) as host:
        icon = icon_of(host, address)
        wait_for(lambda: icon.tip().startswith("notes: "), instead=icon.tip)
        hide(window)
        icon.click()
        wait_for(lambda: window.screen.is_active(window.id))
        assert quit_from(window, icon) == 0


def test_a_place_for_icons_that_goes_away_gives_the_window_back(window: AWindow, address: str) -> None:
    with TrayHost(address) as host:
        window.open()
        window.keep()
        icon_of(host, address)
        hide(window)
    wait_for(lambda: window.screen.has_window("Backtrail"))
    assert window.close(goes_on=False) == 0


def test_a_daemon_that_never_answers_does_not_hold_the_window_up(window: AWindow, address: str, host: TrayHost) -> None:
    with NotificationDaemon(address, mute=True) as daemon:
        window.open()
        window.keep()
        icon = icon_of(host, address)
        window.work()
        hide(window)
        git(window.root, "reset", "-q", "--hard")
        wait_for(lambda: lost(daemon))
        icon.click()
        wait_for(window.banner, patience_s=5)
        assert quit_from(window, icon) == 0


def test_started_in_the_background_there_is_an_icon_and_no_window(
    window: AWindow, address: str, host: TrayHost
) -> None:
    window.command_line.run("memory", "add", window.root)
    window.process = window.screen.start(sys.executable, "-m", "backtrail.cli.main", "desktop", "--background")
    icon = icon_of(host, address)
    wait_for(lambda: icon.tip().startswith("notes: Everything up to "), instead=icon.tip)
    assert not window.screen.has_window("Backtrail")
    icon.press("Open Backtrail")
    window.id = window.screen.window("Backtrail")
    wait_for(lambda: window.screen.is_active(window.id))
    assert quit_from(window, icon) == 0


def test_an_icon_in_an_x_tray_hides_and_shows_the_window(window: AWindow) -> None:
    need_program("trayer", "trayer")
    screen = window.screen
    screen.start("trayer", "--edge", "bottom", "--align", "left", "--widthtype", "request", "--height", str(TRAY_PX))
    window.open()
    window.keep()
    icon = wait_for(lambda: kept_mark_in_tray(window))
    screen.keep_picture("x-tray", "root")
    hide(window)
    screen.click(icon)
    wait_for(lambda: screen.has_window("Backtrail"))
    wait_for(lambda: screen.is_active(window.id))
    screen.press("ctrl+q")
    screen.settled(screen.window("Quit Backtrail"))
    screen.press("Tab", "Return")
    assert window.process is not None
    assert window.process.wait(30) == 0


def kept_mark_in_tray(window: AWindow) -> tuple[int, int] | None:
    """Return where the sign of a folder that is kept stands in the tray of the X server."""
    picture = window.screen.picture()
    tray = Box(0, picture.height - TRAY_PX, 400, picture.height - 1)
    found = picture.boxes(window.colours["accent"], width=6, height=6, within=tray)
    return found[0].middle if found else None


def test_without_a_tray_the_window_opens_and_closing_it_closes_it(window: AWindow, daemon: NotificationDaemon) -> None:
    window.open()
    window.keep()
    window.work()
    over = window.screen.start("xmessage", "-title", "over", "something else to do")
    wait_for(lambda: window.screen.is_active(window.screen.window("over")))
    git(window.root, "reset", "-q", "--hard")
    wait_for(lambda: lost(daemon))
    over.terminate()
    over.wait()
    assert window.close(goes_on=False) == 0


def test_without_a_bus_everything_else_works(window: AWindow) -> None:
    window.screen.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere/at/all"
    window.open()
    window.keep()
    assert window.close(goes_on=False) == 0
