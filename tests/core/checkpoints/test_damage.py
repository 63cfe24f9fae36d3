"""A checkpoint with damaged objects is known as such, blocks its restore, and costs no other state."""

import pathlib
import shutil
import subprocess

import pytest
from backtrail.checkpoints.thinning import drop_damaged
from backtrail.host.host import Host
from backtrail.host.keeping import Keeping as Decisions
from backtrail.host.restoring import Restoring
from backtrail.host.stored import StoredStates
from backtrail.model.checkpoint import Checkpoint, CheckpointState
from backtrail.model.errors.repository import ObjectMissing, RepositoryDamaged
from backtrail.model.restore import Ignored
from core.git_oracle import ENVIRONMENT, damage, git, new_repository, recovery_refs
from core.keeping import Keeping
from core.restore.going_back import GoingBack


def place_of(keeping: Keeping, checkpoint: Checkpoint, path: str, commit: str = "") -> pathlib.Path:
    """Return the loose object of a file that a checkpoint holds; of a commit behind its ref for no path."""
    named = f"refs/botharness/recovery/{checkpoint.id}{commit or f':{path}'}"
    found = git(keeping.root, "rev-parse", named).decode().strip()
    place = keeping.root / ".git/objects" / found[:2] / found[2:]
    place.chmod(0o644)
    return place


def harm(place: pathlib.Path, kind: str) -> None:
    content = place.read_bytes()
    if kind == "gone":
        place.unlink()
    elif kind == "empty":
        place.write_bytes(b"")
    else:
        place.write_bytes(content[: len(content) // 2])


def verify(keeping: Keeping, checkpoint: Checkpoint) -> tuple[str, ...]:
    with keeping.host() as host, StoredStates(keeping.memory(host)) as stored:
        found = stored.damage(checkpoint)
        Decisions(host).verified(checkpoint, found)
    return found


def state_of(keeping: Keeping, checkpoint: Checkpoint) -> CheckpointState:
    return next(row.state for row in keeping.timeline() if row.id == checkpoint.id)


def gc_works(keeping: Keeping) -> bool:
    ran = subprocess.run(["git", "-C", keeping.root, "gc", "-q"], env=ENVIRONMENT, check=False, capture_output=True)
    return ran.returncode == 0


@pytest.mark.parametrize("kind", ["gone", "empty", "cut short"])
def test_damage_is_written_down_and_blocks_the_plan_until_the_person_lets_it_go(keeping: Keeping, kind: str) -> None:
    (keeping.root / "whole").write_text("readable\n")
    (keeping.root / "work").write_text("".join(f"{number * number}\n" for number in range(999)))
    old = keeping.checkpoint()
    place = place_of(keeping, old, "work")
    (keeping.root / "work").write_text("newer\n")
    new = keeping.checkpoint()
    harm(place, kind)
    found = verify(keeping, old)
    assert found == (place.parent.name + place.name,)
    with keeping.opened() as work:
        row = work.database.checkpoints.get(old.id)
        assert row is not None
        assert (row.state, row.damage) == (CheckpointState.DAMAGED, found)
        restoring = Restoring(work)
        plan = restoring.plan(restoring.target(row), Ignored.CARRY)
    assert [(blocker.code, blocker.detail) for blocker in plan.blockers] == [("checkpoint-damaged", found[0])]
    with keeping.host() as host, StoredStates(keeping.memory(host)) as stored:
        assert stored.file(old, b"whole")[1] == b"readable\n"
    assert any(old.id in ref for ref in recovery_refs(keeping.root))
    assert not gc_works(keeping)
    with keeping.host() as host:
        memory = keeping.memory(host)
        assert [item.id for item in Decisions(host).thin(memory, damaged=True).going] == [old.id]
    assert keeping.timeline() == [new]
    place.unlink(missing_ok=True)
    assert gc_works(keeping)


@pytest.mark.parametrize("kind", ["gone", "empty", "cut short"])
@pytest.mark.parametrize("path", ["work", "folder", "folder/deep"])
def test_what_is_still_on_the_disk_is_kept_anew(keeping: Keeping, kind: str, path: str) -> None:
    keeping.checkpoint()
    (keeping.root / "folder").mkdir()
    for name in ("work", "folder/deep"):
        (keeping.root / name).write_text("".join(f"{name} {number * number}\n" for number in range(999)))
    kept = keeping.checkpoint()
    harm(place_of(keeping, kept, path), kind)
    assert verify(keeping, kept)
    with keeping.opened() as work:  # a damaged object is replaced, which `keeping.scan` would not allow
        again = work.scan().checkpoint
    assert again is not None
    assert keeping.damaged() == {}
    assert [state_of(keeping, item) for item in (kept, again)] == [CheckpointState.RECORDED] * 2
    assert damage(keeping.root) == b""


@pytest.mark.parametrize("kind", ["gone", "empty", "cut short"])
@pytest.mark.parametrize("path", ["", "folder", "folder/deep"])
def test_states_go_on_being_kept_after_one_that_nobody_knows_to_be_damaged(
    keeping: Keeping, path: str, kind: str
) -> None:
    (keeping.root / "folder").mkdir()
    (keeping.root / "folder/deep").write_text("deep\n")
    kept = keeping.checkpoint()
    harm(place_of(keeping, kept, path), kind)
    (keeping.root / "folder/other").write_text("other\n")
    (keeping.root / "folder/deep").write_text("deeper\n")
    assert keeping.checkpoint().id not in keeping.damaged()


def test_the_plan_alone_finds_what_is_gone(keeping: Keeping) -> None:
    (keeping.root / "work").write_text("an hour of work\n")
    kept = keeping.checkpoint()
    place = place_of(keeping, kept, "work")
    (keeping.root / "work").unlink()
    keeping.checkpoint()
    content = place.read_bytes()
    place.unlink()
    with keeping.opened() as work:
        restoring = Restoring(work)
        plan = restoring.plan(restoring.target(kept), Ignored.CARRY)
    assert [blocker.code for blocker in plan.blockers] == ["checkpoint-damaged"]
    assert state_of(keeping, kept) is CheckpointState.DAMAGED
    place.write_bytes(content)
    with keeping.opened():
        pass
    assert state_of(keeping, kept) is CheckpointState.RECORDED


def test_a_pinned_damaged_one_stays_until_it_is_unpinned(keeping: Keeping) -> None:
    kept = keeping.checkpoint()
    with keeping.host() as host:
        host.database.checkpoints.set_damage(kept.id, ("ab" * 20,))
        Decisions(host).pin(kept.id, pinned=True)
        assert drop_damaged(Decisions(host).all_of(keeping.memory(host))).going == ()


def test_a_damaged_object_that_only_the_index_names_keeps_no_new_work_from_being_kept(keeping: Keeping) -> None:
    kept = keeping.checkpoint()
    harm(place_of(keeping, kept, "f"), "cut short")
    assert verify(keeping, kept)
    (keeping.root / "f").write_text("an hour of work\n")
    with keeping.opened() as work:
        observed = work.scan()
    assert observed.failure is None
    assert observed.checkpoint is not None
    shown = git(keeping.root, "show", f"refs/botharness/recovery/{observed.checkpoint.id}:f")
    assert shown == b"an hour of work\n"


@pytest.mark.parametrize("kind", ["gone", "empty", "cut short"])
def test_a_damaged_commit_that_was_head_is_part_of_the_damage(keeping: Keeping, kind: str) -> None:
    git(keeping.root, "commit", "-q", "--allow-empty", "-m", "more")
    (keeping.root / "f").write_bytes(b"work\n")
    old = keeping.checkpoint()
    git(keeping.root, "checkout", "-q", "-f", "-b", "other", "HEAD~1")
    keeping.checkpoint()
    harm(place_of(keeping, old, "", "^1^1"), kind)
    assert old.head is not None
    assert verify(keeping, old) == (old.head.hex(),)
    known = next(row for row in keeping.timeline() if row.id == old.id)
    assert GoingBack(keeping).blockers(known) == ["checkpoint-damaged"]


@pytest.mark.parametrize("kind", ["gone", "empty", "cut short"])
def test_whatever_object_is_damaged_new_work_is_kept_or_refused_by_name(tmp_path: pathlib.Path, kind: str) -> None:
    """Each object in turn, in a copy of its own. Only what HEAD and the index stand on may keep new work away."""
    first = Keeping(tmp_path / "home", new_repository(tmp_path / "notes"))
    (first.root / "folder").mkdir()
    for name, text in (("folder/deep", "deep\n"), ("staged", "staged\n")):
        (first.root / name).write_text(text)
    git(first.root, "add", "staged")
    first.checkpoint()
    (first.root / "folder/deep").write_text("deeper\n")
    first.checkpoint()
    objects = [path.relative_to(first.root) for path in (first.root / ".git/objects").glob("??/*")]
    staged = {
        git(first.root, "rev-parse", name).decode().strip() for name in ("HEAD", "HEAD^{tree}", "HEAD:f", ":staged")
    }
    for place in objects:
        shutil.rmtree(tmp_path / "copies", ignore_errors=True)
        shutil.copytree(first.root.parent, tmp_path / "copies", symlinks=True, ignore=shutil.ignore_patterns("copies"))
        home, root = tmp_path / "copies/home", tmp_path / "copies/notes"
        (root / place).chmod(0o644)
        harm(root / place, kind)
        (root / "folder/deep").write_text("the work of this hour\n")
        with Host.open(home) as host:
            (memory,) = host.memories()
            moved = host.lifecycle().set(memory, "path", str(root))
            try:
                with host.open_memory(moved) as work:
                    kept = work.scan()
            except (ObjectMissing, RepositoryDamaged):
                kept = None
        name = place.parts[-2] + place.parts[-1]
        if kept is None or kept.checkpoint is None:
            assert name in staged, name
