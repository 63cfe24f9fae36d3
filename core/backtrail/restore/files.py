"""Chosen files of a checkpoint: put back in place, or saved as a copy elsewhere.

Owns touching exactly the named paths (case B05, B33). Each file is written under a temporary name and renamed, with
every folder above it opened without following links (case B25). The index is left alone. Never writes into a Git
folder.
"""

import contextlib
import os
from collections.abc import Iterator, Mapping

from backtrail.checkpoints.content import chain_of, reading
from backtrail.git.chain import read_state
from backtrail.git.leftovers import own_mark
from backtrail.git.objects import Objects
from backtrail.git.trees import all_safe
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.errors.lookup import PathNotInCheckpoint, UnsafePath
from backtrail.model.errors.memory import FolderTaken
from backtrail.model.errors.restore import CannotReplace, CheckpointDamaged, StepFailed
from backtrail.model.ids import RelPath
from backtrail.model.net_state import Mode, WorkingEntry
from backtrail.restore.listing import Kind, Listed, listed

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC


def chosen_entries(objects: Objects, checkpoint: Checkpoint, paths: list[bytes]) -> list[WorkingEntry]:
    """Return what a checkpoint holds at or below the given paths; all of it for none.

    Raises UnsafePath, PathNotInCheckpoint or CheckpointDamaged.
    """
    for path in paths:
        if not all_safe([path]):
            raise UnsafePath(path)
    with reading(checkpoint):
        held = [e for e in read_state(objects, chain_of(objects, checkpoint)).working if e.mode != Mode.GITLINK]
    if not all_safe([entry.path for entry in held]):
        raise CheckpointDamaged(checkpoint.id, (checkpoint.working_tree.hex(),))
    if not paths:
        return held
    chosen: dict[RelPath, WorkingEntry] = {}
    for path in paths:
        below = [e for e in held if e.path == path or e.path.startswith(path + b"/")]
        if not below:
            raise PathNotInCheckpoint(checkpoint.id, path)
        chosen |= {entry.path: entry for entry in below}
    return list(chosen.values())


def put_in_place(
    root: bytes, objects: Objects, checkpoint: Checkpoint, entries: list[WorkingEntry], kept: Mapping[bytes, Listed]
) -> None:
    """Write the entries below `root`, all or none as far as can be seen before.

    kept: how each file was seen whose content a checkpoint holds; no other one, and none that moved since, is replaced.
    Raises CannotReplace if one may not be or something else stands in the way, before any is written;
    CheckpointDamaged; StepFailed if the disk refuses, with a note of the file it stopped at.
    """
    contents = _contents(objects, checkpoint, entries)
    top = os.open(root, _FOLDER)
    making = top
    try:
        with contextlib.suppress(OSError):  # a worktree's .git is a file: then the files are made at the top
            making = os.open(b".git", _FOLDER, dir_fd=top)
        for entry in entries:
            _check_way(top, entry.path, kept)
        for entry in entries:
            try:
                _replace(top, making, entry, contents[entry.path], kept)
            except OSError as error:
                raise StepFailed("file", f"{error.strerror}: {os.fsdecode(entry.path)}") from error
    finally:
        if making != top:
            os.close(making)
        os.close(top)


def save_copy(place: bytes, objects: Objects, checkpoint: Checkpoint, entries: list[WorkingEntry]) -> None:
    """Write the entries below a new or empty folder. Raises FolderTaken, CheckpointDamaged or StepFailed."""
    try:
        os.makedirs(place, exist_ok=True)
        taken = bool(os.listdir(place))
    except OSError as error:
        raise FolderTaken(place) from error
    if taken:
        raise FolderTaken(place)
    put_in_place(place, objects, checkpoint, entries, {})


def _contents(objects: Objects, checkpoint: Checkpoint, entries: list[WorkingEntry]) -> dict[RelPath, bytes]:
    """Read everything first, so that damage is found before anything is written."""
    with reading(checkpoint):
        return {entry.path: objects.read(entry.oid)[1] for entry in entries}


def _check_way(top: int, path: RelPath, kept: Mapping[bytes, Listed]) -> None:
    """Raise CannotReplace if a folder of the way is none, or what stands where the file belongs may not go."""
    *folders, name = path.split(b"/")
    here = os.dup(top)
    try:
        for part in folders:
            try:
                deeper = os.open(part, _FOLDER, dir_fd=here)
            except FileNotFoundError:
                return
            except OSError as error:
                raise CannotReplace(path, f"{os.fsdecode(part)} is no folder any more") from error
            os.close(here)
            here = deeper
        _check_place(here, name, path, kept)
    finally:
        os.close(here)


def _check_place(folder: int, name: bytes, path: RelPath, kept: Mapping[bytes, Listed]) -> None:
    """Raise CannotReplace unless the place is free, or holds a file that is still the one a checkpoint holds."""
    try:
        seen = listed(os.lstat(name, dir_fd=folder))
    except FileNotFoundError:
        return
    if seen.kind not in (Kind.FILE, Kind.LINK):
        raise CannotReplace(path, "something that is no file stands there")
    if path not in kept:
        raise CannotReplace(path, "no checkpoint holds what stands there now")
    if kept[path] != seen:
        raise CannotReplace(path, "somebody is writing to it")


@contextlib.contextmanager
def _way(top: int, path: RelPath) -> Iterator[tuple[int, bytes]]:
    """Give the folder that a path lies in, making what is missing of the way; follows no link."""
    *folders, name = path.split(b"/")
    here = os.dup(top)
    try:
        for part in folders:
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, 0o755, dir_fd=here)
            deeper = os.open(part, _FOLDER, dir_fd=here)
            os.close(here)
            here = deeper
        yield here, name
    finally:
        os.close(here)


def _replace(top: int, making: int, entry: WorkingEntry, content: bytes, kept: Mapping[bytes, Listed]) -> None:
    """Make the file in the folder `making`, where the next start sweeps what a kill leaves, and put it in place."""
    temporary = b"tmp_" + own_mark()
    with _way(top, entry.path) as (folder, name):
        try:
            if entry.mode == Mode.SYMLINK:
                os.symlink(content, temporary, dir_fd=making)
            else:
                descriptor = os.open(temporary, _NEW, 0o600, dir_fd=making)
                with os.fdopen(descriptor, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fchmod(descriptor, entry.permissions)
                    os.fsync(descriptor)
            _check_place(folder, name, entry.path, kept)
            os.rename(temporary, name, src_dir_fd=making, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=making)
            raise
        os.fsync(folder)
