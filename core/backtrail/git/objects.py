"""Objects of a repository that exist already: looking them up, reading them, keeping them from being collected.

Owns reading through libgit2, alternates included. Adds no object (see `new_objects`). Nothing is fetched: an object
that is not here is missing.
"""

import enum
import os

import pygit2

from backtrail.git.repository import Repository
from backtrail.model.errors.repository import ObjectMissing, RepositoryDamaged
from backtrail.model.ids import Oid


class Kind(enum.StrEnum):
    """The kinds of object we read and write."""

    BLOB = "blob"
    TREE = "tree"
    COMMIT = "commit"
    TAG = "tag"


_KINDS = {
    pygit2.enums.ObjectType.BLOB: Kind.BLOB,
    pygit2.enums.ObjectType.TREE: Kind.TREE,
    pygit2.enums.ObjectType.COMMIT: Kind.COMMIT,
    pygit2.enums.ObjectType.TAG: Kind.TAG,
}

EMPTY_TREE = Oid(bytes.fromhex("4b825dc642cb6eb9a060e54bf8d69288fbee4904"))


class Objects:
    """The object database of one repository."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._odb = repository.handle.odb
        self.folder = os.path.join(repository.common_dir, b"objects")

    def has(self, oid: Oid) -> bool:
        """Tell whether the object is here."""
        return self._odb.exists(pygit2.Oid(raw=oid))

    def is_readable(self) -> bool:
        """Tell whether every object that is here can be read now, so that one which is not found is surely gone.

        False with alternates: what lies in them may only be away for a while.
        """
        if os.path.lexists(os.path.join(self.folder, b"info", b"alternates")):
            return False
        try:
            folders = [os.path.join(self.folder, name) for name in os.listdir(self.folder)]
            packs = os.path.join(self.folder, b"pack")
            files = [os.path.join(packs, name) for name in os.listdir(packs)] if os.path.isdir(packs) else []
        except OSError:
            return False
        return all(os.access(path, os.R_OK | (os.X_OK if os.path.isdir(path) else 0)) for path in (*folders, *files))

    def read(self, oid: Oid) -> tuple[Kind, bytes]:
        """Return kind and content of an object. Raises ObjectMissing, or RepositoryDamaged if it cannot be read."""
        try:
            kind, content = self._odb.read(pygit2.Oid(raw=oid))
        except KeyError as error:
            if self.has(oid):
                raise RepositoryDamaged(self._repository.root, oid.hex(), "it is damaged") from error
            raise ObjectMissing(self._repository.root, oid.hex()) from error
        except pygit2.GitError as error:
            raise RepositoryDamaged(self._repository.root, oid.hex(), str(error)) from error
        return _KINDS[kind], content

    def kind(self, oid: Oid) -> Kind | None:
        """Return what an object is, None where it is not here or cannot be read."""
        try:
            return _KINDS[self._odb.read_header(pygit2.Oid(raw=oid))[0]]
        except (KeyError, pygit2.GitError):
            return None

    def size(self, oid: Oid) -> int:
        """Return the size of an object's content in bytes. Raises as `read` does."""
        try:
            return self._odb.read_header(pygit2.Oid(raw=oid))[1]
        except KeyError as error:
            raise ObjectMissing(self._repository.root, oid.hex()) from error
        except pygit2.GitError as error:
            raise RepositoryDamaged(self._repository.root, oid.hex(), str(error)) from error

    def tree(self, oid: Oid) -> bytes:
        """Return the raw bytes of a tree. Raises ObjectMissing."""
        return b"" if oid == EMPTY_TREE else self.read(oid)[1]

    def tree_of(self, commit: Oid | None) -> Oid:
        """Return the tree of a commit, the empty tree for None. Raises ObjectMissing or RepositoryDamaged."""
        if commit is None:
            return EMPTY_TREE
        kind, content = self.read(commit)
        if kind is not Kind.COMMIT or not content.startswith(b"tree "):
            raise RepositoryDamaged(self._repository.root, commit.hex(), "it is no commit")
        return Oid(bytes.fromhex(content[5:45].decode("ascii")))

    def freshen(self, oids: list[Oid]) -> None:
        """Make objects that exist look new, so that no collection that begins now takes them before our ref holds them.

        A loose one gets a new time of its own. For one in a pack every pack gets one, as Git itself does when it writes
        an object that is packed already.
        """
        packed = False
        for oid in oids:
            name = oid.hex().encode()
            try:
                os.utime(os.path.join(self.folder, name[:2], name[2:]))
            except FileNotFoundError:
                packed = True
        if packed:
            self._freshen_packs()

    def _freshen_packs(self) -> None:
        folder = os.path.join(self.folder, b"pack")
        try:
            names = os.listdir(folder)
        except FileNotFoundError:
            return  # the objects are in an alternate, whose collection is not ours to fear or to touch
        for name in names:
            if name.endswith(b".pack"):
                try:
                    os.utime(os.path.join(folder, name))
                except (FileNotFoundError, PermissionError):
                    continue  # repacked meanwhile, or another user's: the last look before the ref decides
