"""A change that nobody hears of is kept minutes too late; a hint for nothing, again and again, costs a core."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from backtrail.model.watching import Watching
from backtrail.watch.memory_watch import WatchOptions
from core.git_oracle import commit_all, git
from core.watch.ears import DEADLINE, Ears, Fence

_CONSTANT_WRITER = """
import sys, time
while True:
    with open(sys.argv[1], "a") as file:
        file.write("x")
"""


def _by_rename(root: Path) -> None:
    (root / "new").write_text("new")
    (root / "new").rename(root / "f")


def _deep(root: Path) -> None:
    (root / "a" / "b" / "c").mkdir(parents=True)
    (root / "a" / "b" / "c" / "file").write_text("x")


CHANGES: dict[str, Callable[[Path], object]] = {
    "in place": lambda root: (root / "f").write_text("changed"),
    "by rename": _by_rename,
    "deleted": lambda root: (root / "f").unlink(),
    "mode": lambda root: (root / "f").chmod(0o755),
    "link": lambda root: (root / "link").symlink_to("f"),
    "empty folder": lambda root: (root / "empty").mkdir(),
    "new folders": _deep,
    "not UTF-8": lambda root: open(os.path.join(os.fsencode(root), b"caf\xe9"), "wb").close(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_change_gives_one_hint(ears: Ears, fence: Fence, root: Path, change: str) -> None:
    ears.watch("notes", root)
    CHANGES[change](root)
    ears.until_hints("notes", 2)
    fence.pass_by()
    assert ears.hints["notes"] == 2


def test_callbacks_come_from_one_thread_of_its_own(ears: Ears, fence: Fence, root: Path) -> None:
    ears.watch("notes", root)
    fence.pass_by()
    assert len(ears.threads) == 1
    assert threading.get_ident() not in ears.threads


def test_folder_made_while_watching_is_watched(ears: Ears, root: Path) -> None:
    ears.watch("notes", root)
    _deep(root)
    ears.until_hints("notes", 2)
    (root / "a" / "b" / "c" / "file").write_text("later")
    ears.until_hints("notes", 3)


def test_folder_moved_in_is_watched_and_one_moved_out_is_not(
    ears: Ears, fence: Fence, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside" / "deep").mkdir(parents=True)
    ears.watch("notes", root)
    (tmp_path / "outside").rename(root / "inside")
    ears.until_hints("notes", 2)
    (root / "inside" / "deep" / "file").write_text("x")
    ears.until_hints("notes", 3)
    (root / "inside").rename(tmp_path / "outside")
    ears.until_hints("notes", 4)
    (tmp_path / "outside" / "deep" / "file").write_text("not ours any more")
    fence.pass_by()
    assert ears.hints["notes"] == 4


def test_two_folders_exchanged_are_both_watched(ears: Ears, root: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (root / name / "deep").mkdir(parents=True)
    ears.watch("notes", root)
    for round_ in range(3):
        (root / "one").rename(tmp_path / "spare")
        (root / "two").rename(root / "one")
        (tmp_path / "spare").rename(root / "two")
        ears.until_hints("notes", 2 + 3 * round_)
        (root / "one" / "deep" / "file").write_text(str(round_))
        ears.until_hints("notes", 3 + 3 * round_)
        (root / "two" / "deep" / "file").write_text(str(round_))
        ears.until_hints("notes", 4 + 3 * round_)


GIT_WORK: dict[str, Callable[[Path], object]] = {
    "commit": lambda root: git(root, "commit", "-q", "--allow-empty", "-m", "nothing else moves"),
    "checkout": lambda root: git(root, "checkout", "-q", "side"),
    "detach": lambda root: git(root, "checkout", "-q", "--detach"),
    "reset": lambda root: git(root, "reset", "-q", "--hard", "HEAD~1"),
    "soft reset": lambda root: git(root, "reset", "-q", "--soft", "HEAD~1"),
    "stage": lambda root: git(root, "add", "loose"),
    "rebase": lambda root: git(root, "rebase", "-q", "side"),
    "branch in a folder": lambda root: git(root, "branch", "deep/er/still"),
    "merge without a commit": lambda root: git(root, "merge", "-q", "--no-commit", "side"),
    "pack refs": lambda root: git(root, "pack-refs", "--all"),
}


@pytest.fixture
def forked(root: Path) -> Path:
    """Two branches, one of them ten commits long, and a file that is not staged."""
    git(root, "checkout", "-q", "-b", "side")
    (root / "side").write_text("s")
    commit_all(root)
    git(root, "checkout", "-q", "main")
    for number in range(10):
        (root / f"n{number}").write_text("m")
        commit_all(root)
    (root / "loose").write_text("l")
    return root


@pytest.mark.parametrize("work", GIT_WORK)
def test_git_work_gives_one_net_hint(listen: Callable[..., Ears], forked: Path, tmp_path: Path, work: str) -> None:
    rehearsal = shutil.copytree(forked, tmp_path / "rehearsal", symlinks=True)
    began = time.monotonic()
    GIT_WORK[work](rehearsal)
    took = time.monotonic() - began
    # the real times, for a rebase has pauses between its steps; longer ones where the machine makes those longer
    ears = listen(WatchOptions(quiet=max(0.75, took), longest=max(5.0, 4 * took)))
    fence = Fence(ears, _other(tmp_path))
    ears.watch("notes", forked)
    GIT_WORK[work](forked)
    ears.until_hints("notes", 2)
    fence.pass_by()
    assert ears.hints["notes"] == 2


def _other(tmp_path: Path) -> Path:
    root = tmp_path / "other"
    root.mkdir()
    git(root, "init", "-q")
    return root


def test_linked_worktree_hears_of_its_head_and_of_branches(ears: Ears, root: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(root, "worktree", "add", "-q", str(linked), "-b", "side")
    ears.watcher.add("linked", os.fsencode(linked), os.fsencode(root / ".git/worktrees/linked"), lambda _: False)
    ears.until_hints("linked", 1)
    git(linked, "commit", "-q", "--allow-empty", "-m", "here")
    ears.until_hints("linked", 2)
    git(root, "branch", "other")
    ears.until_hints("linked", 3)
    git(linked, "checkout", "-q", "--detach")
    ears.until_hints("linked", 4)


def test_constant_writer_gets_hints_within_the_longest_wait(listen: Callable[..., Ears], root: Path) -> None:
    ears = listen(WatchOptions(quiet=0.5, longest=1.0))
    ears.watch("notes", root)
    began = time.monotonic()
    writer = subprocess.Popen([sys.executable, "-c", _CONSTANT_WRITER, root / "f"])
    try:
        ears.until_hints("notes", 2)
        for count in (3, 4):
            ears.until_hints("notes", count, deadline=4.0)
            assert time.monotonic() - began >= 0.5 * (count - 1)
    finally:
        writer.kill()
        writer.wait()


def test_ignored_folders_objects_and_our_own_refs_give_none(ears: Ears, fence: Fence, root: Path) -> None:
    (root / "build").mkdir()
    ears.watch("notes", root)
    (root / "build" / "out").write_text("x")
    (root / "build" / "more").mkdir()
    (root / "build" / "more" / "out").write_text("x")
    git(root, "hash-object", "-w", "--stdin", given=b"an object")
    git(root, "update-ref", "refs/botharness/recovery/one", "HEAD")
    git(root, "update-ref", "-d", "refs/botharness/recovery/one")
    git(root, "config", "some.thing", "else")
    (root / ".git" / "index.lock").touch()
    (root / ".git" / "index.lock").unlink()
    fence.pass_by()
    assert ears.hints["notes"] == 1


def test_git_folder_of_another_name_inside_is_not_walked(ears: Ears, fence: Fence, tmp_path: Path) -> None:
    root = tmp_path / "odd"
    root.mkdir()
    git(root, "init", "-q", "--separate-git-dir", str(root / "gitstuff"))
    ears.watcher.add("odd", os.fsencode(root), os.fsencode(root / "gitstuff"), lambda _: False)
    ears.until_hints("odd", 1)
    git(root, "hash-object", "-w", "--stdin", given=b"an object")
    fence.pass_by()
    assert ears.hints["odd"] == 1


def test_no_own_look_gives_a_hint(ears: Ears, fence: Fence, root: Path) -> None:
    ears.watch("notes", root)
    for folder, _, names in os.walk(root):
        for name in names:
            Path(folder, name).read_bytes()
    fence.pass_by()
    assert ears.hints["notes"] == 1


def test_folder_that_is_ignored_no_more_is_watched(ears: Ears, fence: Fence, root: Path) -> None:
    (root / "build").mkdir()
    ignored = {b"build"}
    ears.watch("notes", root, lambda path: path in ignored)
    ignored.clear()
    (root / ".gitignore").write_text("")
    ears.until_hints("notes", 2)
    (root / "build" / "out").write_text("x")
    ears.until_hints("notes", 3)
    ignored.add(b"build")
    (root / ".gitignore").write_text("build/\n")
    ears.until_hints("notes", 4)
    (root / "build" / "out").write_text("y")
    fence.pass_by()
    assert ears.hints["notes"] == 4


_UNREADABLE = """
import os, pathlib, sys, warnings
from backtrail.watch.memory_watch import WatchOptions
from core.watch.ears import Ears

warnings.simplefilter("error")
root = pathlib.Path(sys.argv[1])
try:
    os.listdir(root / "secret")
    raise SystemExit("it can be read")
except PermissionError:
    pass
ears = Ears(WatchOptions(quiet=0.1))
ears.watch("notes", root)
(root / "f").write_text("x")
ears.until_hints("notes", 2)
ears.watcher.close()
print("all heard")
"""


def test_unreadable_folders_do_not_cost_the_others(root: Path) -> None:
    for name in ("secret", "secret too"):
        (root / name / "deep").mkdir(parents=True)
        (root / name).chmod(0)
    command = [sys.executable, "-c", _UNREADABLE, str(root)]
    if os.geteuid() == 0:  # without these two, root may read no more than others
        command = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", *command]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, env=environment, capture_output=True, check=False, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("all heard\n", "")


def test_symlinked_root_is_resolved(ears: Ears, root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    (root / "sub").mkdir()
    ears.watch("notes", tmp_path / "link")
    (root / "f").write_text("a child of the root itself")
    ears.until_hints("notes", 2)
    (root / "sub" / "file").write_text("x")
    ears.until_hints("notes", 3)


def test_regular_hint_comes_without_events_and_renews_the_watches(listen: Callable[..., Ears], root: Path) -> None:
    (root / "build").mkdir()
    ignored = {b"build"}
    ears = listen(WatchOptions(quiet=0.1, regular=0.5))
    began = time.monotonic()
    ears.watch("notes", root, lambda path: path in ignored)
    ignored.clear()  # without an event
    ears.until_hints("notes", 2)
    assert time.monotonic() - began >= 0.5
    assert ears.state("notes") == Watching()


def test_hints_keep_a_pause_of_ten_looks(ears: Ears, root: Path) -> None:
    ears.watch("notes", root)
    (root / "one").mkdir()  # one event: nothing is left that could give a hint of its own
    ears.until_hints("notes", 2)
    looked = time.monotonic()
    ears.watcher.looked("notes", 0.15)
    (root / "f").write_text("2")
    ears.until_hints("notes", 3)
    assert time.monotonic() - looked >= 1.5


class _Refusing(dict[str, int]):
    """A count that cannot be read."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = threading.Event()

    def get(self, *_: object) -> NoReturn:
        self.asked.set()
        raise RuntimeError("a callback fails")


def test_callback_that_fails_does_not_end_the_hints(ears: Ears, root: Path) -> None:
    ears.watch("notes", root)
    taken, refusing = ears.hints, _Refusing()
    ears.hints = refusing
    ears.watcher.renew("notes")
    assert refusing.asked.wait(DEADLINE)
    ears.hints = taken
    ears.watcher.renew("notes")
    ears.until_hints("notes", 2)


def test_removed_memory_is_silent_and_its_key_is_free(ears: Ears, fence: Fence, root: Path) -> None:
    ears.watch("notes", root)
    with pytest.raises(ValueError, match="notes"):
        ears.watcher.add("notes", b"/", b"/", lambda _: False)
    ears.watcher.remove("notes")
    (root / "f").write_text("x")
    fence.pass_by()
    assert ears.hints["notes"] == 1
    ears.watcher.renew("notes")
    ears.watcher.looked("notes", 1.0)
    ears.watcher.add("notes", os.fsencode(root), os.fsencode(root / ".git"), lambda _: False)
    ears.until_hints("notes", 2)
