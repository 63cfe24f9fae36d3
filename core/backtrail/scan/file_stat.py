"""What of a stat tells that a file, or the list of names in a folder, is as it was.

Owns which fields those are, and how old they must be: within two seconds of a change another one may leave them as they
are. A write through a shared mapping may leave all of them as they were; that is for those who look for open files.
"""

import os

RACY_NS = 2_000_000_000

CachedStat = tuple[int, int, int, int, int]
"""Size in bytes, mtime and ctime in nanoseconds, inode, mode."""

FolderStat = tuple[int, int, int, int, int]
"""Device, inode, mode, mtime and ctime in nanoseconds."""


def cached_stat(status: os.stat_result) -> CachedStat:
    """Return what two reads of an unchanged file share."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_mode


def folder_stat(status: os.stat_result) -> FolderStat:
    """Return what stays as it is while no name comes to a folder or goes."""
    return status.st_dev, status.st_ino, status.st_mode, status.st_mtime_ns, status.st_ctime_ns
