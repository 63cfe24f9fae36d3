"""The named steps of long work, in words for a progress bar."""

from backtrail.model.restore import Step

_WORDS = {
    Step.PLANNED: "comparing with the plan",
    Step.VERIFIED_TARGET: "verifying the checkpoint",
    Step.COPYING: "copying the Git folder",
    Step.BUILDING: "writing the files of the copy",
    Step.VERIFIED_COPY: "comparing the copy with the checkpoint",
    Step.LAST_LOOK: "last look at the folder",
    Step.SWITCHED: "switching",
    Step.RECORDED: "recording",
    Step.SETTLED: "comparing the archive",
}
STEPS = frozenset(_WORDS)


def step_text(name: str) -> str:
    """Return the words for a step; its own name where it is none of a restore's."""
    return _WORDS[Step(name)] if name in set(Step) else name
