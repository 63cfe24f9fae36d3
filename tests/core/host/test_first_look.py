"""A first look at a large folder: how far it is told truthfully, and stopping it leaves nothing behind."""

import datetime
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from backtrail.git.new_objects import LOOSE_BELOW
from backtrail.host.first_look import FirstLook
from backtrail.host.host import Host
from backtrail.host.serving import Serving
from backtrail.inbox.observing import Observer
from backtrail.model.checkpoint import OBSERVED
from backtrail.model.clock import system_clock
from backtrail.model.commands import AddMemory, ListMemories, Memories, ScanResult
from backtrail.model.events import FirstCheckpoint, HostEvent, MemoryChanged, MemoryObserved
from backtrail.model.ids import MemoryId
from backtrail.model.memory import ProtectionState
from backtrail.model.progress import FILE_COST, SILENT, Cancelled, LookStep, PercentOfLook, Progress
from backtrail.wire import messages
from backtrail.wire.client import Client
from backtrail.wire.coding import answer_of, event_of, request_of
from backtrail.wire.errors import CommandFailed
from backtrail.wire.messages import Role
from core.git_oracle import damage, leftovers, recovery_refs, self_proof
from core.keeping import Keeping

PATIENCE_S = 60
LATER = datetime.timedelta(seconds=10)
FILES = 3000
LARGE = 12_000


@pytest.fixture
def tree(root: Path) -> Path:
    """A folder with much that Git has not, and some that is not kept."""
    grow(root, FILES)
    (root / ".gitignore").write_text("*.log\n")
    (root / "much.log").write_bytes(b"x" * 5_000_000)
    (root / "large").write_bytes(os.urandom(3_000_000))
    return root


def grow(root: Path, files: int) -> None:
    for number in range(files):
        folder = root / f"d{number % 60}"
        folder.mkdir(exist_ok=True)
        (folder / f"f{number}").write_text(f"{number}\n" * 40)


def everything(root: Path) -> set[str]:
    return {os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names}


class Told:
    """Every report, in order; `each` is called at every one."""

    def __init__(self, each: Callable[[str], None] = lambda _: None) -> None:
        self.each = each
        self.totals: dict[str, int | None] = {}
        self.sums: dict[str, int] = {}
        self.percents: list[int] = []
        self._now = ""
        self._percent = PercentOfLook(self._take)

    def step(self, name: str, total: int | None = None) -> None:
        self._now, self.totals[name], self.sums[name] = name, total, 0
        self._percent.step(name, total)
        self.each(name)

    def advance(self, done: int) -> None:
        self.sums[self._now] += done
        self._percent.advance(done)
        self.each(self._now)

    def _take(self, _: str, percent: int | None) -> None:
        if percent is not None:
            self.percents.append(percent)


def looked(keeping: Keeping, progress: Progress) -> None:
    """Look and record, every report handed on as it comes."""
    with keeping.opened() as work:
        look = work.looker.look(progress=progress)
        Observer(work.memory, work.looker, work.database).observe(look, work.clock(), OBSERVED, progress)


def test_every_file_is_counted_once_and_nothing_is_called_done_before_its_ref(tree: Path, keeping: Keeping) -> None:
    ours = tree / ".git" / "refs" / "botharness"
    kept_at: set[bool] = set()
    told = Told(lambda _: kept_at.add(ours.exists()))
    before = everything(tree)
    looked(keeping, told)
    files = [path for path in before if "/.git/" not in path and not path.endswith(".log")]
    assert told.totals["reading"] == sum(os.path.getsize(path) + FILE_COST for path in files)
    assert told.sums["reading"] == told.totals["reading"]
    assert told.sums["storing"] == told.totals["storing"]
    assert list(told.totals) == list(LookStep)
    assert told.percents == sorted(told.percents)
    assert (told.percents[0], told.percents[-1]) == (0, 99)
    assert kept_at == {False}, "all of it was told before anything was kept"
    assert len(recovery_refs(tree)) == 1


def test_whoever_asks_hears_it_in_order(tree: Path, keeping: Keeping) -> None:
    told = Told()
    with self_proof(tree), keeping.opened() as work:
        observed = work.scan(progress=told)
    assert observed.checkpoint is not None
    assert list(told.totals) == list(LookStep)
    assert told.percents == sorted(told.percents)
    assert told.percents[-1] < 100


def test_a_look_at_what_is_known_counts_nothing_first(tree: Path, tmp_path: Path) -> None:
    keeping = Keeping(tmp_path / "home", tree, lambda: system_clock() + LATER)
    first, second = Told(), Told()
    for told in (first, second):
        with keeping.opened() as work:
            work.scan(progress=told)
    assert LookStep.COUNTING in first.totals
    assert second.totals == {LookStep.READING: None}


def at(step: LookStep, share: float) -> Told:
    """Stop when so much of a step is done."""

    def stop(name: str) -> None:
        total = told.totals[name] or 0
        if name == step and told.sums[name] >= share * total:
            raise Cancelled

    told = Told(stop)
    return told


@pytest.mark.parametrize(
    ("step", "share"),
    [(LookStep.COUNTING, 0), (LookStep.READING, 0), (LookStep.READING, 0.5), (LookStep.STORING, 0.5)],
)
def test_a_first_look_that_is_stopped_leaves_nothing_behind(
    tree: Path, keeping: Keeping, step: LookStep, share: float
) -> None:
    with keeping.host() as host:
        keeping.memory(host)
    before, open_files = everything(tree), os.listdir("/proc/self/fd")
    with self_proof(tree), pytest.raises(Cancelled):
        looked(keeping, at(step, share))
    assert everything(tree) == before
    assert len(os.listdir("/proc/self/fd")) == len(open_files)
    with keeping.opened() as work:
        assert work.database.checkpoints.latest(work.memory.id) is None
        assert work.database.checkpoints.pending(work.memory.id) == []
        assert work.memory.protection.looked_at is None
    assert keeping.checkpoint().seq >= 1
    assert damage(tree) == b""


def test_stopping_between_loose_objects_leaves_no_half_object(root: Path, keeping: Keeping) -> None:
    grow(root, LOOSE_BELOW // 2)
    with pytest.raises(Cancelled):
        looked(keeping, at(LookStep.STORING, 0.5))
    assert recovery_refs(root) == {}
    assert leftovers(root) == []
    assert damage(root) == b""


def test_events_are_few_and_only_ever_forward() -> None:
    heard: list[FirstCheckpoint] = []
    seconds = iter(number / 100 for number in range(100_000))
    first = FirstLook(MemoryId("m"), heard.append, SILENT, lambda: next(seconds))
    first.step(LookStep.COUNTING)
    first.step(LookStep.READING, 500)
    for _ in range(500):
        first.advance(1)
    assert heard[0] == FirstCheckpoint(memory=MemoryId("m"), percent=None)
    percents = [event.percent for event in heard[1:] if event.percent is not None]
    assert percents == sorted(set(percents))
    assert 15 < len(heard) <= 21


class Front:
    """A client of a Host."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def add(self, root: Path, on_progress: Callable[[messages.Progress], None]) -> ScanResult:
        command = AddMemory(path=os.fsencode(root))
        return answer_of(command, self.client.ask(*request_of(command), on_progress))

    def memories(self) -> Memories:
        return answer_of(ListMemories(), self.client.ask(*request_of(ListMemories())))

    def heard_until(self, kind: type[HostEvent]) -> list[HostEvent]:
        heard: list[HostEvent] = []
        for message in self.client.events(PATIENCE_S):
            heard.append(event_of(message))
            if isinstance(heard[-1], kind):
                return heard
        raise AssertionError(kind)


def test_adding_a_folder_tells_who_asked_and_everybody_else_how_far_it_is(tree: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    steps: list[messages.Progress] = []
    with (
        Host.open(home) as host,
        Serving(host),
        Client.connect(home, Role.WINDOW) as asker,
        Client.connect(home, Role.WINDOW, events=True) as other,
    ):
        result = Front(asker).add(tree, steps.append)
        heard = Front(other).heard_until(MemoryObserved)
    assert list(dict.fromkeys(one.step for one in steps)) == list(LookStep)
    told = [event for event in heard if isinstance(event, FirstCheckpoint)]
    assert told[0] == FirstCheckpoint(memory=result.memory.id, percent=None)
    percents = [event.percent for event in told if event.percent is not None]
    assert percents == sorted(percents)
    assert result.protection.state is ProtectionState.PROTECTED


def test_adding_a_folder_can_be_stopped_and_then_it_was_never_added(root: Path, tmp_path: Path) -> None:
    grow(root, LARGE)
    home = tmp_path / "home"
    before = everything(root)

    def stop(_: messages.Progress) -> None:
        raise Cancelled

    with Host.open(home) as host, Serving(host), Client.connect(home, Role.WINDOW, events=True) as client:
        front = Front(client)
        with pytest.raises(CommandFailed) as failed:
            front.add(root, stop)
        assert failed.value.code == "cancelled"
        assert front.memories().memories == ()
        assert everything(root) == before
        front.heard_until(MemoryChanged)
        assert front.add(root, lambda _: None).checkpoint is not None
        assert [memory.path for memory in front.memories().memories] == [os.fsencode(root)]


def test_a_folder_whose_first_look_fails_is_not_added_and_can_be_added_once_it_is_mended(
    root: Path, tmp_path: Path
) -> None:
    home, index = tmp_path / "home", root / ".git" / "index"
    whole = index.read_bytes()
    index.write_bytes(b"no index")
    with Host.open(home) as host, Serving(host), Client.connect(home, Role.WINDOW, events=True) as client:
        front = Front(client)
        with pytest.raises(CommandFailed) as failed:
            front.add(root, lambda _: None)
        assert failed.value.code == "repository-damaged"
        assert front.memories().memories == ()
        front.heard_until(MemoryChanged)
        index.write_bytes(whole)
        assert front.add(root, lambda _: None).protection.state is ProtectionState.PROTECTED


def test_a_host_that_is_stopped_does_not_wait_for_a_first_look(root: Path, keeping: Keeping) -> None:
    grow(root, LARGE)
    with keeping.host() as host:
        memory = keeping.memory(host)
    with keeping.host() as host:
        begun: list[HostEvent] = []
        with Serving(host, begun.append), Client.connect(keeping.home, Role.WINDOW, events=True) as client:
            Front(client).heard_until(FirstCheckpoint)
        assert not any(isinstance(event, MemoryObserved) for event in begun)
        assert host.database.checkpoints.latest(memory.id) is None
    assert recovery_refs(root) == {}
    with (
        keeping.host() as host,
        Serving(host),
        Client.connect(keeping.home, Role.WINDOW, events=True) as client,
    ):
        Front(client).heard_until(MemoryObserved)
        assert host.database.checkpoints.latest(memory.id) is not None
