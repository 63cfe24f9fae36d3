"""Two folders change places: atomically where the system can, else by renames that a kill cannot lose.

Owns the one moment at which a restore touches the live folder. Never follows a link at either name, never copies and
never removes anything but its own empty trial folders. Does not know which folder is the live one or what is in them,
keeps no journal, and does not handle folders on two file systems: the system refuses those, and so does this.
"""

import contextlib
import ctypes
import enum
import errno
import os
import platform
import re
import stat
import sys
import tempfile
from collections.abc import Callable
from typing import NamedTuple

import psutil

_RENAME_EXCHANGE = 2  # linux/fs.h
_RENAME_SWAP = 2  # sys/stdio.h of macOS
_RENAMEAT2 = {"x86_64": 316, "aarch64": 276, "riscv64": 276, "loongarch64": 276, "ppc64le": 357, "s390x": 347}
_CANNOT = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP})
_TRIAL = b".backtrail-trial-"


class Switch(enum.Enum):
    """How two folders changed places."""

    EXCHANGE = "exchange"
    TWO_RENAMES = "two-renames"


class Settled(enum.Enum):
    """What `settle_two_renames` found and did."""

    NOTHING_TO_DO = "nothing-to-do"
    PUT_BACK = "put-back"
    FINISHED = "finished"


class HalfDone(OSError):
    """A step failed and what went before it could not be undone either: look at what stands where, and settle that."""


class _Place(NamedTuple):
    """A name in an open folder."""

    parent: int
    name: bytes


def exchange(a: bytes, b: bytes, spare: bytes, *, force_two_renames: bool = False) -> Switch:
    """Let the folders `a` and `b` change places, and make that durable.

    `spare` is a free name on the same file system. It is used only where the kernel or the file system cannot
    exchange: `a` goes there, `b` to `a`, and then the spare to `b`. Until the second rename nothing is at `a`.

    Raises OSError, with both folders where they were (EXDEV: two file systems; EBUSY: a mount point, case B18;
    ENOTDIR: a link or a file stands at one of the names). Raises HalfDone where putting back failed as well.
    """
    with contextlib.ExitStack() as opened:
        at_a, at_b = _open_place(a, opened), _open_place(b, opened)
        for place, path in ((at_a, a), (at_b, b)):
            if not stat.S_ISDIR(os.lstat(place.name, dir_fd=place.parent).st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        how = Switch.TWO_RENAMES if force_two_renames else _exchange_names(at_a, at_b)
        if how is Switch.TWO_RENAMES:
            at_spare = _open_place(spare, opened)
            _by_renames(_free(at_spare, spare), at_a, at_b)
        try:
            _sync(at_a, at_b)
        except OSError as failure:
            _undo(failure, lambda: _again(how, at_a, at_b, spare))
            raise
        return how


def settle_two_renames(a: bytes, b: bytes, spare: bytes) -> Settled:
    """Leave no folder at `spare` after a kill between the renames of `exchange(a, b, spare)`.

    Nothing at `a`: what was there is put back. Something at `a` and nothing at `b`: the new folder stands at `a`
    already and people may have worked in it since, so the exchange is finished, never taken back.

    An empty folder that someone made at `a` meanwhile gives way. Raises OSError (ENOTEMPTY, ENOTDIR) and changes
    nothing where anything else stands in the way.
    """
    with contextlib.ExitStack() as opened:
        at_a, at_b, at_spare = (_open_place(path, opened) for path in (a, b, spare))
        if not _is_taken(at_spare):
            return Settled.NOTHING_TO_DO
        finish = _is_taken(at_a) and not _is_taken(at_b)
        _rename(at_spare, at_b if finish else at_a)
        _sync(at_a, at_b, at_spare)
        return Settled.FINISHED if finish else Settled.PUT_BACK


def can_exchange(parent: bytes) -> str | None:
    """Try with two empty folders whether folders below `parent` can change places; return the system's word if not.

    Makes and removes one hidden folder in `parent`. What a kill left of an earlier trial is swept. Says nothing about
    one folder in particular: a mount point, or a folder of an overlay's lower layer, is refused only by `exchange`.
    """
    _sweep_trials(parent)
    try:
        scratch = tempfile.mkdtemp(prefix=_TRIAL + b"%d-" % os.getpid(), dir=parent)
    except OSError as refusal:
        return os.strerror(refusal.errno or errno.EIO)
    a, b, spare = (os.path.join(scratch, name) for name in (b"a", b"b", b"spare"))
    try:
        os.mkdir(a)
        os.mkdir(b)
        exchange(a, b, spare)
    except OSError as refusal:
        return os.strerror(refusal.errno or errno.EIO)
    finally:
        _remove_trial(scratch)
    return None


def _open_place(path: bytes, opened: contextlib.ExitStack) -> _Place:
    """Open the folder that holds the name, before anything moves: what cannot be synced later is refused now."""
    parent, name = os.path.split(path)
    descriptor = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
    opened.callback(os.close, descriptor)
    return _Place(descriptor, name)


def _is_taken(place: _Place) -> bool:
    try:
        os.lstat(place.name, dir_fd=place.parent)
    except FileNotFoundError:
        return False
    return True


def _free(place: _Place, path: bytes) -> _Place:
    if _is_taken(place):  # rename(2) would silently replace an empty folder
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
    return place


def _rename(old: _Place, new: _Place) -> None:
    os.rename(old.name, new.name, src_dir_fd=old.parent, dst_dir_fd=new.parent)


def _by_renames(spare: _Place, a: _Place, b: _Place) -> None:
    done: list[tuple[_Place, _Place]] = []
    try:
        for old, new in ((a, spare), (b, a), (spare, b)):
            _rename(old, new)
            done.append((old, new))
    except OSError as failure:

        def put_back() -> None:
            for old, new in reversed(done):
                _rename(new, old)

        _undo(failure, put_back)
        raise


def _again(how: Switch, a: _Place, b: _Place, spare: bytes) -> None:
    """Exchange once more, in the way that worked a moment ago."""
    if how is Switch.EXCHANGE:
        _exchange_names(a, b)
        return
    with contextlib.ExitStack() as opened:
        _by_renames(_open_place(spare, opened), a, b)


def _undo(failure: OSError, put_back: Callable[[], None]) -> None:
    try:
        put_back()
    except OSError as second:
        raise HalfDone(second.errno, second.strerror) from failure


def _sync(*places: _Place) -> None:
    for parent in {place.parent for place in places}:
        try:
            os.fsync(parent)
        except OSError as refusal:
            if refusal.errno not in _CANNOT:  # some file systems have no fsync for folders
                raise


def _exchange_names(a: _Place, b: _Place) -> Switch:
    """Exchange two names atomically. Returns TWO_RENAMES, nothing done, where the system does not know how."""
    libc = ctypes.CDLL(None, use_errno=True)
    places = (a.parent, a.name, b.parent, b.name)
    if sys.platform == "darwin":
        failed = libc.renameatx_np(*places, ctypes.c_uint(_RENAME_SWAP)) != 0
    elif hasattr(libc, "renameat2"):
        failed = libc.renameat2(*places, ctypes.c_uint(_RENAME_EXCHANGE)) != 0
    elif sys.platform == "linux" and sys.maxsize > 1 << 32 and platform.machine() in _RENAMEAT2:
        # a variadic call: each number must fill a register
        whole = [ctypes.c_long(part) if isinstance(part, int) else part for part in (*places, _RENAME_EXCHANGE)]
        failed = libc.syscall(ctypes.c_long(_RENAMEAT2[platform.machine()]), *whole) != 0
    else:
        return Switch.TWO_RENAMES
    if not failed:
        return Switch.EXCHANGE
    code = ctypes.get_errno()
    if code in _CANNOT:
        return Switch.TWO_RENAMES
    raise OSError(code, os.strerror(code), a.name, None, b.name)


def _sweep_trials(parent: bytes) -> None:
    """Remove trials whose process is gone. Only empty folders can go: nothing of anyone is lost."""
    try:
        names = os.listdir(parent)
    except OSError:
        return
    for name in names:
        owner = re.fullmatch(re.escape(_TRIAL) + rb"(\d+)-.*", name, re.DOTALL)
        if owner and not psutil.pid_exists(int(owner[1])):
            _remove_trial(os.path.join(parent, name))


def _remove_trial(scratch: bytes) -> None:
    for folder in (b"a", b"b", b"spare", b""):
        with contextlib.suppress(OSError):
            os.rmdir(os.path.join(scratch, folder) if folder else scratch)
