"""A small real desktop: an X server without hardware, a window manager, a keyboard and a mouse; and what is seen on it.

Owns its processes and ends each by its own id; where `setpriv` is there, they also go when the tests are killed. What
stands on the screen is found by its colour: no program of ours tells the test where it is.
"""

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Self, TypeVar

import pytest

PROGRAMS = {
    "Xvfb": "xvfb",
    "openbox": "openbox",
    "xdotool": "xdotool",
    "import": "imagemagick",
    "xwininfo": "x11-utils",
}
PATIENCE_S = 30.0
T = TypeVar("T")


def need_screen() -> None:
    """Skip where a program of the desktop is missing, by its name; fail where CI is set, so that nobody is fooled."""
    missing = [f"{name} (apt: {package})" for name, package in PROGRAMS.items() if shutil.which(name) is None]
    if missing:
        told = f"no desktop to test on: {', '.join(missing)}"
        if os.environ.get("CI"):
            pytest.fail(told, pytrace=False)
        pytest.skip(told)


def wait_for(
    what: Callable[[], T | None], patience_s: float = PATIENCE_S, instead: Callable[[], object] = lambda: ""
) -> T:
    """Return what is there, once it is. instead: tells what is there when it never came."""
    until = time.monotonic() + patience_s
    while True:
        found = what()
        if found:
            return found
        assert time.monotonic() < until, f"it never came {instead()}"
        os.sched_yield()


class Box(NamedTuple):
    """A part of the screen, in pixels; right and bottom are inside."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def middle(self) -> tuple[int, int]:
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2


class Picture:
    """What was on the screen."""

    def __init__(self, ppm: bytes) -> None:
        kind, size, depth, self._pixels = ppm.split(b"\n", 3)
        assert (kind, depth) == (b"P6", b"255")
        self.width, self.height = (int(word) for word in size.split())

    def at(self, x: int, y: int) -> str:
        """Return the colour of a pixel."""
        begin = 3 * (y * self.width + x)
        return "#" + self._pixels[begin : begin + 3].hex()

    def boxes(self, colour: str, *, width: int, height: int, within: Box | None = None) -> list[Box]:
        """Return where lines of at least `width` pixels of a colour stand on top of each other, `height` at least."""
        run = bytes.fromhex(colour[1:]) * width
        area = within or Box(0, 0, self.width - 1, self.height - 1)
        found: list[Box] = []
        box: Box | None = None
        for y in range(area.top, area.bottom + 2):
            line = self._line(y, area) if y <= area.bottom else b""
            at = _aligned(line, run)
            if at is None:
                if box is not None and box.bottom - box.top + 1 >= height:
                    found.append(box)
                box = None
                continue
            left, right = area.left + at, area.left + at + width - 1
            while right < area.right and self.at(right + 1, y) == colour:
                right += 1
            box = Box(left, y, right, y) if box is None else Box(min(box.left, left), box.top, max(box.right, right), y)
        return found

    def _line(self, y: int, area: Box) -> bytes:
        begin = 3 * (y * self.width + area.left)
        return self._pixels[begin : begin + 3 * (area.right - area.left + 1)]


def _aligned(line: bytes, run: bytes) -> int | None:
    at = line.find(run)
    while at >= 0 and at % 3:
        at = line.find(run, at + 1)
    return at // 3 if at >= 0 else None


class Screen:
    """The desktop. environment: for programs that are to be seen on it."""

    def __init__(self, place: Path, size: str = "1400x900") -> None:
        place.mkdir(parents=True)
        self._place, self._size = place, size
        self._started: list[subprocess.Popen[bytes]] = []
        (place / "config").mkdir()
        left_out = ("GIT_", "XDG_", "QT_", "DBUS_", "WAYLAND_", "DISPLAY", "BACKTRAIL_")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
        self.environment |= {
            "HOME": str(place),
            "XDG_CONFIG_HOME": str(place / "config"),
            "LC_ALL": "C.UTF-8",
            "NO_AT_BRIDGE": "1",
        }

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End everything, last started first."""
        for process in reversed(self._started):
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE_S)
            process.kill()
            process.wait()
        self._started.clear()

    def start(self, *arguments: str, pass_fds: tuple[int, ...] = ()) -> "subprocess.Popen[bytes]":
        """Start a program on it."""
        tied = ("setpriv", "--pdeathsig", "KILL", "--") if shutil.which("setpriv") else ()
        with (self._place / f"{Path(arguments[0]).name}.log").open("ab") as log:
            process = subprocess.Popen(
                (*tied, *arguments),
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=pass_fds,
                start_new_session=True,
            )
        self._started.append(process)
        return process

    def told(self, name: str) -> str:
        """Return what a program said on its terminal."""
        return (self._place / f"{name}.log").read_text(errors="replace")

    def picture(self, window: str = "root") -> Picture:
        """Look at the screen."""
        return Picture(self._ask("import", "-silent", "-window", window, "-depth", "8", "ppm:-"))

    def keep_picture(self, name: str, window: str) -> None:
        """Keep a picture of a window as an artefact, where somebody wants artefacts."""
        if folder := os.environ.get("BACKTRAIL_SCREENSHOTS"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            self._ask("import", "-silent", "-window", window, str(Path(folder, f"{name}.png")))

    def window(self, title: str) -> str:
        """Return the window whose title matches, once it is there."""
        return wait_for(lambda: self._found(title))

    def has_window(self, title: str) -> bool:
        """Tell whether a window stands there whose title matches."""
        return bool(self._found(title))

    def title(self, window: str) -> str:
        """Return a window's title."""
        return self._ask("xdotool", "getwindowname", window).decode().strip()

    def place(self, window: str) -> Box:
        """Return where a window's content stands."""
        told = self._ask("xwininfo", "-id", window).decode()  # xdotool counts the frame twice
        facts = dict(line.strip().split(":", 1) for line in told.splitlines() if ":" in line)
        left, top = int(facts["Absolute upper-left X"]), int(facts["Absolute upper-left Y"])
        return Box(left, top, left + int(facts["Width"]) - 1, top + int(facts["Height"]) - 1)

    def resize(self, window: str, width: int, height: int) -> None:
        """Give a window a size, and its place at the top left."""
        self._ask("xdotool", "windowsize", "--sync", window, str(width), str(height))
        self._ask("xdotool", "windowmove", window, "20", "30")

    def settled(self, window: str) -> str:
        """Return a window once it has the keyboard and the window manager has put it where it stays."""
        stood = [self.place(window)]

        def stays() -> bool:
            stood.append(self.place(window))
            return self.is_active(window) and stood[-1] == stood[-2]

        wait_for(stays)
        return window

    def is_active(self, window: str) -> bool:
        """Tell whether the keyboard is a window's; it may be nobody's."""
        found = subprocess.run(
            ["xdotool", "getactivewindow"], env=self.environment, capture_output=True, check=False, timeout=60
        )
        return found.stdout.decode().strip() == window

    def press(self, *keys: str) -> None:
        """Press keys on the keyboard, one after the other."""
        self._ask("xdotool", "key", *keys)

    def click(self, place: tuple[int, int], *, twice: bool = False) -> None:
        """Click with the mouse."""
        x, y = place
        self._ask("xdotool", "mousemove", str(x), str(y), "click", *(("--repeat", "2") if twice else ()), "1")

    def _found(self, title: str) -> str:
        found = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", title],
            env=self.environment,
            capture_output=True,
            check=False,
        )
        return found.stdout.decode().split("\n")[0]

    def _ask(self, *arguments: str) -> bytes:
        return subprocess.run(arguments, env=self.environment, capture_output=True, check=True, timeout=60).stdout

    def _start(self) -> None:
        number = self._told_number(
            "Xvfb", "-screen", "0", f"{self._size}x24", "-nolisten", "tcp", "-noreset", "-displayfd"
        )
        self.environment["DISPLAY"] = f":{number}"
        self.start("openbox", "--sm-disable")
        wait_for(lambda: b"window id" in self._ask("xprop", "-root", "_NET_SUPPORTING_WM_CHECK"))

    def _told_number(self, *arguments: str) -> str:
        """Start a program that says a number once it is ready."""
        ready, there = os.pipe()
        self.start(*arguments, str(there), pass_fds=(there,))
        os.close(there)
        with os.fdopen(ready) as said:
            number = said.readline().strip()
        assert number, self.told(arguments[0])
        return number
