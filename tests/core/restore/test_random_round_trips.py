"""Random real work, and then back to any state of it: the state is as it was kept, the archive as the folder was.

A hundred histories; `BACKTRAIL_HISTORIES=1000` makes more, and others each time. What is compared is read by the Git
command and a plain walk of the disk. A restore that is refused must have changed nothing.
"""

import os
from pathlib import Path
from typing import NamedTuple

from backtrail.model.checkpoint import Checkpoint
from backtrail.model.errors.restore import Blocked
from core.git_oracle import Entries, ask, disk_entries, git
from core.random_work import RandomWork
from core.restore.going_back import GoingBack
from core.restore.whole_folder import moved, whole
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

HISTORIES = int(os.environ.get("BACKTRAIL_HISTORIES", "100"))
MERGING = b"merge"


class Looks(NamedTuple):
    """What a restore must bring back of a folder."""

    files: Entries
    index: bytes
    branch: bytes
    head: bytes
    merging: bytes


def looks(root: Path) -> Looks:
    return Looks(
        disk_entries(root),
        ask(root, "ls-files", "-s", "-v", "-z"),
        git(root, "symbolic-ref", "-q", "HEAD", code=None),
        git(root, "rev-parse", "-q", "--verify", "HEAD", code=None),
        git(root, "rev-parse", "-q", "--verify", "MERGE_HEAD", code=None),
    )


class RandomRoundTrip(RandomWork):
    def __init__(self) -> None:
        super().__init__()
        self.kept: list[tuple[Checkpoint, Looks]] = []
        self.restored = 0

    @invariant()
    def each_state_is_noted(self) -> None:
        if hasattr(self, "keeping"):
            observed = self.keeping.scan()
            if observed.checkpoint is not None:
                self.kept.append((observed.checkpoint, looks(self.root)))

    @precondition(lambda self: self.kept)
    @rule(which=st.integers(0, 1 << 16), undo=st.booleans())
    def go_back(self, which: int, *, undo: bool) -> None:
        self.restored += 1
        checkpoint, then = self.kept[which % len(self.kept)]
        back, before = GoingBack(self.keeping), whole(self.root)
        present = looks(self.root)
        if back.blockers(checkpoint):
            try:
                back.to(checkpoint)
            except Blocked:
                after = whole(self.root)
                assert moved(before, after) == []
                return
            raise AssertionError("a blocked restore was carried out")
        record = back.to(checkpoint)
        assert looks(self.root) == then
        if undo:
            back.undo(record)
            assert looks(self.root) == present

    def teardown(self) -> None:
        if hasattr(self, "place") and self.kept and not self.restored:
            self.go_back(0, undo=True)
        super().teardown()


RandomRoundTrip.TestCase.settings = settings(
    max_examples=HISTORIES,
    stateful_step_count=10,
    deadline=None,
    database=None,
    derandomize="BACKTRAIL_HISTORIES" not in os.environ,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
TestRandomRoundTrips = RandomRoundTrip.TestCase
