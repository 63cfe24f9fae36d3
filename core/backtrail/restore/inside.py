"""Who works in a folder that is about to be switched: by current folder, open files and shared mappings.

Owns looking at other processes. Never signals one, and never fails because one vanished. Folders are told by device and
inode, since a container or a bind mount shows other paths (case B19). Does not see processes that this user may not
inspect, threads with a current folder of their own, or paths longer than the kernel prints.
"""

import contextlib
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

import psutil

from backtrail.model.restore import Inside

_AGENTS = frozenset(
    {"claude", "codex", "gemini", "qwen", "opencode", "cursor-agent", "aider", "goose", "amp", "copilot", "cline"}
)
_PACKAGES = frozenset({"claude-code", "gemini-cli", "qwen-code", "opencode-ai"}) | _AGENTS
_PACKAGE_FOLDERS = frozenset({"node_modules", "site-packages", "dist-packages"})
_INTERPRETER = re.compile(r"(node|nodejs|bun|deno|python[\d.]*|pypy[\d.]*|uv|uvx|npx)(\.exe)?")
_SHARED_WRITABLE = re.compile(rb"^[0-9a-f]+-[0-9a-f]+ .w.s [0-9a-f]+ \S+ (\d+) +(/.*)$", re.MULTILINE)
_FLAGS = re.compile(rb"^flags:\s*([0-7]+)$", re.MULTILINE)
_HAS_PROC = sys.platform == "linux"


class _Sight:
    """Tells where the paths lie that processes of one mount namespace name.

    `begin` leads from our root folder to theirs; `shown` is how the kernel prints theirs, where that is not "/". What
    was asked once is remembered for the life of this value, which is one question.
    """

    def __init__(self, root: os.stat_result, begin: bytes = b"", shown: bytes = b"") -> None:
        self._root = (root.st_dev, root.st_ino)
        self._begin = begin
        self._shown = shown.rstrip(b"/") + b"/"
        self._known: dict[bytes, bytes | None] = {b"/": None}

    def is_root(self, seen: os.stat_result) -> bool:
        """Tell whether `seen` is the root folder itself, by whatever path it was reached."""
        return (seen.st_dev, seen.st_ino) == self._root

    def below(self, path: bytes) -> bytes | None:
        """Return where in the root `path` lies (b"" is the root itself), or None where it does not."""
        asked: list[bytes] = []
        here = path[len(self._shown) - 1 :] if path.startswith(self._shown) else path
        while here not in self._known and here.startswith(b"/"):
            with contextlib.suppress(OSError):
                if self.is_root(os.lstat(self._begin + here)):
                    self._known[here] = b""
                    break
            asked.append(here)
            here = os.path.dirname(here)
        found = self._known.get(here)
        for step in reversed(asked):
            if found is not None:
                found = os.path.join(found, os.path.basename(step))
            self._known[step] = found
        return found


def who_is_inside(root: bytes) -> tuple[Inside, ...]:
    """Return the processes whose current folder or open files lie in `root`, by process id; never our own.

    `writes` says that one holds a regular file there open for writing; a shell that merely stands there does not write.
    Where the system does not say how files were opened (macOS), `writes` is False.
    """
    seen = os.stat(root)
    ours = _Sight(seen)
    found = []
    for pid in sorted(psutil.pids()):
        if pid == os.getpid():
            continue
        with contextlib.suppress(OSError, psutil.Error):
            held = list(_held_in_proc(pid, _sight_of(pid, ours, seen)) if _HAS_PROC else _held_elsewhere(pid, ours))
            if held:
                found.append(Inside(pid, psutil.Process(pid).name(), writes=any(held)))
    return tuple(found)


def known_agents(inside: Iterable[Inside]) -> tuple[Inside, ...]:
    """Return those of `inside` that are known agent programs."""
    agents = []
    for process in inside:
        command: list[str] = []
        with contextlib.suppress(psutil.Error, OSError):
            command = psutil.Process(process.pid).cmdline()
        if is_known_agent(process.name, command):
            agents.append(process)
    return tuple(agents)


def is_known_agent(name: str, cmdline: Sequence[str]) -> bool:
    """Tell whether a process is a known coding agent, also where an interpreter runs it from a script or module."""
    if name in _AGENTS or (cmdline and _program(cmdline[0]) in _AGENTS):
        return True
    if not cmdline or not _INTERPRETER.fullmatch(PurePosixPath(cmdline[0]).name):
        return False
    script = next((argument for argument in cmdline[1:] if not argument.startswith("-")), "")
    if _program(script) in _AGENTS:
        return True
    parts = PurePosixPath(script).parts
    # only below a folder of installed packages: a person's own project may be called "amp"
    begin = next((place for place, part in enumerate(parts) if part in _PACKAGE_FOLDERS), len(parts))
    return not _PACKAGES.isdisjoint(parts[begin:])


def mapped_for_writing(root: bytes) -> tuple[bytes, ...]:
    """Return the sorted paths below `root` that some other or this process maps shared and writable.

    Writes through such a mapping may leave size and times as they were. Empty where the system does not tell.
    """
    if not _HAS_PROC:
        return ()
    seen = os.stat(root)
    ours = _Sight(seen)
    paths = set()
    for pid in psutil.pids():
        with contextlib.suppress(OSError):
            maps = Path(f"/proc/{pid}/maps").read_bytes()
            sight = _sight_of(pid, ours, seen)
            for inode, printed in set(_SHARED_WRITABLE.findall(maps)):
                # a line end in a name is printed as \012, and so is a name that really has these four characters
                for name in {printed, printed.replace(rb"\012", b"\n")}:
                    below = sight.below(name)
                    if below and _has_inode(path := os.path.join(root, below), int(inode)):
                        paths.add(path)
    return tuple(sorted(paths))


def _sight_of(pid: int, ours: _Sight, root: os.stat_result) -> _Sight:
    """Return how to look up the paths of a process: the kernel prints those of a container from its own root on."""
    same_mounts = os.readlink(f"/proc/{pid}/ns/mnt") == os.readlink("/proc/self/ns/mnt")
    begin = b"/proc/%d/root" % pid
    return ours if same_mounts else _Sight(root, begin, os.readlink(begin))


def _held_in_proc(pid: int, sight: _Sight) -> Iterator[bool]:
    """Yield, for the current folder and each open file in the root, whether it is open for writing."""
    base = b"/proc/%d" % pid
    with contextlib.suppress(OSError):
        if _leads_inside(base + b"/cwd", sight) or sight.is_root(os.stat(base + b"/cwd")):
            yield False
    try:
        numbers = os.listdir(base + b"/fd")
    except OSError:
        return
    for number in numbers:
        with contextlib.suppress(OSError):
            link = base + b"/fd/" + number
            if _leads_inside(link, sight):
                yield _is_open_for_writing(base + b"/fdinfo/" + number) and stat.S_ISREG(os.stat(link).st_mode)


def _leads_inside(link: bytes, sight: _Sight) -> bool:
    path = os.readlink(link)  # of a pipe or socket this is no path
    return path.startswith(b"/") and sight.below(path) is not None


def _is_open_for_writing(fdinfo: bytes) -> bool:
    with open(fdinfo, "rb") as file:
        flags = _FLAGS.search(file.read())
    mode = int(flags[1], 8) if flags else 0
    return mode & os.O_ACCMODE in {os.O_WRONLY, os.O_RDWR} and not mode & os.O_PATH


def _held_elsewhere(pid: int, sight: _Sight) -> Iterator[bool]:
    process = psutil.Process(pid)
    paths = [process.cwd(), *(file.path for file in process.open_files())]
    yield from (False for path in paths if sight.below(os.fsencode(path)) is not None)


def _program(argument: str) -> str:
    """Return the bare name of a program or script: no folder, no ending."""
    return re.sub(r"\.(exe|[cm]?js|py)$", "", PurePosixPath(argument).name)


def _has_inode(path: bytes, inode: int) -> bool:
    try:
        return os.lstat(path).st_ino == inode
    except OSError:
        return False
