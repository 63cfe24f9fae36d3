"""The bounded payload of a `memory-change`: what moved, without file bodies and without a guess at who did it.

Source: record "memory changes enter the Inbox". At most 30 paths of each status and 4,096 bytes of summary.
"""

from collections.abc import Callable

from backtrail.checkpoints.state_trees import StateTrees
from backtrail.git.objects import EMPTY_TREE, Objects
from backtrail.git.tree_diff import diff_trees
from backtrail.model.errors.repository import ObjectMissing, RepositoryDamaged
from backtrail.model.ids import RelPath
from backtrail.model.inbox import ChangedPath, MemoryChange, PathStatus
from backtrail.model.net_state import NetState
from backtrail.model.observation import Observation, PathState
from backtrail.model.path_text import path_text

PATHS_AT_MOST = 30
SUMMARY_BYTES = 4096
_PERSONA = b"PERSONA.md"
_WORDS = {
    PathStatus.COMMITTED: "As committed",  # by a new commit, or since what differed from the last one was left
    PathStatus.STAGED: "Staged",
    PathStatus.WORKING: "Working",
    PathStatus.GONE: "No longer present",
}


def describe_change(
    objects: Objects,
    trees: StateTrees,
    observation: Observation,
    moved: dict[RelPath, PathState],
    is_present: Callable[[RelPath], bool],
) -> MemoryChange:
    """Return the payload for the paths that moved since `observation`. is_present: something lies at that path."""
    state = trees.state
    try:
        head_tree = objects.tree_of(state.head)
    except (ObjectMissing, RepositoryDamaged):
        head_tree = EMPTY_TREE  # then nothing is known to be committed
    uncommitted = {change.path for change in diff_trees(trees.read, head_tree, trees.index.root).changes}
    by_status: dict[PathStatus, list[RelPath]] = {status: [] for status in PathStatus}
    for path, item in sorted(moved.items()):
        status = _status(item, staged=path in uncommitted)
        if status is PathStatus.GONE and is_present(path):
            status = PathStatus.WORKING  # ignored now, or not captured for another reason: it is there all the same
        by_status[status].append(path)
    shown = [ChangedPath(p, status) for status, paths in by_status.items() for p in paths[:PATHS_AT_MOST]]
    counts = {str(status): len(paths) for status, paths in by_status.items() if paths}
    summary, cut = _bounded(_lines(observation, state, by_status))
    return MemoryChange(
        from_branch=observation.branch,
        from_head=observation.head,
        to_branch=state.branch,
        to_head=state.head,
        counts=counts,
        paths=tuple(shown),
        persona_changed=RelPath(_PERSONA) in moved,
        summary=summary,
        cut=cut,
    )


def _status(item: PathState, *, staged: bool) -> PathStatus:
    if item.index is None and item.working is None:
        return PathStatus.GONE
    if item.index != item.working:
        return PathStatus.WORKING
    return PathStatus.STAGED if staged else PathStatus.COMMITTED


def _lines(observation: Observation, state: NetState, by_status: dict[PathStatus, list[RelPath]]) -> list[str]:
    lines: list[str] = []
    if observation.branch != state.branch:
        names = (
            "a detached HEAD" if name is None else f"branch {path_text(name)}"
            for name in (observation.branch, state.branch)
        )
        lines.append("Moved from {} to {}.".format(*names))
    if observation.head != state.head:
        ids = ("no commit" if oid is None else oid.hex()[:12] for oid in (observation.head, state.head))
        lines.append("HEAD moved from {} to {}.".format(*ids))
    if state.conflicts:
        lines.append(f"Unmerged: {len(state.conflicts)} paths.")
    for status, paths in by_status.items():
        if paths:
            named = ", ".join(_on_one_line(path) for path in paths[:PATHS_AT_MOST])
            more = f" and {len(paths) - PATHS_AT_MOST} more" if len(paths) > PATHS_AT_MOST else ""
            lines.append(f"{_WORDS[status]}: {named}{more}.")
    return lines or ["The folder changed."]


def _on_one_line(path: bytes) -> str:
    r"""Return a path as text with control characters as `\xHH`: a line of the summary is one line."""
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in path_text(path))


def _bounded(lines: list[str]) -> tuple[str, bool]:
    """Return the summary, cut at a character where it is too long, and whether it was cut."""
    whole = "\n".join(lines).encode()
    if len(whole) <= SUMMARY_BYTES:
        return whole.decode(), False
    return whole[:SUMMARY_BYTES].decode("utf-8", "ignore"), True
