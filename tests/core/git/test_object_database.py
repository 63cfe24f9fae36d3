"""Objects are read as Git reads them, borrowed ones too; no damaged one holds the reader up or is taken for whole."""

import os
import shutil
import zlib
from pathlib import Path

import pytest
from backtrail.git.history import commits
from backtrail.git.object_database import borrowed
from backtrail.git.objects import Objects
from backtrail.git.repository import Repository
from backtrail.model.errors.repository import ObjectMissing, RepositoryDamaged
from backtrail.model.ids import Oid, oid_from_hex
from core.git_oracle import commit_all, git

pytestmark = pytest.mark.timeout(20)

TEXT = "".join(f"{number * number}\n" for number in range(9999))


def objects_of(root: Path) -> Objects:
    return Objects(Repository.open(os.fsencode(root)))


def all_ids(root: Path) -> list[str]:
    return git(root, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").decode().split()


def assert_read_like_git(root: Path, ids: list[str]) -> None:
    objects = objects_of(root)
    for name in ids:
        kind = git(root, "cat-file", "-t", name).decode().strip()
        content = git(root, "cat-file", kind, name)
        oid = oid_from_hex(name)
        assert objects.read(oid) == (kind, content)
        assert (objects.has(oid), objects.kind(oid), objects.size(oid)) == (True, kind, len(content))


def filled(root: Path) -> list[str]:
    """Fill a repository with objects of every kind; return their names."""
    (root / "long").write_text(TEXT)
    (root / "empty").touch()
    commit_all(root, "filled")
    git(root, "tag", "-a", "-m", "a tag", "v1")
    return all_ids(root)


def loose(root: Path, content: str) -> tuple[Oid, Path]:
    """Write a loose object; return its name and its place."""
    name = git(root, "hash-object", "-w", "--stdin", given=content.encode()).decode().strip()
    place = root / ".git/objects" / name[:2] / name[2:]
    place.chmod(0o644)
    return oid_from_hex(name), place


def test_loose_and_packed_ones_of_every_kind(root: Path) -> None:
    ids = filled(root)
    assert_read_like_git(root, ids)
    git(root, "repack", "-q", "-a", "-d")
    assert_read_like_git(root, ids)


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("packed", [False, True])
def test_borrowed_ones(root: Path, tmp_path: Path, *, relative: bool, packed: bool) -> None:
    ids = filled(root)
    if packed:
        git(root, "repack", "-q", "-a", "-d")
    last = root
    for name in ("second", "third"):
        git(tmp_path, "clone", "-q", "--shared", str(last), name)
        last = tmp_path / name
        if relative:
            place = last / ".git/objects/info/alternates"
            place.write_text(os.path.relpath(place.read_text().strip(), place.parent.parent) + "\n")
    assert_read_like_git(last, ids)


def test_folders_that_borrow_from_each_other_end(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) / "objects" for number in range(12)]
    for folder in folders:
        (folder / "info").mkdir(parents=True)
        (folder / "info/alternates").write_text("# all of them\n" + "".join(f"{other}\n" for other in folders))
    found = borrowed(os.fsencode(folders[0]))
    assert sorted(found) == sorted(os.fsencode(folder) for folder in folders[1:])


def test_a_folder_of_any_bytes(root: Path, tmp_path: Path) -> None:
    ids = filled(root)
    odd = tmp_path / os.fsdecode(b"caf\xe9 \xff")
    shutil.copytree(root, odd)
    assert_read_like_git(odd, ids)


@pytest.mark.parametrize("rest", [0, 1, 2, 8, 20, 40, 100, 5000, -4, -1])
def test_one_that_was_cut_short_is_damaged(root: Path, rest: int) -> None:
    oid, place = loose(root, TEXT)
    place.write_bytes(place.read_bytes()[:rest])
    with pytest.raises(RepositoryDamaged):
        objects_of(root).read(oid)


@pytest.mark.parametrize(
    "stored",
    [
        b"no zlib at all",
        zlib.compress(b"blob 12\0this is a blob with a too small length\n"),
        zlib.compress(b"blob 400\0too large a length\n"),
        zlib.compress(b"blobs 3\0abc"),
        zlib.compress(b"blob -3\0abc"),
        zlib.compress(b"no header"),
    ],
)
def test_one_with_other_content_is_damaged(root: Path, stored: bytes) -> None:
    oid, place = loose(root, TEXT)
    place.write_bytes(stored)
    with pytest.raises(RepositoryDamaged):
        objects_of(root).read(oid)


def test_a_damaged_one_that_a_pack_holds_too_is_read(root: Path) -> None:
    (root / "long").write_text(TEXT)
    commit_all(root)
    oid, place = loose(root, TEXT)
    stored = place.read_bytes()
    git(root, "repack", "-q", "-a", "-d")
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(stored[:50])
    assert objects_of(root).read(oid)[1] == TEXT.encode()


def test_a_pipe_in_place_of_one_is_damaged(root: Path) -> None:
    oid, place = loose(root, TEXT)
    place.unlink()
    os.mkfifo(place)
    with pytest.raises(RepositoryDamaged):
        objects_of(root).read(oid)


@pytest.mark.parametrize("packed", [False, True])
def test_one_that_comes_later_is_found(root: Path, *, packed: bool) -> None:
    objects = objects_of(root)
    (root / "long").write_text(TEXT)
    commit_all(root)
    oid = oid_from_hex(git(root, "rev-parse", "HEAD:long").decode().strip())
    if packed:
        git(root, "repack", "-q", "-a", "-d")
    assert objects.read(oid)[1] == TEXT.encode()


def test_one_that_is_not_here_is_missing(root: Path) -> None:
    objects = objects_of(root)
    with pytest.raises(ObjectMissing):
        objects.read(Oid(b"\x12" * 20))
    assert objects.kind(Oid(b"\x12" * 20)) is None


def test_a_commit_that_was_cut_short_is_a_hole_in_the_history(root: Path) -> None:
    for number in range(3):
        (root / "f").write_text(f"{number}\n")
        commit_all(root, f"commit {number}")
    names = git(root, "rev-list", "HEAD").decode().split()
    place = root / ".git/objects" / names[2][:2] / names[2][2:]
    place.chmod(0o644)
    place.write_bytes(place.read_bytes()[:60])

    def told(*hidden: str) -> list[str]:
        found = commits(Repository.open(os.fsencode(root)), [oid_from_hex(names[0])], map(oid_from_hex, hidden))
        return [commit.oid.hex() for commit in found]

    cut_short = told(), told(names[1])
    place.unlink()
    assert (told(), told(names[1])) == cut_short
