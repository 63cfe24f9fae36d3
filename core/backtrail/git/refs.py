"""Reading refs, and writing our own.

Owns creating and removing refs below `refs/botharness/`. They are written by us and not by libgit2, which would write a
reflog under `core.logAllRefUpdates=always`, nor by git, which would run the `reference-transaction` hook. Never touches
any other ref.
"""

import binascii
import contextlib
import errno
import os
import re

from backtrail.git.small_file import read_small
from backtrail.model.errors.repository import RepositoryDamaged
from backtrail.model.ids import Oid, oid_from_hex

_OURS = b"refs/botharness/"
_LOCK = b".lock"
_HEX = re.compile(rb"[0-9a-f]{40}")
_PACKED = re.compile(rb"^([0-9a-f]{40}) ([^\n]*)", re.MULTILINE)
_DEEPEST_SYMREF = 5
_TRIES = 20


def read_ref(common_dir: bytes, name: bytes, depth: int = 0) -> Oid | None:
    """Return the commit that a ref names, loose before packed, through symbolic refs; None if there is none.

    Raises RepositoryDamaged where the ref is there and cannot be read, or names nothing.
    """
    raw = read_small(os.path.join(common_dir, name))
    if raw is None:
        return packed_refs(common_dir).get(name)
    raw = raw.strip()
    if raw.startswith(b"ref:"):
        return read_ref(common_dir, raw[4:].strip(), depth + 1) if depth < _DEEPEST_SYMREF else None
    if not _HEX.fullmatch(raw):
        raise RepositoryDamaged(common_dir, os.fsdecode(name), "it names no commit")
    return oid_from_hex(raw.decode("ascii"))


def packed_refs(common_dir: bytes) -> dict[bytes, Oid]:
    """Return what the file packed-refs names."""
    content = read_small(os.path.join(common_dir, b"packed-refs")) or b""
    return {name: Oid(binascii.unhexlify(oid)) for oid, name in _PACKED.findall(content)}


def refs_below(common_dir: bytes, prefix: bytes) -> dict[bytes, Oid]:
    """Return every ref whose name begins with `prefix` (which ends with a slash), by full name.

    Loose ones are read before the packed: `git pack-refs` moves them the other way, and none may fall in between.
    """
    found: dict[bytes, Oid] = {}
    for folder, _, files in os.walk(os.path.join(common_dir, prefix.rstrip(b"/")), onerror=_refuse_unreadable):
        place = os.path.join(folder, b"")
        for file in files:
            if file.endswith(_LOCK):
                continue
            raw = (read_small(place + file) or b"").strip()
            name = place[len(common_dir) :].lstrip(b"/") + file
            if raw.startswith(b"ref:"):
                if (oid := read_ref(common_dir, name)) is not None:
                    found[name] = oid
            elif _HEX.fullmatch(raw):  # a broken ref of somebody else's holds nothing up
                found[name] = oid_from_hex(raw.decode("ascii"))
    packed = {name: oid for name, oid in packed_refs(common_dir).items() if name.startswith(prefix)}
    return packed | found


def _refuse_unreadable(error: OSError) -> None:
    """Raise for a folder of refs that may not be read; one that has just been emptied by git is no error."""
    if not isinstance(error, FileNotFoundError):
        raise RepositoryDamaged(os.fsencode(error.filename), "refs", error.strerror or str(error)) from error


def create_ref(common_dir: bytes, name: bytes, oid: Oid) -> None:
    """Write the new ref `name`, durably. Raises FileExistsError if it exists, OSError if the disk refuses."""
    if not name.startswith(_OURS):
        raise ValueError(name)
    path = os.path.join(common_dir, name)
    descriptor = _open_lock(common_dir, name)
    lock = path + _LOCK
    try:
        with os.fdopen(descriptor, "wb") as file:
            if os.path.lexists(path) or name in packed_refs(common_dir):
                raise FileExistsError(path)
            file.write(oid.hex().encode() + b"\n")
            file.flush()
            os.fsync(descriptor)
        os.rename(lock, path)
    except BaseException:
        os.unlink(lock)
        raise
    fsync_folder(os.path.dirname(path))


def _open_lock(common_dir: bytes, name: bytes) -> int:
    """Create the lock file of a ref; git removes empty ref folders at any moment, so try again."""
    path = os.path.join(common_dir, name)
    for attempt in range(_TRIES):
        folder = os.path.dirname(path)
        os.makedirs(folder, exist_ok=True)
        if os.path.realpath(folder) != os.path.join(os.path.realpath(common_dir), os.path.dirname(name)):
            raise OSError(errno.ELOOP, "a link leads out of the folder of refs", folder)
        try:
            return os.open(path + _LOCK, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666)
        except FileNotFoundError:
            if attempt == _TRIES - 1:
                raise
    raise AssertionError


def drop_lock(common_dir: bytes, name: bytes) -> None:
    """Remove the lock file that a killed `create_ref` left. The caller knows that nobody is creating the ref."""
    if not name.startswith(_OURS):
        raise ValueError(name)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(common_dir, name) + _LOCK)


def remove_ref(common_dir: bytes, name: bytes) -> None:
    """Remove one of our refs, loose and packed. Nothing happens if there is none."""
    if not name.startswith(_OURS):
        raise ValueError(name)
    if name in packed_refs(common_dir):
        _rewrite_packed_without(common_dir, name)
    try:
        os.unlink(os.path.join(common_dir, name))
    except FileNotFoundError:
        return
    fsync_folder(os.path.dirname(os.path.join(common_dir, name)))


def _rewrite_packed_without(common_dir: bytes, name: bytes) -> None:
    """Rewrite packed-refs without one name, under Git's own lock for that file."""
    path = os.path.join(common_dir, b"packed-refs")
    descriptor = os.open(path + _LOCK, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666)
    try:
        with open(path, "rb") as old, os.fdopen(descriptor, "wb") as new:
            dropping = False
            for line in old:
                peeled = line.startswith(b"^")
                dropping = dropping if peeled else line[41:].rstrip(b"\n") == name
                if not dropping:
                    new.write(line)
            new.flush()
            os.fsync(descriptor)
        os.rename(path + _LOCK, path)
    except BaseException:
        os.unlink(path + _LOCK)
        raise
    fsync_folder(common_dir)


def fsync_folder(folder: bytes) -> None:
    """Make a rename inside `folder` durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
