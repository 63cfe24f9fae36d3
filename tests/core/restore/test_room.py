"""The room on the disk that a plan tells is never less than what the copy takes."""

from pathlib import Path

import pytest
from core.git_oracle import git
from core.keeping import Keeping
from core.restore.going_back import GoingBack


def taken_by(root: Path) -> int:
    """Return the bytes that a folder takes on the disk; files that another folder has too cost nothing."""
    found = [path.lstat() for path in (root, *root.rglob("*"))]
    return sum(one.st_blocks * 512 for one in found if one.st_nlink == 1 or (one.st_mode & 0o170000) == 0o040000)


@pytest.mark.parametrize("ignored", [False, True])
def test_many_small_files_take_no_more_than_was_told(keeping: Keeping, *, ignored: bool) -> None:
    if ignored:
        (keeping.root / ".git/info/exclude").write_text("part*\n")
    for number in range(40):
        folder = keeping.root / f"part{number}" / "deep"
        folder.mkdir(parents=True)
        for name in "abcdefgh":
            (folder / name).write_text("1")
    git(keeping.root, "add", "--ignore-errors", ".", code=None)
    kept = keeping.checkpoint()
    (keeping.root / "f").write_text("later\n")
    keeping.checkpoint()
    back = GoingBack(keeping)
    needed = back.plan(kept).needed
    back.to(kept)
    taken = taken_by(keeping.root)
    assert taken > 40 * 8 * 4096
    assert taken <= needed < 2 * taken
