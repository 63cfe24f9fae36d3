import pathlib
import threading
import time

import pytest
from backtrail.wire.client import Client
from backtrail.wire.errors import FrameTooLong
from backtrail.wire.frames import LONGEST
from backtrail.wire.limits import LIMITS, Limits
from backtrail.wire.messages import Event, Welcome
from backtrail.wire.server import Server
from core.wire.by_hand import PATIENCE_S, ByHand, hello, wait_for_clients
from core.wire.work import Work

BURST = 500


class Listening:
    """A client in a thread of its own that counts the events that it got."""

    def __init__(self, path: pathlib.Path, wanted: int) -> None:
        self.client = Client.at(path, hello(events=True))
        self.got: list[object] = []
        self.wanted = wanted
        self.changed = threading.Condition()
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()

    def listen(self) -> None:
        with self.client:
            for event in self.client.events(PATIENCE_S * 3):
                with self.changed:
                    self.got.append(event.facts["n"])
                    self.changed.notify_all()
                if len(self.got) == self.wanted:
                    return

    def wait_for(self, count: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.got) >= count, PATIENCE_S)


def publish(server: Server, count: int, listening: list[Listening]) -> float:
    """Publish in bursts that all who read can follow; return the seconds that publishing itself took."""
    took = 0.0
    for start in range(0, count, BURST):
        begun = time.perf_counter()
        for number in range(start, start + BURST):
            server.publish(Event("memory-looked-at", "m", {"n": number, "paths": ["notes/today.md"] * 3}))
        took += time.perf_counter() - begun
        for one in listening:
            one.wait_for(start + BURST)
    return took


def test_a_reader_that_does_not_read_is_dropped_and_slows_down_nobody(server: Server, path: pathlib.Path) -> None:
    count = 10_000
    readers = [Listening(path, 2 * count) for _ in range(3)]
    alone = publish(server, count, readers)
    for reader in readers:
        reader.got.clear()
        reader.wanted = count
    with ByHand(path) as stuck:
        stuck.say(hello(events=True))
        assert isinstance(stuck.hear(), Welcome)
        beside = publish(server, count, readers)
        for reader in readers:
            reader.thread.join(PATIENCE_S)
        assert [reader.got == list(range(count)) for reader in readers] == [True] * 3
        wait_for_clients(server, 0)
        got = [message.facts["n"] for message in stuck.hear_all() if isinstance(message, Event)]
    assert got == list(range(len(got)))
    assert 0 < len(got) < count
    assert beside < 5 * alone, f"{beside:.3f} s beside a stuck reader, {alone:.3f} s without"


def test_a_burst_faster_than_threads_take_turns_drops_nobody_who_reads(server: Server, path: pathlib.Path) -> None:
    count = 20_000
    readers = [Listening(path, count) for _ in range(2)]
    for number in range(count):
        server.publish(Event("e", None, {"n": number}))
    for reader in readers:
        reader.thread.join(PATIENCE_S)
    assert [reader.got == list(range(count)) for reader in readers] == [True] * 2


def test_no_more_bytes_wait_for_a_client_than_may(path: pathlib.Path, work: Work) -> None:
    limits = Limits(queue_bytes=1 << 20)
    with Server.open(path, work, lock_held=True, limits=limits) as server, ByHand(path) as stuck:
        stuck.say(hello(events=True))
        assert isinstance(stuck.hear(), Welcome)
        for number in range(100):
            server.publish(Event("e", None, {"n": number, "text": "x" * 50_000}))
        wait_for_clients(server, 0)
        assert len(stuck.hear_all()) < 100


def test_events_that_come_during_a_request_are_kept_for_later(server: Server, path: pathlib.Path) -> None:
    with Client.at(path, hello(events=True)) as client:
        held = client.begin("hold", {"name": "a"})
        server.publish(Event("one"))
        client.ask("release", {"name": "a"})
        client.wait(held)
        server.publish(Event("two"))
        assert client.ask("echo") == {}
        events = client.events(PATIENCE_S)
        assert [next(events), next(events)] == [Event("one"), Event("two")]


@pytest.mark.usefixtures("server")
def test_waiting_for_events_ends_in_time(path: pathlib.Path) -> None:
    begun = time.monotonic()
    with Client.at(path, hello(events=True)) as client:
        assert list(client.events(0.2)) == []
    assert 0.2 <= time.monotonic() - begun < LIMITS.silent_s


def test_who_did_not_ask_for_events_gets_none(server: Server, path: pathlib.Path) -> None:
    with Client.at(path, hello()) as client:
        server.publish(Event("one"))
        assert client.ask("echo") == {}
        assert list(client.events(0.0)) == []


def test_publishing_to_nobody_and_after_the_end_is_no_harm(path: pathlib.Path, work: Work) -> None:
    with Server.open(path, work, lock_held=True) as server:
        server.publish(Event("one"))
    server.publish(Event("two"))


def test_events_from_many_threads_reach_all_clients_in_one_order(path: pathlib.Path, work: Work) -> None:
    with Server.open(path, work, lock_held=True) as server:
        readers = [Listening(path, 1_000) for _ in range(3)]

        def say(name: int) -> None:
            for number in range(250):
                server.publish(Event("e", None, {"n": (name, number)}))

        threads = [threading.Thread(target=say, args=(name,)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in [*threads, *(reader.thread for reader in readers)]:
            thread.join(PATIENCE_S)
        assert len(readers[0].got) == 1_000
        assert readers[0].got == readers[1].got == readers[2].got


def test_an_event_too_long_for_a_message_is_the_publishers_error(server: Server, path: pathlib.Path) -> None:
    with Client.at(path, hello(events=True)) as client:
        with pytest.raises(FrameTooLong):
            server.publish(Event("e", None, {"text": "x" * LONGEST}))
        assert client.ask("echo") == {}
