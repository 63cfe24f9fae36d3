"""The Git folder of the prepared copy: everything of the live one, pointed at the target.

Owns copying refs, logs, config, hooks and the rest, linking objects, and setting HEAD, branch, operation and index in
the copy. Works on the copy only; the live Git folder is read, and its objects get a second name. Runs no hook.
"""

import datetime
import os
import shutil
import stat

from backtrail.git.history import is_reachable
from backtrail.git.index_write import write_index
from backtrail.git.objects import Objects
from backtrail.git.refs import create_ref, read_ref, refs_below
from backtrail.git.repository import Repository
from backtrail.git.small_file import read_if_readable, read_small
from backtrail.model.errors.repository import RepositoryBusy
from backtrail.model.ids import LEFT_REFS, Oid, RestoreId, oid_from_hex
from backtrail.model.net_state import IndexEntry, IndexStat, Merge, Mode, NetState, Operation, WorkingEntry
from backtrail.restore.file_copy import NotCopied, link_or_copy
from backtrail.restore.places import MARKER
from backtrail.restore.tree_copy import CopyReport, copy_tree

_PASSES = 10
_WHO = b"Backtrail <host@backtrail.invalid>"
_NOBODY = Oid(bytes(20))
_ASIDE_NS = 2_000_000_000
OPERATION_FILES = (
    b"MERGE_HEAD", b"MERGE_MSG", b"MERGE_MODE", b"MERGE_RR", b"AUTO_MERGE", b"MERGE_AUTOSTASH", b"SQUASH_MSG",
    b"CHERRY_PICK_HEAD", b"REVERT_HEAD", b"REBASE_HEAD", b"BISECT_LOG", b"BISECT_START", b"BISECT_TERMS",
    b"BISECT_NAMES", b"BISECT_EXPECTED_REV", b"BISECT_ANCESTORS_OK", b"BISECT_FIRST_PARENT", b"BISECT_RUN",
    b"rebase-merge", b"rebase-apply", b"sequencer",
)  # fmt: skip
"""What Git keeps in its folder while it is in the middle of something."""


def copy_git_folder(live: bytes, copy: bytes) -> CopyReport:
    """Copy everything of a Git folder but its objects, the index, and locks and temporary files."""
    git = os.path.join(copy, b".git")
    return copy_tree(os.path.join(live, b".git"), git, skip=is_passing)


def is_passing(path: bytes) -> bool:
    """Tell whether a path of the Git folder is not to be copied."""
    name = path.rpartition(b"/")[2]
    if path in (b"objects", b"index", b"gc.pid", os.path.basename(MARKER)):
        return True
    top = path.split(b"/")[0]
    if path == name:
        return name.endswith(b".lock") or name.startswith(b"fsmonitor--daemon")
    return top in (b"refs", b"logs") and name.endswith(b".lock")  # no ref may be called so; a submodule may


def link_objects(source: bytes, target: bytes) -> int:
    """Give every object of one object folder a second name in another; return how many were new.

    Loose ones first, then packs, and again until a pass finds nothing new: `git gc` may move them meanwhile. Files
    below `info` are copied, since Git writes them again.
    """
    total = 0
    for _ in range(_PASSES):
        new, went_away = _link_pass(source, target)
        total += new
        if not (new or went_away):
            return total
    raise RepositoryBusy(source, "objects")


def _link_pass(source: bytes, target: bytes) -> tuple[int, int]:
    """Return how many were linked, and how many went away before they could be."""
    new = went_away = 0
    os.makedirs(target, exist_ok=True)
    folders = [name for name in _names(source) if not name.startswith((b"tmp_", b"incoming-"))]
    for folder in sorted(folders, key=lambda name: (name in (b"pack", b"info"), name)):
        here, there = os.path.join(source, folder), os.path.join(target, folder)
        if not stat.S_ISDIR(os.lstat(here).st_mode):
            continue
        os.makedirs(there, exist_ok=True)
        if folder == b"info":
            new += _copy_info(here, there)
            continue
        known = set(_names(there))
        for name in _names(here):
            if name in known or name.startswith((b"tmp_", b".tmp")) or name.endswith(b".lock"):
                continue
            try:
                link_or_copy(os.path.join(here, name), os.path.join(there, name))
            except NotCopied:
                went_away += 1  # moved into a pack meanwhile: the next pass finds that
                continue
            except FileExistsError:
                continue
            new += 1
    return new, went_away


def _copy_info(here: bytes, there: bytes) -> int:
    if os.path.isdir(there) and _names(there):
        return 0
    copy_tree(here, there)
    return 0


def _names(folder: bytes) -> list[bytes]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []


def missing_tips(live: Repository, copy: Repository) -> list[Oid]:
    """Return what refs, reflogs and worktrees of the copy name, that the live repository has and the copy lacks."""
    tips = set(refs_below(copy.common_dir, b"refs/").values())
    for folder, _, files in os.walk(os.path.join(copy.common_dir, b"logs")):
        for name in files:
            for line in (read_if_readable(os.path.join(folder, name)) or b"").split(b"\n"):
                tips |= {oid for oid in (_oid(line[:40]), _oid(line[41:81])) if oid is not None and oid != _NOBODY}
    for folder in _names(os.path.join(copy.common_dir, b"worktrees")):
        head = read_small(os.path.join(copy.common_dir, b"worktrees", folder, b"HEAD")) or b""
        tips |= {oid for oid in (_oid(head[:40]),) if oid is not None}
    here, there = Objects(copy), Objects(live)
    return [oid for oid in sorted(tips) if not here.has(oid) and there.has(oid)]


def _oid(text: bytes) -> Oid | None:
    try:
        return oid_from_hex(text.decode("ascii"))
    except ValueError:
        return None


def point_head(copy: bytes, state: NetState, restore_id: RestoreId, at: datetime.datetime, because: bytes) -> None:
    """Set HEAD and branch of the copy to the target's, with a line in their reflogs that names the restore.

    A commit that loses its place gets a ref of its own, so that nothing becomes unreachable (case B03).
    """
    git = os.path.join(copy, b".git")
    repository = Repository.open(copy)
    try:
        head_file = (read_small(os.path.join(git, b"HEAD")) or b"").strip()
        old_head = read_ref(git, head_file[4:].strip()) if head_file.startswith(b"ref:") else _oid(head_file)
        detached = not head_file.startswith(b"ref:")
        name = None if state.branch is None else b"refs/heads/" + state.branch
        old_tip = None if name is None else read_ref(git, name)
        for number, oid in enumerate(dict.fromkeys((old_tip, old_head if detached else None))):
            if oid is not None and not is_reachable(repository, oid, state.head):
                create_ref(git, LEFT_REFS + f"{restore_id}-{number}".encode(), oid)
        if name is not None and state.head is None and old_tip is not None:
            repository.handle.references.delete(os.fsdecode(name))
    finally:
        repository.close()
    if name is not None and state.head is not None and old_tip != state.head:
        _write(os.path.join(git, name), state.head.hex().encode() + b"\n")
        _log(os.path.join(git, b"logs", name), old_tip, state.head, at, because)
    if name is not None:
        _write(os.path.join(git, b"HEAD"), b"ref: " + name + b"\n")
    elif state.head is not None:
        _write(os.path.join(git, b"HEAD"), state.head.hex().encode() + b"\n")
    if state.head is not None:
        _log(os.path.join(git, b"logs/HEAD"), old_head, state.head, at, because)


def _write(path: bytes, content: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = path + b".lock"
    _remove_empty(path)
    with open(temporary, "wb") as file:
        file.write(content)
    os.rename(temporary, path)


def _remove_empty(path: bytes) -> None:
    """Remove empty folders that stand where a ref is to be, as Git does. One that holds anything is left alone."""
    if os.path.isdir(path):
        for folder, _, _ in os.walk(path, topdown=False):
            os.rmdir(folder)


def _log(path: bytes, old: Oid | None, new: Oid, at: datetime.datetime, because: bytes) -> None:
    """Add a line to a reflog that exists already; where Git keeps none, neither do we."""
    if os.path.isfile(path):
        with open(path, "ab") as file:
            stamp = b"%b %d +0000" % (_WHO, int(at.timestamp()))
            file.write(b"%b %b %b\t%b\n" % ((old or _NOBODY).hex().encode(), new.hex().encode(), stamp, because))


def set_operation(copy: bytes, state: NetState, archive: bytes | None) -> None:
    """Leave the copy in the middle of what the target was: of a merge, or for an undo of whatever it was."""
    git = os.path.join(copy, b".git")
    for name in OPERATION_FILES:
        place = os.path.join(git, name)
        if os.path.isdir(place) and not os.path.islink(place):
            shutil.rmtree(place)
        elif os.path.lexists(place):
            os.unlink(place)
        if archive is not None:
            _take_over(os.path.join(archive, b".git", name), place)
    if archive is None and state.merge is not None and state.operation is Operation.MERGE:
        _write_merge(git, state.merge)


def _take_over(source: bytes, place: bytes) -> None:
    if os.path.isdir(source):
        copy_tree(source, place)
    elif os.path.isfile(source):
        shutil.copy2(source, place)


def _write_merge(git: bytes, merge: Merge) -> None:
    _write(os.path.join(git, b"MERGE_HEAD"), b"".join(head.hex().encode() + b"\n" for head in merge.heads))
    for name, content in ((b"MERGE_MSG", merge.message), (b"MERGE_MODE", merge.mode)):
        if content is not None:
            _write(os.path.join(git, name), content)


def set_index(copy: bytes, state: NetState) -> None:
    """Write the copy's index: a fresh stat only where Git took the file for clean by its stat, zeros elsewhere.

    A fresh stat over a changed file would hide the change from Git; zeros make Git read the file once.
    """
    clean = {entry.path: entry for entry in state.working if entry.stat_clean and entry.checked_out}
    entries = [_with_stat(copy, entry, clean.get(entry.path)) for entry in state.index]
    path = os.path.join(copy, b".git", b"index")
    if entries or state.head is not None:
        write_index(path, entries)


def _with_stat(copy: bytes, entry: IndexEntry, clean: WorkingEntry | None) -> IndexEntry:
    fresh = None
    if clean is not None and entry.mode != Mode.GITLINK:
        path = os.path.join(copy, entry.path)
        seen = os.lstat(path)
        if clean.oid != entry.oid and stat.S_ISREG(seen.st_mode):
            # Git would read a file as young as its index again, and with other line ends call it changed
            os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns - _ASIDE_NS))
            seen = os.lstat(path)
        fresh = _index_stat(seen)
    return IndexEntry(
        entry.path,
        entry.mode,
        entry.oid,
        entry.stage,
        entry.assume_valid,
        entry.skip_worktree,
        entry.intent_to_add,
        fresh,
    )


def _index_stat(seen: os.stat_result) -> IndexStat:
    bits = 0xFFFFFFFF
    second = 1_000_000_000
    return IndexStat(
        ctime_s=(seen.st_ctime_ns // second) & bits,
        ctime_ns=seen.st_ctime_ns % second,
        mtime_s=(seen.st_mtime_ns // second) & bits,
        mtime_ns=seen.st_mtime_ns % second,
        dev=seen.st_dev & bits,
        ino=seen.st_ino & bits,
        uid=seen.st_uid,
        gid=seen.st_gid,
        size=seen.st_size & bits,
    )
