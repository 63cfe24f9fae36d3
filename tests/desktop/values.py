"""Values for the tests of the window: made up, but of the kinds the Host tells. Others use them too: append only."""

import datetime

from backtrail.model.checkpoint import (
    OBSERVED,
    Checkpoint,
    CheckpointState,
    Context,
    Difference,
    Lost,
)
from backtrail.model.commands import ArchiveInfo, ScanResult
from backtrail.model.coverage import Coverage
from backtrail.model.ids import CheckpointId, MemoryId, Oid, RelPath, RestoreId, Token
from backtrail.model.memory import Memory, MemoryState, Protection, ProtectionState
from backtrail.model.net_state import Operation
from backtrail.model.restore import (
    Blocker,
    CarryOver,
    Caution,
    Ignored,
    Inside,
    LateWriter,
    LeavingCommit,
    PathChange,
    RestorePlan,
    RestoreRecord,
    RestoreState,
    SizedPath,
)

DAY = datetime.datetime(2026, 11, 30).astimezone(datetime.UTC)
"""When the tests' day begins by this machine's clock: what is of today is of today in every time zone."""


def at(hour: int, minute: int, second: int = 0) -> datetime.datetime:
    """Return a time of the tests' day by this machine's clock, in UTC."""
    return DAY + datetime.timedelta(hours=hour, minutes=minute, seconds=second)


def oid(number: int) -> Oid:
    """Return an id that no object has."""
    return Oid(number.to_bytes(20, "big"))


def memory(
    name: str = "atlas",
    *,
    path: bytes | None = None,
    state: MemoryState = MemoryState.ATTACHED,
    protection: Protection | None = None,
    paused_until: datetime.datetime | None = None,
) -> Memory:
    """Return a folder as the Host lists it; kept, unless told otherwise."""
    return Memory(
        id=MemoryId(f"memory-{name}"),
        name=name,
        bot=name,
        path=f"/home/mira/notes/{name}".encode() if path is None else path,
        state=state,
        protection=protection or Protection(ProtectionState.PROTECTED, None, at(9, 0), at(14, 3, 12)),
        added_at=at(8, 0),
        paused_until=paused_until,
    )


def checkpoint(
    seq: int,
    *,
    captured_at: datetime.datetime | None = None,
    branch: bytes | None = b"main",
    context: Context = OBSERVED,
    difference: Difference | None = None,
    lost: tuple[Lost, ...] = (),
    kept_in: int | None = None,
    coverage: Coverage | None = None,
    content: int | None = None,
    memory_name: str = "atlas",
    state: CheckpointState = CheckpointState.RECORDED,
    note: str | None = None,
    pinned: bool = False,
) -> Checkpoint:
    """Return the checkpoint with this number. content: of equal numbers the contents are equal; else `seq`."""
    number = seq if content is None else content
    return Checkpoint(
        id=CheckpointId(f"{seq:08x}"),
        memory_id=MemoryId(f"memory-{memory_name}"),
        seq=seq,
        state=state,
        commit=oid(1_000_000 + seq),
        branch=branch,
        head=oid(1),
        operation=Operation.NONE,
        index_tree=oid(2_000_000 + number),
        working_tree=oid(3_000_000 + number),
        content_token=Token(f"{number:064x}"),
        context=context,
        captured_at=captured_at or at(13, 58, 12) + datetime.timedelta(seconds=seq),
        coverage=coverage or Coverage(),
        difference=difference or Difference(changed=1, first=(RelPath(b"draft.md"),)),
        lost=lost,
        kept_in=None if kept_in is None else CheckpointId(f"{kept_in:08x}"),
        note=note,
        pinned=pinned,
    )


def path_changes(*paths: bytes, staged: bool = False) -> tuple[PathChange, ...]:
    """Return paths as a plan lists them."""
    return tuple(PathChange(RelPath(path), staged) for path in paths)


def leaving_commit(number: int, subject: str = "Rewrite chapter two") -> LeavingCommit:
    """Return a commit that leaves a branch."""
    return LeavingCommit(oid(5_000_000 + number), subject, "Mira K.", at(13, 12))


def carried(count: int = 212, size: int = 48 << 20, choice: Ignored = Ignored.CARRY) -> CarryOver:
    """Return what is carried over."""
    largest = (SizedPath(RelPath(b"build/"), size),) if size else ()
    return CarryOver(choice, (RelPath(b"build"),) if count else (), count, size, largest, ())


def guard_token(number: int) -> Token:
    """Return the guard token of the folder at one of the tests' moments."""
    return Token(f"guard-{number}")


def plan(
    target: Checkpoint,
    *,
    guard: int = 1,
    before: int | None = 9,
    comes_back: tuple[PathChange, ...] | None = None,
    changes: tuple[PathChange, ...] | None = None,
    leaves: tuple[PathChange, ...] | None = None,
    commits: tuple[LeavingCommit, ...] = (),
    carry_over: CarryOver | None = None,
    inside: tuple[Inside, ...] = (),
    blockers: tuple[Blocker, ...] = (),
    cautions: tuple[Caution, ...] = (),
    undo_of: str | None = None,
) -> RestorePlan:
    """Return a plan: two files come back, three change, one leaves, unless told otherwise. guard: which token."""
    return RestorePlan(
        memory_id=target.memory_id,
        target=target,
        undo_of=None if undo_of is None else RestoreId(undo_of),
        before=None if before is None else CheckpointId(f"{before:08x}"),
        token=guard_token(guard),
        archives=b"/home/mira/notes/.backtrail/atlas",
        comes_back=path_changes(b"ideas/loose-ends.md", b"figures/map-v2.svg") if comes_back is None else comes_back,
        changes=path_changes(b"draft.md", b"outline.md") + path_changes(b"sources.bib", staged=True)
        if changes is None
        else changes,
        leaves=path_changes(b"scratch.txt") if leaves is None else leaves,
        commits_leaving=commits,
        commits_leaving_count=len(commits),
        carry_over=carry_over or carried(),
        not_in_target=target.coverage.left_out,
        needed=60 << 20,
        free=80 << 30,
        inside=inside,
        blockers=blockers,
        cautions=cautions,
    )


def restore_record(
    number: int = 1,
    *,
    target: int = 4,
    state: RestoreState = RestoreState.DONE,
    undo_of: str | None = None,
    inside: tuple[Inside, ...] = (),
    late: tuple[bytes, ...] = (),
    started_at: datetime.datetime | None = None,
    size: int = 38 << 20,
    memory_name: str = "atlas",
) -> RestoreRecord:
    """Return what a restore did."""
    return RestoreRecord(
        id=RestoreId(f"{number:032x}"),
        memory_id=MemoryId(f"memory-{memory_name}"),
        target=CheckpointId(f"{target:08x}"),
        state=state,
        archive=f"/home/mira/notes/.backtrail/{memory_name}/20261130T1405{number:02}Z-{number:08x}/repository".encode(),
        checkpoint=CheckpointId(f"{20 + number:08x}"),
        started_at=started_at or at(14, 5, number),
        took_ms=1200,
        undo_of=None if undo_of is None else RestoreId(undo_of),
        late=tuple(LateWriter(RelPath(path)) for path in late),
        inside=inside,
        bytes=size,
    )


def archive_info(number: int = 1, *, undo_of: str | None = None, size: int = 38 << 20) -> ArchiveInfo:
    """Return an archive of the folder `atlas`."""
    return ArchiveInfo(memory(), restore_record(number, undo_of=undo_of, size=size))


def scan_result(folder: Memory, **more: object) -> ScanResult:
    """Return what a look at a folder found: nothing new, unless told otherwise."""
    facts: dict[str, object] = {"coverage": Coverage(), "failure": None, "failure_paths": (), **more}
    return ScanResult(
        memory=folder, content_token=Token("0" * 64), changed=False, checkpoint=None, lost=(), kept_in=None, event=None,
        protection=folder.protection, took_ms=1, **facts,  # type: ignore[arg-type]
    )  # fmt: skip
