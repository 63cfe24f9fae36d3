"""Which uncommitted contents of one state are gone from the next without having been committed.

Owns the finding; `git reset --hard`, `checkout -- f`, `clean`, a deleting script and a rewrite all look the same from
here. Content that is still anywhere in the folder, or in a commit made in between (stashes too), is not lost. What only
ceased to be captured (it is ignored now, or unreadable) is not lost either: it is still on the disk.
"""

import contextlib
import itertools
import os
import stat
from collections.abc import Callable

import msgspec

from backtrail.checkpoints.similar import TEXT_LIMIT, goes_on
from backtrail.git.history import commits, is_commit
from backtrail.git.new_objects import object_id
from backtrail.git.objects import EMPTY_TREE, Kind, Objects
from backtrail.git.refs import read_ref, refs_below
from backtrail.git.repository import Repository
from backtrail.git.small_file import read_if_readable
from backtrail.git.tree_diff import Content, TreeChange, content_at, diff_trees
from backtrail.model.checkpoint import Checkpoint, Lost
from backtrail.model.errors.repository import ObjectMissing, RepositoryDamaged
from backtrail.model.ids import Oid, RelPath, oid_from_hex
from backtrail.model.net_state import Mode, NetState
from backtrail.scan.reading import Changing, folder_of, read_file, read_link

_COMMITS_AT_MOST = 1000
_TIPS_AT_MOST = 500
_CLOCK_SLACK_S = 3600


class _Candidate(msgspec.Struct, frozen=True):
    """A content that may be lost, and what HEAD had at its path then (nothing, where that was a folder)."""

    lost: Lost
    at_head: Content | None


class LossFinder:
    """Compares one state with the one before. `read` returns raw trees, those not yet written too."""

    def __init__(
        self, repository: Repository, objects: Objects, read: Callable[[Oid], bytes], unchanged: frozenset[bytes]
    ) -> None:
        """`unchanged`: paths of the earlier state that Git held to be clean though their bytes differ (line ends)."""
        self._repository = repository
        self._objects = objects
        self._read = read
        self._unchanged = unchanged

    def find(
        self,
        before: Checkpoint,
        now: NetState,
        working: tuple[TreeChange, ...],
        staged: tuple[TreeChange, ...],
    ) -> tuple[Lost, ...]:
        """Return what is lost. `working` and `staged` are the changes of the two trees since `before`."""
        head_tree = self._objects.tree_of(before.head)
        candidates = self._working_candidates(before, head_tree, working)
        candidates += self._staged_candidates(before, head_tree, staged)
        left = {item.lost.oid for item in candidates}
        held = {entry.oid for entries in (now.working, now.index) for entry in entries if entry.oid in left}
        candidates = [item for item in candidates if item.lost.oid not in held]
        if not candidates:
            return ()
        committed = self._committed_since(before, now)
        candidates = [item for item in candidates if not self._is_committed(item, committed)]
        trees = (
            [self._objects.tree_of(tip) for tip in self._tips(now) if is_commit(self._objects, tip)]
            if candidates
            else []
        )
        return tuple(item.lost for item in candidates if not self._is_in_a_tip(item.lost, trees))

    def _is_in_a_tip(self, lost: Lost, trees: list[Oid]) -> bool:
        """Tell whether a branch, or what a reflog names, has the content at this path, however old that commit is."""
        here = (content_at(self._objects.tree, tree, lost.path) for tree in trees[:_TIPS_AT_MOST])
        return any(content is not None and content[1] == lost.oid for content in here)

    def _working_candidates(
        self, before: Checkpoint, head_tree: Oid, changes: tuple[TreeChange, ...]
    ) -> list[_Candidate]:
        uncommitted = self._diff(head_tree, before.working_tree)
        found: list[_Candidate] = []
        for change in changes:
            old, beyond = change.old, uncommitted.get(change.path)
            if old is None or old[0] == Mode.GITLINK or beyond is None:
                continue
            if change.path in self._unchanged or (change.new is not None and change.new[1] == old[1]):
                continue
            if change.new is None and self._may_be_on_disk(change.path, old[1], beyond.old):
                continue
            if self._went_back_to_staged(before, change) or not self._goes_on(beyond.old, change, old):
                found.append(_Candidate(Lost(change.path, old[1]), beyond.old))
        return found

    def _went_back_to_staged(self, before: Checkpoint, change: TreeChange) -> bool:
        """Tell whether a file is what was staged of it, as after `git checkout -- f`: what was beyond that is gone."""
        staged = content_at(self._read, before.index_tree, change.path)
        return change.new is not None and staged is not None and change.new[1] == staged[1]

    def _may_be_on_disk(self, path: bytes, oid: Oid, at_head: Content | None) -> bool:
        """Tell whether content that is not captured any more still lies at its path, or may: it is not to be read.

        A file that goes on with the work counts. What a link on the way leads to does not, nor a FIFO in its place.
        """
        root = os.open(self._repository.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with folder_of(root, path) as (folder, name):
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if stat.S_ISLNK(status.st_mode):
                    return read_link(name, folder)[1] == oid
                if not stat.S_ISREG(status.st_mode):
                    return False
                if read_file(name, folder)[0] == oid:
                    return True
            base = self._content(at_head[1]) if at_head is not None and at_head[0] != Mode.GITLINK else b""
            place = os.path.join(self._repository.root, path)
            present = bytes(status.st_size) if status.st_size > TEXT_LIMIT else read_if_readable(place) or b""
            return goes_on(base, self._content(oid), present)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except (OSError, Changing):
            return not _is_link_on_the_way(self._repository.root, path)
        finally:
            os.close(root)

    def _staged_candidates(
        self, before: Checkpoint, head_tree: Oid, changes: tuple[TreeChange, ...]
    ) -> list[_Candidate]:
        """Contents that were only in the index. Staging a later version of the same file goes on with it."""
        if not changes:
            return []
        uncommitted = self._diff(head_tree, before.index_tree)
        only_staged = self._diff(before.working_tree, before.index_tree)
        found: list[_Candidate] = []
        for change in changes:
            old, beyond = change.old, uncommitted.get(change.path)
            if old is None or old[0] == Mode.GITLINK or (change.new is not None and change.new[1] == old[1]):
                continue
            if beyond is None or change.path not in only_staged:
                continue
            if not self._goes_on(beyond.old, change, old):
                found.append(_Candidate(Lost(change.path, old[1], staged=True), beyond.old))
        return found

    def _diff(self, old: Oid, new: Oid) -> dict[RelPath, TreeChange]:
        return {change.path: change for change in diff_trees(self._read, old, new).changes}

    def _goes_on(self, at_head: Content | None, change: TreeChange, old: Content) -> bool:
        new = change.new
        if new is None or new[0] == Mode.GITLINK:
            return False
        if at_head is not None and at_head[1] == new[1]:
            return False
        base_content = self._content(at_head[1]) if at_head is not None and at_head[0] != Mode.GITLINK else b""
        old_content, new_content = self._content(old[1]), self._now(change, new)
        return goes_on(base_content, old_content, new_content)

    def _content(self, oid: Oid) -> bytes:
        """Return a content, nothing for one that is missing or damaged: it cannot be had back, and is not named."""
        try:
            size = self._objects.size(oid)
            return bytes(size) if size > TEXT_LIMIT else self._objects.read(oid)[1]
        except (ObjectMissing, RepositoryDamaged):
            return b""

    def _now(self, change: TreeChange, new: Content) -> bytes:
        """Return the present content: stored already, or still only on the disk."""
        if self._objects.has(new[1]):
            return self._content(new[1])
        path = os.path.join(self._repository.root, change.path)
        if new[0] == Mode.SYMLINK:
            return os.readlink(path)
        try:
            if (size := os.lstat(path).st_size) > TEXT_LIMIT:
                return bytes(size)
        except OSError:
            return b""
        return read_if_readable(path) or b""

    def _is_committed(self, item: _Candidate, committed: set[Oid]) -> bool:
        """Tell whether a commit holds the content: one made since, or the HEAD of then at the same path."""
        ids = {item.lost.oid}
        content = self._content(item.lost.oid)
        if b"\r\n" in content:
            ids.add(object_id(Kind.BLOB, content.replace(b"\r\n", b"\n")))  # Git commits it with its own line ends
        return not ids.isdisjoint(committed) or (item.at_head is not None and item.at_head[1] in ids)

    def _committed_since(self, before: Checkpoint, now: NetState) -> set[Oid]:
        """Return the ids of every content that a commit made since then brought in."""
        found: set[Oid] = set()
        start = before.captured_at.timestamp() - _CLOCK_SLACK_S
        tips = self._tips(now)
        hidden = () if before.head is None else (before.head,)
        for commit in itertools.islice(commits(self._repository, tips, hidden), _COMMITS_AT_MOST):
            if commit.committed_at.timestamp() < start:
                break
            base = EMPTY_TREE
            if commit.parents and self._objects.has(commit.parents[0]):
                base = self._objects.tree_of(commit.parents[0])
            with contextlib.suppress(ObjectMissing, RepositoryDamaged):  # nor is a damaged tree of theirs
                changes = diff_trees(self._objects.tree, base, commit.tree).changes
                found.update(change.new[1] for change in changes if change.new is not None)
        return found

    def _tips(self, now: NetState) -> set[Oid]:
        """Return HEAD, all branches, and what the reflogs of HEAD and the stash name."""
        common = self._repository.common_dir
        tips = set(refs_below(common, b"refs/heads/").values())
        for log in (os.path.join(self._repository.git_dir, b"logs/HEAD"), os.path.join(common, b"logs/refs/stash")):
            tips |= _new_ids(read_if_readable(log) or b"")
        tips |= {oid for oid in (now.head, read_ref(common, b"refs/stash")) if oid is not None}
        return tips


def _is_link_on_the_way(root: bytes, path: bytes) -> bool:
    """Tell whether a folder above `path` has become a link: then nothing behind it is this path's (case B25)."""
    parts = path.split(b"/")
    return any(os.path.islink(os.path.join(root, *parts[:end])) for end in range(1, len(parts)))


_REFLOG_TAIL = 200


def _new_ids(reflog: bytes) -> set[Oid]:
    """Return the ids that the last lines of a reflog moved to."""
    found: set[Oid] = set()
    for line in reflog.split(b"\n")[-_REFLOG_TAIL:]:
        words = line.split(b" ", 2)
        if len(words) == 3:  # noqa: PLR2004 - old id, new id, who and when
            try:
                found.add(oid_from_hex(words[1].decode("ascii")))
            except ValueError:
                continue
    return found
