"""Looking at everything that a promise rests on, and saying of each whether it holds.

Owns what is looked at and in which order. Opening the Host and a memory settles and mends by itself what a kill left;
`repair` also takes damaged checkpoints back whose objects are all there again. Changes no file of a person's.
"""

import hashlib
import os
import stat
from collections.abc import Iterator

from backtrail.checkpoints.verify import content_damage
from backtrail.git.refs import create_ref, refs_below
from backtrail.git.remotes import ours_on, publishing_remotes, remote_names
from backtrail.git.repository import Repository
from backtrail.git.small_file import read_small
from backtrail.host.host import Host
from backtrail.host.open_memory import OpenMemory
from backtrail.model.checkpoint import Checkpoint, CheckpointState
from backtrail.model.checks import Check, CheckName
from backtrail.model.errors import BacktrailError
from backtrail.model.errors.restore import ArchiveIncomplete
from backtrail.model.memory import Memory, MemoryState, ProtectionState
from backtrail.model.progress import SILENT, Progress
from backtrail.restore.plan import list_live
from backtrail.scan.look import Look

_ALL = 1 << 40
_OURS = b"refs/botharness/"
_OURS_LISTED = b".git/refs/botharness"
_OTHERS = 0o077


class Examining:
    """One examination with an open Host. leaks: ask the remotes too, over the network."""

    def __init__(self, host: Host, *, repair: bool, leaks: bool, progress: Progress = SILENT) -> None:
        self._host = host
        self._repair = repair
        self._leaks = leaks
        self._progress = progress

    def checks(self) -> Iterator[Check]:
        """Yield every check, in the order in which they are worth reading."""
        yield self._data_folder()
        yield Check(name=CheckName.DATABASE, ok=True, detail=str(self._host.database_path))
        for memory in self._host.memories():
            self._progress.step(memory.name)
            yield from self._memory(memory)

    def _data_folder(self) -> Check:
        private = (self._host.database_path, self._host.home / "memories")
        open_to_others = tuple(os.fsencode(path) for path in private if stat.S_IMODE(path.stat().st_mode) & _OTHERS)
        return Check(
            name=CheckName.DATA_FOLDER, ok=not open_to_others, detail=str(self._host.home), items=open_to_others
        )

    def _memory(self, memory: Memory) -> list[Check]:
        unfinished = self._host.unfinished.get(memory.id)
        found = [Check(name=CheckName.RESTORES_SETTLED, ok=unfinished is None, memory=memory.name, error=unfinished)]
        if memory.state is not MemoryState.ATTACHED:
            return [*found, Check(name=CheckName.PROTECTED, ok=True, memory=memory.name, detail=memory.state)]
        if unfinished is not None:
            return found
        try:
            with self._host.open_memory(memory) as work:
                found.append(Check(name=CheckName.REACHABLE, ok=True, memory=memory.name))
                found += self._opened(memory, work)
        except BacktrailError as error:
            found.append(Check(name=CheckName.REACHABLE, ok=False, memory=memory.name, error=error))
        return [*found, self._archives(memory)]

    def _opened(self, memory: Memory, work: OpenMemory) -> Iterator[Check]:
        yield from self._looked_at(memory, work)
        mended = work.reconciled
        yield Check(
            name=CheckName.ROWS_MATCH_REFS,
            ok=not mended.damaged,
            memory=memory.name,
            count=len(mended.damaged),
            mended=len(mended.finished) + len(mended.dropped) + len(mended.recovered),
        )
        yield self._whole(memory, work)
        publishing = publishing_remotes(work.repository)
        yield Check(
            name=CheckName.NO_MIRROR_REMOTE,
            ok=not publishing,
            memory=memory.name,
            items=tuple(os.fsencode(name) for name in publishing),
        )
        if self._leaks:
            yield from self._on_remotes(memory, work.repository)

    def _looked_at(self, memory: Memory, work: OpenMemory) -> Iterator[Check]:
        """Read every file anew, and compare what a look must leave alone before and after it."""
        before = _Untouched(work.repository)
        observed = work.scan(full_hash=True)
        moved = before.moved(_Untouched(work.repository))
        yield Check(
            name=CheckName.PROTECTED,
            ok=observed.protection.state is not ProtectionState.NOT_PROTECTED,
            memory=memory.name,
            error=observed.failure,
            protection=observed.protection,
            items=tuple(item.path for item in observed.look.state.coverage.left_out),
        )
        yield Check(name=CheckName.LOOK_CHANGES_NOTHING, ok=not moved, memory=memory.name, items=moved)
        if observed.failure is None and observed.latest is not None:
            yield self._held(memory, work, observed.look, observed.latest)

    def _held(self, memory: Memory, work: OpenMemory, look: Look, newest: Checkpoint) -> Check:
        """Read back every object of the newest checkpoint, which must tell of what was just read from the disk."""
        damage = content_damage(work.repository, newest, self._progress)
        if newest.content_token != look.token:
            damage = (newest.commit.hex(), *damage)
        return Check(
            name=CheckName.DISK_IS_HELD,
            ok=not damage,
            memory=memory.name,
            detail=newest.id[:8],
            items=tuple(item.encode() for item in damage),
            count=len(look.state.working),
        )

    def _whole(self, memory: Memory, work: OpenMemory) -> Check:
        rows = self._host.database.checkpoints
        damaged = [row for row in rows.page(memory.id, limit=_ALL) if row.state is CheckpointState.DAMAGED]
        left = []
        for row in damaged:
            if not self._repair or content_damage(work.repository, row, self._progress):
                left.append(row)
                continue
            try:
                create_ref(work.repository.common_dir, row.ref, row.commit)
            except OSError:
                left.append(row)  # somebody else's ref has its name, or the disk refuses
                continue
            rows.set_state(row.id, CheckpointState.RECOVERED)
        return Check(
            name=CheckName.CHECKPOINTS_WHOLE,
            ok=not left,
            memory=memory.name,
            items=tuple(row.id[:8].encode() for row in left),
            count=rows.count(memory.id),
            mended=len(damaged) - len(left),
        )

    def _archives(self, memory: Memory) -> Check:
        try:
            found = [archive for _, archive in self._host.archives(memory)]
            for archive in found:
                if archive.journal.deleting:
                    raise ArchiveIncomplete(archive.journal.id, archive.places.copy)
        except BacktrailError as error:
            return Check(name=CheckName.ARCHIVES_READABLE, ok=False, memory=memory.name, error=error)
        return Check(name=CheckName.ARCHIVES_READABLE, ok=True, memory=memory.name, count=len(found))

    def _on_remotes(self, memory: Memory, repository: Repository) -> Iterator[Check]:
        for remote in remote_names(repository):
            self._progress.step(remote)
            count, refused = ours_on(repository, remote)
            yield Check(
                name=CheckName.NOT_ON_REMOTES,
                ok=not count and not refused,
                memory=memory.name,
                detail=refused,
                items=(os.fsencode(remote),),
                count=count,
            )


class _Untouched:
    """What a look must leave as it is: the index's bytes, every ref but ours, HEAD, and the listing of the folder."""

    def __init__(self, repository: Repository) -> None:
        index = read_small(os.path.join(repository.git_dir, b"index")) or b""
        head = read_small(os.path.join(repository.git_dir, b"HEAD"))
        refs = refs_below(repository.common_dir, b"refs/")
        self.index = hashlib.sha256(index).digest(), head
        self.refs = {name: oid for name, oid in refs.items() if not name.startswith(_OURS)}
        self.listing = list_live(repository)

    def moved(self, after: "_Untouched") -> tuple[bytes, ...]:
        """Return what is not as it was, by path or name."""
        index = () if self.index == after.index else (b".git/index",)
        names = self.refs.keys() | after.refs.keys()
        refs = sorted(name for name in names if self.refs.get(name) != after.refs.get(name))
        files = (path for path in self.listing.moved(after.listing) if not path.startswith(_OURS_LISTED))
        return (*index, *refs, *files)
