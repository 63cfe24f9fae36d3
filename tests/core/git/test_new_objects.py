"""What we write into the object folder, against `git fsck`, `git verify-pack` and `git cat-file`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from backtrail.git.leftovers import is_abandoned, own_mark, sweep
from backtrail.git.new_objects import LOOSE_BELOW, ContentMoved, NewObject, add_objects, made
from backtrail.git.objects import EMPTY_TREE, Kind, Objects
from backtrail.git.repository import Repository
from backtrail.git.trees import build_trees
from backtrail.model.errors.repository import ObjectMissing
from backtrail.model.ids import Oid, oid_from_hex
from core.git_oracle import ask, damage, git, leftovers


@pytest.fixture
def folder(root: Path) -> bytes:
    return bytes(root / ".git" / "objects")


def blobs(count: int) -> list[NewObject]:
    return [made(Kind.BLOB, b"content %d\n" % number * (1 + number % 50)) for number in range(1, count + 1)]


def files_of(root: Path) -> set[Path]:
    return {path for path in (root / ".git" / "objects").rglob("*") if path.is_file()}


def from_file(path: Path, content: bytes) -> NewObject:
    """An object whose content is read from a file that may have changed since."""
    blob = made(Kind.BLOB, content)
    return NewObject(blob.oid, Kind.BLOB, len(content), lambda: os.open(path, os.O_RDONLY), b"its/path")


@pytest.mark.parametrize("count", [1, LOOSE_BELOW - 1, LOOSE_BELOW, 1000])
def test_git_reads_back_every_byte(root: Path, folder: bytes, count: int) -> None:
    new = blobs(count)
    trees = build_trees((b"d%d/%d" % (at % 7, at), 0o100644, item.oid) for at, item in enumerate(new))
    new += [made(Kind.TREE, raw) for raw in trees.objects.values()]
    before = files_of(root)
    keep = add_objects(folder, new)
    for item in new:
        assert git(root, "cat-file", item.kind, item.oid.hex()) == item.content
    added = files_of(root) - before
    if len(new) < LOOSE_BELOW:
        assert keep is None
        assert len(added) == len({item.oid for item in new})
    else:
        assert keep is not None
        assert {path.suffix for path in added} == {".pack", ".idx", ".keep"}
        assert len(added) == 3
        git(root, "verify-pack", next(path for path in added if path.suffix == ".idx"))
        assert ask(root, "count-objects", "-v").splitlines()[2] == b"in-pack: %d" % len({item.oid for item in new})
        os.unlink(keep)
    assert damage(root) == b""
    assert leftovers(root) == []
    assert {path.stat().st_mode & 0o777 for path in added if path.exists()} == {0o444}


def test_one_below_the_limit_is_loose_and_one_more_is_one_pack(root: Path, folder: bytes) -> None:
    """B61: thousands of loose objects would start `git gc --auto` in the person's repository."""
    assert add_objects(folder, blobs(LOOSE_BELOW - 1)) is None
    keep = add_objects(folder, [made(Kind.BLOB, b"p%d" % number) for number in range(LOOSE_BELOW)])
    assert keep is not None
    assert keep.endswith(b".keep")
    assert len(list((root / ".git" / "objects" / "pack").glob("*.pack"))) == 1


@pytest.mark.parametrize("content", [b"", b"\0", b"x" * 100, os.urandom(3 << 20), bytes(5 << 20)])
@pytest.mark.parametrize("packed", [False, True])
def test_content_that_does_and_does_not_shrink(
    tmp_path: Path,
    root: Path,
    folder: bytes,
    content: bytes,
    packed: bool,  # noqa: FBT001
) -> None:
    (tmp_path / "source").write_bytes(content)
    new = [from_file(tmp_path / "source", content), *(blobs(LOOSE_BELOW) if packed else [])]
    keep = add_objects(folder, new)
    assert (keep is not None) is packed
    assert git(root, "cat-file", "blob", new[0].oid.hex()) == content
    if keep is not None:
        os.unlink(keep)
        for index in (root / ".git" / "objects" / "pack").glob("*.idx"):
            git(root, "verify-pack", index)
    assert damage(root) == b""


def test_a_large_incompressible_file_is_stored_and_not_deflated(tmp_path: Path, root: Path, folder: bytes) -> None:
    content = os.urandom(20 << 20)
    (tmp_path / "source").write_bytes(content)
    blob = from_file(tmp_path / "source", content)
    add_objects(folder, [blob])
    name = blob.oid.hex()
    stored = (root / ".git" / "objects" / name[:2] / name[2:]).read_bytes()
    assert len(content) < len(stored) < len(content) * 1.001
    assert content[:60_000] in stored
    assert git(root, "cat-file", "-s", name) == b"%d\n" % len(content)
    assert damage(root) == b""


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("now", [b"as long but other", b"shorter", b"longer than what was promised", b""])
def test_a_file_that_moved_is_never_stored_under_a_false_name(
    tmp_path: Path,
    root: Path,
    folder: bytes,
    now: bytes,
    packed: bool,  # noqa: FBT001
) -> None:
    (tmp_path / "source").write_bytes(now)
    promised = from_file(tmp_path / "source", b"what was promised")
    before = files_of(root)
    rest = blobs(LOOSE_BELOW) if packed else []
    with pytest.raises(ContentMoved) as caught:
        add_objects(folder, [promised, *rest])
    assert caught.value.path == b"its/path"
    assert files_of(root) == before
    git(root, "cat-file", "-e", promised.oid.hex(), code=1)


def test_objects_that_exist_may_be_added_again(root: Path, folder: bytes) -> None:
    new = blobs(LOOSE_BELOW)
    add_objects(folder, new[:5])
    first = add_objects(folder, new)
    assert add_objects(folder, new) == first
    assert first is not None
    os.unlink(first)
    assert damage(root) == b""


def test_an_object_that_is_asked_for_twice_is_in_the_pack_once(root: Path, folder: bytes) -> None:
    """A merge's notes may be the very bytes of a new file; Git refuses a pack that holds an object twice."""
    keep = add_objects(folder, [*blobs(LOOSE_BELOW), *blobs(LOOSE_BELOW)])
    assert keep is not None
    git(root, "verify-pack", keep.removesuffix(b".keep") + b".idx")


def test_what_a_killed_process_left_is_swept_and_nothing_else(root: Path, folder: bytes) -> None:
    """B64: a living process's files, and those of other programs, stay."""
    script = "from backtrail.git.leftovers import own_mark; print(own_mark().decode())"
    gone = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout.strip()
    assert is_abandoned(gone)
    assert not is_abandoned(own_mark())
    pack = root / ".git" / "objects" / "pack"
    theirs = [pack / "tmp_pack_abcdef", pack / "pack-1.keep", root / ".git" / "objects" / "tmp_obj_abcdef"]
    living = [pack / f"tmp_pack_{own_mark().decode()}-1", pack / "pack-2.keep"]
    abandoned = [
        root / ".git" / "objects" / f"tmp_obj_{gone.decode()}-1",
        pack / f"tmp_pack_{gone.decode()}-1",
        pack / f"tmp_idx_{gone.decode()}-1",
        pack / "pack-3.keep",
    ]
    for path in (*theirs, *living, *abandoned):
        path.write_bytes(b"")
    living[1].write_bytes(own_mark() + b"\n")
    abandoned[3].write_bytes(gone + b"\n")
    assert sweep(folder) == 4
    assert all(path.exists() for path in (*theirs, *living))
    assert not any(path.exists() for path in abandoned)


def test_a_pid_that_was_given_to_another_process_is_abandoned() -> None:
    assert is_abandoned(b"tmp_pack_backtrail-%d-1" % os.getpid())


def test_reading_agrees_with_git(root: Path) -> None:
    git(root, "tag", "-a", "-m", "t", "annotated")
    objects = Objects(Repository.open(os.fsencode(root)))
    for line in git(root, "cat-file", "--batch-check", "--batch-all-objects").splitlines():
        name, kind, size = line.decode().split()
        oid = oid_from_hex(name)
        assert objects.has(oid)
        assert objects.read(oid) == (Kind(kind), git(root, "cat-file", kind, name))
        assert objects.size(oid) == int(size)
    assert objects.tree(EMPTY_TREE) == b""
    for missing in (objects.read, objects.size, objects.tree):
        with pytest.raises(ObjectMissing):
            missing(Oid(bytes(20)))


def test_freshened_objects_outlive_a_collection(root: Path) -> None:
    oid = git(root, "hash-object", "-w", "--stdin", given=b"unreachable\n").decode().strip()
    path = root / ".git" / "objects" / oid[:2] / oid[2:]
    other = git(root, "hash-object", "-w", "--stdin", given=b"other\n").decode().strip()
    old = 1_000_000_000
    for name in (oid, other):
        os.utime(root / ".git" / "objects" / name[:2] / name[2:], (old, old))
    Objects(Repository.open(os.fsencode(root))).freshen([oid_from_hex(oid)])
    git(root, "prune", "--expire=2.weeks.ago")
    assert path.exists()
    git(root, "cat-file", "-e", other, code=1)


def test_freshened_objects_in_a_pack_outlive_a_collection(root: Path) -> None:
    oid = git(root, "hash-object", "-w", "--stdin", given=b"unreachable\n").decode().strip()
    name = git(root, "pack-objects", "-q", ".git/objects/pack/pack", given=oid.encode() + b"\n").decode().strip()
    git(root, "prune-packed")
    for path in (root / ".git" / "objects" / "pack").glob(f"pack-{name}.*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    Objects(Repository.open(os.fsencode(root))).freshen([oid_from_hex(oid)])
    git(root, "gc", "-q", "--prune=2.weeks.ago")
    git(root, "cat-file", "-e", oid)
