"""Print what the engine's work costs, each as a ratio to Git's own work in the same run.

usage: run.py [--small]

The lines are those of the cost table in the engine's design that exist so far. --small makes a tenth of the files: for
a quick look; the ratios then say less.
"""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

from backtrail.host.host import Host
from backtrail.host.open_memory import OpenMemory
from backtrail.host.restoring import Restoring
from backtrail.model.restore import Ignored
from make_history import make_history
from make_tree import make_tree

_RUNS = 5
_BIG = 300 << 20


def seconds(work: Callable[[], object], runs: int = 1) -> float:
    """Return the fewest seconds that `work` took in some runs."""
    best = float("inf")
    for _ in range(runs):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def line(work: str, took: float, against: str, other: float, wanted: float) -> None:
    """Print one figure beside what it is measured against."""
    ratio = took / other
    print(f"{work:58} {took:8.3f} s  {ratio:6.2f} x {against} ({other:.3f} s)  wanted at most {wanted}")


def git(root: str, *words: str, **more: object) -> subprocess.CompletedProcess[bytes]:
    """Run git quietly."""
    return subprocess.run(["git", "-C", root, *words], check=True, stdout=subprocess.PIPE, **more)  # type: ignore[call-overload,no-any-return]


@contextlib.contextmanager
def memory(top: pathlib.Path, root: str) -> Iterator[OpenMemory]:
    """Give a memory on `root` that was never looked at."""
    with Host.open(top / "home") as host:
        added = host.lifecycle().add(os.fsencode(root), None)
        with host.open_memory(added) as work:
            yield work


def scans(top: pathlib.Path, files: int) -> None:
    """Measure looks and checkpoints of many clean tracked files."""
    root = str(top / "tracked")
    make_tree(root, files, 5)
    git(root, "status")
    paths = git(root, "ls-files", "-z").stdout.replace(b"\0", b"\n")
    hashing = seconds(lambda: git(root, "hash-object", "--stdin-paths", input=paths))
    with memory(top, root) as work:
        first = seconds(work.scan)
        line(f"first checkpoint of {files:,} clean tracked files", first, "git hash-object", hashing, 1.5)
        status = seconds(lambda: git(root, "--no-optional-locks", "status"), _RUNS)
        unchanged = seconds(work.looker.look, _RUNS)
        line(f"full scan, nothing changed, {files:,} files", unchanged, "git status", status, 1.6)
        edits = iter(range(_RUNS))
        edited = pathlib.Path(root, os.fsdecode(paths.split(b"\n")[files // 2]))

        def edit_and_scan() -> None:
            edited.write_text(f"edit {next(edits)}\n")
            work.scan()

        one = seconds(edit_and_scan, _RUNS)
        line(f"scan + checkpoint after one edit, {files:,} files", one, "git status", status, 2.0)
    copying = seconds(lambda: subprocess.run(["cp", "-a", root, str(top / "copied")], check=True))
    with Host.open(top / "home") as host, host.open_memory(host.memories()[0]) as work:
        restoring = Restoring(work)
        target = restoring.target(host.database.checkpoints.page(work.memory.id, limit=2)[-1])
        token = restoring.plan(target, Ignored.CARRY).token
        took = seconds(lambda: restoring.restore(target, token, Ignored.CARRY, frozenset()))
        line(f"restore of {files:,} files, planned again and verified", took, "cp -a", copying, 2.0)


def untracked(top: pathlib.Path, files: int) -> None:
    """Measure the first checkpoint of many small files that Git does not know yet."""
    root = str(top / "untracked")
    make_tree(root, files, 5, untracked=True)
    scratch = {**os.environ, "GIT_INDEX_FILE": str(top / "index"), "GIT_OBJECT_DIRECTORY": str(top / "objects")}
    (top / "objects").mkdir()
    adding = seconds(lambda: git(root, "add", "-A", env=scratch))
    objects = pathlib.Path(root, ".git/objects")
    before = sum(path.is_file() for path in objects.rglob("*"))
    with memory(top, root) as work:
        took = seconds(work.scan)
    new = sum(path.is_file() for path in objects.rglob("*")) - before
    line(f"first checkpoint of {files:,} small untracked files", took, "git add -A", adding, 0.7)
    print(f"{'':58} {new:8} new files in .git/objects, wanted at most 2")


def large(top: pathlib.Path, size: int) -> None:
    """Measure one large file that does not compress."""
    root = str(top / "large")
    make_tree(root, 1, 1)
    with open(f"{root}/random", "wb") as file:
        file.writelines(os.urandom(1 << 20) for _ in range(size >> 20))
    old = time.time() - 3600
    os.utime(f"{root}/random", (old, old))
    scratch = {**os.environ, "GIT_INDEX_FILE": str(top / "index2"), "GIT_OBJECT_DIRECTORY": str(top / "objects2")}
    (top / "objects2").mkdir()
    adding = seconds(lambda: git(root, "add", "random", env=scratch))
    with memory(top, root) as work:
        took = seconds(work.scan)
        line(f"one new {size >> 20} MB incompressible untracked file", took, "git add", adding, 0.3)
        again = seconds(work.scan)
        print(f"{'the same file at the next scan':58} {again:8.3f} s  {again / took:6.3f} x the first, wanted near 0")


def long_history(top: pathlib.Path, commits: int | None) -> None:
    """Measure a look, a checkpoint and a plan on a repository with a long history."""
    root = str(top / "history")
    made = make_history(root, commits)
    pathlib.Path(root, "work").write_text("not committed\n")
    with memory(top, root) as work:
        took = seconds(work.scan)
        git(root, "clean", "-fdq")
        lost = seconds(lambda: work.scan().checkpoint)
        restoring = Restoring(work)
        target = restoring.target(work.database.checkpoints.page(work.memory.id, limit=2)[-1])
        plan = seconds(lambda: restoring.plan(target, Ignored.CARRY))
    print(f"{f'{made:,} commits: first checkpoint, naming a loss, plan':58} {took:8.3f} s {lost:8.3f} s {plan:8.3f} s")


def main(*, small: bool) -> None:
    """Print every line."""
    part = 10 if small else 1
    for work in (
        lambda top: scans(top, 50_000 // part),
        lambda top: untracked(top, 10_000 // part),
        lambda top: large(top, _BIG // part),
        lambda top: long_history(top, 20_000 if small else None),
    ):
        with tempfile.TemporaryDirectory(prefix="backtrail-bench-") as folder:
            work(pathlib.Path(folder))


if __name__ == "__main__":
    main(small="--small" in sys.argv)
