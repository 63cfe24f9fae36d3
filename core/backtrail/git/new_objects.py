"""Adding objects to a repository: a few as loose files, many as one pack.

Owns Git's loose and pack formats for writing. Our files are fsynced, written under a temporary name and renamed.
Content comes from memory, or from a file that is read meanwhile and must hash to what was promised. Never converts
content, never repacks, never starts `git gc`. The order (objects before the ref) is the caller's.
"""

import hashlib
import io
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence

import msgspec
from isal import isal_zlib

from backtrail.git.leftovers import own_mark
from backtrail.git.objects import Kind
from backtrail.git.refs import fsync_folder
from backtrail.model.ids import Oid
from backtrail.model.progress import FILE_COST, SILENT, Progress

LOOSE_BELOW = 100
"""From this many new objects on, one pack is written: loose ones would start `git gc --auto` (case B61)."""

_CHUNK = 1 << 20
_PROBE = 1 << 16
_WORTH_DEFLATING = 0.95
_PACK_TYPES = {Kind.COMMIT: 1, Kind.TREE: 2, Kind.BLOB: 3, Kind.TAG: 4}
_LARGE_OFFSET = 1 << 31


class ContentMoved(Exception):
    """A file is no longer what the scan read. `path` is the one."""

    def __init__(self, path: bytes) -> None:
        super().__init__(path)
        self.path = path


class NewObject(msgspec.Struct, frozen=True):
    """An object to add.

    content: its bytes, or a function that gives them or a descriptor of a file of exactly `size` bytes. path: of what
    it is made from, for ContentMoved.
    """

    oid: Oid
    kind: Kind
    size: int
    content: bytes | Callable[[], int | bytes]
    path: bytes = b""


def object_id(kind: Kind, content: bytes) -> Oid:
    """Return the id of an object."""
    return Oid(hashlib.sha1(b"%s %d\0" % (kind.encode(), len(content)) + content, usedforsecurity=False).digest())


def made(kind: Kind, content: bytes) -> NewObject:
    """Return the object with this content."""
    return NewObject(object_id(kind, content), kind, len(content), content)


def add_objects(
    folder: bytes, new: Sequence[NewObject], progress: Progress = SILENT, *, one_pack: bool = False
) -> bytes | None:
    """Add objects to the object folder, durably. Returns the path of a `.keep` file to remove once a ref exists.

    progress: told of each object's bytes and `FILE_COST`. one_pack: however few there are; a `git gc --prune=now` that
    is under way takes loose ones that no ref named when it looked, and leaves a pack with `.keep` alone.
    Raises ContentMoved if a file changed, OSError if the disk refuses, and what `progress` raises; then nothing of a
    pack is visible, and loose objects that were added are harmless.
    """
    new = list({item.oid: item for item in new}.values())  # Git refuses a pack that holds an object twice
    if len(new) < LOOSE_BELOW and not one_pack:
        folders = {_add_loose(folder, item, progress) for item in new}
        for place in sorted(folders):
            fsync_folder(place)
        return None
    return _add_pack(folder, new, progress)


def _chunks(item: NewObject, progress: Progress) -> Iterator[bytes]:
    """Yield the content of an object, checked against its id once all of it was read."""
    progress.advance(FILE_COST)
    if isinstance(item.content, bytes):
        progress.advance(len(item.content))
        yield item.content
        return
    digest = hashlib.sha1(b"%s %d\0" % (item.kind.encode(), item.size), usedforsecurity=False)
    left = item.size
    source = item.content()
    with io.BytesIO(source) if isinstance(source, bytes) else os.fdopen(source, "rb", buffering=0) as file:
        while chunk := file.read(min(_CHUNK, left + 1)):
            left -= len(chunk)
            if left < 0:
                raise ContentMoved(item.path)
            digest.update(chunk)
            progress.advance(len(chunk))
            yield chunk
    if left or digest.digest() != item.oid:
        raise ContentMoved(item.path)


def _deflated(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a zlib stream of the pieces. What does not shrink is stored: 40 times faster than deflating it."""
    deflate = None
    for piece in pieces:
        if deflate is None:
            deflate = _fitting_deflater(piece)
        if packed := deflate.compress(piece):
            yield packed
    yield (deflate or isal_zlib.compressobj(1)).flush()


def _fitting_deflater(piece: bytes) -> "isal_zlib.Compress | zlib._Compress":
    probe = piece[:_PROBE]
    if len(probe) == _PROBE and len(isal_zlib.compress(probe, 1)) > _WORTH_DEFLATING * _PROBE:
        return zlib.compressobj(0)
    return isal_zlib.compressobj(1)


def _add_loose(folder: bytes, item: NewObject, progress: Progress) -> bytes:
    """Write one object as a file of its own; return the folder it is in."""
    name = item.oid.hex().encode()
    place = os.path.join(folder, name[:2])
    temporary = os.path.join(folder, b"tmp_obj_" + own_mark() + b"-" + name[:16])
    header = b"%s %d\0" % (item.kind.encode(), item.size)

    def pieces() -> Iterator[bytes]:
        content = _chunks(item, progress)
        yield header + next(content, b"")
        yield from content

    try:
        with open(temporary, "wb") as file:
            file.writelines(_deflated(pieces()))
            file.flush()
            os.fchmod(file.fileno(), 0o444)
            os.fsync(file.fileno())
        os.makedirs(place, exist_ok=True)
        os.rename(temporary, os.path.join(place, name[2:]))
    except BaseException:
        if os.path.lexists(temporary):
            os.unlink(temporary)
        raise
    return place


def _entry_header(kind: Kind, size: int) -> bytes:
    """Return the header of a pack entry: type and size, seven bits a byte after the first four."""
    byte = (_PACK_TYPES[kind] << 4) | (size & 15)
    size >>= 4
    header = bytearray()
    while size:
        header.append(byte | 0x80)
        byte = size & 0x7F
        size >>= 7
    header.append(byte)
    return bytes(header)


def _add_pack(folder: bytes, new: Sequence[NewObject], progress: Progress) -> bytes:
    """Write all objects into one pack with its index, born with `.keep`; return the path of that."""
    place = os.path.join(folder, b"pack")
    os.makedirs(place, exist_ok=True)
    mark = own_mark()
    temporary = os.path.join(place, b"tmp_pack_" + mark + b"-" + new[0].oid.hex()[:16].encode())
    index = os.path.join(place, b"tmp_idx_" + mark + b"-" + new[0].oid.hex()[:16].encode())
    try:
        checksum, places = _write_pack(temporary, new, progress)
        _write_durably(index, _pack_index(checksum, places))
        final = os.path.join(place, b"pack-" + checksum.hex().encode())
        _write_durably(final + b".keep", mark + b"\n")
        os.rename(temporary, final + b".pack")
        os.rename(index, final + b".idx")
    except BaseException:
        for path in (temporary, index):
            if os.path.lexists(path):
                os.unlink(path)
        raise
    fsync_folder(place)
    return final + b".keep"


def _write_pack(path: bytes, new: Sequence[NewObject], progress: Progress) -> tuple[bytes, list[tuple[Oid, int, int]]]:
    """Write a pack file; return its checksum, and of each object id, CRC-32 and offset."""
    digest = hashlib.sha1(usedforsecurity=False)
    places: list[tuple[Oid, int, int]] = []
    with open(path, "wb", buffering=_CHUNK) as file:

        def write(piece: bytes) -> None:
            digest.update(piece)
            file.write(piece)

        write(struct.pack(">4sII", b"PACK", 2, len(new)))
        offset = 12
        for item in new:
            header = _entry_header(item.kind, item.size)
            write(header)
            crc = zlib.crc32(header)
            length = len(header)
            for packed in _deflated(_chunks(item, progress)):
                write(packed)
                crc = zlib.crc32(packed, crc)
                length += len(packed)
            places.append((item.oid, crc, offset))
            offset += length
        file.write(digest.digest())
        file.flush()
        os.fchmod(file.fileno(), 0o444)
        os.fsync(file.fileno())
    return digest.digest(), places


def _pack_index(checksum: bytes, places: list[tuple[Oid, int, int]]) -> bytes:
    """Return a version 2 pack index (Git: gitformat-pack)."""
    places = sorted(places)
    fan_out = [0] * 256
    for oid, _, _ in places:
        fan_out[oid[0]] += 1
    for value in range(1, 256):
        fan_out[value] += fan_out[value - 1]
    near: list[int] = []
    far: list[int] = []
    for _, _, offset in places:
        if offset < _LARGE_OFFSET:
            near.append(offset)
        else:
            near.append(_LARGE_OFFSET | len(far))
            far.append(offset)
    count = len(places)
    content = b"".join(
        (
            b"\377tOc" + struct.pack(">I256I", 2, *fan_out),
            b"".join(oid for oid, _, _ in places),
            struct.pack(f">{count}I", *(crc for _, crc, _ in places)),
            struct.pack(f">{count}I", *near),
            struct.pack(f">{len(far)}Q", *far),
            checksum,
        )
    )
    return content + hashlib.sha1(content, usedforsecurity=False).digest()


def _write_durably(path: bytes, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fchmod(file.fileno(), 0o444)
        os.fsync(file.fileno())
