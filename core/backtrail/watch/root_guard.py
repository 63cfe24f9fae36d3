"""Whether the root is still the folder that was watched, and what became of it if not.

Owns one stat, and the mount table when that stat disappoints. Device and inode are hints, never identity: another
folder at the path is called replaced, and those who know the memory's refs decide (btrfs renumbers devices at each
mount). A folder that was deleted while some process still stands in it looks moved.
"""

import os
import stat

import psutil

from backtrail.model.watching import Unreachable, UnreachableReason

SILENT_TYPES = frozenset(
    {
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "drvfs",
        "fuse.davfs",
        "fuse.glusterfs",
        "fuse.gvfsd-fuse",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "fuse.vmhgfs-fuse",
        "gfs2",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "ocfs2",
        "prl_fs",
        "smb3",
        "smbfs",
        "vboxsf",
        "virtiofs",
    }
)
"""File systems on which others write without an event reaching this machine (case B68)."""


class RootGuard:
    """Remembers which folder stood at `path`. A symlink at `path` counts as what it points to now."""

    def __init__(self, path: bytes) -> None:
        self._path = path
        self._identity: tuple[int, int] | None = None
        self._mount: tuple[bytes, str] = (b"/", "")
        self._disowned = False
        self._became: UnreachableReason | None = None

    @property
    def file_system(self) -> str:
        """The type of the file system that the root was on, empty if not known."""
        return self._mount[1]

    def meet(self) -> bytes:
        """Take what stands at the path now for the root, and return its resolved path. Raises OSError."""
        real = os.path.realpath(self._path, strict=True)
        self._identity = _identity(real)
        self._mount = _mount_of(real)
        self._disowned = False
        self._became = None
        return real

    def check(self, *, lost: bool, held: bool) -> Unreachable | None:
        """Return what is wrong, None if the root is there as it was or was never met.

        lost: the folder that was watched has ceased to exist. held: it is still being watched.
        """
        try:
            present = _identity(self._path)
        except FileNotFoundError:
            present = None
        except OSError as error:
            return Unreachable(UnreachableReason.UNREADABLE, error.strerror or "")
        if present is not None and self._identity is None:
            return None
        if present is not None and present == self._identity and not lost and not self._disowned:
            return None
        self._became = self._what_became(present, lost=lost, held=held)
        return Unreachable(self._became)

    def _what_became(self, present: tuple[int, int] | None, *, lost: bool, held: bool) -> UnreachableReason:
        if self._unmounted():
            return UnreachableReason.UNMOUNTED
        self._disowned |= lost  # the inode number of a deleted folder is given to the next one
        if present is not None:
            return UnreachableReason.REPLACED
        if held:
            return UnreachableReason.GONE if lost else UnreachableReason.MOVED
        return UnreachableReason.MOVED if self._became is UnreachableReason.MOVED else UnreachableReason.GONE

    def _unmounted(self) -> bool:
        return self._identity is not None and self._mount[1] != "" and self._mount not in _mounts()


def _identity(path: bytes) -> tuple[int, int]:
    status = os.stat(path)
    if not stat.S_ISDIR(status.st_mode):
        raise FileNotFoundError(path)
    return status.st_dev, status.st_ino


def _mounts() -> list[tuple[bytes, str]]:
    return [(os.fsencode(mount.mountpoint), mount.fstype) for mount in psutil.disk_partitions(all=True)]


def _mount_of(path: bytes) -> tuple[bytes, str]:
    """Return mount point and type of the file system of `path`; of two at one point the later hides the other."""
    best = (b"/", "")
    for point, file_system in _mounts():
        inside = path == point or path.startswith(point.rstrip(b"/") + b"/")
        if inside and len(point) >= len(best[0]):
            best = (point, file_system)
    return best
