"""Events keep their names and facts on the wire: a Host and a window of two builds tell each other the same."""

import datetime
import json

import pytest
from backtrail.model.coverage import LeftOut, Reason
from backtrail.model.events import (
    ArchiveDeleted,
    CheckpointRecorded,
    HostEvent,
    MemoryChanged,
    MemoryObserved,
    ProtectionChanged,
    RestoreFinished,
    WatchChanged,
)
from backtrail.model.ids import CheckpointId, MemoryId, RelPath
from backtrail.model.memory import Protection, ProtectionState
from backtrail.model.watching import Unreachable, UnreachableReason
from backtrail.wire.coding import NotAnEvent, event_of, message_of
from backtrail.wire.messages import Event, frame_of, from_host

M = MemoryId("m")
AT = datetime.datetime(2026, 11, 30, 14, 3, 12, tzinfo=datetime.UTC)
KEPT = Protection(ProtectionState.PROTECTED, None, AT, AT)
KEPT_JSON = {
    "state": "protected", "reason": None, "since": "2026-11-30T14:03:12Z", "looked_at": "2026-11-30T14:03:12Z",
}  # fmt: skip
LEFT_OUT = (LeftOut(RelPath(b"s\xff"), Reason.SPECIAL_FILE),)
LEFT_OUT_JSON = [{"path": "c/8=", "reason": "special-file", "size": None, "head": None, "dirty": None}]
EVENTS: list[tuple[HostEvent, str, dict[str, object]]] = [
    (MemoryChanged(memory=M), "memory-changed", {}),
    (MemoryObserved(memory=M, protection=KEPT), "memory-observed", {"protection": KEPT_JSON}),
    (
        MemoryObserved(memory=M, protection=KEPT, left_out=LEFT_OUT, failure_paths=()),
        "memory-observed",
        {"protection": KEPT_JSON, "left_out": LEFT_OUT_JSON, "failure_paths": []},
    ),
    (
        CheckpointRecorded(memory=M, lost=2, kept_in=CheckpointId("c")),
        "checkpoint-recorded",
        {"lost": 2, "kept_in": "c"},
    ),
    (CheckpointRecorded(memory=M), "checkpoint-recorded", {"lost": 0, "kept_in": None}),
    (ProtectionChanged(memory=M, code="not-reachable"), "protection-changed", {"code": "not-reachable"}),
    (
        WatchChanged(memory=M, watch=Unreachable(UnreachableReason.GONE)),
        "watch-changed",
        {"watch": {"type": "not-reachable", "reason": "gone", "detail": ""}},
    ),
    (RestoreFinished(memory=M), "restore-finished", {}),
    (ArchiveDeleted(memory=M), "archive-deleted", {}),
]


@pytest.mark.parametrize(("event", "name", "facts"), EVENTS)
def test_an_event_crosses_the_wire_by_its_name_and_facts(event: HostEvent, name: str, facts: dict[str, object]) -> None:
    message = message_of(event)
    assert json.loads(frame_of(message)[4:]) == {"kind": "event", "name": name, "memory_id": "m", "facts": facts}
    heard = from_host(frame_of(message)[4:])
    assert isinstance(heard, Event)
    assert event_of(heard) == event


def test_what_may_be_about_any_memory_names_none() -> None:
    assert event_of(message_of(MemoryChanged(memory=None))) == MemoryChanged(memory=None)


@pytest.mark.parametrize(
    "message",
    [
        Event("telepathy", "m"),
        Event("memory-observed", "m", {"protection": {"state": "unheard-of"}, "left_out": []}),
        Event("restore-finished", None),
    ],
)
def test_an_event_of_another_version_is_not_believed_in_part(message: Event) -> None:
    with pytest.raises(NotAnEvent):
        event_of(message)


def test_a_fact_that_a_newer_host_tells_besides_does_no_harm() -> None:
    assert event_of(Event("restore-finished", "m", {"took_ms": 7})) == RestoreFinished(memory=M)
