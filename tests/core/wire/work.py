"""The commands that the servers of these tests know."""

import collections
import concurrent.futures
import threading

from backtrail.model.errors import BacktrailError
from backtrail.model.errors.lookup import Unknown, UnsafePath
from backtrail.wire.calls import Call
from backtrail.wire.messages import JsonObject
from core.wire.by_hand import PATIENCE_S


class Work:
    """A Service: its commands are its methods that begin with `do_`."""

    def __init__(self, workers: concurrent.futures.Executor) -> None:
        self.workers = workers
        self.queue = concurrent.futures.ThreadPoolExecutor(1)
        self.released: dict[str, threading.Event] = collections.defaultdict(threading.Event)
        self.begun: dict[str, threading.Event] = collections.defaultdict(threading.Event)

    def handle(self, call: Call) -> object:
        return getattr(self, f"do_{call.command}")(call)

    def facts(self, error: BacktrailError) -> JsonObject:
        if isinstance(error, UnsafePath):
            raise TypeError
        return error.facts()

    def end(self) -> None:
        for event in list(self.released.values()):
            event.set()
        self.queue.shutdown()
        self.workers.shutdown()

    def do_echo(self, call: Call) -> object:
        return call.arguments

    def do_length(self, call: Call) -> object:
        return len(str(call.arguments["text"]))

    def do_letters(self, call: Call) -> object:
        return "x" * int(str(call.arguments["count"]))

    def do_hold(self, call: Call) -> object:
        """Wait for a `release` of the same name."""
        name = str(call.arguments["name"])
        self.begun[name].set()
        assert self.released[name].wait(PATIENCE_S)
        return name

    def do_release(self, call: Call) -> object:
        name = str(call.arguments["name"])
        assert self.begun[name].wait(PATIENCE_S)
        self.released[name].set()
        return None

    def do_queued(self, call: Call) -> object:
        """Hand over to the queue of a memory, as the Host does, so that no worker waits."""
        return self.queue.submit(self.do_hold, call)

    def do_long(self, call: Call) -> object:
        """Go on until cancelled."""
        call.step("going", 10)
        while True:
            call.advance(1)

    def do_steps(self, call: Call) -> object:
        call.step("copy", 2)
        call.advance(1)
        call.advance(1)
        call.step("verify")
        return "done"

    def do_refuse(self, call: Call) -> object:
        raise Unknown("memory", str(call.arguments["given"]))

    def do_refuse_without_facts(self, _: Call) -> object:
        raise UnsafePath(b"..")

    def do_refuse_with_odd_facts(self, _: Call) -> object:
        raise Unknown("memory", "\udcff")

    def do_crash(self, _: Call) -> object:
        raise ZeroDivisionError

    def do_unwritable(self, _: Call) -> object:
        return object()

    def do_deep(self, _: Call) -> object:
        deep: list[object] = []
        for _turn in range(100_000):
            deep = [deep]
        return deep

    def do_queued_crash(self, call: Call) -> object:
        return self.queue.submit(self.do_crash, call)

    def do_surrogate(self, _: Call) -> object:
        return "\udcff"
