"""The sentences for why a restore was refused or stopped.

Owns only these; `wording.errors` says them like all others.
"""

from collections.abc import Callable
from typing import Any

from backtrail.model.errors import BacktrailError, restore
from backtrail.model.path_text import path_text
from backtrail.wording.blockers import blocker_sentence
from backtrail.wording.sentence import Sentence, named


def _blocked(error: restore.Blocked) -> Sentence:
    return blocker_sentence(error.blockers[0])


def _state_changed(error: restore.StateChanged) -> Sentence:
    where = f" ({named(error.paths)})" if error.paths else ""
    return Sentence(
        f"Nothing was changed: the folder is no longer as it was when the plan was made{where}.",
        "Look at a new plan, `backtrail restore ID --plan`, and use its token.",
    )


def _checkpoint_damaged(error: restore.CheckpointDamaged) -> Sentence:
    return Sentence(
        f"The checkpoint {error.checkpoint[:8]} is damaged: missing or wrong are {', '.join(error.objects)}. "
        "Nothing was changed.",
        "Choose another one; `backtrail checkpoint verify --all` tells which are whole.",
    )


def _copy_differs(error: restore.CopyDiffers) -> Sentence:
    return Sentence(
        f"Nothing was changed: the prepared copy was not what the checkpoint says ({named(error.paths)}), and was "
        "removed.",
        "Run it again. If it stays so, save the files with `backtrail checkpoint extract ID --to DIR`, and report it.",
    )


def _step_failed(error: restore.StepFailed) -> Sentence:
    if error.step == "file":
        return Sentence(
            f"The system refused to write a file: {error.reason}. Files named before it may be in place already.",
            "Mend what it names, and run the command again: it writes the same bytes.",
        )
    if error.step == "prune":
        return Sentence(
            f"The system refused to remove a checkpoint: {error.reason}. It and the older ones are as they were.",
            "Mend what it names, and run the command again.",
        )
    if error.step == "delete":
        return Sentence(
            f"The system refused to delete the archive: {error.reason}. What is left of it is still listed.",
            "Mend what it names, and run the command again.",
        )
    return Sentence(
        f"Nothing was changed: the system refused the step {error.step} of the restore ({error.reason}).",
        "Mend what it names, and make a new plan.",
    )


def _restore_unfinished(error: restore.RestoreUnfinished) -> Sentence:
    which = f" ({error.restore})" if error.restore else ""
    return Sentence(
        f"An earlier restore of this folder{which} is not settled yet: {error.reason}.",
        "Mend what the reason names, and run `backtrail doctor`: it tries again, and says what is in the way.",
    )


def _archive_incomplete(error: restore.ArchiveIncomplete) -> Sentence:
    return Sentence(
        f"The archive {error.archive[:8]} is not whole any more: deleting it for good had begun.",
        f"What is left lies in {path_text(error.path)}; copy from there what you need. "
        f"`backtrail archive delete {error.archive[:8]}` removes the rest.",
    )


def _cannot_replace(error: restore.CannotReplace) -> Sentence:
    return Sentence(
        f"Nothing was changed: {path_text(error.path)} cannot be put back in place ({error.why}).",
        "Move away what stands there, or save a copy with `backtrail checkpoint extract ID --to DIR`.",
    )


OF_RESTORES: dict[type[BacktrailError], Callable[[Any], Sentence]] = {
    restore.Blocked: _blocked,
    restore.StateChanged: _state_changed,
    restore.CheckpointDamaged: _checkpoint_damaged,
    restore.CopyDiffers: _copy_differs,
    restore.StepFailed: _step_failed,
    restore.RestoreUnfinished: _restore_unfinished,
    restore.ArchiveIncomplete: _archive_incomplete,
    restore.CannotReplace: _cannot_replace,
}
"""A sentence for each error of `model.errors.restore`."""
