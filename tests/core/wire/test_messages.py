import json

import msgspec
import pytest
from backtrail.wire.errors import Damage, FrameDamaged, FrameTooLong
from backtrail.wire.frames import LONGEST
from backtrail.wire.messages import (
    Alive,
    Answer,
    Cancel,
    Event,
    Failure,
    FromClient,
    FromHost,
    Hello,
    Progress,
    Refusal,
    Refused,
    Request,
    Role,
    Welcome,
    frame_of,
    from_client,
    from_host,
    protocol_of,
)

OF_CLIENTS: list[FromClient] = [
    Hello(role=Role.WINDOW, pid=7, product="0.1.0"),
    Request(1, "scan", {"memory": "notes", "deep": [{"a": None}]}),
    Cancel(1),
]
OF_THE_HOST: list[FromHost] = [
    Welcome(pid=8, product="0.1.0"),
    Refused(code=Refusal.TOO_BUSY, product="0.1.0"),
    Answer(1, {"checkpoint": None}),
    Failure(1, "no-space", {"free": 0}),
    Progress(1, "copying", 3, 10),
    Event("checkpoint-taken", "m1", {"seq": 4}),
    Alive(),
]


@pytest.mark.parametrize("message", OF_CLIENTS)
def test_what_a_client_says_is_what_the_host_reads(message: FromClient) -> None:
    assert from_client(frame_of(message)[4:]) == message


@pytest.mark.parametrize("message", OF_THE_HOST)
def test_what_the_host_says_is_what_a_client_reads(message: FromHost) -> None:
    assert from_host(frame_of(message)[4:]) == message


def test_the_json_is_plain_and_names_its_kind() -> None:
    assert json.loads(frame_of(Event("taken", "m", {"n": 1}))[4:]) == {
        "kind": "event", "name": "taken", "memory_id": "m", "facts": {"n": 1},
    }  # fmt: skip


def test_a_message_is_not_changed_after_it_was_made() -> None:
    with pytest.raises(AttributeError):
        Alive().kind = "x"  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        Cancel(1).number = 2  # type: ignore[misc]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"nonsense", b'{"kind":"cancel","number":1} x', b'{"kind":"request","number":1,"command":"\xff"}',
     b'{"kind":"request","number":1,"command":"a","arguments":' + b'{"a":' * 100_000],
    ids=["empty", "cut", "no JSON", "more after it", "no UTF-8", "nested without end"],
)  # fmt: skip
def test_what_is_no_json_is_a_typed_error(body: bytes) -> None:
    with pytest.raises(FrameDamaged) as refused:
        from_client(body)
    assert refused.value.damage is Damage.NOT_JSON


@pytest.mark.parametrize(
    "body",
    [b"[]", b"null", b"{}", b'{"kind":"alive"}', b'{"kind":"sudo"}', b'{"kind":"cancel"}',
     b'{"kind":"cancel","number":"1"}', b'{"kind":"cancel","number":1e999}',
     b'{"kind":"request","number":1,"command":"a","arguments":[1]}'],
)  # fmt: skip
def test_json_that_is_no_message_of_a_client_is_a_typed_error(body: bytes) -> None:
    with pytest.raises(FrameDamaged) as refused:
        from_client(body)
    assert refused.value.damage is Damage.NOT_A_MESSAGE


def test_the_version_of_a_hello_that_only_a_later_version_understands_can_be_read() -> None:
    assert protocol_of(b'{"kind":"hello","protocol":12,"role":{"new":"shape"}}') == 12
    with pytest.raises(FrameDamaged):
        protocol_of(b'{"kind":"cancel","number":1}')


def test_unknown_fields_are_left_alone() -> None:
    assert from_host(b'{"kind":"alive","since":"a later version"}') == Alive()


def test_a_message_longer_than_a_frame_is_not_made() -> None:
    with pytest.raises(FrameTooLong):
        frame_of(Answer(1, "x" * LONGEST))
    spare = LONGEST - len(msgspec.json.encode(Answer(1, "")))
    assert len(frame_of(Answer(1, "x" * spare))) == LONGEST + 4
