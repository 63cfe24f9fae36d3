"""Facts for the tests of the store: plain ones to start from, with bytes in them that are not UTF-8."""

import datetime

import msgspec
from backtrail.model.checkpoint import OBSERVED, Checkpoint, CheckpointState, Difference, Lost
from backtrail.model.coverage import Coverage, LeftOut, Reason
from backtrail.model.ids import CheckpointId, MemoryId, Oid, RelPath, RestoreId, Token
from backtrail.model.inbox import (
    Admission,
    AdmissionState,
    ChangedPath,
    EventKind,
    MemoryChange,
    PathStatus,
    SourceEvent,
)
from backtrail.model.memory import Memory, MemoryState, Protection, ProtectionState
from backtrail.model.net_state import Operation
from backtrail.model.observation import Observation, PathState
from backtrail.model.restore import Inside, LateWriter, RestoreRecord, RestoreState

NOW = datetime.datetime(2026, 7, 1, 12, 0, 0, 123457, tzinfo=datetime.UTC)
ODD = b"caf\xe9\n\xff\x00'\"%_"
NOTES = MemoryId("notes")


def oid(number: int) -> Oid:
    return Oid(number.to_bytes(20, "big"))


def memory(memory_id: MemoryId = NOTES) -> Memory:
    return Memory(
        id=memory_id,
        name="Notizen 笔记",
        bot=f"bot of {memory_id}",
        path=b"/home/" + ODD,
        state=MemoryState.ATTACHED,
        protection=Protection(ProtectionState.DEGRADED, "left-out", NOW, NOW),
        added_at=NOW,
    )


def checkpoint(seq: int, memory_id: MemoryId = NOTES) -> Checkpoint:
    return Checkpoint(
        id=CheckpointId(f"{memory_id}-{seq}"),
        memory_id=memory_id,
        seq=seq,
        state=CheckpointState.RECORDED,
        commit=oid(seq),
        branch=ODD,
        head=oid(1),
        operation=Operation.MERGE,
        index_tree=oid(2),
        working_tree=oid(3),
        content_token=Token("ab" * 32),
        context=OBSERVED,
        captured_at=NOW + datetime.timedelta(microseconds=seq),
        coverage=Coverage((LeftOut(RelPath(ODD), Reason.TOO_LARGE, 1 << 40),), 12),
        difference=Difference(1, 2, 3, (RelPath(ODD),)),
    )


def with_loss(value: Checkpoint) -> Checkpoint:
    return msgspec.structs.replace(value, lost=(Lost(RelPath(ODD), oid(9), staged=True),), kept_in=CheckpointId("k"))


def observation(checkpoint_id: CheckpointId | None = None, memory_id: MemoryId = NOTES) -> Observation:
    return Observation(
        memory_id=memory_id,
        token=Token("cd" * 32),
        branch=ODD,
        head=None,
        checkpoint=checkpoint_id,
        beyond=(PathState(RelPath(ODD), (0o100644, oid(5)), None), PathState(RelPath(b"g"), None, (0o120000, oid(6)))),
        at=NOW,
    )


def event(number: int, memory_id: MemoryId = NOTES) -> SourceEvent:
    change = MemoryChange(
        from_branch=None,
        from_head=None,
        to_branch=ODD,
        to_head=oid(4),
        counts={"staged": 2},
        paths=(ChangedPath(RelPath(ODD), PathStatus.GONE),),
        persona_changed=True,
        summary="two files",
        cut=False,
    )
    return SourceEvent(f"event-{number}", memory_id, EventKind.MEMORY_CHANGE, NOW, change)


def admission(number: int, bot: str = "bot") -> Admission:
    return Admission(f"admission-{number}", f"event-{number}", bot, AdmissionState.PENDING)


def restore(number: int) -> RestoreRecord:
    return RestoreRecord(
        id=RestoreId(f"restore-{number}"),
        memory_id=NOTES,
        target=CheckpointId("target"),
        state=RestoreState.DONE,
        archive=b"/home/archive " + ODD,
        checkpoint=None,
        started_at=NOW,
        took_ms=1234,
        late=(LateWriter(RelPath(ODD)),),
        inside=(Inside(17, "vim", writes=True),),
        not_carried=(RelPath(ODD),),
        bytes=1 << 41,
    )
