"""Why a repository is of a kind that cannot be kept (`CannotBeProtected.why`), and what can be done instead."""

from backtrail.model.path_text import path_text
from backtrail.wording.sentence import Sentence, shell_word

_WHY = {
    "bare": (
        "{path} is a bare repository: it has no working tree, so there is nothing in it that could be lost unseen.",
        "Add the folder in which you work instead: `git clone {word} FOLDER` makes one.",
    ),
    "reftable": (
        "{path} keeps its refs in the reftable format, which Backtrail cannot read yet.",
        "With Git 2.48 or newer, `git refs migrate --ref-format=files` in it changes the format; then add it again.",
    ),
    "sha256": (
        "{path} names its objects by SHA-256, which Backtrail cannot read yet.",
        "A clone cannot change that. Work in a repository made with `git init --object-format=sha1`.",
    ),
    "partial-clone": (
        "{path} is a partial clone: files of its history may be missing here, and Backtrail never fetches.",
        "Add a full clone: `git clone URL FOLDER` without --filter.",
    ),
    "worktree-elsewhere": (
        "The repository at {path} has its working tree in another folder: {detail}.",
        "Take core.worktree out of its configuration (`git config --unset core.worktree`), or add an ordinary clone.",
    ),
    "odd-file": (
        "Something that is no regular file stands where Git reads: {detail}.",
        "Look at it with `ls -l`, move it away, and try again.",
    ),
    "odd-head": (
        "HEAD of {path} names {detail}, which is no branch.",
        "Switch to a branch with `git switch BRANCH`, and try again.",
    ),
    "file-system-root": (
        "{path} is the root of the file system.",
        "Add the folder that holds the work itself.",
    ),
    "home-folder": (
        "{path} is your home folder: keeping it would copy caches and secrets of every program.",
        "Add the folders in it that hold your work, one by one.",
    ),
    "temporary-root": (
        "{path} is the system's folder for temporary files.",
        "Add the folder in it that holds the work itself.",
    ),
    "inside-data-folder": (
        "{path} lies in Backtrail's own data folder, {detail}.",
        "Move the folder out of it, or use another data folder with --home.",
    ),
    "holds-data-folder": (
        "Backtrail's own data folder, {detail}, lies in {path}: it would keep itself.",
        "Use a data folder outside of it, with --home or BACKTRAIL_HOME.",
    ),
    "inside-archive": (
        "{path} lies in an archive that a restore made.",
        "To get it back, use `backtrail archive bring-back`; to work with a copy, copy it elsewhere and add that.",
    ),
}

WHY_CODES = frozenset(_WHY)


def unprotectable(path: bytes, why: str, detail: str) -> Sentence:
    """Return the sentence for one reason. Raises KeyError for one that has none."""
    message, remedy = _WHY[why]
    facts = {"path": path_text(path), "word": shell_word(path), "detail": detail}
    return Sentence(message.format(**facts), remedy.format(**facts))
