"""A long answer arrives whole, and a damaged one is not taken for it."""

import pytest
from backtrail.wire.errors import FrameDamaged, FrameTooLong
from backtrail.wire.frames import FrameReader
from backtrail.wire.messages import Answer, FromHost, Part, Request, from_client, from_host
from backtrail.wire.parts import WHOLE_LIMIT, Parts, frames_of
from hypothesis import given
from hypothesis import strategies as st


def arrived(answer: Answer) -> list[FromHost]:
    """Send an answer through frames and put it together again."""
    reader, parts = FrameReader(), Parts()
    whole = [parts.take(from_host(body)) for frame in frames_of(answer) for body in reader.read(frame)]
    return [message for message in whole if message is not None]


@given(st.lists(st.text()))
def test_a_short_answer_is_one_frame(result: list[str]) -> None:
    answer = Answer(7, result)
    assert len(list(frames_of(answer))) == 1
    assert arrived(answer) == [answer]


@pytest.mark.parametrize("letter", ["a", "\x00", '"', "é", "\U0001f600"])
def test_a_plan_over_very_many_paths_is_not_lost_to_the_limit_of_a_frame(letter: str) -> None:
    answer = Answer(3, {"paths": [letter * 50 + str(number) for number in range(40_000)]})
    assert len(list(frames_of(answer))) > 2
    assert arrived(answer) == [answer]


def test_answers_in_parts_do_not_mix() -> None:
    long = {number: Answer(number, [str(number)] * 400_000) for number in (1, 2)}
    frames = {number: list(frames_of(answer)) for number, answer in long.items()}
    reader, parts = FrameReader(), Parts()
    came: list[FromHost] = []
    for pair in zip(frames[1], frames[2], strict=True):
        for frame in pair:
            for body in reader.read(frame):
                message = parts.take(from_host(body))
                came += [] if message is None else [message]
    assert came == [long[1], long[2]]


def test_a_request_for_very_many_paths_arrives_whole() -> None:
    request = Request(3, "recover", {"paths": [f"generated/{number}" * 5 for number in range(40_000)]})
    reader, parts = FrameReader(), Parts()
    came = [parts.take(from_client(body)) for frame in frames_of(request) for body in reader.read(frame)]
    assert len(came) > 2
    assert [message for message in came if message is not None] == [request]


def test_parts_that_never_end_are_given_up_and_those_that_end_are_not_counted() -> None:
    parts = Parts()
    for _ in range(3):
        for piece in ('"', "x" * (WHOLE_LIMIT // 2), '"'):
            assert parts.take(Part(1, piece)) is None
        assert parts.take(Answer(1, None, parts=True)) == Answer(1, "x" * (WHOLE_LIMIT // 2))
    assert parts.take(Part(1, "x" * WHOLE_LIMIT)) is None
    with pytest.raises(FrameDamaged):
        parts.take(Part(2, "x"))


def test_an_answer_beyond_all_bounds_is_refused_not_sent() -> None:
    with pytest.raises(FrameTooLong):
        list(frames_of(Answer(1, "x" * (WHOLE_LIMIT + 1))))


def test_parts_that_make_no_answer_are_damage() -> None:
    parts = Parts()
    assert parts.take(Part(1, "[1, 2")) is None
    with pytest.raises(FrameDamaged):
        parts.take(Answer(1, None, parts=True))
    with pytest.raises(FrameDamaged):
        parts.take(Request(1, "recover", parts=True))
    assert parts.take(Part(1, "[]")) is None
    with pytest.raises(FrameDamaged):
        parts.take(Request(1, "recover", parts=True))
