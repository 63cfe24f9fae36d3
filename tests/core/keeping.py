"""A Host on a data folder of its own and one repository: every capture of the suite goes through here.

Around each one it is proved that nothing else changed, and after each one the stored trees are compared with what Git
and the disk say.
"""

import contextlib
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from backtrail.checkpoints.verify import damage_of
from backtrail.git.chain import StoredChain, read_chain
from backtrail.host.host import Host
from backtrail.host.open_memory import OpenMemory
from backtrail.inbox.observing import Observed
from backtrail.model.checkpoint import OBSERVED, Checkpoint, Context, Lost
from backtrail.model.clock import Clock, system_clock
from backtrail.model.coverage import LeftOut
from backtrail.model.memory import Memory
from backtrail.model.net_state import NetState
from core.git_oracle import RECOVERY, ask, disk_entries, head, index_entries, self_proof, tree_entries


class Keeping:
    """One memory, looked at whenever a test says so. Each look is a start-up of its own, as for the command line."""

    def __init__(self, home: Path, root: Path, clock: Clock = system_clock) -> None:
        self.home = home
        self.root = root
        self.clock = clock

    @contextlib.contextmanager
    def host(self) -> Iterator[Host]:
        with Host.open(self.home, self.clock) as host:
            yield host

    def memory(self, host: Host) -> Memory:
        """Return the memory of this folder, added if need be."""
        path = os.path.realpath(os.fsencode(self.root))
        known = [memory for memory in host.memories() if memory.path == path]
        return known[0] if known else host.lifecycle().add(path, None)

    @contextlib.contextmanager
    def opened(self) -> Iterator[OpenMemory]:
        with self.host() as host, host.open_memory(self.memory(host)) as work:
            yield work

    def scan(self, *, full_hash: bool = False, context: Context = OBSERVED) -> Observed:
        """Look once, with the proof around it, and compare what was stored."""
        with self_proof(self.root), self.opened() as work:
            observed = work.scan(full_hash=full_hash, context=context)
        if observed.checkpoint is not None:
            self.compare(observed.checkpoint)
        return observed

    def checkpoint(self) -> Checkpoint:
        """Look once; there must be a new checkpoint."""
        observed = self.scan()
        assert observed.failure is None
        assert observed.checkpoint is not None
        return observed.checkpoint

    def lost(self) -> list[tuple[bytes, bool]]:
        """Look once, and return path and stagedness of what the new checkpoint names as lost."""
        return [(item.path, item.staged) for item in self.losses()]

    def losses(self) -> tuple[Lost, ...]:
        observed = self.scan()
        assert observed.failure is None
        return observed.checkpoint.lost if observed.checkpoint else ()

    def left_out(self) -> tuple[LeftOut, ...]:
        return self.checkpoint().coverage.left_out

    def set_cap(self, size: int) -> None:
        with self.host() as host:
            host.lifecycle().set(self.memory(host), "size-cap", str(size))

    def events(self) -> list[str]:
        """Return the summaries in the memory's Inbox, oldest first."""
        with self.host() as host:
            return [event.change.summary for _, event in host.database.inbox.all(self.memory(host).bot)]

    def timeline(self) -> list[Checkpoint]:
        """Return all checkpoints, oldest first."""
        with self.host() as host:
            return host.database.checkpoints.page(self.memory(host).id, limit=10_000)[::-1]

    def chain(self, checkpoint: Checkpoint) -> StoredChain:
        with self.opened() as work:
            return read_chain(work.objects, checkpoint.commit)

    def state(self) -> NetState:
        """Return what a look sees, recording nothing."""
        with self.opened() as work:
            return work.looker.look().state

    def damaged(self) -> dict[str, tuple[str, ...]]:
        """Return what is wrong with any checkpoint."""
        with self.opened() as work:
            rows = work.database.checkpoints.page(work.memory.id, limit=10_000)
            return {row.id: found for row in rows if (found := damage_of(work.repository, row))}

    def compare(self, checkpoint: Checkpoint) -> None:
        """Assert that the trees behind the ref are the disk's and the index's of this moment."""
        ref = RECOVERY + checkpoint.id
        left_out = checkpoint.coverage
        disk = {path: facts for path, facts in disk_entries(self.root).items() if not left_out.covers(path)}
        index = index_entries(self.root)
        assert tree_entries(self.root, ref + "^1^{tree}") == index
        stored = tree_entries(self.root, ref + "^{tree}")
        submodules = {path for path, (mode, _) in stored.items() if mode == 0o160000}
        assert submodules == {path for path, (mode, _) in index.items() if mode == 0o160000}
        absent = _not_checked_out(self.root)
        places = {path[:at] for path in disk for at in range(len(path)) if path[at : at + 1] == b"/"} | disk.keys()
        expected = disk | {
            path: index[path]
            for path in absent
            if path in index and path not in places and not _below(disk.keys(), path)
        }
        if ask(self.root, "config", "--type=bool", "--default=true", "core.fileMode") != b"true\n":
            expected = {
                path: (index[path][0] if path in index and mode != 0o120000 else mode, oid)
                for path, (mode, oid) in expected.items()
            }
        assert {path: facts for path, facts in stored.items() if path not in submodules} == expected
        parents = ask(self.root, "rev-list", "--parents", "-1", ref + "^1").decode().split()[1:]
        assert parents == ([now] if (now := head(self.root)) else [])


def _not_checked_out(root: Path) -> list[bytes]:
    lines = ask(root, "ls-files", "-v", "-z").split(b"\0")[:-1]
    return [line[2:] for line in lines if line[:1] in (b"S", b"s")]


def _below(files: Collection[bytes], path: bytes) -> bool:
    """Tell whether a path would lie below what is a file."""
    return any(path[:at] in files for at in range(len(path)) if path[at : at + 1] == b"/")
