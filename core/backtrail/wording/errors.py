"""The sentences for every error that a person may see. A test walks the error classes: none is without one.

Owns what is said of an error and the code that is shown for it. What each statement rests on is in `model.errors`:
when one of these is raised nothing was lost or half done.
"""

import functools

from backtrail.model.errors import BacktrailError, demo, desktop, host, lookup, repository, restore
from backtrail.model.errors import capture as not_kept
from backtrail.model.path_text import path_text
from backtrail.wording.memory_errors import OF_MEMORIES
from backtrail.wording.process_errors import BETWEEN_PROCESSES
from backtrail.wording.restore_errors import OF_RESTORES
from backtrail.wording.sentence import Sentence, named, shell_word, size_text
from backtrail.wording.unprotectable import unprotectable

_STANDING = "/.backtrail/"
_QT_NEEDS = (
    "libglib2.0-0 libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1 "
    "libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxkbcommon-x11-0"
)
_NO_DESKTOP: dict[str, tuple[str, str]] = {
    desktop.Lacking.WINDOW: (
        "it is not installed here",
        "Install all of Backtrail, as README tells. The commands of `backtrail` do all that the window does.",
    ),
    desktop.Lacking.QT: (
        "Qt for Python is not installed here",
        "Install it with `pip install PySide6-Essentials`. The commands of `backtrail` do all that the window does.",
    ),
    desktop.Lacking.LIBRARY: (
        "a library of the system is missing",
        f"On Debian and Ubuntu: `apt-get install {_QT_NEEDS}`.",
    ),
    desktop.Lacking.DISPLAY: (
        "there is no screen to open it on",
        "Run it in a session with a desktop, or over `ssh -X`. The commands of `backtrail` work without one.",
    ),
}


def code_of(error: BacktrailError) -> str:
    """Return the code that is shown: for a blocked restore the first blocker's."""
    if isinstance(error, restore.Blocked):
        return error.blockers[0].code
    return error.code


@functools.singledispatch
def explain(error: BacktrailError) -> Sentence:
    """Return what happened and what to do."""
    raise NotImplementedError(error.code)


for _kind, _say in (BETWEEN_PROCESSES | OF_MEMORIES | OF_RESTORES).items():
    explain.register(_kind, _say)


@explain.register
def _(error: not_kept.UnmergedIndex) -> Sentence:
    return Sentence(
        f"This state cannot be kept: a conflict is in the index ({named(error.paths)}), and Git can make no tree of it."
        " The checkpoints before it are as they were.",
        "Solve each file and `git add` it, or give it up: `git merge --abort`, `git rebase --abort` or `git cherry-pick"
        " --abort`, whichever `git status` names. Then run `backtrail scan`.",
    )


@explain.register
def _(error: not_kept.CaptureFailed) -> Sentence:
    return Sentence(
        f"No checkpoint of {path_text(error.path)} could be written: {error.reason}.",
        "See that this user may write in its Git folder, and that no program keeps rewriting its files; then run "
        "`backtrail scan`.",
    )


@explain.register
def _(error: not_kept.NoSpace) -> Sentence:
    room = ""
    if error.needed is not None:
        room += f" {size_text(error.needed)} are needed."
    if error.free is not None:
        room += f" {size_text(error.free)} are free."
    return Sentence(
        f"The disk of {path_text(error.path)} is full.{room}",
        f"Free some space (`df -h {shell_word(error.path)}` shows the disk), and run the command again.",
    )


@explain.register
def _(error: demo.GitFailed) -> Sentence:
    return Sentence(
        f"`git {error.command}` did not do what the demo needs: {error.reason}.",
        "See that Git is installed (`git --version`; on Debian: `apt-get install git`), and run the demo again.",
    )


@explain.register
def _(error: desktop.NoDesktop) -> Sentence:
    what, remedy = _NO_DESKTOP.get(error.lacking, _NO_DESKTOP[desktop.Lacking.LIBRARY])
    return Sentence(f"The window cannot be opened: {what} ({error.detail}).", remedy)


@explain.register
def _(error: desktop.WindowNotAnswering) -> Sentence:
    return Sentence(
        f"The window of the data folder {error.home} is open already, and does not answer.",
        "Wait a little and start it again. If it stays so, end it: `pgrep -af 'backtrail desktop'` shows its number.",
    )


@explain.register
def _(error: host.HostBusy) -> Sentence:
    return Sentence(
        f"Another Backtrail is at work with the data folder {error.home}; this one waited {error.waited_s:.0f} s.",
        "Let it finish and run the command again. `pgrep -a backtrail` shows who it is.",
    )


@explain.register
def _(error: host.DataFolderUnusable) -> Sentence:
    return Sentence(
        f"The data folder {error.home} cannot be used: {error.reason}.",
        "See that this user may write there, or name another folder with --home DIR or BACKTRAIL_HOME.",
    )


@explain.register
def _(error: host.DatabaseDamaged) -> Sentence:
    return Sentence(
        f"The database {error.path} cannot be read: {error.detail}. The checkpoints themselves are in your folders.",
        "`backtrail doctor --rebuild` puts the damaged file aside and makes a new one from them.",
    )


@explain.register
def _(error: host.DatabaseNewer) -> Sentence:
    return Sentence(
        f"The database {error.path} is of a newer Backtrail: its schema is number {error.found}, this one knows "
        f"{error.known}. It was not touched.",
        "Use that newer Backtrail, or another data folder with --home DIR.",
    )


@explain.register
def _(error: host.NotAvailableYet) -> Sentence:
    return Sentence(
        f"{error.what} is planned, and this version of Backtrail does not do it yet. Nothing was done.",
        "Use `git clone URL FOLDER` and `backtrail memory add FOLDER` for a repository from elsewhere.",
    )


@explain.register
def _(error: host.UnknownCommand) -> Sentence:
    return Sentence(
        f"The running Backtrail does not know {error.command} ({error.detail}): it is of another version.",
        "Stop it and start it again, so that both are of the same version. `backtrail --version` tells which this is.",
    )


_WHERE_TO_LOOK = {
    "memory": "`backtrail memory list` shows all folders; `backtrail memory add PATH` adds one.",
    "checkpoint": "`backtrail checkpoint list` shows them. Four digits of an id are enough where they are unambiguous.",
    "restore": "`backtrail archive list` shows the restores whose archive is still there.",
    "archive": "`backtrail archive list` shows them.",
}


@explain.register
def _(error: lookup.Unknown) -> Sentence:
    if error.kind == "memory" and _STANDING in error.given:
        return Sentence(
            f"{error.given} lies in an archive, not in a folder that Backtrail watches.",
            'If a restore switched this folder under your shell, run `cd "$PWD"` and the command again.',
        )
    return Sentence(
        f"There is no {error.kind} by the name or id {error.given!r}.",
        _WHERE_TO_LOOK.get(error.kind, "Look at `backtrail status`."),
    )


@explain.register
def _(error: lookup.Ambiguous) -> Sentence:
    return Sentence(
        f"{error.given!r} names more than one {error.kind}: {', '.join(error.candidates)}.",
        "Give more digits of the id.",
    )


@explain.register
def _(error: lookup.PathNotInCheckpoint) -> Sentence:
    return Sentence(
        f"The checkpoint {error.checkpoint[:8]} holds nothing at {path_text(error.path)}.",
        f"`backtrail checkpoint files {error.checkpoint[:8]}` shows what it holds. Paths count from the folder's top.",
    )


@explain.register
def _(error: lookup.UnsafePath) -> Sentence:
    return Sentence(
        f"The path {path_text(error.path)} leaves the folder or reaches into its Git folder.",
        "Name a path inside the folder, counted from its top.",
    )


@explain.register
def _(error: repository.NotAWorkingTree) -> Sentence:
    return Sentence(
        f"There is no Git working tree at {path_text(error.path)}.",
        f"Make one with `git init {shell_word(error.path)}`, or name a folder that has one.",
    )


@explain.register
def _(error: repository.NotReachable) -> Sentence:
    return Sentence(
        f"{path_text(error.path)} cannot be reached: {error.reason}. Nothing that is known of it was forgotten.",
        "Mount or connect what it lies on. If the folder was moved: `backtrail memory set path NEW-PATH MEMORY`.",
    )


@explain.register
def _(error: repository.CannotBeProtected) -> Sentence:
    return unprotectable(error.path, error.why, error.detail)


@explain.register
def _(error: repository.OwnedByAnother) -> Sentence:
    return Sentence(
        f"{path_text(error.path)} belongs to another user, and Git has not been told to trust it.",
        f"If you do: `git config --global --add safe.directory {shell_word(error.path)}`",
    )


@explain.register
def _(error: repository.RepositoryDamaged) -> Sentence:
    detail = f" ({error.detail})" if error.detail else ""
    return Sentence(
        f"Git's own data in {path_text(error.path)} cannot be read: {error.part}{detail}.",
        f"`git -C {shell_word(error.path)} fsck` tells what Git thinks of it. Nothing in it was changed.",
    )


@explain.register
def _(error: repository.RepositoryBusy) -> Sentence:
    return Sentence(
        f"{path_text(error.path)} kept moving while it was read: {error.what}.",
        "Let the program that works there come to an end, and run the command again.",
    )


@explain.register
def _(error: repository.ObjectMissing) -> Sentence:
    return Sentence(
        f"The object {error.oid} is missing in {path_text(error.path)}, and it cannot be made from the files there.",
        f"`git -C {shell_word(error.path)} fsck --full` tells what else is missing; `git fetch` may bring it back.",
    )


@explain.register
def _(error: repository.AnotherRepository) -> Sentence:
    return Sentence(
        f"{path_text(error.path)} holds a repository, but not the one whose checkpoints are known.",
        "If the right one was moved: `backtrail memory set path NEW-PATH MEMORY`. To watch this one as well, detach "
        "the old memory or give it its new path, and add this folder.",
    )
