"""Looks that list no folder which is as it was, against looks that list all of them: nothing is missed."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from backtrail.git.repository import Repository
from backtrail.model.clock import system_clock
from backtrail.scan.known_folders import Basis, KnownFolders
from backtrail.scan.look import Looker
from backtrail.scan.stat_cache import StatCache
from core.git_oracle import commit_all, git
from core.scan.test_look import CAP, LATER, looker

STEPS = 160
NAMES = ("a", "b.log", "c", "d.tmp", "keep.log")
IGNORES = (b"*.log\n", b"*.tmp\n!d.tmp\n", b"c\n", b"/a\n", b".gitignore\n", b"")


def tick(probe: Path) -> None:
    """Wait until the clock of the file system has moved, so that another change has another time."""
    probe.write_bytes(b"")
    before = probe.stat().st_mtime_ns
    while probe.stat().st_mtime_ns == before:
        probe.write_bytes(b"")


class Changes:
    """Changes of a working tree, one at a time, as chance has it."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.root, self.chance = root, chance

    def any(self) -> str:
        changes: list[Callable[[], object]] = [
            self.write, self.write, self.same_size, self.remove, self.link, self.folder, self.folder_to_link,
            self.rename, self.ignore, self.exclude, self.stage, self.mode, self.folder_mode, self.nested, self.fifo,
        ]  # fmt: skip
        change = self.chance.choice(changes)
        change()
        return change.__name__

    def place(self) -> Path:
        folders = [Path(top) for top, below, _ in os.walk(self.root) if ".git" not in Path(top).parts]
        return self.chance.choice(folders)

    def path(self) -> Path:
        return self.place() / self.chance.choice(NAMES)

    def write(self) -> None:
        path = self.path()
        if not path.is_dir():
            path.unlink(missing_ok=True)
            path.write_bytes(self.chance.randbytes(3))

    def same_size(self) -> None:
        path = self.path()
        if path.is_file():
            path.write_bytes(self.chance.randbytes(path.stat().st_size))

    def remove(self) -> None:
        path = self.path()
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def link(self) -> None:
        path = self.path()
        if not os.path.lexists(path):
            path.symlink_to(self.chance.choice(NAMES))

    def folder(self) -> None:
        path = self.path()
        if not os.path.lexists(path) and len(path.parts) < len(self.root.parts) + 4:
            path.mkdir()

    def folder_to_link(self) -> None:
        path = self.path()
        if path.is_dir() and not path.is_symlink() and not (self.root.parent / "away").exists():
            path.rename(self.root.parent / "away")
            path.symlink_to(self.root.parent / "away")

    def rename(self) -> None:
        path, other = self.path(), self.path()
        if os.path.lexists(path) and not os.path.lexists(other) and path not in other.parents:
            path.rename(other)

    def ignore(self) -> None:
        (self.place() / ".gitignore").write_bytes(self.chance.choice(IGNORES))

    def exclude(self) -> None:
        (self.root / ".git" / "info" / "exclude").write_bytes(self.chance.choice(IGNORES))

    def stage(self) -> None:
        git(self.root, "add", "-A", code=None)

    def mode(self) -> None:
        path = self.path()
        if path.is_file():
            path.chmod(self.chance.choice([0o644, 0o755, 0o600]))

    def folder_mode(self) -> None:
        self.place().chmod(self.chance.choice([0o755, 0o700]))

    def nested(self) -> None:
        path = self.path()
        if path.is_dir() and not path.is_symlink() and self.chance.random() < 0.3:
            git(path, "init", "-q")

    def fifo(self) -> None:
        path = self.path()
        if not os.path.lexists(path):
            os.mkfifo(path)


@pytest.mark.parametrize("seed", range(6))
def test_a_look_that_lists_less_sees_as_much(root: Path, tmp_path: Path, seed: int) -> None:
    changes = Changes(root, random.Random(seed))  # noqa: S311 - to be had again
    for name in ("a", "c"):
        (root / name / "c").mkdir(parents=True)
        (root / name / "keep.log").write_bytes(b"x")
    commit_all(root)
    quick, done = looker(root), ["nothing"]
    for _ in range(STEPS):
        tick(tmp_path / "probe")
        done.append(changes.any())
        tick(tmp_path / "probe")
        seen, there = quick.look(), looker(root).look()
        assert (seen.state, seen.token) == (there.state, there.token), done


def test_a_folder_in_which_nothing_moved_is_known_to_the_next_look(root: Path) -> None:
    (root / "d").mkdir()
    (root / "d" / "f").write_bytes(b"x")
    here = looker(root)
    first = here.look()
    known = here.cache.folders
    assert known is not None
    rules = known.get(b"", None)
    assert rules is not None
    assert known.get(b"d/", rules.rules) is not None
    assert here.look() == first
    assert here.cache.folders is known


def test_a_folder_that_was_young_is_listed_again(root: Path) -> None:
    """Two names that come within one tick of the clock leave the folder's stat as it was."""
    here = Looker(Repository.open(os.fsencode(root)), StatCache(), system_clock, CAP)
    here.look()
    assert here.cache.folders is not None
    assert here.cache.folders.get(b"", None) is None
    (root / "new").write_bytes(b"x")
    assert b"new" in {entry.path for entry in here.look().state.working}


def test_listings_are_believed_for_five_minutes_and_under_the_same_index_and_rules(root: Path) -> None:
    here = looker(root)
    here.look()
    known, tracked = here.cache.folders, here.cache.tracked
    assert known is not None
    assert tracked is not None
    now = int((system_clock() + LATER).timestamp() * 1e9)
    sources = tuple(here.repository.exclude_files())
    basis = Basis(index=tracked.index, file_mode=True, size_cap=CAP, ignore_case=False, sources=sources)
    assert known.next(basis, now) is known
    for later in (now + 301_000_000_000, now - 60_000_000_000):
        assert known.next(basis, later) is not known
    other = looker(root)
    other.look()
    assert other.cache.tracked is not None
    for changed in (
        Basis(index=other.cache.tracked.index, file_mode=True, size_cap=CAP, ignore_case=False, sources=sources),
        Basis(index=tracked.index, file_mode=False, size_cap=CAP, ignore_case=False, sources=sources),
        Basis(index=tracked.index, file_mode=True, size_cap=CAP - 1, ignore_case=False, sources=sources),
        Basis(index=tracked.index, file_mode=True, size_cap=CAP, ignore_case=True, sources=sources),
        Basis(index=tracked.index, file_mode=True, size_cap=CAP, ignore_case=False, sources=(*sources, b"x")),
    ):
        anew = known.next(changed, now)
        assert isinstance(anew, KnownFolders)
        assert anew is not known
        assert anew.get(b"", None) is None
