"""The words of the guide, made from a plan or a record: headlines, rows, counts and times.

Owns the sentences of this room only; those for codes are in `backtrail.wording`. Every name from a repository passes
through `plain_text` here, so that what comes out may be shown as it is. Says "nothing was changed" nowhere.
"""

import datetime
import os
from collections.abc import Sequence

from backtrail.model.checkpoint import Checkpoint
from backtrail.model.ids import Oid
from backtrail.model.restore import Ignored, Inside, RestorePlan
from backtrail.wording.sentence import counted, size_text

from backtrail_desktop.shell.plain_text import plain_path, plain_text
from backtrail_desktop.timeline.words import origin

SHELLS = frozenset({"bash", "zsh", "fish", "sh", "dash", "ksh", "tcsh", "nu", "xonsh", "elvish", "pwsh"})
EDITORS = frozenset(
    {"code", "codium", "cursor", "emacs", "vim", "nvim", "vi", "nano", "kate", "gedit", "hx", "subl", "zed", "micro"}
)
SAME_SHELL = 'cd "$PWD"'
NAMED = 3


def clock_text(at: datetime.datetime, today: datetime.datetime) -> str:
    """Return a time as this machine's clock shows it, with seconds; with the day where that is not today's."""
    local, now = at.astimezone(), today.astimezone()
    if local.date() == now.date():
        return f"{local:%H:%M:%S}"
    day = f"{local:%a} {local.day} {local:%b}"
    return f"{day}, {local:%H:%M:%S}" if local.year == now.year else f"{day} {local.year}, {local:%H:%M:%S}"


def place_text(folder: bytes) -> str:
    """Return a folder's path with the home folder as `~`."""
    home = os.path.expanduser(b"~")
    inside = home != b"/" and (folder == home or folder.startswith(home.rstrip(b"/") + b"/"))
    return plain_path(b"~" + folder[len(home.rstrip(b"/")) :] if inside else folder)


def branch_text(checkpoint: Checkpoint) -> str:
    """Return the branch of a state, or the commit where HEAD is on none."""
    if checkpoint.branch is not None:
        return plain_path(checkpoint.branch)
    return f"commit {_short(checkpoint.head)}" if checkpoint.head is not None else "no commit yet"


def headline(folder: str, plan: RestorePlan, today: datetime.datetime) -> str:
    """Return what the guide is about to do."""
    name = plain_text(folder)
    time = clock_text(plan.target.captured_at, today)
    if plan.undo_of is not None:
        return f"Bring “{name}” back as it was before that restore"
    on = f" on {branch_text(plan.target)}" if plan.target.branch is not None or plan.target.head is not None else ""
    return f"Make “{name}” look as it did {'at ' if time[0].isdigit() else 'on '}{time}{on}"


def files_headline(folder: str, plan: RestorePlan, today: datetime.datetime) -> str:
    """Return what the guide is about to do where only some files come back."""
    time = clock_text(plan.target.captured_at, today)
    return f"Get files of “{plain_text(folder)}” back as they were {'at ' if time[0].isdigit() else 'on '}{time}"


def safety(plan: RestorePlan) -> str:
    """Return the promise under the headline of a whole restore."""
    return f"Nothing is deleted: the folder as it is now goes to {place_text(plan.archives)}"


def files_safety(plan: RestorePlan) -> str:
    """Return the promise under the headline where only some files come back."""
    if plan.before is None:
        return (
            "The folder as it is now could not be kept first, so only files that are missing here can come back alone. "
            "Going back as a whole keeps everything in the archive."
        )
    kept = "Only the files you choose are written; what is staged is left alone. What is in them now is kept first."
    if plan.commits_leaving_count:
        commits = counted(plan.commits_leaving_count, "commit")
        kept += f" The whole folder would take {commits} off {branch_text(plan.target)}."
    return kept


def ignored_text(plan: RestorePlan) -> str:
    """Return what becomes of files that Git ignores."""
    carried = plan.carry_over
    if carried.choice is Ignored.LEAVE:
        left = f" ({counted(len(carried.archive_only), 'path')})" if carried.archive_only else ""
        return f"stay in the archive alone{left}"
    if not carried.count:
        return "none here"
    largest = ", ".join(f"{plain_path(item.path)} {size_text(item.bytes)}" for item in carried.largest[:2])
    told = f"{counted(carried.count, 'file')}, {size_text(carried.bytes)}, stay in the folder"
    return f"{told} ({largest})" if largest else told


def commits_text(plan: RestorePlan) -> str:
    """Return how many commits leave the branch. They keep a name, so that none is lost."""
    count = plan.commits_leaving_count
    branch = branch_text(plan.target)
    if not count:
        return f"none leave {branch}"
    verb = "leaves" if count == 1 else "leave"
    return f"{counted(count, 'commit')} {verb} {branch}, and stay in the archive"


def working_here(inside: Sequence[Inside]) -> str:
    """Return who works in the folder: who writes by name, shells and editors by number."""
    writers = [p for p in inside if p.writes]
    rest = [p for p in inside if not p.writes]
    shells = sum(p.name in SHELLS for p in rest)
    editors = sum(p.name in EDITORS for p in rest)
    others = [p for p in rest if p.name not in SHELLS | EDITORS]
    parts = [f"{plain_text(p.name)} ({p.pid}) writes here" for p in writers[:NAMED]]
    if len(writers) > NAMED:
        parts.append(f"{len(writers) - NAMED} more write here")
    parts += [counted(editors, "editor")] if editors else []
    parts += [counted(shells, "terminal")] if shells else []
    parts += [plain_text(p.name) for p in others[:NAMED]]
    if len(others) > NAMED:
        parts.append(f"{len(others) - NAMED} other programs")
    return ", ".join(parts) or "nobody that can be seen"


def saved_text(checkpoint: Checkpoint) -> str:
    """Return where a state came from; observed after is not written by."""
    told = plain_text(origin(checkpoint, None).removeprefix("Saved "))
    note = f" Note: {plain_text(checkpoint.note)}" if checkpoint.note else ""
    who = " This does not say who wrote it." if checkpoint.context.origin == "agent-session" else ""
    return f"{told[:1].lower()}{told[1:]}.{who}{note}"


def space_text(plan: RestorePlan) -> str:
    """Return what the copy takes at most."""
    return f"{size_text(plan.needed)} at most, {size_text(plan.free)} are free"


def still_standing(inside: Sequence[Inside]) -> str:
    """Return who still stands in the folder that was switched out, and what to do; empty where nobody does."""
    shells = [p for p in inside if p.name in SHELLS]
    others = [p for p in inside if p.name not in SHELLS]
    parts = []
    if shells:
        one = len(shells) == 1
        count = counted(len(shells), "terminal")
        parts.append(f"{count} still {'stands' if one else 'stand'} in the archived folder: run {SAME_SHELL} there.")
    if others:
        names = ", ".join(f"{plain_text(p.name)} ({p.pid})" for p in others[:NAMED])
        more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
        parts.append(
            f"{names}{more} still {'works' if len(others) == 1 else 'work'} there: let it open the folder anew."
        )
    return " ".join(parts)


def paths_text(paths: Sequence[bytes]) -> str:
    """Return the first few paths, and how many more."""
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return ", ".join(plain_path(path) for path in paths[:NAMED]) + more


def _short(oid: Oid) -> str:
    return oid.hex()[:8]
