"""The one honest answer to "is my work kept?", in words (case B79)."""

from backtrail.model.memory import BY_CHOICE, PAUSED, Memory, MemoryState, Protection, ProtectionState
from backtrail.wording.sentence import time_text

REASONS = {
    "paused": "it was paused by you",
    "left-out": "some paths are not held",
    BY_CHOICE: "all but what you left out",
    "not-looked-at": "nobody has looked at it yet",
    "unmerged-index": "a merge conflict is in the index",
    "capture-failed": "the last checkpoint could not be written",
    "no-space": "the disk is full",
    "no-working-tree": "there is no Git working tree any more",
    "not-reachable": "the folder cannot be reached",
    "cannot-be-protected": "it is of a kind that cannot be kept",
    "owned-by-another": "it belongs to another user",
    "repository-damaged": "Git's own data in it cannot be read",
    "repository-busy": "it kept moving while it was read",
    "object-missing": "an object of the repository is missing",
    "another-repository": "another repository stands in its place",
    "restore-unfinished": "a restore is not settled yet",
    "data-folder-unusable": "the data folder cannot be used",
    "database-damaged": "the database is damaged",
    "database-newer": "the database is of a newer Backtrail",
    "not-available-yet": "this version cannot do it yet",
    "unknown-command": "the running Backtrail is of another version",
    "host-busy": "another process holds the data folder",
}


def reason_text(code: str | None) -> str:
    """Return the phrase for a protection's reason."""
    return "" if code is None else REASONS.get(code, f"of {code}")


def protection_text(protection: Protection) -> str:
    """Return the answer in a few words, without a full stop."""
    since = f" since {time_text(protection.since)}" if protection.since else ""
    if protection.state is ProtectionState.PROTECTED:
        return f"kept{since}{f', {reason_text(BY_CHOICE)}' if protection.reason == BY_CHOICE else ''}"
    if protection.state is ProtectionState.DEGRADED:
        return f"kept{since}, but {reason_text(protection.reason)}"
    return f"not kept{since}: {reason_text(protection.reason)}"


def memory_text(memory: Memory) -> str:
    """Return the answer for a memory: one that is not attached is not looked at, whatever the last look saw."""
    if memory.state is MemoryState.ATTACHED:
        until = memory.paused_until if memory.protection.reason == PAUSED else None
        return protection_text(memory.protection) + (f" until {time_text(until)}" if until else "")
    return f"not looked at: {memory.state}"
