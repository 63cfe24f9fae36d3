"""The plan of a restore as data: shown, dry-run and executed as the same value (design: restore, plan).

Owns the comparison of now with the target, the guard token, and what is carried, leaves, blocks or should be known. The
caller has just looked and recorded the present state. Changes nothing.
"""

import functools
import hashlib
import itertools
import os
import stat

import msgspec

from backtrail.checkpoints.content import reading
from backtrail.checkpoints.verify import unreadable
from backtrail.git.history import Commit, Order, commits
from backtrail.git.ignore import FolderRules
from backtrail.git.objects import Objects
from backtrail.git.refs import read_ref
from backtrail.git.repository import Repository
from backtrail.git.small_file import read_if_readable
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.coverage import Reason
from backtrail.model.errors.restore import CheckpointDamaged
from backtrail.model.ids import MemoryId, Oid, RelPath, Token
from backtrail.model.net_state import PLAIN_FOLDER, FolderEntry, Mode, NetState, Operation
from backtrail.model.paths import folders_above
from backtrail.model.restore import (
    Blocker,
    CarryOver,
    Caution,
    Ignored,
    LeavingCommit,
    PathChange,
    RestorePlan,
)
from backtrail.restore.blockers import find_blockers
from backtrail.restore.carry import Placed, Present, Sorter, carry_over, everything_else
from backtrail.restore.inside import who_is_inside
from backtrail.restore.listing import Listing, take_listing
from backtrail.restore.mounts import free_bytes
from backtrail.restore.places import archives_of
from backtrail.restore.target import Target
from backtrail.scan.look import Look

COMMITS_SHOWN = 100
_OBJECT_FOLDERS = 260  # one for each first byte, and a few
_COMMITS_COUNTED = 10_000
_MOSTLY_GONE = 0.5
_WORTH_ASKING = 10


class Now(msgspec.Struct, frozen=True):
    """The live folder at one moment: what a look saw, the listing of everything, and the guard token of both."""

    look: Look
    listing: Listing

    @property
    def token(self) -> Token:
        """The guard token: the content token and the listing of the whole folder, Git folder included."""
        digest = hashlib.sha256(b"backtrail guard 1\0" + self.look.token.encode() + self.listing.digest().encode())
        return Token(digest.hexdigest())


def list_live(repository: Repository) -> Listing:
    """Return the listing of a live folder."""
    return take_listing(repository.root, os.path.join(repository.root, b".git"))


class Planner:
    """Makes plans for one memory. The caller holds its lock."""

    def __init__(self, memory_id: MemoryId, repository: Repository) -> None:
        self._memory_id = memory_id
        self._repository = repository
        self._objects = Objects(repository)

    def plan(self, target: Target, now: Now, before: Checkpoint | None, choice: Ignored) -> RestorePlan:
        """Return the plan. `before`: the checkpoint of the present state, None where that could not be captured."""
        present = Present(now.listing)
        wrong = self._wrong(target)
        with reading(target.checkpoint):
            carried, leaving = self._carry(target, present, choice)
            needed = 0 if wrong else self._needed(target.state, carried, now.listing)
        comes_back, changes, leaves = _differences(
            now.look.state, target.state, leaving, frozenset(carried.paths), now.listing
        )
        commits, count = self._leaving_commits(now.look.state, target.state)
        inside = who_is_inside(self._repository.root)
        space = (needed, free_bytes(os.path.dirname(self._repository.root)))
        return RestorePlan(
            memory_id=self._memory_id,
            target=target.checkpoint,
            undo_of=target.undo_of,
            before=before.id if before else None,
            token=now.token,
            archives=archives_of(self._repository.root),
            comes_back=comes_back,
            changes=changes,
            leaves=leaves,
            commits_leaving=commits,
            commits_leaving_count=count,
            carry_over=carried,
            not_in_target=target.state.coverage.left_out,
            needed=space[0],
            free=space[1],
            inside=inside,
            blockers=(*_damaged(wrong), *find_blockers(self._repository, target.state, inside, space)),
            cautions=tuple(_cautions(now.look.state, target, before)),
        )

    def _wrong(self, target: Target) -> tuple[str, ...]:
        """Return what is known to be wrong with a stored target, and which of its files' contents are not there."""
        if target.archive is not None:
            return ()
        return tuple(dict.fromkeys((*target.checkpoint.damage, *unreadable(self._objects, target.state))))

    def _carry(self, target: Target, present: Present, choice: Ignored) -> tuple[CarryOver, tuple[RelPath, ...]]:
        """Return what is carried and what leaves, top-most paths."""
        submodules = frozenset(e.path for e in target.state.working if e.mode == Mode.GITLINK)
        if target.archive is None:
            ignore_files = {
                entry.path: entry.oid
                for entry in target.state.working
                if entry.path.rpartition(b"/")[2] == b".gitignore" and entry.mode != Mode.SYMLINK
            }
            ignore_file = functools.partial(_ignore_file_of, self._repository.root, ignore_files, self._objects)
            rules = functools.partial(
                FolderRules.root,
                self._repository.exclude_files(),
                ignore_case=self._repository.flag("core.ignoreCase", default=False),
            )
            placed = Sorter(present, target.state, rules, ignore_file).sort()
            return carry_over(present, placed, choice, submodules), placed.leaving
        donor = Present(take_listing(target.archive, os.path.join(target.archive, b".git")))
        paths = everything_else(donor, target.state)
        placed = Placed(carried=paths, no_place=(), leaving=())
        leaving = tuple(RelPath(path) for path in present.topmost_without(donor))
        return carry_over(donor, placed, Ignored.CARRY, submodules), leaving

    def _leaving_commits(self, now: NetState, target: NetState) -> tuple[tuple[LeavingCommit, ...], int]:
        """Return the newest commits that will no longer be on the branch, and how many there are (case B03)."""
        branch = target.branch
        tip = now.head if branch is None else read_ref(self._repository.common_dir, b"refs/heads/" + branch)
        if branch is None and now.branch is not None:
            return (), 0  # the branch stays where it is; only HEAD leaves it
        if tip is None or tip == target.head or not self._objects.has(tip):
            return (), 0
        hidden = () if target.head is None else (target.head,)  # an archive may have commits of its own
        found = commits(self._repository, [tip], hidden, Order.CHILDREN_FIRST)
        shown = tuple(_leaving(commit) for commit in itertools.islice(found, COMMITS_SHOWN))
        return shown, len(shown) + sum(1 for _ in itertools.islice(found, _COMMITS_COUNTED - len(shown)))

    def _needed(self, target: NetState, carried: CarryOver, listing: Listing) -> int:
        """Return an upper bound of the bytes that the copy takes, in whole blocks; objects are linked and cost none."""
        block = os.statvfs(self._repository.root).f_frsize
        known = {entry.oid: entry.size for entry in target.working if entry.size}
        blocks = _OBJECT_FOLDERS + carried.bytes // block + carried.count
        for entry in target.working:
            if entry.checked_out and entry.mode != Mode.GITLINK:
                size = known.get(entry.oid) or (self._objects.size(entry.oid) if self._objects.has(entry.oid) else 0)
                blocks += -(-size // block)
        blocks += len(folders_above(entry.path for entry in target.working))
        for path, there in listing.entries.items():
            if path.startswith(b".git/") and stat.S_ISREG(there.mode):
                blocks += -(-there.size // block)
            elif stat.S_ISDIR(there.mode):
                blocks += 1
        return blocks * block


def _damaged(wrong: tuple[str, ...]) -> tuple[Blocker, ...]:
    return (Blocker(CheckpointDamaged.code, (), ", ".join(wrong)),) if wrong else ()


def _leaving(commit: Commit) -> LeavingCommit:
    return LeavingCommit(commit.oid, commit.subject, commit.author, commit.committed_at)


def _differences(
    now: NetState, target: NetState, leaving: tuple[RelPath, ...], carried: frozenset[RelPath], present: Listing
) -> tuple[tuple[PathChange, ...], tuple[PathChange, ...], tuple[PathChange, ...]]:
    """Return what comes back, changes and leaves; index and working tree apart. Empty folders are paths too."""
    back: list[PathChange] = []
    changed: list[PathChange] = []
    gone: list[PathChange] = []
    here = {e.path: (e.mode, e.permissions, e.oid) for e in now.working if e.checked_out}
    there = {e.path: (e.mode, e.permissions, e.oid) for e in target.working if e.checked_out}
    staged_here = {(e.path, e.stage): e.content for e in now.index}
    staged_there = {(e.path, e.stage): e.content for e in target.index}
    back += [PathChange(path, staged=False) for path in there.keys() - here.keys()]
    changed += [PathChange(path, staged=False) for path in there.keys() & here.keys() if there[path] != here[path]]
    back += [PathChange(f.path, staged=False, folder=True) for f in target.folders if _comes_back(f, present)]
    changed += [PathChange(path, staged=False, folder=True) for path in _other_permissions(target, present)]
    stays = {path for path in here.keys() - there.keys() if _is_carried(path, carried)}
    gone += [
        PathChange(path, staged=False, folder=path in present.entries and stat.S_ISDIR(present.entries[path].mode))
        for path in {*(here.keys() - there.keys() - stays), *leaving}
    ]
    back += [PathChange(path, staged=True) for path, _ in staged_there.keys() - staged_here.keys()]
    changed += [
        PathChange(key[0], staged=True)
        for key in staged_there.keys() & staged_here.keys()
        if staged_there[key] != staged_here[key]
    ]
    gone += [PathChange(path, staged=True) for path, _ in staged_here.keys() - staged_there.keys()]
    first, second, third = (
        tuple(sorted(set(part), key=lambda change: (change.path, change.staged))) for part in (back, changed, gone)
    )
    return first, second, third


def _comes_back(folder: FolderEntry, present: Listing) -> bool:
    """Tell whether an empty folder of the target is not there now. One with files comes back with these."""
    there = present.entries.get(folder.path)
    return folder.empty and (there is None or not stat.S_ISDIR(there.mode))


def _other_permissions(target: NetState, present: Listing) -> list[RelPath]:
    """Return the folders below the root that the target has with other permission bits than they have now."""
    remembered = {folder.path: folder.permissions for folder in target.folders}
    folders = folders_above(e.path for e in target.working if e.checked_out) | remembered.keys()
    found: list[RelPath] = []
    for path in sorted(folders):
        there = present.entries.get(path) if path else None
        wanted = remembered.get(RelPath(path), PLAIN_FOLDER)
        if there is not None and stat.S_ISDIR(there.mode) and stat.S_IMODE(there.mode) != wanted:
            found.append(RelPath(path))
    return found


def _is_carried(path: RelPath, carried: frozenset[RelPath]) -> bool:
    """Tell whether a path, or a folder above it, is carried over."""
    parts = path.split(b"/")
    return any(b"/".join(parts[:end]) in carried for end in range(1, len(parts) + 1))


def _cautions(now: NetState, target: Target, before: Checkpoint | None) -> list[Caution]:
    """Return what should be known before going on."""
    state = target.state
    found: list[Caution] = []
    if before is None:
        found.append(Caution("present-not-captured", tuple(now.conflicts)))
    if state.operation not in (Operation.NONE, Operation.MERGE) and target.archive is None:
        found.append(Caution("operation-not-restored", (), 0, state.operation))
    if now.operation is not Operation.NONE:
        found.append(Caution("operation-leaves", (), 0, now.operation))
    unreadable = tuple(item.path for item in now.coverage.left_out if item.reason is Reason.UNREADABLE)
    if unreadable:
        found.append(Caution("unreadable-stays-in-archive", unreadable, len(unreadable)))
    here, there = len(now.working), len(state.working)
    if here >= _WORTH_ASKING and there < here * _MOSTLY_GONE:
        found.append(Caution("most-files-leave", (), here - there))
    return found


def _ignore_file_of(root: bytes, ignore_files: dict[RelPath, Oid], objects: Objects, folder: bytes) -> bytes | None:
    """Return the target's .gitignore of a folder; where it has none, a present one that ignores itself.

    Tools put such a one into folders of their own (`.venv`, `.pytest_cache`): no checkpoint ever holds it, and what it
    hides was ignored then as it is now. Raises ObjectMissing.
    """
    path = folder + b"/.gitignore" if folder else b".gitignore"
    oid = ignore_files.get(RelPath(path))
    if oid is not None:
        return objects.read(oid)[1]
    place = os.path.join(root, path)
    present = None if os.path.islink(place) else read_if_readable(place)
    hides_itself = present is not None and FolderRules.root([], present).ignores(b".gitignore", is_folder=False)
    return present if hides_itself else None
