"""Why a restore cannot run now: one sentence for each blocker's code (design: restore, plan)."""

from backtrail.model.restore import Blocker
from backtrail.wording.sentence import Sentence, named, size_text

_SENTENCES = {
    "turn-active": (
        "An agent is at work in this folder; what it writes now would end in the archive.",
        "Wait until its turn has ended, or end it with `backtrail turn end TURN --outcome aborted`.",
    ),
    "state-changed": (
        "The folder is no longer as it was when the plan was made.",
        "Make a new plan: `backtrail restore ID --plan`.",
    ),
    "checkpoint-damaged": (
        "Objects of the checkpoint are missing or are not what their names say: {detail}.",
        (
            "Choose another checkpoint; `backtrail checkpoint verify --all` tells which are whole. A file of this one "
            "that is still readable can be had with `backtrail checkpoint cat ID PATH`."
        ),
    ),
    "git-elsewhere": (
        "The Git folder is not wholly inside the folder: {paths}. A copy of it would go on writing into the original.",
        (
            "This restore cannot switch such a folder (a linked worktree, a submodule, core.worktree). Save the files "
            "with `backtrail checkpoint extract ID --to DIR`, or put chosen ones back with `backtrail recover`."
        ),
    ),
    "branch-in-other-worktree": (
        "The branch {detail} is checked out in another worktree: {paths}.",
        "Switch that worktree to another branch first (`git -C {paths} switch --detach`), and make a new plan.",
    ),
    "branch-name-taken": (
        "The branch {detail} cannot come back beside the branch {paths}: one name is a folder of the other.",
        "Rename that branch first (`git branch -m {paths} NEW-NAME`), and make a new plan.",
    ),
    "relative-alternates": (
        "The repository borrows objects from another one by a relative path: {paths}. Its archive could not find them.",
        (
            "Write an absolute path into .git/objects/info/alternates, or end the borrowing with `git repack -a -d` "
            "and remove that file; then make a new plan."
        ),
    ),
    "mount-inside": (
        "The folder is a mount point, or something is mounted inside of it: {paths}.",
        "Unmount it (`umount`), or save the files with `backtrail checkpoint extract ID --to DIR`.",
    ),
    "cannot-switch": (
        "The folder cannot be switched in {paths}: {detail}.",
        (
            "Save the files with `backtrail checkpoint extract ID --to DIR`, or put chosen ones back with "
            "`backtrail recover`."
        ),
    ),
    "parent-not-writable": (
        "The folder {paths} cannot be written, and the archive and the switch need it.",
        "Give this user the right to write there, or run the restore as a user who has it.",
    ),
    "no-space": (
        "The disk of {paths} has too little room: with some to spare {needed} are needed, {free} are free.",
        "Free some space, or leave ignored files in the archive alone with `--ignored leave`.",
    ),
    "in-use": (
        "Programs are at work in the folder: {detail}. What they go on writing would land in the archive.",
        "End or save what they do, and make a new plan; or go on all the same with `--despite-in-use`.",
    ),
    "restore-unfinished": (
        "An earlier restore of this folder is not settled yet: {detail}.",
        "Run `backtrail doctor`: it tries to settle it, and says what is in the way.",
    ),
    "not-reachable": (
        "The folder cannot be reached: {paths}.",
        "Mount or connect what it lies on, and try again.",
    ),
}
_BUSY = {
    "lock": (
        "Git is at work in this folder, or was killed there: {paths} exists.",
        "Wait for it to end. If no Git runs (`pgrep -a git`), remove the lock with `rm {paths}`.",
    ),
    "gc": (
        "Git is collecting garbage in this folder right now ({paths}).",
        "Wait until `git gc` has ended, and make a new plan.",
    ),
}

BLOCKER_CODES = frozenset({*_SENTENCES, "repository-busy"})


def blocker_sentence(blocker: Blocker) -> Sentence:
    """Return the sentence for a blocker. Raises KeyError for a code that has none."""
    found = _BUSY[blocker.detail] if blocker.code == "repository-busy" else _SENTENCES[blocker.code]
    facts = {"paths": named(blocker.paths), "detail": blocker.detail, "needed": "", "free": ""}
    if blocker.code == "no-space":
        needed, _, free = blocker.detail.partition(" ")
        facts |= {"needed": size_text(int(needed)), "free": size_text(int(free))}
    if blocker.detail == "core.worktree":
        facts["paths"] += " (core.worktree is set)"
    message, remedy = found
    return Sentence(message.format(**facts), remedy.format(**facts))
