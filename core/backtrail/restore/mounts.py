"""Where other file systems are mounted, and how much room there is.

Owns reading the kernel's mount table. Never mounts or unmounts. `st_dev` and `os.path.ismount` do not see bind mounts
of the same file system; the table does. Does not handle mounts that only another process's namespace has: a rename
does not meet those.
"""

import os
import re
import sys
from pathlib import Path

import msgspec
import psutil

_TABLE = Path("/proc/self/mountinfo")
_OCTAL = re.compile(rb"\\([0-7]{3})")
_ROOT, _POINT, _OPTIONAL = 3, 4, 6  # places of the fields, see proc_pid_mountinfo(5)


class Mount(msgspec.Struct, frozen=True):
    """One mount: where it is, what part of its file system it shows, and of which type that is."""

    point: bytes
    shows: bytes
    file_system: bytes


def parse_mountinfo(data: bytes) -> tuple[Mount, ...]:
    r"""Return the mounts of a table in the format of proc_pid_mountinfo(5), in its order.

    Blanks, tabs, line ends, backslashes and `#` in names are written there as `\ooo`. Lines that are not complete are
    left out.
    """
    mounts = []
    for line in data.split(b"\n"):  # a carriage return may be part of a name
        fields = line.split(b" ")
        if b"-" not in fields[_OPTIONAL:-1]:
            continue
        separator = fields.index(b"-", _OPTIONAL)
        mounts.append(Mount(_plain(fields[_POINT]), _plain(fields[_ROOT]), _plain(fields[separator + 1])))
    return tuple(mounts)


def mounts_at_or_below(root: bytes) -> tuple[bytes, ...]:
    """Return the sorted mount points that are `root` or lie below it; bind mounts are among them (case B18)."""
    real = os.path.realpath(root)
    below = real.rstrip(b"/") + b"/"
    return tuple(sorted({point for point in _mount_points() if point == real or point.startswith(below)}))


def free_bytes(path: bytes) -> int:
    """Return how many bytes this user may still write on the file system of `path`."""
    room = os.statvfs(path)
    return room.f_bavail * room.f_frsize


def same_device(a: bytes, b: bytes) -> bool:
    """Tell whether both paths lie on one file system, as far as `st_dev` shows it (case B20)."""
    return os.stat(a).st_dev == os.stat(b).st_dev


def _mount_points() -> list[bytes]:
    if sys.platform == "linux":
        return [mount.point for mount in parse_mountinfo(_TABLE.read_bytes())]
    return [os.fsencode(partition.mountpoint) for partition in psutil.disk_partitions(all=True)]


def _plain(field: bytes) -> bytes:
    return _OCTAL.sub(lambda match: bytes([int(match[1], 8) & 0xFF]), field)
