"""A repository, opened: its folders, its configuration and libgit2's handle on it.

Owns finding and opening; says by name what cannot be protected. Never searches upwards on its own when it opens: the
folder that was registered is the folder that is opened (case B44). Does not read the index or the working tree.
"""

import os
import re
import stat

import pygit2
from pygit2.enums import RepositoryOpenFlag

from backtrail.git.config_files import check_regular
from backtrail.git.object_database import open_database
from backtrail.git.settings import settings
from backtrail.git.small_file import as_git_reads_it, read_if_readable, read_small
from backtrail.model.errors.repository import (
    CannotBeProtected,
    NotAWorkingTree,
    NotReachable,
    OwnedByAnother,
    RepositoryDamaged,
)

_GITDIR_FILE = re.compile(rb"gitdir: (.+?)[\r\n]*\Z", re.DOTALL)
_GITDIR_FILE_LIMIT = 8192


def find_top(path: bytes) -> bytes:
    """Return the top of the working tree that holds `path`, resolved. Raises NotAWorkingTree or NotReachable."""
    here = os.path.realpath(path)
    if not os.path.lexists(here):
        raise NotReachable(path, "there is nothing at this path")
    if not os.path.isdir(here):
        here = os.path.dirname(here)
    candidate = here
    while True:
        if os.path.lexists(os.path.join(candidate, b".git")):
            return candidate
        if _is_git_folder(candidate):
            raise CannotBeProtected(path, "bare")
        parent = os.path.dirname(candidate)
        if parent == candidate:
            raise NotAWorkingTree(path)
        candidate = parent


def _is_git_folder(folder: bytes) -> bool:
    return os.path.isfile(os.path.join(folder, b"HEAD")) and all(
        os.path.isdir(os.path.join(folder, name)) for name in (b"objects", b"refs")
    )


def git_folder_of(root: bytes) -> bytes | None:
    """Return the Git folder that `root/.git` is or names, or None if that is no Git folder."""
    place = os.path.join(root, b".git")
    try:
        mode = os.stat(place).st_mode
        if stat.S_ISDIR(mode):
            folder = place
        elif stat.S_ISREG(mode):
            with open(place, "rb") as file:
                match = _GITDIR_FILE.match(file.read(_GITDIR_FILE_LIMIT))
            if not match:
                return None
            folder = os.path.join(root, as_git_reads_it(match[1]))
        else:
            return None
        return folder if stat.S_ISREG(os.stat(os.path.join(folder, b"HEAD")).st_mode) else None
    except OSError:
        return None


class Repository:
    """An opened repository.

    root: top of the working tree. git_dir: HEAD, index and what is in progress. common_dir: objects, refs, config (the
    same as git_dir except in a linked worktree, case B43). All absolute raw bytes.
    """

    def __init__(self, root: bytes, git_dir: bytes, common_dir: bytes, handle: pygit2.Repository) -> None:
        self.root = root
        self.git_dir = git_dir
        self.common_dir = common_dir
        self.handle = handle

    @classmethod
    def open(cls, root: bytes) -> "Repository":
        """Open the working tree whose top is `root`. Raises an error of `model.errors.repository`."""
        try:
            if not stat.S_ISDIR(os.lstat(root).st_mode):
                raise NotReachable(root, "it is not a folder")
            os.listdir(root)
        except OSError as error:
            raise NotReachable(root, error.strerror or "") from error
        git_dir = git_folder_of(root)
        if git_dir is None:
            if _is_git_folder(root):
                raise CannotBeProtected(root, "bare")
            raise NotAWorkingTree(root)
        common_dir = _common_folder(git_dir)
        check_regular(root, git_dir, common_dir)
        _refuse_unsupported(root, common_dir)
        try:
            handle = pygit2.Repository(os.fsdecode(root), RepositoryOpenFlag.NO_SEARCH)
            handle.set_odb(open_database(os.path.join(common_dir, b"objects")))
        except (pygit2.GitError, KeyError, ValueError, OSError) as error:
            if "not owned by current user" in str(error):
                raise OwnedByAnother(root) from error
            raise RepositoryDamaged(root, ".git", str(error)) from error
        if handle.is_bare:
            raise CannotBeProtected(root, "bare")
        if os.path.realpath(os.fsencode(handle.path)) != os.path.realpath(git_dir):
            raise RepositoryDamaged(root, ".git", "another repository answered")
        if os.path.realpath(os.fsencode(handle.workdir)) != os.path.realpath(root):
            raise CannotBeProtected(root, "worktree-elsewhere", handle.workdir)
        return cls(root, git_dir, common_dir, handle)

    def close(self) -> None:
        """Let go of libgit2's handle and the files that it keeps open."""
        self.handle.free()

    @property
    def linked(self) -> bool:
        """True in a linked worktree, whose objects and refs live in another folder."""
        return self.git_dir != self.common_dir

    def setting(self, name: str) -> str | None:
        """Return a configuration value, the repository's own before the person's, or None."""
        try:
            found = [value for key, value in settings(self.handle.config_snapshot) if key.lower() == name.lower()]
        except (pygit2.GitError, ValueError) as error:
            raise RepositoryDamaged(self.root, "config", str(error)) from error
        return found[-1] if found else None

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a configuration value as yes or no."""
        value = self.setting(name)
        if value is None:
            return default
        return value.lower() in ("true", "yes", "on", "1", "")

    def exclude_files(self) -> list[bytes]:
        """Return the contents of the ignore files outside the tree, lowest priority first (case B47)."""
        named = self.setting("core.excludesFile")
        if named is None:
            base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
            personal = os.path.join(os.fsencode(base), b"git", b"ignore")
        else:
            personal = os.path.join(self.root, os.path.expanduser(os.fsencode(named)))
        exclude = os.path.join(self.common_dir, b"info", b"exclude")
        return [read_if_readable(personal) or b"", read_if_readable(exclude) or b""]


def _common_folder(git_dir: bytes) -> bytes:
    named = as_git_reads_it(read_small(os.path.join(git_dir, b"commondir")) or b"").strip(b"\r\n")
    return os.path.normpath(os.path.join(git_dir, named)) if named else git_dir


def _refuse_unsupported(root: bytes, common_dir: bytes) -> None:
    """Say by name what libgit2 would refuse in its own words (case B39)."""
    path = os.path.join(common_dir, b"config")
    if not os.path.exists(path):
        return
    try:
        config = pygit2.Config(os.fsdecode(path))
        values = {name.lower(): value for name, value in settings(config)}
    except (pygit2.GitError, ValueError, OSError) as error:
        raise RepositoryDamaged(root, "config", str(error)) from error
    if values.get("extensions.refstorage", "files").lower() != "files":
        raise CannotBeProtected(root, "reftable")
    if values.get("extensions.objectformat", "sha1").lower() != "sha1":
        raise CannotBeProtected(root, "sha256")
    if "extensions.partialclone" in values or any(name.endswith(".promisor") for name in values):
        raise CannotBeProtected(root, "partial-clone")
    if values.get("core.bare", "false").lower() == "true":
        raise CannotBeProtected(root, "bare")
