"""A path that is a file to the one and a folder to the other: kept, or refused by name, and never a crash."""

import hashlib
import struct
from pathlib import Path

import pytest
from backtrail.model.errors.capture import UnmergedIndex
from backtrail.model.errors.repository import RepositoryDamaged
from core.git_oracle import commit_all, git
from core.keeping import Keeping
from core.restore.going_back import GoingBack


def conflict_of_file_and_folder(root: Path, stage: int) -> None:
    (root / "a").mkdir()
    (root / "a" / "b").write_bytes(b"in the folder\n")
    git(root, "add", "a/b")
    oid = git(root, "rev-parse", "HEAD:f").decode().strip()
    git(root, "update-index", "--index-info", given=b"100644 %b %d\ta\n" % (oid.encode(), stage))


@pytest.mark.parametrize("stage", [1, 2, 3])
def test_a_file_in_conflict_with_a_folder_is_a_conflict_like_any_other(keeping: Keeping, stage: int) -> None:
    keeping.checkpoint()
    conflict_of_file_and_folder(keeping.root, stage)
    for _ in range(2):
        observed = keeping.scan()
        assert isinstance(observed.failure, UnmergedIndex)
        assert observed.failure.paths == (b"a",)


def test_a_way_out_of_a_conflict_of_file_and_folder(keeping: Keeping) -> None:
    before = keeping.checkpoint()
    conflict_of_file_and_folder(keeping.root, 3)
    back = GoingBack(keeping)
    record = back.to(before)
    assert git(keeping.root, "status", "--porcelain") == b""
    back.undo(record)
    assert git(keeping.root, "ls-files", "-u") != b""


def entry(path: bytes, oid: bytes) -> bytes:
    fixed = struct.pack(">10I", 0, 0, 0, 0, 0, 0, 0o100644, 0, 0, 0) + oid + struct.pack(">H", len(path)) + path
    return fixed + bytes(8 - len(fixed) % 8)


def test_an_index_that_no_tree_can_be_is_refused_by_name(keeping: Keeping) -> None:
    keeping.checkpoint()
    oid = bytes.fromhex(git(keeping.root, "rev-parse", "HEAD:f").decode())
    body = b"DIRC" + struct.pack(">II", 2, 3) + entry(b"a", oid) + entry(b"a/b", oid) + entry(b"f", oid)
    (keeping.root / ".git" / "index").write_bytes(body + hashlib.sha1(body, usedforsecurity=False).digest())
    with pytest.raises(RepositoryDamaged) as refused:
        keeping.scan()
    assert "a file and a folder" in refused.value.detail


def test_what_stands_where_a_sparse_checkout_left_something_out_is_kept(keeping: Keeping) -> None:
    root = keeping.root
    (root / "d").mkdir()
    (root / "d" / "x").write_bytes(b"x\n")
    (root / "g").write_bytes(b"g\n")
    commit_all(root)
    git(root, "update-index", "--skip-worktree", "d/x", "g")
    (root / "d" / "x").unlink()
    (root / "d").rmdir()
    (root / "g").unlink()
    keeping.checkpoint()
    (root / "d").write_bytes(b"a file in a folder's place\n")
    (root / "g").mkdir()
    (root / "g" / "new").write_bytes(b"a folder in a file's place\n")
    odd = keeping.checkpoint()
    git(root, "clean", "-fdq")
    (root / "d").unlink(missing_ok=True)
    GoingBack(keeping).to(odd)
    assert (root / "d").read_bytes() == b"a file in a folder's place\n"
    assert (root / "g" / "new").read_bytes() == b"a folder in a file's place\n"
    assert git(root, "ls-files", "-t") == b"S d/x\nH f\nS g\n"
