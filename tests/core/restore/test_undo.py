"""Undo brings back the folder that a restore switched out, and takes nothing from what went on elsewhere meanwhile."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from backtrail.host.examining import Examining
from backtrail.host.restoring import Restoring
from backtrail.model.errors.lookup import Unknown
from backtrail.model.errors.restore import ArchiveIncomplete, StepFailed
from backtrail.model.restore import Ignored, RestoreRecord
from backtrail.restore.archives import delete_archive
from core.git_oracle import git
from core.keeping import Keeping
from core.other_process import as_an_ordinary_user
from core.restore.going_back import GoingBack, archived, untidy
from core.restore.states import do
from core.restore.whole_folder import Whole, moved, whole


@pytest.fixture
def back(keeping: Keeping) -> GoingBack:
    return GoingBack(keeping)


def in_progress(there: Whole) -> dict[bytes, object]:
    """Return Git's files about what it is in the middle of."""
    return {
        path: seen
        for path, seen in there.inside_git.items()
        if path.startswith(
            (b"MERGE", b"AUTO_MERGE", b"CHERRY", b"REVERT", b"REBASE", b"BISECT", b"rebase-", b"sequencer")
        )
    }


def test_b10_hand_edits_made_after_an_agent_come_back_and_undo_can_be_undone(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    (back.root / "f").write_text("agent\n")
    with (back.root / "f").open("a") as file:
        file.write("my-hand-edit\n")
    present = whole(back.root)
    record = back.to(checkpoint)
    restored = whole(back.root)
    undone = back.undo(record)
    assert whole(back.root).same_state() == present.same_state()
    back.undo(undone)
    assert whole(back.root).same_state() == restored.same_state()


def test_b80_going_back_and_forth_ends_where_it_says_and_every_step_has_its_row(back: GoingBack) -> None:
    first = back.keeping.checkpoint()
    (back.root / "f").write_text("2\n")
    second = back.keeping.checkpoint()
    for _ in range(3):
        back.to(first)
        assert (back.root / "f").read_text() == "base\n"
        back.to(second)
        assert (back.root / "f").read_text() == "2\n"
    rows = back.keeping.timeline()
    assert [row.context.cause_id for row in rows if row.context.cause_id] == [first.id, second.id] * 3
    assert len({row.id for row in rows}) == len(rows)


_CONFLICT = """
echo '*.log' >.git/info/exclude; git checkout -q -b theirs; echo theirs >f; echo t >t; git add .; git commit -qm theirs
git checkout -q main; echo ours >f; git commit -qam ours
"""


@pytest.mark.parametrize(
    "script",
    [
        _CONFLICT + "git merge theirs || true; echo half >>f; echo beside >u; echo staged >s; git add s; echo l >a.log",
        _CONFLICT + "git cherry-pick theirs || true; echo half >>f",
        _CONFLICT + "git rebase theirs || true; echo half >>f",
        _CONFLICT + "git merge theirs || true; git rm -q --cached f; echo u >u",
        _CONFLICT + "git checkout -q theirs; git revert --no-edit main || true",
        "echo 2 >f; git commit -qam 2; echo 3 >f; git stash -q; echo 4 >f; git commit -qam 4; git stash pop || true",
    ],
    ids=["merge", "cherry-pick", "rebase", "merge-and-removed", "revert", "stash-pop"],
)
def test_an_unfinished_conflict_can_be_left_and_come_back_to(back: GoingBack, script: str) -> None:
    checkpoint = back.keeping.checkpoint()
    do(back.root, script)
    present = whole(back.root)
    record = back.to(checkpoint)
    assert (back.root / "f").read_text() == "base\n"
    assert whole(back.root).says["unmerged"] == b""
    assert in_progress(whole(back.root)) == {}
    back.undo(record)
    now = whole(back.root)
    assert now.same_state() == present.same_state()
    assert in_progress(now) == in_progress(present)


def test_other_branches_tags_and_worktrees_go_on_through_an_undo(back: GoingBack) -> None:
    root = back.root
    git(root, "worktree", "add", "-q", "../linked", "-b", "side")
    checkpoint = back.keeping.checkpoint()
    (root / "f").write_text("present\n")
    record = back.to(checkpoint)
    do(root.parent / "linked", "echo on >on; git add on; git commit -qm 'went on'; echo staged >s; git add s")
    do(root, "git tag -a -m t since; git branch made-since; git stash list")
    side, linked = git(root, "rev-parse", "side"), whole(root.parent / "linked")
    back.undo(record)
    assert (root / "f").read_text() == "present\n"
    assert git(root, "rev-parse", "side") == side
    assert whole(root.parent / "linked").says["index"] == linked.says["index"]
    assert {b"refs/tags/since", b"refs/heads/made-since"} <= {
        line.split(b" ")[0] for line in whole(root).says["refs"].split(b"\n")
    }


def test_b17_only_head_and_the_current_branch_are_set(back: GoingBack) -> None:
    do(back.root, "git branch a; git branch b")
    checkpoint = back.keeping.checkpoint()
    do(back.root, "git checkout -q a; git commit -q --allow-empty -m x; git branch new; git tag t")
    before = whole(back.root).says["refs"]
    back.to(checkpoint)
    assert whole(back.root).says["refs"] == before
    assert git(back.root, "symbolic-ref", "HEAD") == b"refs/heads/main\n"


def test_b03_later_commits_are_named_and_stay_reachable(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    do(back.root, "echo more >g; git add g; git commit -qm 'made after the checkpoint'")
    late = git(back.root, "rev-parse", "HEAD").strip()
    plan = back.plan(checkpoint)
    assert [(commit.oid.hex().encode(), commit.subject) for commit in plan.commits_leaving] == [
        (late, "made after the checkpoint")
    ]
    record = back.to(checkpoint)
    assert git(archived(record), "branch", "--contains", late.decode()) == b"* main\n"
    do(back.root, "git reflog expire --expire=now --all; git gc -q --prune=now")
    git(back.root, "cat-file", "-e", late.decode())
    assert git(back.root, "for-each-ref", "--contains", late.decode()) != b""
    assert b"backtrail: restore" not in git(back.root, "log", "--format=%B", "--branches")


def test_the_reflog_names_the_restore(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    do(back.root, "git commit -q --allow-empty -m later")
    record = back.to(checkpoint)
    for name in ("HEAD", "main"):
        assert f"backtrail: restore {record.id}".encode() in git(back.root, "reflog", "-1", name)


def test_ignored_content_of_the_archive_comes_back_with_it(back: GoingBack) -> None:
    do(back.root, "printf 'ign/\n*.log\n' >.gitignore; mkdir ign; echo 1 >ign/db; echo 1 >x.log")
    checkpoint = back.keeping.checkpoint()
    do(back.root, "echo 2 >ign/db; rm .gitignore; echo now >f")
    present = whole(back.root)
    record = back.to(checkpoint)
    do(back.root, "echo 3 >ign/db; echo 3 >y.log")
    undone = back.undo(record)
    assert whole(back.root).same_state() == present.same_state()
    assert (archived(undone) / "y.log").read_text() == "3\n"


def test_an_archive_that_is_gone_is_said_to_be(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    (back.root / "f").write_text("present\n")
    record = back.to(checkpoint)
    shutil.rmtree(archived(record).parent)
    with pytest.raises(Unknown):
        back.undo(record)


def test_a_commit_made_in_the_archive_comes_back_with_it(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    (back.root / "f").write_text("present\n")
    record = back.to(checkpoint)
    do(archived(record), "git commit -qam 'somebody still stood there'; echo edit >>f")
    present = whole(archived(record))
    _undo_without_comparison(back, record)
    assert whole(back.root).same_state() == present.same_state()


def _undo_without_comparison(back: GoingBack, record: RestoreRecord) -> None:
    with back.keeping.host() as host:
        memory, archive = host.archive(record.id)
        with host.open_memory(memory) as work:
            restoring = Restoring(work)
            restoring.restore(restoring.undo_target(archive), None, Ignored.CARRY, frozenset())


def test_b15_what_was_staged_is_staged_again(back: GoingBack) -> None:
    do(back.root, "echo staged >f; git add f; echo unstaged >f; git mv f f2; echo g >g; git add -N g")
    wanted = whole(back.root)
    checkpoint = back.keeping.checkpoint()
    do(back.root, "git reset -q --hard")
    back.to(checkpoint)
    assert whole(back.root).same_state() == wanted.same_state()


def test_b42_an_unborn_branch_stays_unborn(tmp_path: Path) -> None:
    root = tmp_path / "fresh"
    root.mkdir()
    do(root, "git init -q -b trunk; echo 1 >a; git add a; echo 2 >a")
    back = GoingBack(Keeping(tmp_path / "home", root))
    checkpoint = back.keeping.checkpoint()
    do(root, "rm a; git commit -q -m first")
    record = back.to(checkpoint)
    assert git(root, "symbolic-ref", "HEAD") == b"refs/heads/trunk\n"
    git(root, "rev-parse", "-q", "--verify", "HEAD", code=1)
    assert (root / "a").read_text() == "2\n"
    assert git(root, "show", ":a") == b"1\n"
    back.undo(record)
    assert git(root, "log", "--format=%s") == b"first\n"


def test_b27_a_folder_that_was_closed_since_is_restored_all_the_same(back: GoingBack) -> None:
    do(back.root, "mkdir ro; echo 1 >ro/a; git add ro; git commit -qm ro")
    wanted = whole(back.root)
    checkpoint = back.keeping.checkpoint()
    do(back.root, "echo 2 >ro/a; echo 2 >f; chmod 555 ro")
    back.to(checkpoint)
    assert whole(back.root).same_state() == wanted.same_state()


def test_b26_a_change_by_any_writer_comes_back(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    do(back.root, "sh -c 'rm f'")
    back.to(checkpoint)
    assert (back.root / "f").read_bytes() == b"base\n"


def test_unchanged_files_keep_their_times_through_restore_and_undo(back: GoingBack) -> None:
    do(back.root, "echo s >same; touch -d 2003-04-05 same f; git add same; git commit -qm same")
    checkpoint = back.keeping.checkpoint()
    (back.root / "f").write_text("present\n")
    record = back.to(checkpoint)
    assert int((back.root / "same").stat().st_mtime) == int((archived(record) / "same").stat().st_mtime)
    back.undo(record)
    assert (back.root / "same").stat().st_mtime_ns == (archived(record) / "same").stat().st_mtime_ns
    assert (back.root / "f").stat().st_mtime_ns == (archived(record) / "f").stat().st_mtime_ns


def test_an_archive_whose_deletion_had_begun_is_not_given_back_as_whole(back: GoingBack) -> None:
    """The system refuses one file of it, as a kill in the middle would leave it."""
    checkpoint = back.keeping.checkpoint()
    (back.root / "sub").mkdir()
    (back.root / "sub" / "g").write_text("only there\n")
    back.keeping.checkpoint()
    record = back.to(checkpoint)
    with back.keeping.host() as host:
        _, archive = host.archive(record.id)
        place = archive.places.copy + b"/sub"
        before = (back.root / "f").read_bytes()
        if subprocess.run(["chattr", "+i", place], check=False, capture_output=True).returncode:
            pytest.skip("nothing can be made immutable here")
        try:
            with pytest.raises(StepFailed):
                delete_archive(archive, for_good=True)
        finally:
            subprocess.run(["chattr", "-i", place], check=True)
        memory, left = host.archive(record.id)
        assert left.journal.deleting
        with host.open_memory(memory) as work, pytest.raises(ArchiveIncomplete):
            Restoring(work).undo_target(left)
        assert not all(check.ok for check in Examining(host, repair=False, leaks=False).checks())
        delete_archive(left, for_good=True)
        assert host.archives() == []
    assert (back.root / "f").read_bytes() == before


def test_a_folder_of_the_archive_that_cannot_be_read_is_a_failed_step_and_no_crash(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    (back.root / "f").write_text("later\n")
    record = back.to(checkpoint)
    closed = archived(record) / ".git" / "rebase-merge"
    closed.mkdir()
    (closed / "head-name").write_text("refs/heads/main\n")
    closed.chmod(0)
    before = whole(back.root)
    command = [sys.executable, "-P", "-m", "backtrail.cli.main", "--home", str(back.keeping.home), "--json"]
    done = subprocess.run(
        [*as_an_ordinary_user(), *command, "restore", "--undo", record.id], capture_output=True, check=False
    )
    closed.chmod(0o755)
    assert json.loads(done.stdout)["error"]["code"] == "restore-failed", done.stderr
    assert moved(before, whole(back.root)) == []
    assert untidy(back.root) == []
