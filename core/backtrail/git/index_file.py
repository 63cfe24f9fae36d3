"""The index file, read without Git, at rest and whole.

Owns reading `index` and the file that it shares, and what an entry's stat says about a file. Never writes: a person's
index stays as it is, byte for byte. Opens no repository: the trees that a sparse index names come from the caller.
Does not decide whether an entry is clean (`scan`). SHA-256 repositories are refused before they come here.
Source: Git's `read-cache.c`; design page "engine".
"""

import os
import stat as stat_bits
from collections.abc import Callable
from operator import attrgetter

import msgspec

from backtrail.git.index_format import (
    TRAILER,
    IndexDamage,
    Parsed,
    check_entries,
    expanded,
    merged,
    mode_on_disk,
    parse_index,
)
from backtrail.model.errors.repository import NotReachable, RepositoryBusy, RepositoryDamaged
from backtrail.model.ids import Oid
from backtrail.model.net_state import IndexEntry, IndexStat

_LARGEST = 1 << 32
"""An index beyond this many bytes is damage: nothing is read into memory for it."""

_WORD = 0xFFFFFFFF
_SECOND_NS = 1_000_000_000
_TRIES = 3


class Index(msgspec.Struct, frozen=True):
    """What an index file holds, sorted by path and stage, without folders.

    mtime_s, mtime_ns: of the file, seconds cut to 32 bits as Git has them; for the racy check. signature: see
    `index_signature`. missing: there is no index file, which to Git is an index without entries.
    """

    entries: tuple[IndexEntry, ...]
    mtime_s: int
    mtime_ns: int
    signature: tuple[int, ...]
    missing: bool = False


def read_index(git_dir: bytes, read_tree: Callable[[Oid], bytes]) -> Index:
    """Read the index of the Git folder `git_dir`. `read_tree` returns the raw bytes of a tree object.

    Raises RepositoryDamaged where the bytes are not an index or use an extension that Backtrail does not know,
    NotReachable where the Git folder is gone, RepositoryBusy where the file is written in place and never rests.
    """
    try:
        found = _read_file(git_dir, b"index")
        if found is None:
            return Index((), 0, 0, (), missing=True)
        data, status = found
        entries = _whole(git_dir, data, read_tree)
    except IndexDamage as damage:
        raise RepositoryDamaged(path=git_dir, part="index", detail=str(damage)) from damage
    seconds, nanoseconds = divmod(status.st_mtime_ns, _SECOND_NS)
    return Index(tuple(entries), seconds & _WORD, nanoseconds, _signature(status))


def index_signature(git_dir: bytes) -> tuple[int, ...] | None:
    """Return what changes whenever the index file is replaced or written, from one stat; None where there is none.

    Raises NotReachable where the Git folder is gone.
    """
    try:
        return _signature(os.stat(os.path.join(git_dir, b"index")))
    except (FileNotFoundError, NotADirectoryError):
        _check_reachable(git_dir)
        return None
    except OSError as error:
        raise RepositoryDamaged(path=git_dir, part="index", detail=error.strerror or str(error)) from error


def index_lock(git_dir: bytes) -> tuple[int, ...] | None:
    """Return what tells Git's lock on the index from another, or from itself once it was written to; None without."""
    try:
        return _signature(os.lstat(os.path.join(git_dir, b"index.lock")))
    except OSError:
        return None


def is_racy(stat: IndexStat, index_mtime_s: int) -> bool:
    """Tell whether Git distrusts a matching stat, since the file may have changed after the index had been written.

    By seconds, as Git does where it is built without USE_NSEC.
    """
    return index_mtime_s != 0 and index_mtime_s <= stat.mtime_s


def stat_matches(stat: IndexStat, mode: int, disk: os.stat_result) -> bool:
    """Tell whether Git takes the file on disk (its lstat) for the entry's without reading it, `is_racy` aside.

    Follows `ie_match_stat` with core.trustctime, and says False in doubt: for a recorded size of 0 (also Git's mark for
    "look again"), for submodules, and where nanoseconds are recorded and differ.
    """
    ctime_s, ctime_ns, mtime_s, mtime_ns, _, ino, uid, gid, size = stat
    ctime, mtime = disk.st_ctime_ns, disk.st_mtime_ns
    return (
        size != 0
        and size == disk.st_size & _WORD
        and mtime_s == mtime // _SECOND_NS & _WORD
        and mtime_ns in {0, mtime % _SECOND_NS}
        and ctime_s == ctime // _SECOND_NS & _WORD
        and ctime_ns in {0, ctime % _SECOND_NS}
        and ino == disk.st_ino & _WORD
        and uid == disk.st_uid & _WORD
        and gid == disk.st_gid & _WORD
        and mode == mode_on_disk(disk.st_mode)
    )


def _signature(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _check_reachable(git_dir: bytes) -> None:
    """Raise NotReachable if not only the index but its folder is missing: that is no empty index (case B71)."""
    if not os.path.isdir(git_dir):
        raise NotReachable(path=git_dir, reason="the Git folder is not there")


def _read_file(git_dir: bytes, name: bytes) -> tuple[bytes, os.stat_result] | None:
    """Return the bytes and the stat of a regular file in the Git folder, None where there is none.

    Git replaces these files by rename, so one descriptor sees one state; a file that is written in place is read again.
    """
    try:
        # O_NONBLOCK: a FIFO by this name must not hang the look (case B52).
        descriptor = os.open(os.path.join(git_dir, name), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (FileNotFoundError, NotADirectoryError):
        _check_reachable(git_dir)
        return None
    except OSError as error:
        raise IndexDamage(f"cannot be opened: {error.strerror}") from error
    try:
        return _read_resting(git_dir, descriptor)
    except OSError as error:
        raise IndexDamage(f"cannot be read: {error.strerror}") from error
    finally:
        os.close(descriptor)


def _read_resting(git_dir: bytes, descriptor: int) -> tuple[bytes, os.stat_result]:
    for _ in range(_TRIES):
        before = os.fstat(descriptor)
        if not stat_bits.S_ISREG(before.st_mode):
            raise IndexDamage("is not a regular file")
        if before.st_size > _LARGEST:
            raise IndexDamage("is too large for an index")
        with open(descriptor, "rb", closefd=False) as file:
            file.seek(0)
            data = file.read(before.st_size + 1)
        if len(data) == before.st_size and _signature(os.fstat(descriptor)) == _signature(before):
            return data, before
    raise RepositoryBusy(path=git_dir, what="index")


def _whole(git_dir: bytes, data: bytes, read_tree: Callable[[Oid], bytes]) -> list[IndexEntry]:
    """Return the entries that the file, its shared part and its trees come to."""
    own = parse_index(data)
    entries, sparse = own.entries, own.sparse
    if own.link is not None:
        shared = _shared(git_dir, own.link)
        sparse = sparse or shared.sparse
        entries = merged(shared.entries, own.entries, own.link)
    if sparse:
        entries = [below for entry in entries for below in expanded(entry, read_tree)]
        entries.sort(key=attrgetter("path", "stage"))
    check_entries(entries)
    return entries


def _shared(git_dir: bytes, link: bytes) -> Parsed:
    """Read the shared part of a split index."""
    base = link[:TRAILER]
    if len(base) < TRAILER:
        raise IndexDamage("does not name its shared part")
    if not any(base):
        return Parsed([], None, sparse=False, checksum=base)
    name = b"sharedindex." + base.hex().encode()
    found = _read_file(git_dir, name)
    if found is None:
        raise IndexDamage(f"its shared part {name.decode()} is missing")
    shared = parse_index(found[0])
    if shared.checksum != base or shared.link is not None:
        raise IndexDamage(f"its shared part {name.decode()} is another one")
    return shared
