"""The named steps of long work, in words for a progress bar."""

from backtrail.model.progress import LookStep
from backtrail.model.restore import Step

_WORDS: dict[str, str] = {
    Step.PLANNED: "comparing with the plan",
    Step.VERIFIED_TARGET: "verifying the checkpoint",
    Step.COPYING: "copying the Git folder",
    Step.BUILDING: "writing the files of the copy",
    Step.VERIFIED_COPY: "comparing the copy with the checkpoint",
    Step.LAST_LOOK: "last look at the folder",
    Step.SWITCHED: "switching",
    Step.RECORDED: "recording",
    Step.SETTLED: "comparing the archive",
    LookStep.COUNTING: "counting files",
    LookStep.READING: "reading files",
    LookStep.STORING: "keeping what Git has not",
}
STEPS = frozenset(_WORDS)


def step_text(name: str) -> str:
    """Return the words for a step; its own name where it has none."""
    return _WORDS.get(name, name)
