"""Our own refs: written without reflog or hook, read loose before packed, removed without touching anyone else's."""

from pathlib import Path

import pytest
from backtrail.git.refs import create_ref, packed_refs, read_ref, refs_below, remove_ref
from backtrail.model.ids import Oid, oid_from_hex
from core.git_oracle import ask, damage, git

NAME = b"refs/botharness/recovery/one"


@pytest.fixture
def common_dir(root: Path) -> bytes:
    return bytes(root / ".git")


@pytest.fixture
def tip(root: Path) -> Oid:
    return oid_from_hex(git(root, "rev-parse", "HEAD").decode().strip())


def test_a_new_ref_is_one_for_git(root: Path, common_dir: bytes, tip: Oid) -> None:
    create_ref(common_dir, NAME, tip)
    assert git(root, "rev-parse", NAME).decode().strip() == tip.hex()
    assert not (root / ".git" / "logs" / "refs" / "botharness").exists()
    assert list((root / ".git").rglob("*.lock")) == []
    assert damage(root) == b""


def test_a_ref_is_never_moved(root: Path, common_dir: bytes, tip: Oid) -> None:
    create_ref(common_dir, NAME, tip)
    with pytest.raises(FileExistsError):
        create_ref(common_dir, NAME, Oid(bytes(20)))
    git(root, "pack-refs", "--all")
    with pytest.raises(FileExistsError):
        create_ref(common_dir, NAME, Oid(bytes(20)))
    assert read_ref(common_dir, NAME) == tip
    assert list((root / ".git").rglob("*.lock")) == []


def test_a_ref_that_is_being_written_is_left_to_who_writes_it(root: Path, common_dir: bytes, tip: Oid) -> None:
    lock = root / ".git" / "refs" / "botharness" / "recovery" / "one.lock"
    lock.parent.mkdir(parents=True)
    lock.write_bytes(b"someone")
    with pytest.raises(FileExistsError):
        create_ref(common_dir, NAME, tip)
    assert lock.read_bytes() == b"someone"


@pytest.mark.parametrize("name", [b"refs/heads/main", b"HEAD", b"refs/botharness", b"refs/stash"])
def test_no_other_ref_is_ever_written(common_dir: bytes, tip: Oid, name: bytes) -> None:
    before = read_ref(common_dir, b"refs/heads/main")
    with pytest.raises(ValueError, match=name.decode()):
        create_ref(common_dir, name, tip)
    with pytest.raises(ValueError, match=name.decode()):
        remove_ref(common_dir, name)
    assert read_ref(common_dir, b"refs/heads/main") == before == tip


def test_reading_agrees_with_git(root: Path, common_dir: bytes) -> None:
    git(root, "branch", "a/b")
    git(root, "branch", b"\xb1")
    git(root, "tag", "-a", "-m", "t", "annotated")
    git(root, "pack-refs", "--all")
    git(root, "commit", "-q", "--allow-empty", "-m", "moves main off the packed one")
    git(root, "branch", "loose")
    git(root, "symbolic-ref", "refs/heads/alias", "refs/heads/a/b")
    told = ask(root, "for-each-ref", "--format=%(objectname) %(refname)").splitlines()
    expected = {line[41:]: oid_from_hex(line[:40].decode()) for line in told}
    assert refs_below(common_dir, b"refs/") == expected
    for name, oid in expected.items():
        assert read_ref(common_dir, name) == oid
    assert read_ref(common_dir, b"refs/heads/absent") is None
    packed = {b"refs/heads/a/b", b"refs/heads/main", b"refs/heads/\xb1", b"refs/tags/annotated"}
    assert set(packed_refs(common_dir)) == packed


def test_a_circle_of_symbolic_refs_ends(root: Path, common_dir: bytes) -> None:
    (root / ".git" / "refs" / "heads" / "x").write_bytes(b"ref: refs/heads/y\n")
    (root / ".git" / "refs" / "heads" / "y").write_bytes(b"ref: refs/heads/x\n")
    assert read_ref(common_dir, b"refs/heads/x") is None


@pytest.mark.parametrize("packed", [False, True])
def test_removing_ours_leaves_all_others(root: Path, common_dir: bytes, tip: Oid, packed: bool) -> None:  # noqa: FBT001
    git(root, "tag", "-a", "-m", "t", "annotated")
    create_ref(common_dir, NAME, tip)
    create_ref(common_dir, NAME + b"-two", tip)
    before = ask(root, "for-each-ref").splitlines()
    if packed:
        git(root, "pack-refs", "--all")
    remove_ref(common_dir, NAME)
    assert ask(root, "for-each-ref").splitlines() == [line for line in before if not line.endswith(NAME)]
    remove_ref(common_dir, NAME)
    assert damage(root) == b""


def test_a_ref_both_loose_and_packed_goes_altogether(root: Path, common_dir: bytes, tip: Oid) -> None:
    create_ref(common_dir, NAME, tip)
    git(root, "pack-refs", "--all", "--no-prune")
    remove_ref(common_dir, NAME)
    assert read_ref(common_dir, NAME) is None
    assert git(root, "rev-parse", "-q", "--verify", NAME, code=1) == b""
