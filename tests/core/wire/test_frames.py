import os

import pytest
from backtrail.wire.errors import Damage, FrameDamaged, FrameTooLong
from backtrail.wire.frames import LONGEST, FrameReader, framed
from hypothesis import given
from hypothesis import strategies as st

BODIES = [b"{}", b"", b"x" * 300, b'{"kind":"alive"}']
STREAM = b"".join(framed(body) for body in BODIES)


@pytest.mark.parametrize("at", range(len(STREAM) + 1))
def test_a_stream_split_in_two_at_any_byte_gives_every_frame(at: int) -> None:
    reader = FrameReader()
    assert [*reader.read(STREAM[:at]), *reader.read(STREAM[at:])] == BODIES
    reader.end()


def test_a_stream_that_comes_byte_by_byte_gives_every_frame() -> None:
    reader = FrameReader()
    assert [body for byte in STREAM for body in reader.read(bytes([byte]))] == BODIES


@given(st.lists(st.binary(max_size=70_000), max_size=6), st.data())
def test_any_split_of_any_bodies_gives_them_back(bodies: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(framed(body) for body in bodies)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    reader = FrameReader()
    found: list[bytes] = []
    for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        found += reader.read(stream[begin:end])
    reader.end()
    assert found == bodies


def test_the_longest_frame_passes_and_one_byte_more_does_not() -> None:
    body = os.urandom(LONGEST)
    assert list(FrameReader().read(framed(body))) == [body]
    with pytest.raises(FrameTooLong) as refused:
        framed(body + b"x")
    assert refused.value.facts() == {"bytes": LONGEST + 1, "limit": LONGEST}


def test_a_length_that_is_too_long_is_refused_before_its_body_is_waited_for() -> None:
    reader = FrameReader()
    found: list[bytes] = []
    with pytest.raises(FrameTooLong):
        found.extend(reader.read(framed(b"{}") + (LONGEST + 1).to_bytes(4, "big")))
    assert found == [b"{}"]
    with pytest.raises(FrameTooLong):
        list(reader.read(framed(b"{}")))


def test_frames_before_a_damaged_one_are_not_lost() -> None:
    bodies = FrameReader().read(framed(b"{}") + b"\xff" * 4)
    assert next(bodies) == b"{}"
    with pytest.raises(FrameTooLong):
        next(bodies)


@pytest.mark.parametrize("cut", range(1, len(STREAM)))
def test_a_stream_that_ends_inside_a_frame_is_said_to_be_cut_off(cut: int) -> None:
    whole = {sum(len(framed(body)) for body in BODIES[:count]) for count in range(len(BODIES))}
    reader = FrameReader()
    list(reader.read(STREAM[:cut]))
    if cut in whole:
        reader.end()
        return
    with pytest.raises(FrameDamaged) as refused:
        reader.end()
    assert refused.value.damage is Damage.CUT_OFF
