"""What stands in odd places of a Git folder is neither followed nor left out; what a tool hides stays along."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from backtrail.model.restore import RestoreState
from core.git_oracle import ask, git, new_repository
from core.keeping import Keeping
from core.restore.going_back import GoingBack

LINKS = {
    "a folder of branches": "refs/heads/f",
    "the reflog of HEAD": "logs/HEAD",
    "the pack folder": "objects/pack",
    "an operation": "rebase-apply",
}


@pytest.mark.parametrize("place", LINKS.values(), ids=LINKS.keys())
def test_b25_a_link_where_a_restore_writes_blocks_it(keeping: Keeping, tmp_path: Path, place: str) -> None:
    git(keeping.root, "branch", "f/x")
    kept = keeping.checkpoint()
    path = keeping.root / ".git" / place
    outside = tmp_path / "outside"
    if path.exists():
        path.rename(outside)
    else:
        outside.mkdir()
    path.symlink_to(outside)
    (keeping.root / "f").write_text("later\n")
    assert GoingBack(keeping).blockers(kept) == ["git-elsewhere"]


def test_a_branch_named_like_a_daemons_socket_stays(keeping: Keeping) -> None:
    git(keeping.root, "branch", "fsmonitor--daemon-x")
    kept = keeping.checkpoint()
    (keeping.root / "f").write_text("later\n")
    GoingBack(keeping).to(kept)
    assert b"fsmonitor--daemon-x" in ask(keeping.root, "branch")


def test_a_submodule_named_like_a_lock_does_not_stop_a_restore(keeping: Keeping, tmp_path: Path) -> None:
    inner = new_repository(tmp_path / "inner")
    allowed = ("-c", "protocol.file.allow=always")
    git(keeping.root, *allowed, "submodule", "add", "-q", "--name", "d.lock", str(inner), "sub")
    git(keeping.root, "commit", "-qm", "submodule")
    kept = keeping.checkpoint()
    (keeping.root / "f").write_text("later\n")
    going = GoingBack(keeping)
    going.with_token(kept, going.plan(kept).token)
    assert ask(keeping.root / "sub", "rev-parse", "HEAD") == ask(inner, "rev-parse", "HEAD")


def test_a_tools_own_folder_that_ignores_itself_is_carried_over(keeping: Keeping) -> None:
    tool = keeping.root / ".venv"
    tool.mkdir()
    (tool / ".gitignore").write_text("*\n")
    (tool / "bin").write_text("python\n")
    kept = keeping.checkpoint()
    (keeping.root / "f").write_text("later\n")
    GoingBack(keeping).to(kept)
    assert (tool / "bin").read_text() == "python\n"
    assert (tool / ".gitignore").read_text() == "*\n"


def test_a_file_that_was_being_put_back_when_we_were_killed_is_swept(keeping: Keeping) -> None:
    keeping.checkpoint()
    gone = subprocess.run(
        [sys.executable, "-c", "from backtrail.git.leftovers import own_mark; print(own_mark().decode())"],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout.strip()
    left = keeping.root / ".git" / f"tmp_{gone}"
    left.write_text("half a file")
    mine = keeping.root / ".git/tmp_of_somebody_else"
    mine.write_text("not ours")
    with keeping.opened():
        pass
    assert not left.exists()
    assert os.path.exists(mine)


@pytest.mark.parametrize("kind", ["gone", "empty"])
def test_a_history_with_a_damaged_commit_holds_no_restore_up(keeping: Keeping, kind: str) -> None:
    """Whether a tip would become unreachable cannot be told then: it keeps a name of its own."""
    root, back = keeping.root, GoingBack(keeping)
    for number in range(3):
        git(root, "commit", "-q", "--allow-empty", "-m", f"c{number}")
    (root / "f").write_bytes(b"kept\n")
    kept = keeping.checkpoint()
    assert kept.head is not None
    git(root, "checkout", "-q", "-f", "-b", "other", "HEAD~2")
    git(root, "branch", "-f", "main", "HEAD")
    tip, middle = (git(root, "rev-parse", name).decode().strip() for name in ("other", f"{kept.head.hex()}~1"))
    place = root / ".git/objects" / middle[:2] / middle[2:]
    place.chmod(0o644)
    if kind == "gone":
        place.unlink()
    else:
        place.write_bytes(b"")
    token = back.plan(kept).token
    record = back.with_token(kept, token)
    assert record.state is RestoreState.DONE
    assert (root / "f").read_bytes() == b"kept\n"
    names = git(root, "for-each-ref", "--format=%(objectname)", "refs/").decode().split()
    assert tip in names
