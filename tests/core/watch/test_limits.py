"""Where events do not do, the memory is polled and says why; the others go on (cases B66, B67)."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from backtrail.model.watching import Polling, PollingReason, Watching
from backtrail.watch.memory_watch import WatchOptions
from core.git_oracle import new_repository
from core.watch.ears import Ears, Fence

TESTS = Path(__file__).parents[2]

_OUT_OF_WATCHES = """
import os, pathlib, sys
from backtrail.model.watching import Polling, PollingReason, Watching
from backtrail.watch.memory_watch import WatchOptions
from core.watch.ears import Ears

limit = pathlib.Path("/proc/sys/user/max_inotify_watches")
limit.write_text("64")
large, small = map(pathlib.Path, sys.argv[1:])
ears = Ears(WatchOptions(quiet=0.1, poll=0.5, guard=0.1))
ears.watcher.add("large", os.fsencode(large), os.fsencode(large / ".git"), lambda _: False)
state = ears.until_state("large", Polling)
assert state.reason is PollingReason.OUT_OF_WATCHES, state
assert (state.shortage.setting, state.shortage.limit) == ("user.max_inotify_watches", 64), state
assert state.shortage.folders == 201, state
assert state.shortage.suggested >= 265, state
ears.watch("small", small)
(small / "f").write_text("x")
ears.until_hints("small", 2)
ears.until_hints("large", 4)  # polled
for number in range(100):  # one that grows out of what there is, while it is watched
    (small / f"n{number}").mkdir()
state = ears.until_state("small", Polling)
assert state.shortage.folders > 64, state
limit.write_text(str(state.shortage.suggested + 201))
ears.until_state("large", Watching)
ears.until_state("small", Watching)
ears.watcher.close()
print("all heard")
"""


def test_out_of_watches_is_said_and_the_others_go_on(tmp_path: Path) -> None:
    large, small = new_repository(tmp_path / "large"), new_repository(tmp_path / "small")
    for number in range(100):
        (large / f"d{number}" / "e").mkdir(parents=True)
    command = ["unshare", "-U", "-r", sys.executable, "-c", _OUT_OF_WATCHES, large, small]
    if subprocess.run([*command[:3], "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here")
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": str(TESTS)}, capture_output=True, check=False, text=True, timeout=60
    )
    assert done.stdout == "all heard\n", done.stderr


_OUT_OF_INSTANCES = """
import os, pathlib, sys
from backtrail.model.watching import Polling, PollingReason, Watching
from backtrail.watch.memory_watch import WatchOptions
from core.watch.ears import Ears

limit = pathlib.Path("/proc/sys/user/max_inotify_instances")
limit.write_text("0")
root = pathlib.Path(sys.argv[1])
ears = Ears(WatchOptions(quiet=0.1, poll=0.5))
ears.watcher.add("notes", os.fsencode(root), os.fsencode(root / ".git"), lambda _: False)
state = ears.until_state("notes", Polling)
assert state.reason is PollingReason.OUT_OF_WATCHES, state
assert (state.shortage.setting, state.shortage.limit) == ("user.max_inotify_instances", 0), state
limit.write_text("5")
ears.until_state("notes", Watching)
ears.watcher.close()
print("all heard")
"""


def test_out_of_instances_is_said(root: Path) -> None:
    command = ["unshare", "-U", "-r", sys.executable, "-c", _OUT_OF_INSTANCES, root]
    if subprocess.run([*command[:3], "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here")
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": str(TESTS)}, capture_output=True, check=False, text=True, timeout=60
    )
    assert done.stdout == "all heard\n", done.stderr


def test_file_system_without_events_is_polled(listen: Callable[..., Ears], root: Path) -> None:
    asked = subprocess.run(["findmnt", "-n", "-o", "FSTYPE", "-T", root], capture_output=True, check=False, text=True)
    here = asked.stdout.strip() or pytest.skip("a chroot does not tell what file system its root is on")
    ears = listen(WatchOptions(poll=0.3, silent_types=frozenset({here})))
    ears.watcher.add("notes", os.fsencode(root), os.fsencode(root / ".git"), lambda _: False)
    ears.until(lambda: ears.state("notes") == Polling(PollingReason.NO_EVENTS, 0.3, detail=here))
    ears.until_hints("notes", 4)


def test_ignore_question_that_fails_is_a_state_and_passes(listen: Callable[..., Ears], root: Path) -> None:
    (root / "sub").mkdir()
    broken = True

    def is_ignored(_: bytes) -> bool:
        if broken:
            raise RuntimeError("a rule that cannot be read")
        return False

    ears = listen(WatchOptions(poll=0.3))
    ears.watcher.add("notes", os.fsencode(root), os.fsencode(root / ".git"), is_ignored)
    state = ears.until_state("notes", Polling)
    assert state == Polling(PollingReason.ERROR, 0.3, detail="RuntimeError: a rule that cannot be read")
    ears.until_hints("notes", 2)
    broken = False
    ears.until_state("notes", Watching)


def test_reader_that_died_is_started_again(ears: Ears, root: Path) -> None:
    ears.watch("notes", root)
    reader = ears.watcher._inotify.reader()
    reader.stop()
    reader.join()
    ears.until_hints("notes", 2)
    (root / "f").write_text("x")
    ears.until_hints("notes", 3)


_MANY_FILES = """
import os, sys
for number in range(int(sys.argv[2])):
    os.close(os.open(f"{sys.argv[1]}/{number}", os.O_CREAT | os.O_WRONLY))
os.makedirs(f"{sys.argv[1]}/made/meanwhile")
"""


def test_overflow_of_the_queue_gives_a_hint_and_loses_no_folder(
    ears: Ears, fence: Fence, root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    room = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if room > 200_000:
        pytest.skip(f"a queue of {room} events is not soon full")
    (root / "s").mkdir()
    ears.watch("notes", root)
    with ears.watcher._inotify.reader()._lock:  # a reader that gets no time
        subprocess.run([sys.executable, "-c", _MANY_FILES, root / "s", str(2 * room)], check=True)
        hints = ears.hints["notes"]
    ears.until(lambda: ears.hints["notes"] > hints and "overflowed" in caplog.text)
    fence.pass_by()
    hints = ears.hints["notes"]
    (root / "s" / "made" / "meanwhile" / "file").touch()
    ears.until_hints("notes", hints + 1)


def test_five_thousand_folders_are_watched_in_seconds_and_closed_within_two(
    listen: Callable[..., Ears], root: Path
) -> None:
    for number in range(5_000):
        (root / f"{number % 50}" / f"{number}").mkdir(parents=True)
    ears = listen()
    began = time.monotonic()
    ears.watch("notes", root)
    assert time.monotonic() - began < 5
    (root / "49" / "4999" / "file").touch()
    ears.until_hints("notes", 2)
    began = time.monotonic()
    ears.watcher.close()
    assert time.monotonic() - began < 2
