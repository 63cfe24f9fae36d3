"""The window as a person has it: the real program on a real screen, a folder that it keeps, and what is seen of it.

Owns the program's process and its data folder. Everything else goes through keyboard, mouse and disk.
"""

import importlib.util
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from backtrail.wire.address import socket_name
from core.git_oracle import disk_entries, git, new_repository, recovery_refs, tree_entries
from end_to_end.command_line import CommandLine
from end_to_end.screen import PATIENCE_S, Box, Screen, wait_for

DARK_SETTINGS = """
[General]
ColorScheme=BreezeDark
[Colors:Window]
BackgroundNormal=32,35,38
ForegroundNormal=252,252,252
[Colors:View]
BackgroundNormal=20,22,24
ForegroundNormal=252,252,252
[Colors:Button]
BackgroundNormal=41,44,48
ForegroundNormal=252,252,252
[Colors:Selection]
BackgroundNormal=61,174,233
ForegroundNormal=252,252,252
"""
_DOT, _QUARTER = 5, 3


def need_window() -> None:
    """Skip where the window is not installed; fail where CI is set."""
    if importlib.util.find_spec("backtrail_desktop") is None:
        if os.environ.get("CI"):
            pytest.fail("the window is not installed: backtrail_desktop", pytrace=False)
        pytest.skip("the window is not installed: backtrail_desktop")


class AWindow:
    """A folder with an hour of work in it, and the window that keeps it."""

    def __init__(self, place: Path, screen: Screen, *, dark: bool = False) -> None:
        from backtrail_desktop.shell.palette import DARK, LIGHT  # noqa: PLC0415 - only where it is installed

        self.colours = {name: colour.name() for name, colour in vars(DARK if dark else LIGHT).items()}
        self.screen = screen
        self.command_line = CommandLine(place / "data" / "home")
        self._runtime = place / "run"
        self._runtime.mkdir(mode=0o700)
        for environment in (screen.environment, self.command_line.environment):
            environment |= {"BACKTRAIL_HOME": str(place / "data" / "home"), "XDG_RUNTIME_DIR": str(self._runtime)}
        if dark:
            screen.environment |= {"XDG_CURRENT_DESKTOP": "KDE", "KDE_FULL_SESSION": "true", "KDE_SESSION_VERSION": "6"}
            Path(screen.environment["XDG_CONFIG_HOME"], "kdeglobals").write_text(DARK_SETTINGS)
        self.root = new_repository(place / "notes")
        (self.root / ".gitignore").write_text("build/\n")
        git(self.root, "add", ".gitignore")
        git(self.root, "commit", "-q", "-m", "ignore")
        (self.root / "build").mkdir()
        (self.root / "build" / "out").write_text("made\n")
        self.process: subprocess.Popen[bytes] | None = None
        self.id = ""

    def open(self, *arguments: str) -> None:
        """Start the program; wait for its window, and for a Host that serves."""
        self.process = self.screen.start(sys.executable, "-m", "backtrail.cli.main", "desktop", *arguments)
        self.id = self.screen.window("Backtrail")
        self.screen.resize(self.id, 1280, 800)
        wait_for(lambda: any(self._runtime.glob(f"*/{socket_name(self.command_line.home)}")))

    def close(self, patience_s: float = PATIENCE_S, *, goes_on: bool | None = None) -> int:
        """Close the window as Ctrl+W does, with this answer where it asks whether to go on; return the exit code."""
        assert self.process is not None
        wait_for(lambda: self.screen.is_active(self.id))
        self.screen.press("ctrl+w")
        if goes_on is not None:
            self.screen.settled(self.screen.window("Go on keeping"))
            self.screen.keep_picture("closing", "root")
            self.screen.press(*([] if goes_on else ["Tab"]), "Return")
        return self.process.wait(patience_s)

    def keep(self) -> None:
        """Have the folder kept, by the command line, and wait until the window shows it."""
        self.command_line.run("memory", "add", self.root)
        wait_for(lambda: self.screen.title(self.id).startswith("notes"))
        wait_for(self.says_kept)

    def work(self) -> dict[bytes, bytes]:
        """Work for an hour: one file edited, one staged, one that Git does not know. Return what is in them."""
        made = {b"f": b"an hour of work\n", b"staged.md": b"staged\n", b"new \xe9.md": b"not known to Git\n"}
        for name, content in made.items():
            Path(os.fsdecode(os.path.join(os.fsencode(self.root), name))).write_bytes(content)
        git(self.root, "add", "staged.md")
        wait_for(self.is_kept)
        return made

    def is_kept(self) -> bool:
        """Tell, by asking Git, whether a state that holds exactly what is on the disk is kept."""
        here = disk_entries(self.root)
        return any(tree_entries(self.root, commit) == here for commit in recovery_refs(self.root).values())

    def lose(self) -> None:
        """Lose the work as people do; what Git does not know stays."""
        git(self.root, "reset", "-q", "--hard")
        wait_for(self.banner)
        wait_for(self.is_kept)

    @property
    def place(self) -> Box:
        """Where the window's content stands on the screen."""
        return self.screen.place(self.id)

    def says_kept(self) -> bool:
        """Tell whether the state line's mark is the one of a folder that is kept."""
        return self._has_mark(_DOT)

    def says_first(self) -> bool:
        """Tell whether that mark is the one of a first checkpoint that is being made: a quarter of the dot."""
        return self._has_mark(_QUARTER) and not self._has_mark(_DOT)

    def _has_mark(self, size: int) -> bool:
        place = self.place
        line = Box(place.left, place.bottom - 24, place.left + 40, place.bottom)
        return bool(self.screen.picture().boxes(self.colours["accent"], width=size, height=size, within=line))

    def banner(self) -> Box | None:
        """Return where a loss is told."""
        found = self.screen.picture().boxes(self.colours["warning_fill"], width=300, height=20, within=self.place)
        return found[0] if found else None

    def now(self) -> Box:
        """Return the timeline's first row, which is stood on at first."""
        return wait_for(self._now)

    def _now(self) -> Box | None:
        place = self.place
        timeline = Box(place.left + 250, place.top, place.left + 810, place.bottom)
        found = self.screen.picture().boxes(self.colours["selected"], width=300, height=10, within=timeline)
        return found[0] if found else None

    def link(self) -> tuple[int, int] | None:
        """Return where the state line's link stands, by the line under it."""
        place = self.place
        line = Box(place.left, place.bottom - 24, place.right, place.bottom)
        found = self.screen.picture().boxes(self.colours["accent"], width=20, height=1, within=line)
        return found[0].middle if found else None

    def primary(self, within: Box) -> tuple[int, int] | None:
        """Return where the button stands that is pressed by whoever wants what is offered."""
        found = self.screen.picture().boxes(self.colours["accent"], width=60, height=4, within=within)
        return found[0].middle if found else None

    def press_primary(self, within: Box) -> None:
        """Press that button, once it is there."""
        self.screen.click(wait_for(lambda: self.primary(within)))

    def guide(self) -> str:
        """Return the guide's window, once it is there and stays where it is."""
        return self.screen.settled(self.screen.window("Go back: notes"))

    def foot(self, guide: str) -> Box:
        """Return where the guide's buttons stand. While it is not painted the window shows through, buttons and all."""
        place = self.screen.place(guide)
        return Box(place.left, place.bottom - 70, place.right, place.bottom)

    def host(self) -> int:
        """Return the process of the Host, once it runs."""
        return wait_for(self._host)

    def _host(self) -> int | None:
        wanted = os.fsencode(self.command_line.home)
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    words = (entry / "cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if b"watch" in words and wanted in words:
                    return int(entry.name)
        return None

    def has_host(self) -> bool:
        """Tell whether a Host runs."""
        return self._host() is not None

    def signal_host(self, number: signal.Signals) -> None:
        """Send the Host a signal."""
        os.kill(self.host(), number)

    def loaded(self) -> set[str]:
        """Return the names of the libraries in the window's process, without versions."""
        assert self.process is not None
        maps = Path(f"/proc/{self.process.pid}/maps").read_text()
        files = {line.rpartition("/")[2] for line in maps.splitlines() if ".so" in line}
        return {word.removeprefix("_") for name in files for word in re.split(r"[-.\d]", name)[:1]}
