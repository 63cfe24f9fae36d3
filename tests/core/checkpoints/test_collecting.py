"""A person collects garbage while a state is kept: what the ref names is there afterwards, whatever Git had seen."""

import os
import subprocess
import threading

import pytest
from backtrail.checkpoints import capture
from backtrail.git.refs import create_ref
from backtrail.model.ids import Oid
from core.git_oracle import ENVIRONMENT, damage, git, recovery_refs
from core.keeping import Keeping


@pytest.mark.parametrize("where", ["on disk alone", "staged, too"])
def test_objects_that_a_prune_takes_in_the_last_instant_are_added_again(
    keeping: Keeping, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """A real `git prune`, at the one moment when everything is written and no ref names it yet."""
    keeping.checkpoint()
    (keeping.root / "f").write_text("an hour of work\n")
    (keeping.root / "new").write_text("never added\n")
    if where == "staged, too":
        git(keeping.root, "add", "f")

    def pruned_before(common_dir: bytes, name: bytes, oid: Oid) -> None:
        git(keeping.root, "prune", "--expire=now")
        create_ref(common_dir, name, oid)

    monkeypatch.setattr(capture, "create_ref", pruned_before)
    keeping.compare(keeping.checkpoint())
    assert not damage(keeping.root)


def test_while_a_collection_runs_nothing_is_kept_loose(keeping: Keeping) -> None:
    """Its prune may have looked before our ref was there: loose objects go then, a pack stays."""
    keeping.checkpoint()
    (keeping.root / "f").write_text("an hour of work\n")
    loose = git(keeping.root, "count-objects")
    (keeping.root / ".git" / "gc.pid").write_text(f"{os.getpid()} here")
    keeping.compare(keeping.checkpoint())
    assert git(keeping.root, "count-objects") == loose
    assert not list((keeping.root / ".git" / "objects" / "pack").glob("*.keep"))
    (keeping.root / ".git" / "gc.pid").write_text("999999999 of one that was killed")
    (keeping.root / "f").write_text("another hour\n")
    keeping.checkpoint()
    assert git(keeping.root, "count-objects") != loose


@pytest.mark.slow
def test_states_outlive_a_person_who_collects_all_the_time(keeping: Keeping) -> None:
    done = threading.Event()

    def collect() -> None:
        while not done.is_set():
            subprocess.run(["git", "-C", keeping.root, "gc", "-q", "--prune=now"], env=ENVIRONMENT, check=False)

    person = threading.Thread(target=collect)
    person.start()
    try:
        for number in range(30):
            (keeping.root / "f").write_text(f"{number}\n")
            with keeping.opened() as work:
                work.scan()
    finally:
        done.set()
        person.join()
    assert not damage(keeping.root)
    kept = recovery_refs(keeping.root)
    assert len(kept) >= 10
    for commit in kept.values():
        git(keeping.root, "rev-list", "--objects", commit)
