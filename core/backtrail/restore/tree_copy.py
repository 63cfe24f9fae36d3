"""Copies whole folders by directory descriptors, following nothing.

Owns the two descents in step and the report of what was not copied. Files that are one by hard links become several.
What changes while it is read is copied torn: the listing tells that later. How one file is copied is `file_copy`'s.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Callable

import msgspec

from backtrail.restore.file_copy import (
    NotCopied,
    Why,
    copy_file,
    copy_xattrs,
    finish,
    ignore_bytes,
    reading_source,
)
from backtrail.restore.listing import Descent, open_folder
from backtrail.restore.unlocking import open_parent, open_unlocked, unlock

_OWNER = stat.S_IRWXU


class CopyReport(msgspec.Struct, frozen=True):
    """What `copy_tree` did. Paths are relative to the source; `files` and `bytes` count what was copied."""

    not_copied: tuple[tuple[bytes, Why], ...]
    files: int
    bytes: int


def copy_tree(
    src: bytes,
    dst: bytes,
    *,
    skip: Callable[[bytes], bool] | None = None,
    on_bytes: Callable[[int], None] = ignore_bytes,
) -> CopyReport:
    """Copy the folder `src` to `dst`, which is made where it is missing and added to where it is a folder.

    `skip` is asked with each path relative to `src`; what it holds for is neither copied nor reported, and a folder is
    not entered. Folders get their modes and times after their content. What vanishes or cannot be read is reported.

    Raises NotCopied where `src` itself cannot be opened, OSError where writing fails; what was copied then stays.
    """
    return _TreeCopy(skip, on_bytes).run(src, dst)


class _TreeCopy:
    """One run of `copy_tree`: two descents in step, and what came of it."""

    def __init__(self, skip: Callable[[bytes], bool] | None, on_bytes: Callable[[int], None]) -> None:
        self._skip = skip
        self._on_bytes = on_bytes
        self._not_copied: list[tuple[bytes, Why]] = []
        self._files = 0
        self._bytes = 0

    def run(self, src: bytes, dst: bytes) -> CopyReport:
        with contextlib.ExitStack() as opened:
            with reading_source():
                source = opened.enter_context(Descent(open_folder(src)))
            parent, name = open_parent(dst, opened)
            _make_folder(name, parent)
            self._copy_below(source, opened.enter_context(open_unlocked(name, parent)))
        return CopyReport(tuple(self._not_copied), self._files, self._bytes)

    def _copy_below(self, source: Descent, target: Descent) -> None:
        levels = [self._copy_level(source.fd, target.fd, b"")]
        while True:
            above, folders, seen = levels[-1]
            if folders:
                name = folders.pop()
                if self._enter(source, target, name, above + name):
                    levels.append(self._copy_level(source.fd, target.fd, above + name + b"/"))
                continue
            with contextlib.suppress(FileNotFoundError):  # the source was moved away: its attributes went with it
                copy_xattrs(source.fd, target.fd)
            finish(target.fd, seen)
            levels.pop()
            if not levels:
                return
            if not target.leave():
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), levels[-1][0])
            if not source.leave():
                above, folders, _ = levels[-1]
                self._not_copied += ((above + name, Why.VANISHED) for name in folders)
                folders.clear()

    def _enter(self, source: Descent, target: Descent, name: bytes, path: bytes) -> bool:
        try:
            with reading_source():
                source.enter(name)
        except NotCopied as refusal:
            self._not_copied.append((path, refusal.why))
            return False
        _make_folder(name, target.fd)
        target.enter(name)
        return True

    def _copy_level(self, source: int, target: int, above: bytes) -> tuple[bytes, list[bytes], os.stat_result]:
        """Copy what is not a folder; return the level: its path, the names of its folders, its own stat."""
        seen = os.fstat(source)
        folders: list[bytes] = []
        found: list[tuple[bytes, bool]] = []
        try:
            with reading_source(), os.scandir(source) as entries:
                found.extend((os.fsencode(entry.name), entry.is_dir(follow_symlinks=False)) for entry in entries)
        except NotCopied as refusal:
            self._not_copied.append((above[:-1], refusal.why))
        for name, is_folder in found:
            path = above + name
            if self._skip is not None and self._skip(path):
                continue
            if is_folder:
                folders.append(name)
                continue
            try:
                self._bytes += copy_file(source, name, target, name, self._on_bytes)
                self._files += 1
            except NotCopied as refusal:
                self._not_copied.append((path, refusal.why))
        return above, folders, seen


def _make_folder(name: bytes, parent: int) -> None:
    try:
        os.mkdir(name, _OWNER, dir_fd=parent)
    except FileExistsError:
        unlock(name, parent)
