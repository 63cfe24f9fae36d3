"""What a checkpoint does not hold, and why: one phrase for each reason."""

from backtrail.model.coverage import Coverage, LeftOut, Reason
from backtrail.model.path_text import path_text
from backtrail.wording.sentence import counted, size_text

REASONS = {
    Reason.TOO_LARGE: "above the size cap",
    Reason.UNREADABLE: "cannot be read by this user",
    Reason.NESTED_REPOSITORY: "a repository of its own",
    Reason.SUBMODULE_DIRTY: "a submodule with changes of its own",
    Reason.SPECIAL_FILE: "a pipe, socket or device",
    Reason.CHANGING: "kept changing while it was read",
    Reason.RESERVED_NAME: "a name that Git does not take into a tree",
}


def left_out_text(item: LeftOut) -> str:
    """Return one line for a path that is not held."""
    told = [REASONS[item.reason]]
    if item.size is not None:
        told.append(size_text(item.size))
    if item.head is not None:
        told.append(f"HEAD {item.head[:12]}")
    if item.dirty is not None:
        told.append("with changes" if item.dirty else "without changes")
    return f"{path_text(item.path)} ({', '.join(told)})"


def coverage_text(coverage: Coverage) -> str:
    """Return one sentence for what a checkpoint holds."""
    ignored = f" {counted(coverage.ignored_count, 'ignored path')} not counted in." if coverage.ignored_count else ""
    if coverage.complete:
        return f"Holds everything that Git does not ignore.{ignored}"
    return f"Does not hold {counted(len(coverage.left_out), 'path')}.{ignored}"
