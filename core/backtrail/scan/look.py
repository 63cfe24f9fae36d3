"""One look at a memory: disk and index into a net state.

A look is authoritative: it reads the disk and the index, never an event. Branch, HEAD and the index's signature are
read before and after; if they moved, the look is repeated, three times at most, and then says `repository-busy` instead
of guessing. Where Git began to change the folder meanwhile (its index lock came or is being written), the look waits
for it and is repeated: what a `reset --hard` shows half way is nobody's state, and would tear one loss into two (case
B68). Needs no lock of Git's and takes none; one that somebody left behind stops nothing (case B64). Does not decide
what a look leads to.
"""

import functools
import os
import time
from collections.abc import Callable

import msgspec

from backtrail.git.head import Head, operation_in_progress, read_head, read_merge
from backtrail.git.ignore import FolderRules
from backtrail.git.index_file import index_lock, index_signature, read_index
from backtrail.git.objects import Objects
from backtrail.git.repository import Repository
from backtrail.git.trees import build_trees
from backtrail.model.clock import Clock
from backtrail.model.coverage import Coverage
from backtrail.model.errors import BacktrailError
from backtrail.model.errors.repository import NotReachable, RepositoryBusy, RepositoryDamaged
from backtrail.model.ids import Oid, Token
from backtrail.model.net_state import Merge, NetState, Operation
from backtrail.model.progress import SILENT, LookStep, Progress
from backtrail.scan.counting import CountedFiles, unseen
from backtrail.scan.files import Files, WalkOptions
from backtrail.scan.known_folders import Basis
from backtrail.scan.stat_cache import StatCache, Tracked
from backtrail.scan.token import content_token
from backtrail.scan.walk import Nested, Walk

_TRIES = 3
_GIT_WORKS_S = 10.0
_POLL_S = 0.02
_LEVELS = 20


class Look(msgspec.Struct, frozen=True):
    """What one look saw, and its content token."""

    state: NetState
    token: Token


class Looker:
    """Looks at one repository. What the cache holds is checked before use.

    The parsed index goes stale when the index file's signature moves; a cache entry when the file's stat does.
    """

    def __init__(
        self, repository: Repository, cache: StatCache, clock: Clock, size_cap: int, levels: int = _LEVELS
    ) -> None:
        """levels: how many repositories within each other are looked into below this one."""
        self.repository = repository
        self.cache = cache
        self._clock = clock
        self._size_cap = size_cap
        self._levels = levels
        self._objects = Objects(repository)

    def look(
        self,
        *,
        full_hash: bool = False,
        changing: frozenset[bytes] = frozenset(),
        superficial: bool = False,
        expected: frozenset[bytes] = frozenset(),
        progress: Progress = SILENT,
    ) -> Look:
        """Read the whole net state. Raises an error of `model.errors.repository`, and what `progress` raises.

        full_hash: read every file, whatever its stat says. changing: paths to leave out because they will not hold
        still. superficial, expected: see `WalkOptions`; a superficial look leaves the stat cache alone. progress: told
        of each `LookStep`; what is to be read is counted first where nothing is known of any file, and only if somebody
        listens.
        """
        git_dir = self.repository.git_dir
        for _ in range(_TRIES):
            lock, before = index_lock(git_dir), self._moving_parts()
            options = WalkOptions(
                size_cap=self._size_cap,
                now_ns=int(self._clock().timestamp() * 1e9),
                file_mode=self.repository.flag("core.fileMode", default=True),
                changing=changing,
                superficial=superficial,
                expected=expected,
            )
            state = self._read(before[0], options, progress, full_hash=full_hash)
            if index_lock(git_dir) not in {None, lock}:
                _wait_for_git(git_dir)
            elif self._moving_parts() == before:
                return Look(state, content_token(state, self.cache.digests))
        raise RepositoryBusy(self.repository.root, "branch, HEAD or index")

    def _moving_parts(self) -> tuple[Head, Operation, Merge | None, tuple[int, ...] | None]:
        repository = self.repository
        operation = operation_in_progress(repository.git_dir)
        merge = read_merge(repository) if operation is Operation.MERGE else None
        return read_head(repository), operation, merge, index_signature(repository.git_dir)

    def _current_index(self) -> Tracked:
        tracked = self.cache.tracked
        signature = index_signature(self.repository.git_dir)
        if tracked is None or tracked.index.missing or tracked.index.signature != signature:
            tracked = Tracked(read_index(self.repository.git_dir, self._objects.tree))
            if clashes := tracked.clashes():
                both = f"{clashes[0]!r} is a file and a folder in it"
                raise RepositoryDamaged(self.repository.git_dir, "index", both)
        return tracked

    def _read(self, head: Head, options: WalkOptions, progress: Progress, *, full_hash: bool) -> NetState:
        repository = self.repository
        tracked = self._current_index()
        operation = operation_in_progress(repository.git_dir)
        sources = repository.exclude_files()
        ignore_case = repository.flag("core.ignoreCase", default=False)
        rules = functools.partial(FolderRules.root, sources, ignore_case=ignore_case)
        basis = Basis(
            index=tracked.index,
            file_mode=options.file_mode,
            size_cap=options.size_cap,
            ignore_case=ignore_case,
            sources=tuple(sources),
        )
        cache = StatCache() if full_hash else self.cache
        plain = not (full_hash or options.superficial or options.changing or options.expected)
        known = self.cache.folders_for(basis, options.now_ns) if plain else None
        try:
            total = None
            if progress is not SILENT and not cache.known:
                progress.step(LookStep.COUNTING)
                counted = CountedFiles(tracked.index, options, progress)
                Walk(tracked, rules, counted, options, unseen, self._blob).run(repository.root)
                total = counted.sum
            progress.step(LookStep.READING, total)
            inspect = inspect_nested(self._clock, self._levels)
            files = Files(tracked.index, cache, options, progress)
            walked = Walk(tracked, rules, files, options, inspect, self._blob, known).run(repository.root)
        except OSError as error:
            raise NotReachable(repository.root, error.strerror or "") from error
        if not options.superficial:
            self.cache.known, self.cache.working = files.fresh, files.working
            self.cache.tracked, self.cache.file_mode, self.cache.folders = tracked, options.file_mode, known
        return NetState(
            branch=head.branch,
            head=head.oid,
            operation=operation,
            merge=read_merge(repository) if operation is Operation.MERGE else None,
            index=tracked.index.entries,
            working=walked.working,
            folders=walked.folders,
            coverage=Coverage(walked.left_out, walked.ignored_count),
        )

    def _blob(self, oid: Oid) -> bytes:
        return self._objects.read(oid)[1]


def _wait_for_git(git_dir: bytes) -> None:
    """Wait until Git's lock on the index is gone, or nobody can say any more that somebody is at work behind it."""
    until = time.monotonic() + _GIT_WORKS_S
    while index_lock(git_dir) is not None and time.monotonic() < until:
        time.sleep(_POLL_S)


def inspect_nested(clock: Clock, levels: int = _LEVELS) -> Callable[[bytes], Nested]:
    """Return a function that tells HEAD of a nested repository and whether it has changes (case B29, B30).

    levels: how many are looked into within each other; what lies deeper is unknown.
    """

    def inspect(path: bytes) -> Nested:
        if not levels:
            return Nested(None, None)
        try:
            repository = Repository.open(os.path.realpath(path))
            try:
                state = Looker(repository, StatCache(), clock, 0, levels - 1).look(superficial=True).state
                return Nested(None if state.head is None else state.head.hex(), _is_dirty(repository, state))
            finally:
                repository.close()
        except BacktrailError:
            return Nested(None, None)  # what cannot be looked at is shown as unknown, not as clean

    return inspect


def _is_dirty(repository: Repository, state: NetState) -> bool:
    if state.conflicts or not state.coverage.complete or not all(entry.clean for entry in state.working):
        return True
    if len(state.working) != len(state.index):
        return True
    staged = build_trees((entry.path, entry.mode, entry.oid) for entry in state.index if not entry.intent_to_add)
    return staged.root != Objects(repository).tree_of(state.head)
