"""Random real work in a repository, a checkpoint after each piece of it, and everything compared each time.

Four examples of 130 steps, each in a fresh repository; `BACKTRAIL_STEPS=1000` makes longer ones, and others each time.
After every step the trees behind the new ref are the disk's and the index's, every earlier checkpoint is whole, and
nothing else was changed.
"""

import os

from backtrail.model.errors.capture import UnmergedIndex
from core.git_oracle import git, leftovers, recovery_refs
from core.random_work import RandomWork
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import invariant

STEPS = int(os.environ.get("BACKTRAIL_STEPS", "130"))


class RandomHistory(RandomWork):
    def __init__(self) -> None:
        super().__init__()
        self.taken: dict[str, str] = {}

    @invariant()
    def the_state_is_kept(self) -> None:
        if not hasattr(self, "keeping"):
            return
        observed = self.keeping.scan()
        if observed.failure is not None:
            assert isinstance(observed.failure, UnmergedIndex)
            assert git(self.root, "ls-files", "--unmerged") != b""
        elif observed.checkpoint is not None:
            self.taken[observed.checkpoint.id] = observed.checkpoint.commit.hex()
        elif observed.latest is not None:
            self.keeping.compare(observed.latest)
        assert recovery_refs(self.root) == self.taken
        assert self.keeping.damaged() == {}
        assert leftovers(self.root) == []


RandomHistory.TestCase.settings = settings(
    max_examples=4,
    stateful_step_count=STEPS,
    deadline=None,
    database=None,
    derandomize="BACKTRAIL_STEPS" not in os.environ,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
TestRandomHistories = RandomHistory.TestCase
