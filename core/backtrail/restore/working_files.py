"""The working files of the prepared copy: every file, link and folder of the target, and what is carried over.

Owns writing below the copy, through descriptors of its folders; never follows a link, runs no filter. Files that the
donor folder has with the same bytes are copied from it with their times and attributes; the rest is written from raw
blobs. Nothing here is fsynced one by one: the caller syncs the file system once.
"""

import collections
import contextlib
import os
import stat

from backtrail.git.objects import Objects
from backtrail.model.ids import Oid, RelPath
from backtrail.model.net_state import PLAIN_FOLDER, Mode, NetState, WorkingEntry
from backtrail.model.paths import folders_above
from backtrail.model.progress import Progress
from backtrail.restore.file_copy import NotCopied, Why, copy_file, copy_xattrs, give_owner
from backtrail.restore.listing import open_below
from backtrail.restore.tree_copy import copy_tree

_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC


class WorkingFiles:
    """Builds the files of one copy. donor: a folder and the net state that was seen in it."""

    def __init__(self, copy: bytes, objects: Objects, donor: bytes, donor_state: NetState, progress: Progress) -> None:
        self._copy = copy
        self._objects = objects
        self._donor = donor
        self._same: dict[tuple[bytes, Oid], WorkingEntry] = {(e.path, e.oid): e for e in donor_state.working}
        self._progress = progress
        self._owner = os.lstat(donor)
        self._made: list[bytes] = []

    def build(self, state: NetState) -> None:
        """Write every file of `state`. Raises ObjectMissing, or OSError where the disk refuses."""
        by_folder: dict[bytes, list[WorkingEntry]] = collections.defaultdict(list)
        for entry in state.working:
            if entry.checked_out:
                by_folder[entry.path.rpartition(b"/")[0]].append(entry)
        folders = {folder.path for folder in state.folders} | by_folder.keys() | {b""}
        for folder in sorted(folders | folders_above(folders)):
            if folder:
                self._make_folder(folder)
        root = os.open(self._copy, os.O_RDONLY | os.O_DIRECTORY)
        donor = os.open(self._donor, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for folder, entries in by_folder.items():
                self._fill(root, donor, folder, entries)
        finally:
            os.close(root)
            os.close(donor)

    def carry(self, paths: tuple[RelPath, ...]) -> tuple[RelPath, ...]:
        """Copy paths of the donor along; return those that could not be, which stay in the archive.

        What vanished is not among them: the last look tells whether it is gone or was only away.
        """
        failed: list[RelPath] = []
        for path in paths:
            source, place = os.path.join(self._donor, path), os.path.join(self._copy, path)
            self._make_parents(path)
            if os.path.isdir(source) and not os.path.islink(source):
                failed.extend(self._carry_folder(path, source, place))
            elif self._copy_one(path) not in (None, Why.VANISHED):
                failed.append(path)
        return tuple(failed)

    def _carry_folder(self, path: RelPath, source: bytes, place: bytes) -> list[RelPath]:
        """Copy a folder along; return what of it could not be."""
        try:
            report = copy_tree(source, place, on_bytes=self._progress.advance)
        except NotCopied as refused:
            return [] if refused.why is Why.VANISHED else [path]
        return [RelPath(path + b"/" + inner) for inner, why in report.not_copied if why is not Why.VANISHED]

    def finish_folders(self, state: NetState) -> None:
        """Give every folder of the target its permissions, the innermost first, so that none is closed too early.

        One that the donor has too gets its owner, group and extended attributes before.
        """
        root = os.open(self._copy, os.O_RDONLY | os.O_DIRECTORY)
        donor = os.open(self._donor, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for folder in (*self._made, b""):
                _take_attributes(root, donor, folder)
        finally:
            os.close(root)
            os.close(donor)
        permissions = {folder.path: folder.permissions for folder in state.folders}
        for path in sorted(permissions, reverse=True):
            os.chmod(os.path.join(self._copy, path) if path else self._copy, permissions[path])
        if b"" not in permissions:
            os.chmod(self._copy, PLAIN_FOLDER)

    def _make_folder(self, folder: bytes) -> None:
        path = os.path.join(self._copy, folder)
        os.mkdir(path)
        os.chmod(path, PLAIN_FOLDER)
        self._give(path)
        self._made.append(folder)

    def _make_parents(self, path: bytes) -> None:
        """Make the folders above a carried path that the target lacks, with the donor's permissions."""
        end = path.find(b"/")
        while end > 0:
            place = os.path.join(self._copy, path[:end])
            if not os.path.isdir(place):
                self._make_folder(path[:end])
                os.chmod(place, stat.S_IMODE(os.lstat(os.path.join(self._donor, path[:end])).st_mode))
            end = path.find(b"/", end + 1)

    def _fill(self, root: int, donor: int, folder: bytes, entries: list[WorkingEntry]) -> None:
        """Write the files of one folder."""
        here = open_below(root, folder) if folder else os.dup(root)
        try:
            there = open_below(donor, folder) if folder else os.dup(donor)
        except OSError:
            there = None
        try:
            for entry in entries:
                if there is None or not self._take_same(there, here, entry):
                    self._write(here, entry)
        finally:
            os.close(here)
            if there is not None:
                os.close(there)

    def _take_same(self, there: int, here: int, entry: WorkingEntry) -> bool:
        """Copy an equal file from the donor; False where it has none. What it copied is hashed later, with the copy."""
        same = self._same.get((entry.path, entry.oid))
        if same is None or entry.mode == Mode.GITLINK or (same.mode == Mode.SYMLINK) != (entry.mode == Mode.SYMLINK):
            return False
        name = entry.path.rpartition(b"/")[2]
        try:
            copy_file(there, name, here, name, self._progress.advance)
        except NotCopied:
            return False
        if entry.mode != Mode.SYMLINK and same.permissions != entry.permissions:
            os.chmod(name, entry.permissions, dir_fd=here)
        return True

    def _write(self, here: int, entry: WorkingEntry) -> None:
        name = entry.path.rpartition(b"/")[2]
        if entry.mode == Mode.GITLINK:
            os.mkdir(name, dir_fd=here)
            return
        content = self._objects.read(entry.oid)[1]
        if entry.mode == Mode.SYMLINK:
            os.symlink(content, name, dir_fd=here)
            return
        descriptor = os.open(name, _NEW, 0o600, dir_fd=here)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            if os.geteuid() == 0:
                os.fchown(descriptor, self._owner.st_uid, self._owner.st_gid)
            os.fchmod(descriptor, entry.permissions)
        self._progress.advance(len(content))

    def _copy_one(self, path: RelPath) -> Why | None:
        """Copy what is no folder; return why it could not be."""
        source = os.open(os.path.dirname(os.path.join(self._donor, path)), os.O_RDONLY | os.O_DIRECTORY)
        target = os.open(os.path.dirname(os.path.join(self._copy, path)), os.O_RDONLY | os.O_DIRECTORY)
        name = path.rpartition(b"/")[2]
        try:
            copy_file(source, name, target, name, self._progress.advance)
        except NotCopied as refusal:
            return refusal.why
        finally:
            os.close(source)
            os.close(target)
        return None

    def _give(self, path: bytes) -> None:
        """Let the folder's owner own what is made, where a root process makes it."""
        if os.geteuid() == 0:
            os.chown(path, self._owner.st_uid, self._owner.st_gid, follow_symlinks=False)


def _take_attributes(root: int, donor: int, folder: bytes) -> None:
    """Give a folder of the copy what the donor's folder at the same path has, if there is one that can be opened."""
    with contextlib.ExitStack() as opened:
        try:
            there = open_below(donor, folder) if folder else os.dup(donor)
        except OSError:
            return
        opened.callback(os.close, there)
        here = open_below(root, folder) if folder else os.dup(root)
        opened.callback(os.close, here)
        copy_xattrs(there, here)
        give_owner(lambda uid, gid: os.fchown(here, uid, gid), os.fstat(there))
