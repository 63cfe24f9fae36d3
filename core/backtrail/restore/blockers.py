"""The reasons why a restore cannot run now, each with a stable code (design: restore, plan).

Owns looking for them; what to do about each is in `wording`. Every check here reads; none changes the live folder.
"""

import fcntl
import os
import stat
import struct
import sys
from collections.abc import Iterator

from backtrail.git.collecting import gc_at_work
from backtrail.git.refs import packed_refs, read_ref
from backtrail.git.repository import Repository
from backtrail.git.small_file import read_small
from backtrail.model.net_state import NetState
from backtrail.model.restore import Blocker, Inside
from backtrail.restore.git_folder import OPERATION_FILES
from backtrail.restore.inside import known_agents
from backtrail.restore.mounts import mounts_at_or_below, same_device
from backtrail.restore.places import archives_of
from backtrail.restore.switch import can_exchange

_MARGIN = 16 << 20
_GET_MARKS = 0x80086601
"""Linux's FS_IOC_GETFLAGS on machines of 64 bits; elsewhere it is refused, or asks for nothing."""
_FIXED = 0x10 | 0x20


def find_blockers(
    repository: Repository, target: NetState, inside: tuple[Inside, ...], space: tuple[int, int]
) -> list[Blocker]:
    """Return every blocker. space: bytes needed and bytes free beside the folder."""
    root = repository.root
    found = [*_git_elsewhere(repository), *_branch(repository, target), *_busy(repository)]
    if mounts := mounts_at_or_below(root):
        found.append(Blocker("mount-inside", mounts))
    parent = os.path.dirname(root)
    if not os.access(parent, os.W_OK | os.X_OK):
        found.append(Blocker("parent-not-writable", (parent,)))
    elif (reason := _cannot_switch(root)) is not None:
        found.append(Blocker("cannot-switch", (parent,), reason))
    needed, free = space
    if needed + _MARGIN > free:
        found.append(Blocker("no-space", (parent,), f"{needed + _MARGIN} {free}"))
    writers = [process for process in inside if process.writes]
    agents = known_agents(inside)
    if writers or agents:
        named = {process.pid: process for process in (*writers, *agents)}
        found.append(Blocker("in-use", (), ", ".join(f"{p.name} ({p.pid})" for p in named.values())))
    return found


def _cannot_switch(root: bytes) -> str | None:
    parent = os.path.dirname(root)
    place = archives_of(root)
    while not os.path.isdir(place):
        place = os.path.dirname(place)
    if not same_device(root, place):
        return "the archive's place is on another file system"
    if _is_fixed(root):
        return "the folder is marked so that it cannot be moved, which `chattr -ia` takes back"
    return can_exchange(parent)


def _is_fixed(folder: bytes) -> bool:
    """Tell whether a folder is marked immutable or append-only. Where the system has no such marks it is not."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        marks = fcntl.ioctl(descriptor, _GET_MARKS, bytes(struct.calcsize("l")))
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return bool(int.from_bytes(marks[:4], sys.byteorder) & _FIXED)


def _git_elsewhere(repository: Repository) -> Iterator[Blocker]:
    """Find a Git folder that is not wholly inside: its copy would go on writing into the original."""
    git = os.path.join(repository.root, b".git")
    if not stat.S_ISDIR(os.lstat(git).st_mode):
        yield Blocker("git-elsewhere", (git,))
        return
    leaving = [path for path in _links(git) if _cannot_be_a_link(path.removeprefix(git + b"/")) or _leaves(git, path)]
    if leaving:
        yield Blocker("git-elsewhere", tuple(leaving))
    elif repository.setting("core.worktree") is not None:
        yield Blocker("git-elsewhere", (git,), "core.worktree")
    alternates = read_small(os.path.join(git, b"objects/info/alternates")) or b""
    relative = [line for line in alternates.split(b"\n") if line and not line.startswith((b"/", b"#"))]
    if relative:
        yield Blocker("relative-alternates", tuple(relative))


def _links(git: bytes) -> Iterator[bytes]:
    """Give every link in a Git folder, the folder of hooks left out: they are copied as they are."""
    for folder, folders, files in os.walk(git):
        if folder == git:
            folders[:] = [name for name in folders if name != b"hooks"]
        yield from (path for name in (*folders, *files) if os.path.islink(path := os.path.join(folder, name)))


def _cannot_be_a_link(path: bytes) -> bool:
    """Tell whether a restore writes or links here, so that what a link leads to would be written or left out."""
    top = path.split(b"/")[0]
    return top in (b"refs", b"logs", b"objects", b"packed-refs", b"HEAD", b"index", *OPERATION_FILES)


def _leaves(folder: bytes, link: bytes) -> bool:
    return not os.path.realpath(link).startswith(os.path.realpath(folder) + b"/")


def _branch(repository: Repository, target: NetState) -> Iterator[Blocker]:
    """Find what keeps the target's branch from being set here."""
    if target.branch is None:
        return
    name = b"refs/heads/" + target.branch
    worktrees = os.path.join(repository.common_dir, b"worktrees")
    own = os.path.realpath(repository.git_dir)
    for folder in sorted(os.listdir(worktrees)) if os.path.isdir(worktrees) else ():
        if os.path.realpath(os.path.join(worktrees, folder)) == own:
            continue
        head = (read_small(os.path.join(worktrees, folder, b"HEAD")) or b"").strip()
        if head == b"ref: " + name:
            place = (read_small(os.path.join(worktrees, folder, b"gitdir")) or b"").strip()
            yield Blocker("branch-in-other-worktree", (os.path.dirname(place),), os.fsdecode(target.branch))
    if read_ref(repository.common_dir, name) is None and (taken := _collision(repository.common_dir, name)):
        yield Blocker("branch-name-taken", (taken,), os.fsdecode(target.branch))


def _collision(common_dir: bytes, name: bytes) -> bytes | None:
    """Return the branch whose name forbids `name`: `a` beside `a/b`."""
    packed = packed_refs(common_dir)
    for other in packed:
        if other.startswith(name + b"/") or name.startswith(other + b"/"):
            return other.removeprefix(b"refs/heads/")
    for folder, _, files in os.walk(os.path.join(common_dir, name)):
        for file in files:
            return os.path.relpath(os.path.join(folder, file), os.path.join(common_dir, b"refs/heads"))
    parts = name.split(b"/")
    for end in range(3, len(parts)):
        if os.path.isfile(os.path.join(common_dir, *parts[:end])):
            return b"/".join(parts[2:end])
    return None


def _busy(repository: Repository) -> Iterator[Blocker]:
    """Find signs that Git is at work here. A rebase that waits for a person is no such sign (decision 0006)."""
    git = repository.git_dir
    for name in (b"index.lock", b"HEAD.lock", b"packed-refs.lock"):
        if os.path.lexists(os.path.join(git, name)):
            yield Blocker("repository-busy", (os.path.join(git, name),), "lock")
    if gc_at_work(git):
        yield Blocker("repository-busy", (os.path.join(git, b"gc.pid"),), "gc")
