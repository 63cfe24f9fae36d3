"""People and programs go on writing while a folder is restored: it stops or is taken back, and no byte is lost."""

import concurrent.futures
import mmap
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from backtrail.host.host import Host
from backtrail.host.restoring import Restoring
from backtrail.model.errors import BacktrailError
from backtrail.model.errors.restore import StateChanged
from backtrail.model.progress import Cancelled
from backtrail.model.restore import Ignored, RestoreState, Step
from core.git_oracle import ENVIRONMENT, damage, git, new_repository
from core.keeping import Keeping
from core.restore.going_back import At, GoingBack, untidy
from core.restore.states import do
from core.restore.whole_folder import moved, whole

_ROUNDS = 4
_BEFORE_THE_SWITCH = [
    Step.PLANNED, Step.VERIFIED_TARGET, Step.COPYING, Step.BUILDING, Step.VERIFIED_COPY, Step.LAST_LOOK, Step.SWITCHED,
]  # fmt: skip

# Each says "ready" when it has begun, goes on until its standard input ends, and then says how far it came.
_WRITERS = {
    "in place": "with open('f', 'ab', buffering=0) as f: f.write(b'%d\\n' % n)",
    "in place, held open": "held = globals().get('held') or open('f', 'ab', buffering=0); held.write(b'%d\\n' % n)",
    "by rename": "open('t%d~' % n, 'wb').write(b'%d\\n' % n); os.rename('t%d~' % n, 't%d' % n)",
    "an ignored log": "with open('x.log', 'ab', buffering=0) as f: f.write(b'%d\\n' % n)",
    "a new folder each time": "os.makedirs('n%d' % n); open('n%d/%d' % (n, n), 'wb').write(b'%d\\n' % n)",
}
_LOOP = """
import os, select, sys
n = 0
while not select.select([sys.stdin], [], [], 0.002)[0]:
    n += 1
    try:
        {body}
    except FileNotFoundError:
        n -= 1  # the folder was exchanged in this instant: nothing was written
        os.chdir(sys.argv[1])
        continue
    if n == 1:
        print("ready", flush=True)
print(n)
"""
_GIT_WRITERS = {
    "commits": 'git commit -q --allow-empty -m "$n"',
    "branches": 'git branch "b$n"',
    "stashes": "echo $n >>f && git stash -q",
    "fetches": 'git -C ../other commit -q --allow-empty -m "$n" && git fetch -q ../other "main:got$n"',
    "gc": 'git commit -q --allow-empty -m "$n" && git gc -q --prune=now',
    "pack-refs": 'git branch "b$n" && git pack-refs --all',
    "worktrees": 'git worktree add -q "../wt$n" -b "w$n"',
    "staged": 'echo "$n" >"s$n" && git add "s$n"',
}
_GIT_LOOP = """
n=0; cd "$1"; echo ready
while ! read -t 0; do
    n=$((n+1))
    if ( {body} ) >/dev/null 2>&1; then echo "$n"; fi
    cd "$1"
done
"""


@pytest.fixture
def back(keeping: Keeping) -> GoingBack:
    do(
        keeping.root,
        """echo '*.log' >.gitignore; mkdir many; for i in $(seq 200); do echo $i >many/$i; done; git add .
        git commit -qm many; git init -q -b main ../other; cd ../other; git commit -q --allow-empty -m o""",
    )
    return GoingBack(keeping)


def places(back: GoingBack) -> list[Path]:
    """Return the live folder and every archive."""
    return [back.root, *(back.root.parent / ".backtrail" / back.root.name).glob("*/repository")]


_CHANGES = {
    "a file": "echo late >>f",
    "a file with its size and time kept": "printf 'BASE\n' >f; touch -r .gitignore f",
    "a new file": "echo late >late",
    "a file by rename": "echo late >new; mv new f",
    "a mode": "chmod 600 f",
    "a folder's mode": "chmod 700 many",
    "an empty folder": "mkdir hollow",
    "an ignored file": "echo late >>late.log",
    "a removed file": "rm many/7",
    "a commit": "git commit -q --allow-empty -m late",
    "a branch": "git branch late",
    "a tag": "git tag late",
    "the config": "git config late.key value",
    "a hook": "echo '#!/bin/sh' >.git/hooks/late",
    "pack-refs": "git pack-refs --all",
    "gc": "git commit -q --allow-empty -m late; git gc -q",
    "a fetch": "git fetch -q ../other main:late",
    "a worktree": "git worktree add -q ../late",
    "the exclude file": "mkdir -p .git/info; echo late >>.git/info/exclude",
    "the whole folder": "mv ../notes ../moved; cp -a ../moved ../notes",
}


@pytest.mark.parametrize("step", [Step.PLANNED, Step.BUILDING, Step.VERIFIED_COPY, Step.LAST_LOOK, Step.SWITCHED])
@pytest.mark.parametrize("change", _CHANGES)
def test_a_change_at_any_moment_stops_it_and_stays(back: GoingBack, change: str, step: Step) -> None:
    (back.root / "f").write_bytes(b"base\n")
    checkpoint = back.keeping.checkpoint()
    do(back.root, "echo later >g")
    act = At(step, lambda: do(back.root.parent, 'cd "$1"; ' + _CHANGES[change], back.root))
    token = back.plan(checkpoint).token
    with pytest.raises(StateChanged):
        back.with_token(checkpoint, token, progress=act)
    assert (back.root / "g").read_text() == "later\n"
    assert untidy(back.root) == []
    before = whole(back.root)
    back.to(checkpoint)
    assert moved(before, whole(back.root)) != []


@pytest.mark.parametrize("step", _BEFORE_THE_SWITCH)
def test_staging_at_any_moment_is_nowhere_lost(back: GoingBack, step: Step) -> None:
    checkpoint = back.keeping.checkpoint()
    do(back.root, "echo later >g")
    act = At(step, lambda: git(back.root, "add", "g"))
    token = back.plan(checkpoint).token
    with pytest.raises(StateChanged):
        back.with_token(checkpoint, token, progress=act)
    assert git(back.root, "show", ":g") == b"later\n"


@pytest.mark.parametrize("step", _BEFORE_THE_SWITCH)
def test_a_restore_can_be_cancelled_until_the_switch(back: GoingBack, step: Step) -> None:
    checkpoint = back.keeping.checkpoint()
    do(back.root, "echo later >g; echo later >f")
    before = whole(back.root)

    def cancel() -> None:
        raise Cancelled

    token = back.plan(checkpoint).token
    with pytest.raises(Cancelled):
        back.with_token(checkpoint, token, progress=At(step, cancel))
    assert moved(before, whole(back.root)) == []
    assert untidy(back.root) == []


def test_what_is_written_through_a_mapping_in_the_last_instant_is_seen(tmp_path: Path) -> None:
    """A write to a page that is dirty already leaves size and times as they were, until it is flushed."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as in_memory:
        back = GoingBack(Keeping(tmp_path / "home", new_repository(Path(in_memory) / "notes")))
        checkpoint = back.keeping.checkpoint()
        do(back.root, "echo later >g")
        with (back.root / "g").open("r+b") as file, mmap.mmap(file.fileno(), 6) as mapping:
            mapping[0:1] = b"L"
            times: list[int] = []

            def write() -> None:
                times.append((back.root / "g").stat().st_mtime_ns)
                mapping[0:1] = b"X"
                times.append((back.root / "g").stat().st_mtime_ns)

            with pytest.raises(StateChanged) as refused:
                back.to(checkpoint, progress=At(Step.SWITCHED, write))
        assert times[0] == times[1]
        assert refused.value.paths == (b"g",)
        assert (back.root / "g").read_bytes() == b"Xater\n"


def test_cancelling_after_the_switch_is_too_late_and_does_not_call_it_undone(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    do(back.root, "echo later >g")

    def cancel() -> None:
        raise Cancelled

    record = back.to(checkpoint, progress=At(Step.RECORDED, cancel))
    assert record.state is RestoreState.DONE
    assert not (back.root / "g").exists()


def _try(back: GoingBack, number: int) -> bool:
    """Restore one of two checkpoints; False where it was refused."""
    checkpoint = back.keeping.timeline()[number % 2]
    with back.keeping.opened() as work:
        restoring = Restoring(work)
        try:
            plan = restoring.plan(target := restoring.target(checkpoint), Ignored.CARRY)
            restoring.restore(target, plan.token, Ignored.CARRY, frozenset({"in-use"}))
        except BacktrailError:
            return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("how", _WRITERS)
def test_every_byte_that_a_writer_wrote_is_in_the_folder_or_in_an_archive(back: GoingBack, how: str) -> None:
    back.keeping.checkpoint()
    (back.root / "f").write_bytes(b"")
    back.keeping.checkpoint()
    loop = _LOOP.format(body=_WRITERS[how])
    with subprocess.Popen(
        [sys.executable, "-c", loop, back.root], cwd=back.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        for number in range(_ROUNDS):
            _try(back, number)
        said, _ = writer.communicate(b"stop\n")
    written = int(said.split()[-1])
    with back.keeping.host() as host:
        assert host.unfinished == {}
    found: set[bytes] = set()
    for place in places(back):
        for path in place.iterdir():
            for part in (
                [path] if path.is_file() else list(path.iterdir()) if path.name[0] == "n" and path.is_dir() else []
            ):
                found |= set(part.read_bytes().split(b"\n"))
    assert [number for number in range(1, written + 1) if b"%d" % number not in found] == []
    assert untidy(back.root) == []


@pytest.mark.slow
@pytest.mark.parametrize("how", _GIT_WRITERS)
def test_everything_that_git_said_it_did_is_in_the_folder_or_in_an_archive(back: GoingBack, how: str) -> None:
    back.keeping.checkpoint()
    (back.root / "g").write_bytes(b"g\n")
    back.keeping.checkpoint()
    with subprocess.Popen(
        ["bash", "-c", _GIT_LOOP.format(body=_GIT_WRITERS[how]), "bash", back.root],
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        for number in range(_ROUNDS):
            _try(back, number)
        said, _ = writer.communicate(b"\n")
    done = [int(line) for line in said.split()]
    with back.keeping.host() as host:
        assert host.unfinished == {}
    known = set()
    for place in places(back):
        assert damage(place) == b""
        known |= _numbers(place, how)
    assert [number for number in done if number not in known] == []
    assert untidy(back.root) == []


def _numbers(place: Path, how: str) -> set[int]:
    if how in ("commits", "gc", "fetches"):
        told = git(place, "log", "--all", "--reflog", "--format=%s").split(b"\n")
    elif how == "stashes":
        told = git(place, "log", "--all", "--reflog", "--format=%H", "--", "f").split(b"\n")
        told = [line for oid in told if oid for line in git(place, "show", oid.decode() + ":f").split(b"\n")]
    elif how == "staged":
        told = [name.removeprefix(b"s") for name in git(place, "ls-files", "-z", "s*").split(b"\0")]
    else:
        told = [line[1:] for line in git(place, "for-each-ref", "--format=%(refname:lstrip=2)").split(b"\n")]
    return {int(text) for text in told if text.isdigit()}


_RESTORE = """
import pathlib, sys
from backtrail.host.host import Host
from backtrail.host.restoring import Restoring
from backtrail.model.errors import BacktrailError
from backtrail.model.restore import Ignored
with Host.open(pathlib.Path(sys.argv[1])) as host:
    memory, checkpoint = host.checkpoint(sys.argv[2])
    with host.open_memory(memory) as work:
        restoring = Restoring(work)
        try:
            print(restoring.restore(restoring.target(checkpoint), sys.argv[3], Ignored.CARRY, frozenset()).state.value)
        except BacktrailError as error:
            print(error.code)
"""


def test_of_two_restores_at_once_one_is_done_and_one_sees_that_the_state_has_changed(back: GoingBack) -> None:
    first = back.keeping.checkpoint()
    (back.root / "f").write_text("2\n")
    second = back.keeping.checkpoint()
    (back.root / "f").write_text("3\n")
    present = whole(back.root)
    tokens = [back.plan(checkpoint).token for checkpoint in (first, second)]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        said = list(pool.map(_restore_in_a_process, [back] * 2, [first.id, second.id], tokens))
    assert sorted(said) == ["done", "state-changed"]
    assert (back.root / "f").read_text() == ("base\n" if said[0] == "done" else "2\n")
    archives = places(back)[1:]
    assert len(archives) == 1
    assert moved(present, whole(archives[0])) == []
    assert untidy(back.root) == []


def _restore_in_a_process(back: GoingBack, checkpoint: str, token: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _RESTORE, back.keeping.home, checkpoint, token],
        env=ENVIRONMENT,
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize("step", _BEFORE_THE_SWITCH)
def test_another_host_that_starts_meanwhile_leaves_a_running_restore_alone(
    back: GoingBack, tmp_path: Path, step: Step
) -> None:
    checkpoint = back.keeping.checkpoint()
    other = Keeping(tmp_path / "other home", back.root)
    other.scan()
    do(back.root, "echo later >f")
    codes: list[str] = []

    def start() -> None:
        with Host.open(other.home) as host:
            codes.extend(error.code for error in host.unfinished.values())

    before = whole(back.root)
    token = back.plan(checkpoint).token
    record = back.with_token(checkpoint, token, progress=At(step, start))
    assert record.state is RestoreState.DONE
    assert moved(before, whole(places(back)[1])) == []
    assert (back.root / "f").read_bytes() == b"base\n"
    assert untidy(back.root) == []
    with Host.open(other.home) as host:
        assert host.unfinished == {}
    assert codes in ([], ["restore-unfinished"])


class Between:
    """Progress that does one thing before a step's work, and takes it back after it."""

    def __init__(self, step: Step, then: Step, do_it: Callable[[], object], take_back: Callable[[], object]) -> None:
        self._acts = {step: do_it, then: take_back}

    def step(self, name: str, total: int | None = None) -> None:
        del total
        for step, act in self._acts.items():
            if name == step:
                act()

    def advance(self, done: int) -> None:
        pass


@pytest.mark.parametrize(
    ("script", "back_again"),
    [
        ("mv .git/hooks ../h", "mv ../h .git/hooks"),
        ("git branch passing", "git branch -q -D passing"),
        ("mkdir ../away; mv ign ../away", "mv ../away/ign ."),
        ("echo x >ign/passing", "rm ign/passing"),
    ],
    ids=["hooks away", "a passing branch", "an ignored folder away", "a passing ignored file"],
)
def test_what_moved_only_while_it_was_copied_is_in_the_new_folder_as_it_was(
    back: GoingBack, script: str, back_again: str
) -> None:
    do(
        back.root,
        """echo '#!/bin/sh' >.git/hooks/post-commit; printf 'ign/\n*.log\n' >.gitignore; mkdir ign; echo i >ign/i
        git config core.logAllRefUpdates false""",
    )
    checkpoint = back.keeping.checkpoint()
    before = whole(back.root)
    do(back.root, "echo later >f")
    token = back.plan(checkpoint).token
    step, then = (Step.BUILDING, Step.VERIFIED_COPY) if "ign" in script else (Step.COPYING, Step.BUILDING)
    progress = Between(step, then, lambda: do(back.root, script), lambda: do(back.root, back_again))
    try:
        back.with_token(checkpoint, token, progress=progress)
    except StateChanged:
        assert (back.root / "f").read_text() == "later\n"
    else:
        assert [
            item for item in moved(before, whole(back.root)) if not item.startswith(("git b'index'", "reflog"))
        ] == []
