"""What may not be read is not gone: no checkpoint is given up for it, and no file is called deleted."""

import os

from backtrail.model.checkpoint import CheckpointState
from backtrail.model.coverage import Reason
from core.git_oracle import git, recovery_refs
from core.keeping import Keeping
from core.other_process import keep_elsewhere


def test_an_unreadable_ref_costs_no_checkpoint(keeping: Keeping) -> None:
    kept = keeping.checkpoint()
    ref = keeping.root / ".git" / os.fsdecode(kept.ref)
    ref.chmod(0)
    assert keep_elsewhere(keeping.home, keeping.root, privileged=False)["error"] == "repository-damaged"
    ref.chmod(0o644)
    assert keeping.timeline() == [kept]
    assert keeping.scan().latest == kept


def test_unreadable_packed_refs_cost_no_checkpoint(keeping: Keeping) -> None:
    kept = keeping.checkpoint()
    git(keeping.root, "pack-refs", "--all")
    packed = keeping.root / ".git/packed-refs"
    packed.chmod(0)
    assert keep_elsewhere(keeping.home, keeping.root, privileged=False)["error"] == "repository-damaged"
    packed.chmod(0o644)
    assert keeping.timeline() == [kept]


def test_an_unreadable_branch_is_not_an_unborn_one(keeping: Keeping) -> None:
    keeping.checkpoint()
    branch = keeping.root / ".git/refs/heads/main"
    branch.chmod(0)
    assert keep_elsewhere(keeping.home, keeping.root, privileged=False)["error"] == "repository-damaged"
    branch.chmod(0o644)
    branch.write_text("")
    assert keep_elsewhere(keeping.home, keeping.root)["error"] == "repository-damaged"


def test_checkpoints_outlive_a_time_without_their_objects(keeping: Keeping) -> None:
    kept = keeping.checkpoint()
    objects = keeping.root / ".git/objects"
    objects.rename(keeping.root / ".git/away")
    objects.mkdir()
    assert keep_elsewhere(keeping.home, keeping.root)["error"] == "repository-damaged"
    objects.rmdir()
    (keeping.root / ".git/away").rename(objects)
    assert keeping.timeline() == [kept]
    assert any(kept.id in ref for ref in recovery_refs(keeping.root))


def test_a_row_that_was_called_damaged_is_whole_again_with_its_ref(keeping: Keeping) -> None:
    kept = keeping.checkpoint()
    with keeping.host() as host:
        host.database.checkpoints.set_state(kept.id, CheckpointState.DAMAGED)
    with keeping.opened():
        pass
    assert keeping.timeline() == [kept]


def test_files_of_a_folder_that_may_be_listed_but_not_entered_are_left_out_not_deleted(keeping: Keeping) -> None:
    """B08"""
    folder = keeping.root / "folder"
    folder.mkdir()
    for name in ("tracked", "untracked"):
        (folder / name).write_text(name)
    git(keeping.root, "add", "folder/tracked")
    keeping.checkpoint()
    folder.chmod(0o644)
    told = keep_elsewhere(keeping.home, keeping.root, privileged=False)
    folder.chmod(0o755)
    assert told["left_out"] == [["folder/tracked", Reason.UNREADABLE], ["folder/untracked", Reason.UNREADABLE]]
