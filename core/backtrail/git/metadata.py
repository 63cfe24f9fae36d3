"""What a checkpoint's commit says in its message, as JSON that a person can read with plain `git cat-file`.

Owns the stored form (format 1) of everything that the trees of the chain do not hold. Paths and branch names are
written as text that loses nothing (`model.path_text`). Knows no object database.
"""

import collections
import datetime
from typing import Annotated

import msgspec

from backtrail.git.branch_name import is_branch_name
from backtrail.model.checkpoint import Cause, Checkpoint, CheckpointState, Context, Difference, Lost, Origin
from backtrail.model.coverage import Coverage, LeftOut, Reason
from backtrail.model.ids import CheckpointId, MemoryId, Oid, RelPath, Token, oid_from_hex
from backtrail.model.net_state import PLAIN_FOLDER, FolderEntry, Mode, NetState, Operation
from backtrail.model.path_text import path_bytes, path_text

FORMAT = 1


Permissions = Annotated[int, msgspec.Meta(ge=0, le=0o7777)]
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]
Moment = Annotated[datetime.datetime, msgspec.Meta(tz=True)]
"""Bounds of what a checkpoint may claim: whoever can write the repository may have written it."""


class LeftOutText(msgspec.Struct, frozen=True, omit_defaults=True):
    """A path that is not held."""

    path: str
    reason: Reason
    size: Count | None = None
    head: str | None = None
    dirty: bool | None = None


class LostText(msgspec.Struct, frozen=True, omit_defaults=True):
    """Uncommitted content that the state before still had."""

    path: str
    oid: str
    staged: bool = False


class IntentText(msgspec.Struct, frozen=True):
    """An intent-to-add entry, which no tree can hold."""

    path: str
    mode: Mode
    oid: str


class PermissionText(msgspec.Struct, frozen=True):
    """Permission bits that are not the usual ones of this checkpoint."""

    path: str
    permissions: Permissions


class Usual(msgspec.Struct, frozen=True):
    """The permission bits most files of each kind have, so that only others are listed."""

    file: Permissions = 0o644
    executable: Permissions = 0o755


class Metadata(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything but the trees. `stat_unclean`: tracked paths that Git would have to read to know them clean."""

    format: int
    id: str
    memory_id: str
    seq: Count
    captured_at: Moment
    branch: str | None
    head: str | None
    operation: Operation
    origin: Origin
    cause: Cause
    content_token: str
    origin_id: str | None = None
    cause_id: str | None = None
    note: str | None = None
    clock_went_back: bool = False
    added: Count = 0
    changed: Count = 0
    removed: Count = 0
    first: list[str] = []
    lost: list[LostText] = []
    kept_in: str | None = None
    left_out: list[LeftOutText] = []
    ignored_count: Count = 0
    assume_valid: list[str] = []
    skip_worktree: list[str] = []
    intent_to_add: list[IntentText] = []
    stat_unclean: list[str] = []
    not_checked_out: list[str] = []
    usual: Usual = Usual()
    permissions: list[PermissionText] = []
    folders: list[PermissionText] = []
    empty_folders: list[str] = []


def describe(checkpoint: Checkpoint, state: NetState) -> Metadata:
    """Return what is to be stored beside the trees."""
    counted = collections.Counter((entry.mode, entry.permissions) for entry in state.working if entry.checked_out)
    usual = Usual(_most_common(counted, Mode.FILE, 0o644), _most_common(counted, Mode.EXECUTABLE, 0o755))
    of_mode = {int(Mode.FILE): usual.file, int(Mode.EXECUTABLE): usual.executable}
    unusual = {(mode, permissions) for mode, permissions in counted if permissions != of_mode.get(mode, permissions)}
    context = checkpoint.context
    unclean = [entry.path for entry in state.working if not entry.stat_clean]
    tracked = {entry.path for entry in state.index} if unclean else set()
    return Metadata(
        format=FORMAT,
        id=checkpoint.id,
        memory_id=checkpoint.memory_id,
        seq=checkpoint.seq,
        captured_at=checkpoint.captured_at,
        branch=None if state.branch is None else path_text(state.branch),
        head=None if state.head is None else state.head.hex(),
        operation=state.operation,
        origin=context.origin,
        cause=context.cause,
        origin_id=context.origin_id,
        cause_id=context.cause_id,
        note=checkpoint.note,
        clock_went_back=checkpoint.clock_went_back,
        content_token=checkpoint.content_token,
        added=checkpoint.difference.added,
        changed=checkpoint.difference.changed,
        removed=checkpoint.difference.removed,
        first=[path_text(path) for path in checkpoint.difference.first],
        lost=[LostText(path_text(lost.path), lost.oid.hex(), lost.staged) for lost in checkpoint.lost],
        kept_in=checkpoint.kept_in,
        left_out=[
            LeftOutText(path_text(item.path), item.reason, item.size, item.head, item.dirty)
            for item in state.coverage.left_out
        ],
        ignored_count=state.coverage.ignored_count,
        assume_valid=[path_text(entry.path) for entry in state.index if entry.assume_valid],
        skip_worktree=[path_text(entry.path) for entry in state.index if entry.skip_worktree],
        intent_to_add=[
            IntentText(path_text(entry.path), Mode(entry.mode), entry.oid.hex())
            for entry in state.index
            if entry.intent_to_add
        ],
        stat_unclean=[path_text(path) for path in unclean if path in tracked],
        not_checked_out=[path_text(entry.path) for entry in state.working if not entry.checked_out],
        usual=usual,
        permissions=[
            PermissionText(path_text(entry.path), entry.permissions)
            for entry in (state.working if unusual else ())
            if entry.checked_out and (entry.mode, entry.permissions) in unusual
        ],
        folders=[
            PermissionText(path_text(f.path), f.permissions) for f in state.folders if f.permissions != PLAIN_FOLDER
        ],
        empty_folders=[path_text(f.path) for f in state.folders if f.empty],
    )


def _most_common(counted: "collections.Counter[tuple[int, int]]", mode: Mode, default: int) -> int:
    """Return the permissions that most entries of a mode have; the first of those that equally many have."""
    of_mode = {permissions: count for (other, permissions), count in counted.items() if other == mode}
    return max(of_mode, key=of_mode.__getitem__, default=default)


def checkpoint_of(stored: Metadata, commit: Oid, index_tree: Oid, working_tree: Oid) -> Checkpoint:
    """Return the checkpoint that a chain claims to be.

    Its context is a claim: whoever can write the repository could have written it. Raises ValueError or OverflowError
    for what no checkpoint can say.
    """
    branch = None if stored.branch is None else path_bytes(stored.branch)
    if branch is not None and not is_branch_name(branch):
        raise ValueError("it names no branch that Git would take")
    return Checkpoint(
        id=CheckpointId(stored.id),
        memory_id=MemoryId(stored.memory_id),
        seq=stored.seq,
        state=CheckpointState.RECOVERED,
        commit=commit,
        branch=branch,
        head=None if stored.head is None else oid_from_hex(stored.head),
        operation=stored.operation,
        index_tree=index_tree,
        working_tree=working_tree,
        content_token=Token(stored.content_token),
        context=Context(stored.origin, stored.cause, stored.origin_id, stored.cause_id, stored.note),
        captured_at=stored.captured_at.astimezone(datetime.UTC),
        coverage=coverage_of(stored),
        difference=Difference(
            stored.added, stored.changed, stored.removed, tuple(RelPath(path_bytes(text)) for text in stored.first)
        ),
        lost=tuple(Lost(RelPath(path_bytes(x.path)), oid_from_hex(x.oid), x.staged) for x in stored.lost),
        kept_in=None if stored.kept_in is None else CheckpointId(stored.kept_in),
        clock_went_back=stored.clock_went_back,
        note=stored.note,
    )


def coverage_of(stored: Metadata) -> Coverage:
    """Return what the checkpoint does not hold."""
    return Coverage(
        tuple(
            LeftOut(RelPath(path_bytes(item.path)), item.reason, item.size, item.head, item.dirty)
            for item in stored.left_out
        ),
        stored.ignored_count,
    )


def folders_of(stored: Metadata) -> tuple[FolderEntry, ...]:
    """Return the folders that are empty or have unusual permissions."""
    permissions = {path_bytes(item.path): item.permissions for item in stored.folders}
    empty = {path_bytes(text) for text in stored.empty_folders}
    return tuple(
        FolderEntry(RelPath(path), permissions.get(path, PLAIN_FOLDER), path in empty)
        for path in sorted(permissions.keys() | empty)
    )
