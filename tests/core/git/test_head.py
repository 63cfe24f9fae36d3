"""HEAD and what Git is in the middle of, against what Git itself says."""

import os
from pathlib import Path

import pytest
from backtrail.git.head import Head, operation_in_progress, read_head, read_merge
from backtrail.git.repository import Repository
from backtrail.model.errors.repository import CannotBeProtected, RepositoryDamaged
from backtrail.model.ids import oid_from_hex
from backtrail.model.net_state import Operation
from core.git_oracle import commit_all, git


def head_of(root: Path) -> Head:
    return read_head(Repository.open(os.fsencode(root)))


def tip(root: Path, name: str = "HEAD") -> bytes:
    return oid_from_hex(git(root, "rev-parse", name).decode().strip())


def operation(root: Path) -> Operation:
    return operation_in_progress(bytes(root / ".git"))


@pytest.fixture
def diverged(root: Path) -> Path:
    git(root, "checkout", "-q", "-b", "other")
    (root / "f").write_bytes(b"other\n")
    commit_all(root)
    git(root, "checkout", "-q", "main")
    (root / "f").write_bytes(b"main\n")
    commit_all(root)
    return root


def test_on_a_branch(root: Path) -> None:
    assert head_of(root) == Head(b"main", tip(root))
    git(root, "pack-refs", "--all")
    assert head_of(root) == Head(b"main", tip(root))


@pytest.mark.parametrize("name", [b"a/b/c", b"\xb1", "größe".encode(), b"x.y-z@"])
def test_b34_branch_names_are_bytes(root: Path, name: bytes) -> None:
    git(root, "checkout", "-q", "-b", name)
    assert head_of(root) == Head(name, tip(root))


def test_detached(root: Path) -> None:
    git(root, "checkout", "-q", "--detach")
    assert head_of(root) == Head(None, tip(root))


def test_b42_unborn(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "trunk")
    assert head_of(tmp_path) == Head(b"trunk", None)


def test_unborn_beside_other_branches(root: Path) -> None:
    git(root, "checkout", "-q", "--orphan", "fresh")
    assert head_of(root) == Head(b"fresh", None)


def test_in_a_linked_worktree(root: Path, tmp_path: Path) -> None:
    git(root, "worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    git(tmp_path / "side", "commit", "-q", "--allow-empty", "-m", "x")
    assert head_of(tmp_path / "side") == Head(b"side", tip(root, "side"))
    assert head_of(root) == Head(b"main", tip(root))


def test_a_head_outside_of_branches(root: Path) -> None:
    git(root, "update-ref", "refs/odd/one", "HEAD")
    git(root, "symbolic-ref", "HEAD", "refs/odd/one")
    with pytest.raises(CannotBeProtected) as caught:
        head_of(root)
    assert caught.value.why == "odd-head"


@pytest.mark.parametrize("content", [b"", b"nonsense\n", b"12345\n"])
def test_a_damaged_head(root: Path, content: bytes) -> None:
    repository = Repository.open(os.fsencode(root))
    (root / ".git" / "HEAD").write_bytes(content)
    with pytest.raises(RepositoryDamaged):
        read_head(repository)


def test_nothing_in_progress(root: Path) -> None:
    assert operation(root) is Operation.NONE
    assert read_merge(Repository.open(os.fsencode(root))) is None


def test_a_merge(diverged: Path) -> None:
    git(diverged, "merge", "-q", "other", code=1)
    assert operation(diverged) is Operation.MERGE
    merge = read_merge(Repository.open(os.fsencode(diverged)))
    assert merge is not None
    assert merge.heads == (tip(diverged, "other"),)
    assert merge.message == (diverged / ".git" / "MERGE_MSG").read_bytes()
    assert merge.mode == b""


def test_an_octopus_merge_has_several_heads(root: Path) -> None:
    for name in ("a", "b"):
        git(root, "checkout", "-q", "-b", name, "main")
        (root / name).write_bytes(b"x")
        commit_all(root)
    git(root, "checkout", "-q", "main")
    git(root, "merge", "-q", "--no-commit", "--no-ff", "a", "b")
    merge = read_merge(Repository.open(os.fsencode(root)))
    assert merge is not None
    assert merge.heads == (tip(root, "a"), tip(root, "b"))
    assert merge.mode == b"no-ff"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("rebase", "other"), Operation.REBASE),
        (("rebase", "--apply", "other"), Operation.REBASE),
        (("cherry-pick", "other"), Operation.CHERRY_PICK),
        (("revert", "--no-edit", "HEAD~1"), Operation.REVERT),
        (("bisect", "start"), Operation.BISECT),
    ],
)
def test_what_git_is_in_the_middle_of(diverged: Path, command: tuple[str, ...], expected: Operation) -> None:
    git(diverged, *command, code=None)
    assert operation(diverged) is expected


def test_applying_mail(diverged: Path) -> None:
    patch = git(diverged, "format-patch", "-1", "--stdout", "other")
    git(diverged, "am", given=patch, code=None)
    assert operation(diverged) is Operation.APPLY
