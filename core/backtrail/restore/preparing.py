"""Preparing the copy: steps 3 to 5 of a restore (design: restore, steps).

Owns making a separate, verified copy of the folder in the target's state, at its final archive name. The live folder is
only read. Whatever fails here leaves a copy that its marker names; removing it is the caller's.
"""

import ctypes
import os

from backtrail.git.objects import Objects
from backtrail.git.repository import Repository
from backtrail.model.clock import Clock
from backtrail.model.errors.restore import CopyDiffers
from backtrail.model.ids import Oid, RelPath, RestoreId
from backtrail.model.net_state import Mode, NetState, Operation, WorkingEntry
from backtrail.model.progress import Progress
from backtrail.model.restore import CarryOver
from backtrail.restore.file_copy import Why
from backtrail.restore.git_folder import (
    copy_git_folder,
    link_objects,
    missing_tips,
    point_head,
    set_index,
    set_operation,
)
from backtrail.restore.places import MARKER, Places
from backtrail.restore.target import Target
from backtrail.restore.working_files import WorkingFiles
from backtrail.scan.look import Looker
from backtrail.scan.stat_cache import StatCache

_NO_CAP = 1 << 62


class Preparing:
    """Makes one copy. `live` is the open repository of the live folder."""

    def __init__(self, places: Places, live: Repository, target: Target, clock: Clock, progress: Progress) -> None:
        self._places = places
        self._live = live
        self._target = target
        self._clock = clock
        self._progress = progress

    def copy(self, restore_id: RestoreId) -> tuple[RelPath, ...]:
        """Step 3: the Git folder. Its marker is written before anything else is. Returns what could not be copied."""
        git = os.path.join(self._places.copy, b".git")
        os.makedirs(git)
        with open(os.path.join(self._places.copy, MARKER), "wb") as file:
            file.write(restore_id.encode())
            file.flush()
            os.fsync(file.fileno())
        report = copy_git_folder(self._places.live, self._places.copy)
        self.link_objects()
        return tuple(RelPath(b".git/" + path) for path, why in report.not_copied if why is not Why.VANISHED)

    def link_objects(self) -> None:
        """Give every object a second name in the copy; of an undo's archive too. Done again at the last look."""
        objects = os.path.join(self._places.copy, b".git/objects")
        link_objects(os.path.join(self._places.live, b".git/objects"), objects)
        if self._target.archive is not None:
            link_objects(os.path.join(self._target.archive, b".git/objects"), objects)

    def build(self, restore_id: RestoreId, now: NetState, carried: CarryOver) -> tuple[RelPath, ...]:
        """Step 4: HEAD, branch, operation, files, what is carried, and last the index. Returns what was not carried."""
        target, copy = self._target, self._places.copy
        because = f"backtrail: restore {restore_id} of {target.checkpoint.id}".encode()
        point_head(copy, target.state, restore_id, self._clock(), because)
        set_operation(copy, target.state, target.archive)
        donor, donor_state = (self._places.live, now) if target.archive is None else (target.archive, target.state)
        repository = Repository.open(copy)
        try:
            files = WorkingFiles(copy, Objects(repository), donor, donor_state, self._progress)
            files.build(target.state)
            not_carried = files.carry(carried.paths)
            files.finish_folders(target.state)
            set_index(copy, target.state)
        finally:
            repository.close()
        return not_carried

    def verify(self) -> StatCache:
        """Step 5: look at the copy and compare it with the target. Raises CopyDiffers. Then sync the file system."""
        repository = Repository.open(self._places.copy)
        try:
            if missing := missing_tips(self._live, repository):
                raise CopyDiffers(tuple(oid.hex().encode() for oid in missing))
            cache = StatCache()
            # what the target holds counts though it is ignored now: by the person's own rules, or by a carried file
            expected = frozenset(entry.path for entry in self._target.state.working)
            seen = Looker(repository, cache, self._clock, _NO_CAP).look(full_hash=True, expected=expected).state
        finally:
            repository.close()
        if different := differences(seen, self._target.state, undo=self._target.archive is not None):
            raise CopyDiffers(different)
        _sync_file_system(self._places.copy)
        return cache


def differences(seen: NetState, target: NetState, *, undo: bool) -> tuple[bytes, ...]:
    """Return what of a copy is not as the target says: names of parts, or paths. Uncaptured paths are not compared."""
    operation = target.operation if undo or target.operation is Operation.MERGE else Operation.NONE
    parts = {
        b"branch": (seen.branch, target.branch),
        b"HEAD": (seen.head, target.head),
        b"operation": (seen.operation, operation),
        b"merge": (seen.merge, target.merge),
    }
    found = [name for name, (here, there) in parts.items() if here != there]
    found += _moved(
        {(e.path, e.stage): e.content for e in seen.index}, {(e.path, e.stage): e.content for e in target.index}
    )
    working = _moved(
        {(e.path, 0): _as_compared(e) for e in seen.working}, {(e.path, 0): _as_compared(e) for e in target.working}
    )
    found += [path for path in working if not target.coverage.covers(path)]
    here = {folder.path: folder for folder in seen.folders}
    for folder in target.folders:
        made = here.get(folder.path)
        if (made.permissions if made else 0o755) != folder.permissions or (folder.empty and not (made and made.empty)):
            found.append(folder.path)
    return tuple(found)


def _as_compared(entry: WorkingEntry) -> tuple[int, int, Oid | None, bool]:
    """Return what must be equal of a file. A submodule is carried as it is now, whatever its HEAD was (case B30)."""
    oid = None if entry.mode == Mode.GITLINK else entry.oid
    return entry.mode, entry.permissions, oid, entry.checked_out


def _moved(here: dict[tuple[RelPath, int], object], there: dict[tuple[RelPath, int], object]) -> list[bytes]:
    return [path for path, stage in here.keys() | there.keys() if here.get((path, stage)) != there.get((path, stage))]


def _sync_file_system(path: bytes) -> None:
    """Make everything written below `path` durable, in one go."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
        if syncfs is None:
            os.sync()
        elif syncfs(descriptor) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), path)
    finally:
        os.close(descriptor)
