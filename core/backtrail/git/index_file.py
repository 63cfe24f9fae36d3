"""The index file, read without Git: versions 2 to 4, split and sparse, conflicts and every flag (case B38).

Owns the format of `index` and `sharedindex.*`, and what an entry's stat says about a file. Never writes: a person's
index stays as it is, byte for byte. Opens no repository: the trees that a sparse index names come from the caller.
Does not decide whether an entry is clean (`scan`). SHA-256 repositories are refused before they come here.
Source: Git's `Documentation/gitformat-index`, `read-cache.c`, `split-index.c`, `ewah/`; design page "engine".
"""

import hashlib
import os
import stat as stat_bits
import struct
from collections.abc import Callable, Iterator
from itertools import islice
from operator import attrgetter, lt
from typing import NamedTuple

import msgspec

from backtrail.git.trees import all_safe, parse_tree
from backtrail.model.errors.repository import NotReachable, RepositoryBusy, RepositoryDamaged
from backtrail.model.ids import Oid, RelPath
from backtrail.model.net_state import IndexEntry, IndexStat, Mode

HEADER = struct.Struct(">4sII")
FIXED = struct.Struct(">10I20sH")
"""The head of the file (signature, version, count), and the part of an entry that every version has."""

_TRAILER = 20
_LARGEST = 1 << 32
"""An index beyond this many bytes is damage: nothing is read into memory for it."""

ASSUME_VALID, EXTENDED, STAGE_SHIFT, NAME_MASK = 0x8000, 0x4000, 12, 0xFFF
INTENT_TO_ADD, SKIP_WORKTREE = 1 << 13, 1 << 14
"""The bits of an entry's first and second flag word."""

INDEX_MODES = frozenset({Mode.FILE, Mode.EXECUTABLE, Mode.SYMLINK, Mode.GITLINK})
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


class _Damage(Exception):
    """What is wrong with the bytes of an index file, in words."""


class _Parsed(NamedTuple):
    """One file, by itself: `link` is the content of its split-index extension, `sparse` that it may hold folders."""

    entries: list[IndexEntry]
    link: bytes | None
    sparse: bool
    checksum: bytes


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
    except _Damage as damage:
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
        and mode == _mode_on_disk(disk.st_mode)
    )


def _mode_on_disk(mode: int) -> int | None:
    """Return the mode that Git's index would have for a thing on disk, None for all but files and links."""
    if stat_bits.S_ISREG(mode):
        return Mode.EXECUTABLE if mode & stat_bits.S_IXUSR else Mode.FILE
    return Mode.SYMLINK if stat_bits.S_ISLNK(mode) else None


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
        raise _Damage(f"cannot be opened: {error.strerror}") from error
    try:
        return _read_resting(git_dir, descriptor)
    except OSError as error:
        raise _Damage(f"cannot be read: {error.strerror}") from error
    finally:
        os.close(descriptor)


def _read_resting(git_dir: bytes, descriptor: int) -> tuple[bytes, os.stat_result]:
    for _ in range(_TRIES):
        before = os.fstat(descriptor)
        if not stat_bits.S_ISREG(before.st_mode):
            raise _Damage("is not a regular file")
        if before.st_size > _LARGEST:
            raise _Damage("is too large for an index")
        with open(descriptor, "rb", closefd=False) as file:
            file.seek(0)
            data = file.read(before.st_size + 1)
        if len(data) == before.st_size and _signature(os.fstat(descriptor)) == _signature(before):
            return data, before
    raise RepositoryBusy(path=git_dir, what="index")


def _whole(git_dir: bytes, data: bytes, read_tree: Callable[[Oid], bytes]) -> list[IndexEntry]:
    """Return the entries that the file, its shared part and its trees come to."""
    own = _parse(data)
    entries, sparse = own.entries, own.sparse
    if own.link is not None:
        shared = _shared(git_dir, own.link)
        sparse = sparse or shared.sparse
        entries = _merged(shared.entries, own.entries, own.link)
    if sparse:
        entries = [below for entry in entries for below in _expanded(entry, read_tree)]
        entries.sort(key=attrgetter("path", "stage"))
    _check_entries(entries)
    return entries


def _check_entries(entries: list[IndexEntry]) -> None:
    """Refuse what Git itself would never write, so that nobody above needs to look again."""
    if not {entry.mode for entry in entries} <= INDEX_MODES:
        raise _Damage("an entry of no known kind")
    paths = [entry.path for entry in entries]
    if not all_safe(paths):
        raise _Damage("an entry whose path leads out of the folder or into a Git folder")
    if not all(map(lt, paths, islice(paths, 1, None))):
        # Only conflicts have the same path twice: then the stages are in order.
        keys = [(entry.path, entry.stage) for entry in entries]
        if not all(map(lt, keys, islice(keys, 1, None))):
            raise _Damage("entries that are out of order")


def _parse(data: bytes) -> _Parsed:
    """Take one index file apart."""
    if len(data) < HEADER.size + _TRAILER:
        raise _Damage("is shorter than an empty index")
    signature, version, count = HEADER.unpack_from(data)
    if signature != b"DIRC":
        raise _Damage("does not begin like an index")
    if version not in {2, 3, 4}:
        raise _Damage(f"is of version {version}")
    body, checksum = data[:-_TRAILER], data[-_TRAILER:]
    # All zero: written with index.skipHash.
    if any(checksum) and hashlib.sha1(body, usedforsecurity=False).digest() != checksum:
        raise _Damage("does not match its checksum")
    if count * FIXED.size > len(body):
        raise _Damage("is shorter than its entries")
    try:
        entries, end = (_compressed if version == 4 else _padded)(body, count)  # noqa: PLR2004 - a version number
    except (struct.error, IndexError, ValueError) as error:
        raise _Damage("ends within an entry") from error
    if end > len(body):
        raise _Damage("ends within an entry")
    extensions = dict(_extensions(body, end))
    return _Parsed(entries, extensions.get(b"link"), b"sdir" in extensions, checksum)


def _extensions(body: bytes, at: int) -> Iterator[tuple[bytes, bytes]]:
    """Give name and content of each extension. Names that begin with a capital may be passed over; others may not."""
    while at < len(body):
        name, length = body[at : at + 4], int.from_bytes(body[at + 4 : at + 8])
        at += 8 + length
        if at > len(body):
            raise _Damage("ends within an extension")
        if not b"A" <= name[:1] <= b"Z" and name not in {b"link", b"sdir"}:
            raise _Damage(f"needs the extension {name!r}, which is not known")
        yield name, body[at - length : at]


def _padded(body: bytes, count: int) -> tuple[list[IndexEntry], int]:
    """Return the entries of versions 2 and 3, and where they end. An entry is padded with NULs to eights."""
    # One loop without calls of our own: this runs 50,000 times at every look.
    unpack, new, stat_type = FIXED.unpack_from, tuple.__new__, IndexStat
    entry: Callable[..., IndexEntry] = IndexEntry
    entries: list[IndexEntry] = []
    add = entries.append
    at = HEADER.size
    for _ in range(count):
        ctime, ctime_ns, mtime, mtime_ns, dev, ino, mode, uid, gid, size, oid, flags = unpack(body, at)
        stat = new(stat_type, (ctime, ctime_ns, mtime, mtime_ns, dev, ino, uid, gid, size))
        start = at + 62
        if flags < NAME_MASK:
            end = start + flags
            add(entry(body[start:end], mode, oid, 0, False, False, False, stat))  # noqa: FBT003 - by name is slower
        else:
            second = 0
            if flags & EXTENDED:
                second = _second_word(body, start)
                start += 2
            length = flags & NAME_MASK
            end = start + length if length < NAME_MASK else body.index(0, start)
            add(_flagged(body[start:end], mode, oid, (flags, second), stat))
        if body[end]:
            raise _Damage("an entry whose name is longer than it says")
        at += (end - at + 8) & -8
    return entries, at


def _compressed(body: bytes, count: int) -> tuple[list[IndexEntry], int]:
    """Return the entries of version 4, and where they end. A path says how much it drops of the one before."""
    unpack, new, stat_type = FIXED.unpack_from, tuple.__new__, IndexStat
    entry: Callable[..., IndexEntry] = IndexEntry
    entries: list[IndexEntry] = []
    add = entries.append
    at = HEADER.size
    path = b""
    for _ in range(count):
        ctime, ctime_ns, mtime, mtime_ns, dev, ino, mode, uid, gid, size, oid, flags = unpack(body, at)
        stat = new(stat_type, (ctime, ctime_ns, mtime, mtime_ns, dev, ino, uid, gid, size))
        at += 62
        second = 0
        if flags & EXTENDED:
            second = _second_word(body, at)
            at += 2
        byte = body[at]
        dropped = byte & 0x7F
        at += 1
        while byte & 0x80:
            byte = body[at]
            dropped = ((dropped + 1) << 7) | (byte & 0x7F)
            at += 1
        if dropped > len(path):
            raise _Damage("an entry that drops more than the path before it")
        end = body.index(0, at)
        path = path[: len(path) - dropped] + body[at:end]
        at = end + 1
        if flags <= NAME_MASK:
            add(entry(path, mode, oid, 0, False, False, False, stat))  # noqa: FBT003 - by name is slower
        else:
            add(_flagged(path, mode, oid, (flags, second), stat))
    return entries, at


def _second_word(body: bytes, at: int) -> int:
    word = (body[at] << 8) | body[at + 1]
    if word & ~(INTENT_TO_ADD | SKIP_WORKTREE):
        raise _Damage("an entry with unknown flags")
    return word


def _flagged(path: bytes, mode: int, oid: bytes, words: tuple[int, int], stat: IndexStat) -> IndexEntry:
    """Return an entry whose two flag words say more than the length of its name."""
    flags, second = words
    return IndexEntry(
        path=RelPath(path),
        mode=mode,
        oid=Oid(oid),
        stage=(flags >> STAGE_SHIFT) & 3,
        assume_valid=bool(flags & ASSUME_VALID),
        skip_worktree=bool(second & SKIP_WORKTREE),
        intent_to_add=bool(second & INTENT_TO_ADD),
        stat=stat,
    )


def _shared(git_dir: bytes, link: bytes) -> _Parsed:
    """Read the shared part of a split index."""
    base = link[:_TRAILER]
    if len(base) < _TRAILER:
        raise _Damage("does not name its shared part")
    if not any(base):
        return _Parsed([], None, sparse=False, checksum=base)
    name = b"sharedindex." + base.hex().encode()
    found = _read_file(git_dir, name)
    if found is None:
        raise _Damage(f"its shared part {name.decode()} is missing")
    shared = _parse(found[0])
    if shared.checksum != base or shared.link is not None:
        raise _Damage(f"its shared part {name.decode()} is another one")
    return shared


def _merged(shared: list[IndexEntry], own: list[IndexEntry], link: bytes) -> list[IndexEntry]:
    """Return the entries of a split index: the shared ones but for those deleted or replaced, and those added.

    The first of `own` have no path: they replace, in order, the shared entries that the second bitmap tells.
    """
    deleted: list[int] = []
    replaced: list[int] = []
    if len(link) > _TRAILER:
        deleted, at = _bits(link, _TRAILER, len(shared))
        replaced, at = _bits(link, at, len(shared))
        if at != len(link):
            raise _Damage("the list of what is split off does not end where it should")
    if len(replaced) > len(own):
        raise _Damage("replaces more shared entries than it holds")
    base = list(shared)
    for position, entry in zip(replaced, own, strict=False):
        if entry.path:
            raise _Damage("replaces a shared entry by one with another path")
        base[position] = msgspec.structs.replace(entry, path=base[position].path)
    gone = set(deleted)
    merged = {(entry.path, entry.stage): entry for at, entry in enumerate(base) if at not in gone}
    for entry in own[len(replaced) :]:
        if not entry.stage:
            # Git, too, lets a resolved entry take the place of a conflict.
            for stage in (1, 2, 3):
                merged.pop((entry.path, stage), None)
        merged[entry.path, entry.stage] = entry
    return [entry for _, entry in sorted(merged.items())]


def _bits(data: bytes, at: int, limit: int) -> tuple[list[int], int]:
    """Return the positions that are set in an EWAH bitmap of at most `limit` bits, and where it ends.

    A marker word tells a repeated bit, how many words of it follow, and how many words after those are written out.
    """
    try:
        _, count = struct.unpack_from(">II", data, at)
        words = iter(struct.unpack_from(f">{count}Q", data, at + 8))
    except struct.error as error:
        raise _Damage("the list of what is split off is cut short") from error
    found: list[int] = []
    position = 0
    for marker in words:
        repeated = ((marker >> 1) & _WORD) * 64
        if marker & 1:
            if position + repeated > limit + 64:
                raise _Damage("splits off what the shared part does not have")
            found.extend(range(position, position + repeated))
        position += repeated
        for _ in range(marker >> 33):
            word = next(words, None)
            if word is None:
                raise _Damage("the list of what is split off is cut short")
            while word:
                lowest = word & -word
                found.append(position + lowest.bit_length() - 1)
                word ^= lowest
            position += 64
    if found and found[-1] >= limit:
        raise _Damage("splits off what the shared part does not have")
    return found, at + 8 + 8 * count + 4


def _expanded(entry: IndexEntry, read_tree: Callable[[Oid], bytes]) -> Iterator[IndexEntry]:
    """Give the entries that a folder of a sparse index stands for, all of them not checked out; others as they are."""
    if entry.mode != Mode.FOLDER:
        yield entry
        return
    if not entry.path.endswith(b"/"):
        raise _Damage("a folder whose path does not end like one")
    waiting = [(entry.path, entry.oid)]
    while waiting:
        prefix, oid = waiting.pop()
        raw = read_tree(oid)
        try:
            below = parse_tree(raw)
        except ValueError as error:
            raise _Damage(f"names a damaged tree {oid.hex()}") from error
        for mode, name, child in below:
            if stat_bits.S_ISDIR(mode):
                waiting.append((RelPath(prefix + name + b"/"), child))
            else:
                # Old trees have modes such as 100664, which the index has never had.
                kept = _mode_on_disk(mode) or Mode.GITLINK
                yield IndexEntry(RelPath(prefix + name), int(kept), child, skip_worktree=True)
