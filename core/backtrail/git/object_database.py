"""The object database that libgit2 reads through: its own reader of packs, and ours of loose objects.

libgit2 1.9 never comes back from a loose object that was cut short, which is what a crash or a full disk leaves, and
writes out of bounds where one is longer than it says (libgit2 issues 7342 and 7177). Owns reading one loose object, and
finding the folders that a repository borrows from. Adds nothing.
"""

import os
import zlib

import pygit2
from pygit2.enums import ObjectType

from backtrail.git.small_file import as_git_reads_it, read_if_readable, read_small
from backtrail.model.errors.repository import RepositoryDamaged

_PACKED_FIRST = 2
_LOOSE_THEN = 1
_LONGEST_HEADER = 32
_KINDS = {b"commit": ObjectType.COMMIT, b"tree": ObjectType.TREE, b"blob": ObjectType.BLOB, b"tag": ObjectType.TAG}


def trust_packs() -> None:
    """Have this process no longer check in libgit2 that an object is what its name says; each still has a checksum.

    For one that only lists: of 200,000 commits it takes a fifth of the time.
    """
    pygit2.option(pygit2.enums.Option.ENABLE_STRICT_HASH_VERIFICATION, False)  # noqa: FBT003 - pygit2's signature


def open_database(objects: bytes) -> pygit2.Odb:
    """Return the database of an object folder and of those that it borrows from. Raises pygit2.GitError."""
    database = pygit2.Odb()
    for folder in (objects, *borrowed(objects)):
        database.add_backend(pygit2.OdbBackendPack(os.fsdecode(folder)), _PACKED_FIRST)
        database.add_backend(LooseObjects(folder), _LOOSE_THEN)
    return database


def borrowed(objects: bytes) -> list[bytes]:
    """Return the object folders that this one borrows from, those that they borrow from included, each once."""
    found: list[bytes] = []
    asked = [objects]
    while asked:
        folder = asked.pop()
        for line in (read_if_readable(os.path.join(folder, b"info/alternates")) or b"").split(b"\n"):
            other = os.path.normpath(os.path.join(folder, as_git_reads_it(line)))
            if line and not line.startswith(b"#") and other not in (objects, *found):
                found.append(other)
                asked.append(other)
    return found


class LooseObjects(pygit2.OdbBackend):
    """The loose objects of one folder, as libgit2 asks for them. Raises KeyError for one that is not here.

    Raises pygit2.GitError for one that cannot be read.
    """

    def __init__(self, folder: bytes) -> None:
        super().__init__()
        self._folder = folder

    def read_cb(self, oid: pygit2.Oid | str) -> tuple[ObjectType, bytes]:
        """Return kind and content."""
        stored = self._stored(oid)
        inflating = zlib.decompressobj()
        content = _inflated(inflating, stored, oid)
        header, _, body = content.partition(b"\0")
        kind, size = _parsed(header, oid)
        if not inflating.eof or len(body) != size:
            raise pygit2.GitError(f"the loose object {oid} is cut short or too long")
        return kind, body

    def read_prefix_cb(self, prefix: str) -> tuple[ObjectType, bytes, str]:
        """Return kind, content and id; only whole ids are asked for here.

        libgit2 asks every place for a prefix, so one that is damaged here is as good as absent: a pack may hold it too.
        """
        try:
            return *self.read_cb(prefix), prefix
        except pygit2.GitError as error:
            raise KeyError(prefix) from error

    def read_header_cb(self, oid: pygit2.Oid | str) -> tuple[ObjectType, int]:
        """Return kind and size as the object tells them; the rest of it is not read."""
        start = _inflated(zlib.decompressobj(), self._stored(oid), oid, _LONGEST_HEADER)
        return _parsed(start.partition(b"\0")[0], oid)

    def exists_cb(self, oid: pygit2.Oid) -> bool:
        """Tell whether there is a file for it."""
        return os.path.exists(self._path(oid))

    def refresh_cb(self) -> None:
        """Forget nothing: the folder is asked every time."""

    def _path(self, oid: pygit2.Oid | str) -> bytes:
        name = str(oid).encode()
        return os.path.join(self._folder, name[:2], name[2:])

    def _stored(self, oid: pygit2.Oid | str) -> bytes:
        try:
            stored = read_small(self._path(oid))
        except RepositoryDamaged as error:
            raise pygit2.GitError(str(error)) from error
        if stored is None:
            raise KeyError(str(oid))
        return stored


def _inflated(inflating: "zlib._Decompress", stored: bytes, oid: pygit2.Oid | str, most: int = 0) -> bytes:
    try:
        return inflating.decompress(stored, most)
    except zlib.error as error:
        raise pygit2.GitError(f"the loose object {oid} is damaged: {error}") from error


def _parsed(header: bytes, oid: pygit2.Oid | str) -> tuple[ObjectType, int]:
    word, _, size = header.partition(b" ")
    if word not in _KINDS or not size.isdigit():
        raise pygit2.GitError(f"the loose object {oid} has no header")
    return _KINDS[word], int(size)
