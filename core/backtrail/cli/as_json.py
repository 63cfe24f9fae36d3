"""Facts as JSON for programs: the names of the contract (design: cli), and what else is known beside them.

Owns the form of each fact. Times are ISO 8601 in UTC, ids of objects 40 hex digits, paths as `wire.path_json` writes
them. Wording goes in only beside a code.
"""

import datetime

from backtrail.checkpoints.content import HeldFile
from backtrail.cli.call import Json
from backtrail.model.changes import Change
from backtrail.model.checkpoint import Checkpoint, Lost
from backtrail.model.coverage import Coverage, LeftOut
from backtrail.model.ids import Oid
from backtrail.model.inbox import SourceEvent
from backtrail.model.memory import Memory, Protection
from backtrail.model.restore import (
    Blocker,
    CarryOver,
    Caution,
    Inside,
    LeavingCommit,
    PathChange,
    RestorePlan,
    RestoreRecord,
)
from backtrail.restore.archives import Archive
from backtrail.wire.path_json import path_json
from backtrail.wording.blockers import blocker_sentence
from backtrail.wording.cautions import caution_text


def time_json(at: datetime.datetime | None) -> str | None:
    """Return a time."""
    return None if at is None else at.astimezone(datetime.UTC).isoformat().replace("+00:00", "Z")


def _oid(oid: Oid | None) -> str | None:
    return None if oid is None else oid.hex()


def _branch(name: bytes | None, key: str = "branch") -> Json:
    return {key: None} if name is None else dict(path_json(name, key))


def protection_json(protection: Protection) -> Json:
    """Return whether a memory is kept."""
    return {
        "state": protection.state,
        "reason": protection.reason,
        "since": time_json(protection.since),
        "looked_at": time_json(protection.looked_at),
    }


def memory_json(memory: Memory) -> Json:
    """Return a memory."""
    return {
        "id": memory.id,
        "name": memory.name,
        **path_json(memory.path),
        "state": memory.state,
        "protection": protection_json(memory.protection),
        "bot": memory.bot,
        "added_at": time_json(memory.added_at),
        "size_cap": memory.size_cap,
        "paused_until": time_json(memory.paused_until),
        "omissions": [{**path_json(one.path), "reason": one.reason} for one in memory.omissions],
    }


def left_out_json(item: LeftOut) -> Json:
    """Return a path that is not held."""
    told: Json = {**path_json(item.path), "reason": item.reason}
    for name, value in (("size", item.size), ("head", item.head), ("dirty", item.dirty)):
        if value is not None:
            told[name] = value
    return told


def coverage_json(coverage: Coverage) -> Json:
    """Return what is held and what is not."""
    return {
        "complete": coverage.complete,
        "left_out": [left_out_json(item) for item in coverage.left_out],
        "ignored_count": coverage.ignored_count,
    }


def lost_json(lost: tuple[Lost, ...]) -> list[Json]:
    """Return what was lost, one entry per path; `staged` says that content which was only in the index is among it."""
    entries: dict[bytes, Json] = {}
    for item in lost:
        entry = entries.setdefault(item.path, dict(path_json(item.path)))
        if item.staged:
            entry["staged"] = True
    return list(entries.values())


def checkpoint_json(checkpoint: Checkpoint) -> Json:
    """Return a checkpoint."""
    difference = checkpoint.difference
    return {
        "id": checkpoint.id,
        "memory": checkpoint.memory_id,
        "seq": checkpoint.seq,
        "ref": checkpoint.ref.decode(),
        **_branch(checkpoint.branch),
        "head": _oid(checkpoint.head),
        "index_tree": checkpoint.index_tree.hex(),
        "working_tree": checkpoint.working_tree.hex(),
        "origin": checkpoint.context.origin,
        "origin_id": checkpoint.context.origin_id,
        "cause": checkpoint.context.cause,
        "cause_id": checkpoint.context.cause_id,
        "captured_at": time_json(checkpoint.captured_at),
        "clock_went_back": checkpoint.clock_went_back,
        "coverage": coverage_json(checkpoint.coverage),
        "note": checkpoint.note,
        "pinned": checkpoint.pinned,
        "state": checkpoint.state,
        "operation": checkpoint.operation,
        "lost": lost_json(checkpoint.lost),
        "kept_in": checkpoint.kept_in,
        "damage": list(checkpoint.damage),
        "difference": {
            "added": difference.added,
            "changed": difference.changed,
            "removed": difference.removed,
            "first": [path_json(path) for path in difference.first],
        },
    }


def event_json(event: SourceEvent) -> Json:
    """Return what the inbox was told."""
    change = event.change
    return {
        "id": event.id,
        "kind": event.kind,
        "at": time_json(event.at),
        **_branch(change.from_branch, "from_branch"),
        "from_head": _oid(change.from_head),
        **_branch(change.to_branch, "to_branch"),
        "to_head": _oid(change.to_head),
        "counts": change.counts,
        "paths": [{**path_json(item.path), "status": item.status} for item in change.paths],
        "persona_changed": change.persona_changed,
        "summary": change.summary,
        "cut": change.cut,
    }


def change_json(change: Change) -> Json:
    """Return one path that differs between two states."""
    return {
        **path_json(change.path),
        "status": change.status,
        "staged": change.staged,
        "old": _oid(change.old),
        "new": _oid(change.new),
    }


def file_json(file: HeldFile) -> Json:
    """Return a file that a checkpoint holds."""
    return {**path_json(file.path), "mode": f"{file.mode:06o}", "oid": file.oid.hex(), "size": file.size}


def _path_change(change: PathChange) -> Json:
    return {**path_json(change.path), "staged": change.staged}


def _commit(commit: LeavingCommit) -> Json:
    return {
        "id": commit.oid.hex(),
        "subject": commit.subject,
        "author": commit.author,
        "at": time_json(commit.at),
    }


def _carry_over(carried: CarryOver) -> Json:
    return {
        "choice": carried.choice,
        "paths": [path_json(path) for path in carried.paths],
        "count": carried.count,
        "bytes": carried.bytes,
        "largest": [{**path_json(item.path), "bytes": item.bytes} for item in carried.largest],
        "archive_only": [path_json(path) for path in carried.archive_only],
    }


def blocker_json(blocker: Blocker) -> Json:
    """Return a blocker with its sentences."""
    said = blocker_sentence(blocker)
    return {
        "code": blocker.code,
        "message": said.message,
        "remedy": said.remedy,
        "paths": [path_json(path) for path in blocker.paths],
        "detail": blocker.detail,
    }


def _caution(caution: Caution) -> Json:
    return {
        "code": caution.code,
        "message": caution_text(caution),
        "paths": [path_json(path) for path in caution.paths],
        "count": caution.count,
        "detail": caution.detail,
    }


def _inside(process: Inside) -> Json:
    return {"pid": process.pid, "name": process.name, "writes": process.writes}


def plan_json(plan: RestorePlan) -> Json:
    """Return a plan."""
    return {
        "memory": plan.memory_id,
        "target": checkpoint_json(plan.target),
        "undo_of": plan.undo_of,
        "before": plan.before,
        "token": plan.token,
        "comes_back": [_path_change(change) for change in plan.comes_back],
        "changes": [_path_change(change) for change in plan.changes],
        "leaves": [_path_change(change) for change in plan.leaves],
        "commits_leaving": [_commit(commit) for commit in plan.commits_leaving],
        "commits_leaving_count": plan.commits_leaving_count,
        "ignored": _carry_over(plan.carry_over),
        "not_in_target": [left_out_json(item) for item in plan.not_in_target],
        "needed": plan.needed,
        "free": plan.free,
        "inside": [_inside(process) for process in plan.inside],
        "blockers": [blocker_json(blocker) for blocker in plan.blockers],
        "warnings": [_caution(caution) for caution in plan.cautions],
    }


def restore_json(record: RestoreRecord) -> Json:
    """Return what a restore did."""
    archive: Json = {"archive": None} if record.archive is None else dict(path_json(record.archive, "archive"))
    return {
        "id": record.id,
        "memory": record.memory_id,
        "target": record.target,
        "undo_of": record.undo_of,
        "state": record.state,
        **archive,
        "checkpoint": record.checkpoint,
        "started_at": time_json(record.started_at),
        "took_ms": record.took_ms,
        "bytes": record.bytes,
        "late": [path_json(item.path) for item in record.late],
        "inside": [_inside(process) for process in record.inside],
        "not_carried": [path_json(path) for path in record.not_carried],
    }


def archive_json(memory: Memory, archive: Archive) -> Json:
    """Return an archive. Its id is that of the restore that made it."""
    journal = archive.journal
    return {
        "id": journal.id,
        **path_json(archive.places.copy),
        "restore": journal.id,
        "memory": memory.id,
        "captured_at": time_json(journal.started_at),
        "bytes": journal.bytes,
        "target": journal.target,
        "undo_of": journal.undo_of,
        "checkpoint": journal.before,
        "whole": not journal.deleting,
    }
