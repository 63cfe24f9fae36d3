"""In which context a checkpoint was taken, in words. Observed after is never written by (record: recovery)."""

from backtrail.model.checkpoint import Cause, Checkpoint, CheckpointState, Context, Origin

_BY_YOU = {
    Cause.HUMAN_CHECKPOINT: "saved by you",
    Cause.HUMAN_RESTORE: "saved after your restore of {id}",
    Cause.HUMAN_FILE_RESTORE: "saved after you got files back from {id}",
    Cause.HUMAN_BRANCH: "saved around your change of branch",
}


def origin_text(context: Context) -> str:
    """Return the words for a context."""
    if context.origin is Origin.AGENT_SESSION:
        return f"saved after session {context.origin_id}"
    if context.origin is Origin.HUMAN_COMMAND:
        return _BY_YOU.get(context.cause, "saved by you").format(id=(context.cause_id or "")[:8])
    return "saved automatically"


_MARKS = {
    CheckpointState.DAMAGED: "damaged",
    CheckpointState.RECOVERED: "found again in Git, its context is only a claim",
    CheckpointState.PENDING: "not finished",
}


def marks_text(checkpoint: Checkpoint) -> str:
    """Return what else a list should say of a checkpoint."""
    marks = [_MARKS[checkpoint.state]] if checkpoint.state in _MARKS else []
    if checkpoint.pinned:
        marks.append("pinned")
    if checkpoint.clock_went_back:
        marks.append("the clock went back")
    if not checkpoint.coverage.complete:
        marks.append("partial")
    return ", ".join(marks)
