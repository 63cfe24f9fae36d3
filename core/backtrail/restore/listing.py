"""A listing of a whole folder, Git folder included, that tells later whether anything in it moved.

Owns the walk by directory descriptors that never follows a link and so never leaves the folder, and the listing it
gives. Never reads what is in a file. Does not handle a write that leaves size and all times as they were, as a shared
mapping can: such files are hashed by the scan. Git objects are left out: they are content-addressed and the copy
checks them.
"""

import contextlib
import enum
import errno
import hashlib
import os
import stat
import sys
from types import TracebackType
from typing import Self

import msgspec
from isal import isal_zlib

from backtrail.git.refs import fsync_folder

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_KEPT = 32
_ENCODING, _ERRORS = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()  # os.fsencode, unrolled
_OURS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
_REPLACED = frozenset({errno.ENOTDIR, errno.ELOOP})


def open_folder(name: bytes, parent: int | None = None) -> int:
    """Open a folder by an absolute path, or by a name in the open folder `parent`.

    Raises OSError; ENOTDIR or ELOOP where something else stands at the name, a link to a folder included.
    """
    return os.open(name, _FOLDER, dir_fd=parent)


def open_below(root: int, path: bytes) -> int:
    """Open the folder at `path` (relative, b"" is the root itself) part by part; no part may be a link (case B25)."""
    with Descent(os.dup(root)) as way:
        for name in path.split(b"/") if path else ():
            way.enter(name)
        return os.dup(way.fd)


class Descent:
    """The way from an open folder down to one below it, and back.

    Each folder is opened by its name in the one above, never through a link. Of the folders on the way only the root
    and the last few stay open, so that depth costs no descriptors; the others are opened again by name on the way back.
    The root's descriptor is closed with the rest.
    """

    def __init__(self, root: int) -> None:
        self._names: list[bytes] = []
        self._open: list[int | None] = [root]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._open:
            self._close_last()

    @property
    def fd(self) -> int:
        """The descriptor of the folder that the way has come to."""
        here = self._open[-1]
        if here is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), b"/".join(self._names))
        return here

    def enter(self, name: bytes) -> int:
        """Go down to the folder `name` and return its descriptor. Raises OSError and stays where it is."""
        descriptor = os.open(name, _FOLDER, dir_fd=self.fd)
        self._open.append(descriptor)
        self._names.append(name)
        if len(self._names) > _KEPT:
            self._let_go(len(self._names) - _KEPT)
        return descriptor

    def leave(self) -> bool:
        """Go back up one folder. False when that one is no longer where it was; then only leaving again is possible."""
        self._close_last()
        self._names.pop()
        return self._open[-1] is not None or self._open_again()

    def _open_again(self) -> bool:
        for level, name in enumerate(self._names, start=1):
            try:
                self._open[level] = open_folder(name, self._open[level - 1])
            except OSError as error:
                if error.errno in _OURS:
                    raise
                return False
            self._let_go(level - 1 if level < len(self._names) - _KEPT else 0)
        return True

    def _let_go(self, level: int) -> None:
        """Close one folder of the way that is not the root."""
        if level > 0:
            descriptor = self._open[level]
            self._open[level] = None
            if descriptor is not None:
                os.close(descriptor)

    def _close_last(self) -> None:
        descriptor = self._open.pop()
        if descriptor is not None:
            os.close(descriptor)


class Kind(enum.StrEnum):
    """What stands at a path."""

    FILE = "file"
    LINK = "link"
    FOLDER = "folder"
    UNREADABLE = "unreadable"
    OTHER = "other"


class Listed(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """One path of a listing. Times in nanoseconds; `mode` with the type bits.

    Folders carry kind and mode only: each lock file that comes and goes changes their times.
    """

    kind: Kind
    mode: int = 0
    size: int = 0
    mtime_ns: int = 0
    ctime_ns: int = 0
    ino: int = 0


_KINDS = {stat.S_IFREG: Kind.FILE, stat.S_IFLNK: Kind.LINK}
_OTHER = Kind.OTHER
_TYPE = 0o170000
_EXISTS = Listed(Kind.FILE)


class Listing(msgspec.Struct, frozen=True):
    """Every path below a folder (relative; b"" is the folder itself).

    It holds when the folder is renamed or exchanged as a whole: that changes the ctime of the folder alone.
    """

    entries: dict[bytes, Listed]

    def digest(self) -> str:
        """Return 64 hex digits that are equal for equal listings, however they were walked."""
        return hashlib.sha256(msgspec.msgpack.encode(sorted(self.entries.items()))).hexdigest()

    def moved(self, other: "Listing") -> tuple[bytes, ...]:
        """Return the sorted paths that came, went or are not the same in `other`."""
        mine, theirs = self.entries, other.entries
        return tuple(sorted(path for path in mine.keys() | theirs.keys() if mine.get(path) != theirs.get(path)))

    def save(self, path: bytes) -> None:
        """Write the listing to the file `path` as a whole and durably, or raise OSError."""
        data = isal_zlib.compress(msgspec.msgpack.encode(self.entries), 1)
        temporary = path + b".new"
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        fsync_folder(os.path.dirname(path))

    @classmethod
    def load(cls, path: bytes) -> "Listing":
        """Read a listing that `save` wrote. Raises OSError, or ValueError where the file is damaged."""
        with open(path, "rb") as file:
            data = file.read()
        try:
            return cls(msgspec.msgpack.decode(isal_zlib.decompress(data), type=dict[bytes, Listed]))
        except (isal_zlib.IsalError, msgspec.MsgspecError) as damage:  # type: ignore[misc] # its stub has an instance
            raise ValueError(path) from damage


def take_listing(root: bytes, git_dir: bytes | None) -> Listing:
    """List the folder `root`. `git_dir` is the absolute path of its Git folder, if it has one.

    What vanishes during the walk is not listed. A folder that cannot be read is listed as UNREADABLE. Raises OSError
    where `root` itself cannot be opened or this process lacks descriptors or memory.
    """
    entries: dict[bytes, Listed] = {}
    top = root.rstrip(b"/") + b"/"
    git = git_dir.removeprefix(top) + b"/" if git_dir is not None and git_dir.startswith(top) else None
    objects = git + b"objects" if git is not None else None
    pending: list[tuple[bytes, list[bytes]]] = []
    with Descent(open_folder(root)) as way:
        entries[b""] = _listed_folder(way.fd)
        pending.append((b"", _list_files(way.fd, b"", entries, git)))
        while pending:
            above, names = pending[-1]
            if not names:
                pending.pop()
                while pending and not way.leave():
                    pending.pop()
                continue
            name = names.pop()
            path = above + name
            try:
                descriptor = way.enter(name)
            except OSError as error:
                _list_unopened(way.fd, name, path, error, entries)
                continue
            entries[path] = _listed_folder(descriptor)
            below = path + b"/"
            # Objects come by the thousand with each commit, gc and fetch; the copy checks and links them apart.
            pending.append((below, [] if path == objects else _list_files(descriptor, below, entries, git)))
    return Listing(entries)


def _list_files(folder: int, above: bytes, entries: dict[bytes, Listed], git: bytes | None) -> list[bytes]:
    """List what is not a folder, and return the names of the folders."""
    folders = []
    told = listed  # a local name: this is the innermost loop
    in_git = git is not None and above.startswith(git)
    try:
        with os.scandir(folder) as found:
            for entry in found:
                name = entry.name.encode(_ENCODING, _ERRORS)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(name)
                    continue
                if in_git and _comes_and_goes(name):
                    continue
                try:
                    seen = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                entries[above + name] = _EXISTS if in_git and _is_index(above + name, git) else told(seen)
    except FileNotFoundError:
        pass
    except OSError as error:
        if error.errno in _OURS:
            raise
        entries[above[:-1]] = Listed(Kind.UNREADABLE, os.fstat(folder).st_mode)
    return folders


def _list_unopened(folder: int, name: bytes, path: bytes, error: OSError, entries: dict[bytes, Listed]) -> None:
    """List what was a folder a moment ago and could not be opened as one."""
    if error.errno in _OURS:
        raise error
    with contextlib.suppress(FileNotFoundError):
        try:
            seen = os.lstat(name, dir_fd=folder)
        except PermissionError:  # the folder above may be listed and not entered
            entries[path] = Listed(Kind.UNREADABLE)
            return
        entries[path] = listed(seen) if error.errno in _REPLACED else Listed(Kind.UNREADABLE, seen.st_mode)


def listed(seen: os.stat_result) -> Listed:
    """Return what a listing says of one path that is not a folder."""
    mode = seen.st_mode
    return Listed(_KINDS.get(mode & _TYPE, _OTHER), mode, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)


def _listed_folder(descriptor: int) -> Listed:
    return Listed(Kind.FOLDER, os.fstat(descriptor).st_mode)


def _comes_and_goes(name: bytes) -> bool:
    """Tell a file of the Git folder that only says that Git is at work; the plan asks about those by itself."""
    return name.endswith(b".lock") or name == b"gc.pid"


def _is_index(path: bytes, git: bytes | None) -> bool:
    """Tell the index, and the shared part of a split one.

    `git status` rewrites the one and freshens the other at will. The content token compares what is in them; only that
    they exist is kept here.
    """
    return git is not None and (path == git + b"index" or path.startswith(git + b"sharedindex."))
