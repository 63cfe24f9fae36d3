"""Who is dropped for not reading: never one who read, however little time the Host itself got."""

import socket
from collections.abc import Iterator

import pytest
from backtrail.wire.limits import Limits
from backtrail.wire.outbox import Outbox

FRAME = b"an event"
MANY = 100_000


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    host, client = socket.socketpair()
    host.settimeout(0)
    with host, client:
        yield host, client


def test_a_client_does_not_answer_for_a_writer_that_gets_no_time(ends: tuple[socket.socket, socket.socket]) -> None:
    host, client = ends
    outbox = Outbox(host, Limits(queue=10, grace_s=0.001))
    with outbox._changed:  # the writer waits for it
        assert all(outbox.put(FRAME) for _ in range(MANY))
    outbox.finish()
    came = 0
    while data := client.recv(1 << 20):
        came += len(data)
    assert came == len(FRAME) * MANY
    assert outbox.join(20)
