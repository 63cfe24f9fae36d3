"""The bytes of an index file, taken apart: versions 2 to 4, split and sparse, conflicts and every flag (case B38).

Owns the format of `index` and `sharedindex.*`. Reads no file (see `index_file`) and opens no repository: the trees that
a sparse index names come from the caller.
Source: Git's `Documentation/gitformat-index`, `read-cache.c`, `split-index.c`, `ewah/`.
"""

import hashlib
import stat as stat_bits
import struct
from collections.abc import Callable, Iterator
from itertools import islice
from operator import lt
from typing import NamedTuple

import msgspec

from backtrail.git.trees import all_safe, parse_tree
from backtrail.model.ids import Oid, RelPath
from backtrail.model.net_state import IndexEntry, IndexStat, Mode

HEADER = struct.Struct(">4sII")
FIXED = struct.Struct(">10I20sH")
"""The head of the file (signature, version, count), and the part of an entry that every version has."""

TRAILER = 20
ASSUME_VALID, EXTENDED, STAGE_SHIFT, NAME_MASK = 0x8000, 0x4000, 12, 0xFFF
INTENT_TO_ADD, SKIP_WORKTREE = 1 << 13, 1 << 14
"""The bits of an entry's first and second flag word."""

INDEX_MODES = frozenset({Mode.FILE, Mode.EXECUTABLE, Mode.SYMLINK, Mode.GITLINK})
_WORD = 0xFFFFFFFF


class IndexDamage(Exception):
    """What is wrong with the bytes of an index file, in words."""


class Parsed(NamedTuple):
    """One file, by itself: `link` is the content of its split-index extension, `sparse` that it may hold folders."""

    entries: list[IndexEntry]
    link: bytes | None
    sparse: bool
    checksum: bytes


def mode_on_disk(mode: int) -> int | None:
    """Return the mode that Git's index would have for a thing on disk, None for all but files and links."""
    if stat_bits.S_ISREG(mode):
        return Mode.EXECUTABLE if mode & stat_bits.S_IXUSR else Mode.FILE
    return Mode.SYMLINK if stat_bits.S_ISLNK(mode) else None


def check_entries(entries: list[IndexEntry]) -> None:
    """Refuse what Git itself would never write, so that nobody above needs to look again."""
    if not {entry.mode for entry in entries} <= INDEX_MODES:
        raise IndexDamage("an entry of no known kind")
    paths = [entry.path for entry in entries]
    if not all_safe(paths):
        raise IndexDamage("an entry whose path leads out of the folder or into a Git folder")
    if not all(map(lt, paths, islice(paths, 1, None))):
        # Only conflicts have the same path twice: then the stages are in order.
        keys = [(entry.path, entry.stage) for entry in entries]
        if not all(map(lt, keys, islice(keys, 1, None))):
            raise IndexDamage("entries that are out of order")


def parse_index(data: bytes) -> Parsed:
    """Take one index file apart."""
    if len(data) < HEADER.size + TRAILER:
        raise IndexDamage("is shorter than an empty index")
    signature, version, count = HEADER.unpack_from(data)
    if signature != b"DIRC":
        raise IndexDamage("does not begin like an index")
    if version not in {2, 3, 4}:
        raise IndexDamage(f"is of version {version}")
    body, checksum = data[:-TRAILER], data[-TRAILER:]
    # All zero: written with index.skipHash.
    if any(checksum) and hashlib.sha1(body, usedforsecurity=False).digest() != checksum:
        raise IndexDamage("does not match its checksum")
    if count * FIXED.size > len(body):
        raise IndexDamage("is shorter than its entries")
    try:
        entries, end = (_compressed if version == 4 else _padded)(body, count)  # noqa: PLR2004 - a version number
    except (struct.error, IndexError, ValueError) as error:
        raise IndexDamage("ends within an entry") from error
    if end > len(body):
        raise IndexDamage("ends within an entry")
    extensions = dict(_extensions(body, end))
    return Parsed(entries, extensions.get(b"link"), b"sdir" in extensions, checksum)


def _extensions(body: bytes, at: int) -> Iterator[tuple[bytes, bytes]]:
    """Give name and content of each extension. Names that begin with a capital may be passed over; others may not."""
    while at < len(body):
        name, length = body[at : at + 4], int.from_bytes(body[at + 4 : at + 8])
        at += 8 + length
        if at > len(body):
            raise IndexDamage("ends within an extension")
        if not b"A" <= name[:1] <= b"Z" and name not in {b"link", b"sdir"}:
            raise IndexDamage(f"needs the extension {name!r}, which is not known")
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
            raise IndexDamage("an entry whose name is longer than it says")
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
            raise IndexDamage("an entry that drops more than the path before it")
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
        raise IndexDamage("an entry with unknown flags")
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


def merged(shared: list[IndexEntry], own: list[IndexEntry], link: bytes) -> list[IndexEntry]:
    """Return the entries of a split index: the shared ones but for those deleted or replaced, and those added.

    The first of `own` have no path: they replace, in order, the shared entries that the second bitmap tells.
    """
    deleted: list[int] = []
    replaced: list[int] = []
    if len(link) > TRAILER:
        deleted, at = _bits(link, TRAILER, len(shared))
        replaced, at = _bits(link, at, len(shared))
        if at != len(link):
            raise IndexDamage("the list of what is split off does not end where it should")
    if len(replaced) > len(own):
        raise IndexDamage("replaces more shared entries than it holds")
    base = list(shared)
    for position, entry in zip(replaced, own, strict=False):
        if entry.path:
            raise IndexDamage("replaces a shared entry by one with another path")
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
        raise IndexDamage("the list of what is split off is cut short") from error
    found: list[int] = []
    position = 0
    for marker in words:
        repeated = ((marker >> 1) & _WORD) * 64
        if marker & 1:
            if position + repeated > limit + 64:
                raise IndexDamage("splits off what the shared part does not have")
            found.extend(range(position, position + repeated))
        position += repeated
        for _ in range(marker >> 33):
            word = next(words, None)
            if word is None:
                raise IndexDamage("the list of what is split off is cut short")
            while word:
                lowest = word & -word
                found.append(position + lowest.bit_length() - 1)
                word ^= lowest
            position += 64
    if found and found[-1] >= limit:
        raise IndexDamage("splits off what the shared part does not have")
    return found, at + 8 + 8 * count + 4


def expanded(entry: IndexEntry, read_tree: Callable[[Oid], bytes]) -> Iterator[IndexEntry]:
    """Give the entries that a folder of a sparse index stands for, all of them not checked out; others as they are."""
    if entry.mode != Mode.FOLDER:
        yield entry
        return
    if not entry.path.endswith(b"/"):
        raise IndexDamage("a folder whose path does not end like one")
    waiting = [(entry.path, entry.oid)]
    while waiting:
        prefix, oid = waiting.pop()
        raw = read_tree(oid)
        try:
            below = parse_tree(raw)
        except ValueError as error:
            raise IndexDamage(f"names a damaged tree {oid.hex()}") from error
        for mode, name, child in below:
            if stat_bits.S_ISDIR(mode):
                waiting.append((RelPath(prefix + name + b"/"), child))
            else:
                # Old trees have modes such as 100664, which the index has never had.
                kept = mode_on_disk(mode) or Mode.GITLINK
                yield IndexEntry(RelPath(prefix + name), int(kept), child, skip_worktree=True)
