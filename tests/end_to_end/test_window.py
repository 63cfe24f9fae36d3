"""From an edit to work that is back, through the real window: judged by the disk and by Git, never by the window."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from core.git_oracle import ask, damage, recovery_refs
from desktop.client.background import Background
from end_to_end.a_window import AWindow, need_window
from end_to_end.command_line import CommandLine
from end_to_end.screen import Screen, need_screen, wait_for

pytestmark = pytest.mark.slow
TRUTHFUL_S = 7.0
MANY = 30_000
GUIDE = "Go back: notes"


@pytest.fixture
def screen(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Screen]:
    need_screen()
    need_window()
    with Screen(tmp_path_factory.mktemp("s") / "screen") as made:
        yield made
        made.keep_picture(f"end-of-{request.node.name}", "root")


@pytest.fixture
def window(screen: Screen, tmp_path_factory: pytest.TempPathFactory) -> AWindow:
    return AWindow(tmp_path_factory.mktemp("w"), screen)


@pytest.fixture
def dark(screen: Screen, tmp_path_factory: pytest.TempPathFactory) -> AWindow:
    return AWindow(tmp_path_factory.mktemp("w"), screen, dark=True)


def contents(root: Path, names: dict[bytes, bytes]) -> dict[bytes, bytes | None]:
    """Return what is on the disk under these names."""
    places = {name: Path(os.fsdecode(os.path.join(os.fsencode(root), name))) for name in names}
    return {name: place.read_bytes() if place.is_file() else None for name, place in places.items()}


def staged(root: Path) -> bytes:
    return ask(root, "diff", "--cached", "--name-only", "-z")


def pictures(window: AWindow, name: str) -> None:
    """Keep pictures of the window, large and small."""
    for width, height in ((800, 600), (1280, 800)):
        window.screen.resize(window.id, width, height)
        wait_for(lambda height=height: window.place.bottom - window.place.top + 1 == height)
        wait_for(window.says_kept)
        window.screen.keep_picture(f"{name}-{width}x{height}", window.id)


def test_work_lost_to_a_reset_comes_back_by_two_presses(window: AWindow) -> None:
    window.open()
    window.keep()
    made = window.work()
    window.lose()
    pictures(window, "loss-light")
    index = staged(window.root)
    window.press_primary(wait_for(window.banner))
    guide = window.guide()
    place = window.foot(guide)
    wait_for(lambda: window.primary(place))
    window.screen.keep_picture("guide-files-light", guide)
    assert contents(window.root, made) != made, "nothing comes back before it was reviewed"
    window.press_primary(place)
    wait_for(lambda: contents(window.root, made) == made, instead=lambda: contents(window.root, made))
    wait_for(lambda: not window.primary(window.screen.place(guide)))  # no bar of the progress either
    window.screen.keep_picture("guide-files-done-light", guide)
    assert staged(window.root) == index, "what is staged is left alone"
    assert (window.root / "build" / "out").read_text() == "made\n"
    window.screen.press("Return")
    wait_for(lambda: not window.screen.has_window(GUIDE))
    assert window.close(goes_on=False) == 0
    assert not damage(window.root)


def test_a_whole_folder_comes_back_by_keyboard_with_index_and_ignored_files(window: AWindow) -> None:
    window.open(str(window.root))
    wait_for(window.is_kept)
    wait_for(window.says_kept)
    made = window.work()
    index, identity = staged(window.root), window.root.stat().st_ino
    window.lose()
    assert staged(window.root) != index
    window.screen.press("ctrl+b")
    guide = window.guide()
    place = window.foot(guide)
    wait_for(lambda: window.primary(place))
    window.screen.keep_picture("guide-whole-light", guide)
    assert contents(window.root, made) != made, "nothing comes back before it was reviewed"
    window.screen.press("Tab", "space")
    wait_for(lambda: window.root.exists() and window.root.stat().st_ino != identity)
    assert contents(window.root, made) == made
    assert staged(window.root) == index
    assert (window.root / "build" / "out").read_text() == "made\n"
    archived = [*(window.root.parent / ".backtrail" / "notes").glob("*/repository")]
    assert [folder.stat().st_ino for folder in archived] == [identity]
    assert (archived[0] / "f").read_bytes() == b"base\n"
    wait_for(lambda: not window.primary(window.screen.place(guide)))  # no bar of the progress either
    window.screen.keep_picture("guide-whole-done-light", guide)
    window.screen.press("Return")
    wait_for(lambda: not window.screen.has_window(GUIDE))
    wait_for(window.says_kept)
    window.screen.keep_picture("after-restore-light", window.id)
    assert not damage(window.root)


def test_neither_a_double_click_nor_enter_restores_anything(window: AWindow) -> None:
    window.open()
    window.keep()
    window.work()
    window.lose()
    now = window.now()
    for way in ("mouse", "keyboard"):
        if way == "mouse":
            window.screen.click((now.middle[0], now.bottom + 80), twice=True)
        else:
            window.screen.press("ctrl+1", "Return")
        place = window.foot(window.guide())
        wait_for(lambda place=place: window.primary(place))
        window.screen.press("Return")
        wait_for(lambda: not window.screen.has_window(GUIDE))
        assert (window.root / "f").read_bytes() == b"base\n"
    assert not (window.root.parent / ".backtrail").exists()


def test_a_host_that_hangs_or_dies_is_not_said_to_keep_anything(window: AWindow) -> None:
    window.open()
    window.keep()
    window.signal_host(signal.SIGSTOP)
    wait_for(lambda: not window.says_kept(), TRUTHFUL_S)
    window.screen.keep_picture("not-answering-light", window.id)
    window.signal_host(signal.SIGCONT)
    wait_for(window.says_kept)
    window.signal_host(signal.SIGKILL)
    wait_for(lambda: not window.says_kept(), 3)
    window.screen.keep_picture("stopped-light", window.id)
    window.screen.click(wait_for(window.link))
    wait_for(window.says_kept)
    (window.root / "f").write_text("kept again\n")
    wait_for(window.is_kept)


def test_while_the_first_checkpoint_is_made_nothing_is_said_to_be_kept(window: AWindow) -> None:
    for number in range(MANY):
        folder = window.root / f"d{number % 100}"
        folder.mkdir(exist_ok=True)
        (folder / f"f{number}").write_text(f"{number}\n" * 300)
    window.open(str(window.root))

    def says_first() -> bool:
        first = window.says_first()
        assert first or not window.says_kept() or recovery_refs(window.root)
        return first

    wait_for(says_first)
    window.screen.keep_picture("first-checkpoint-light", window.id)
    wait_for(lambda: not says_first())
    wait_for(window.says_kept)
    assert len(recovery_refs(window.root)) == 1
    assert not damage(window.root)


def test_closing_the_window_asks_whether_its_host_goes_on(window: AWindow) -> None:
    window.open()
    window.keep()
    assert window.has_host()
    assert not {"pygit2", "libgit2", "peewee", "sqlite"} & window.loaded()
    assert window.close(goes_on=True) == 0
    host = window.host()
    (window.root / "f").write_text("written while no window was open\n")
    wait_for(window.is_kept)
    window.open()
    wait_for(window.says_kept)
    assert window.close() == 0
    assert window.host() == host
    window.signal_host(signal.SIGTERM)
    wait_for(lambda: not window.has_host())


def test_a_window_that_is_told_to_stop_keeping_ends_its_host(window: AWindow) -> None:
    window.open()
    window.keep()
    assert window.close(goes_on=False) == 0
    wait_for(lambda: not window.has_host())


def test_a_host_that_ran_before_runs_on_after_the_window(window: AWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", window.screen.environment["XDG_RUNTIME_DIR"])
    with Background(window.command_line.home) as background:
        background.start()
        window.open()
        window.keep()
        assert window.close() == 0
        assert background.process is not None
        assert background.process.poll() is None
        assert window.has_host()


def test_it_is_dark_where_the_system_is(dark: AWindow) -> None:
    dark.open()
    dark.keep()
    dark.work()
    dark.lose()
    pictures(dark, "loss-dark")
    dark.press_primary(wait_for(dark.banner))
    guide = dark.guide()
    wait_for(lambda: dark.primary(dark.foot(guide)))
    dark.screen.keep_picture("guide-files-dark", guide)


def test_without_a_screen_it_says_so_instead_of_crashing(tmp_path: Path) -> None:
    need_window()
    line = CommandLine(tmp_path / "home")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        line.environment.pop(name, None)
    assert line.refused("desktop") == "no-desktop"
    line.environment["DISPLAY"] = ":54321"
    assert "54321" in line.ask("desktop", code=1)["error"]["message"]
