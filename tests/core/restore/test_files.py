"""Chosen files back in place: exactly these, through no link, and nothing that stands there is lost."""

import os
from pathlib import Path

import pytest
from backtrail.host.restoring import Restoring
from backtrail.host.stored import StoredStates
from backtrail.model.checkpoint import Cause, Checkpoint, Origin
from backtrail.model.errors import BacktrailError
from backtrail.model.errors.lookup import PathNotInCheckpoint, UnsafePath
from backtrail.model.errors.memory import FolderTaken
from backtrail.model.errors.restore import CannotReplace, StateChanged
from backtrail.model.ids import Token
from backtrail.restore.plan import Now, list_live
from core.git_oracle import git
from core.keeping import Keeping
from core.restore.states import do
from core.restore.whole_folder import Whole, moved, whole


class Recovering:
    """Files from checkpoints of one memory."""

    def __init__(self, keeping: Keeping) -> None:
        self.keeping = keeping
        self.root = keeping.root

    def token(self) -> Token:
        with self.keeping.opened() as work:
            return Now(work.scan().look, list_live(work.repository)).token

    def recover(self, checkpoint: Checkpoint, *paths: bytes, token: Token | None = None) -> Checkpoint | None:
        token = token or self.token()
        with self.keeping.opened() as work:
            return Restoring(work).recover(checkpoint, token, list(paths))

    def refused(self, checkpoint: Checkpoint, *paths: bytes) -> BacktrailError:
        """Return the refusal; nothing may have been written."""
        before = whole(self.root)
        with pytest.raises(BacktrailError) as error:
            self.recover(checkpoint, *paths)
        assert moved(before, whole(self.root)) == []
        return error.value


@pytest.fixture
def recovering(keeping: Keeping) -> Recovering:
    return Recovering(keeping)


def changed(before: Whole, after: Whole) -> set[bytes]:
    return {
        path for path in before.files.keys() | after.files.keys() if before.files.get(path) != after.files.get(path)
    }


def test_b05_exactly_the_named_files_change_and_the_index_does_not(recovering: Recovering) -> None:
    root = recovering.root
    do(
        root,
        "mkdir fe be; echo 1 >fe/a; chmod 600 fe/a; echo o >be/s; ln -s f l; git add .; git commit -qm 2; echo u >u",
    )
    checkpoint = recovering.keeping.checkpoint()
    do(root, "echo CURRENT >be/s; echo 2 >fe/a; chmod 644 fe/a; echo 2 >f; git add fe f; rm u l; ln -s nowhere l")
    before, index = whole(root), (root / ".git" / "index").read_bytes()
    taken = recovering.recover(checkpoint, b"fe/a", b"u", b"l")
    after = whole(root)
    assert changed(before, after) == {b"fe/a", b"u", b"l"}
    assert {path: seen for path, seen in before.inside_git.items() if after.inside_git.get(path) != seen} == {}
    assert (root / ".git" / "index").read_bytes() == index
    assert (root / "fe" / "a").read_text() == "1\n"
    assert (root / "fe" / "a").stat().st_mode & 0o777 == 0o600
    assert os.readlink(root / "l") == "f"
    assert taken is not None
    assert (taken.context.origin, taken.context.cause) == (Origin.HUMAN_COMMAND, Cause.HUMAN_FILE_RESTORE)
    assert taken.context.cause_id == checkpoint.id


def test_a_folder_by_its_name_is_all_that_the_checkpoint_holds_in_it(recovering: Recovering) -> None:
    root = recovering.root
    do(root, "mkdir -p d/e; echo 1 >d/a; echo 2 >d/e/b; echo 3 >dx")
    checkpoint = recovering.keeping.checkpoint()
    do(root, "rm -r d dx; mkdir d; echo mine >d/mine")
    before = whole(root)
    recovering.recover(checkpoint, b"d")
    assert changed(before, whole(root)) == {b"d/a", b"d/e", b"d/e/b"}


def test_b33_a_name_with_magic_in_it_is_that_name_alone(recovering: Recovering) -> None:
    root = recovering.root
    names = [b"*glob", b"xglob", b":(top)z", b"-rf", b"a\nb", b"caf\351", b"[id]", b" ", b"b\\s"]
    for name in names:
        Path(os.fsdecode(os.path.join(os.fsencode(root), name))).write_bytes(b"1")
    checkpoint = recovering.keeping.checkpoint()
    for name in names:
        Path(os.fsdecode(os.path.join(os.fsencode(root), name))).write_bytes(b"2")
    for name in names:
        before = whole(root)
        recovering.recover(checkpoint, name)
        assert changed(before, whole(root)) == {name}


def test_b25_a_parent_that_has_become_a_link_is_not_followed(recovering: Recovering, tmp_path: Path) -> None:
    do(recovering.root, "mkdir -p d/e; echo in >d/x; echo in >d/e/x")
    checkpoint = recovering.keeping.checkpoint()
    (tmp_path / "outside" / "e").mkdir(parents=True)
    (tmp_path / "outside" / "x").write_text("victim")
    (tmp_path / "outside" / "e" / "x").write_text("victim")
    do(recovering.root, 'rm -r d; ln -s "$1" d; echo later >f', tmp_path / "outside")
    for path in (b"d/x", b"d/e/x", b"d"):
        assert isinstance(recovering.refused(checkpoint, b"f", path), CannotReplace)
    assert (recovering.root / "f").read_text() == "later\n"
    assert (tmp_path / "outside" / "x").read_text() == "victim"
    assert (tmp_path / "outside" / "e" / "x").read_text() == "victim"


def test_b25_a_link_where_the_file_belongs_is_replaced_and_not_followed(recovering: Recovering, tmp_path: Path) -> None:
    checkpoint = recovering.keeping.checkpoint()
    (tmp_path / "victim").write_text("victim")
    do(recovering.root, 'rm f; ln -s "$1" f', tmp_path / "victim")
    recovering.recover(checkpoint, b"f")
    assert not (recovering.root / "f").is_symlink()
    assert (tmp_path / "victim").read_text() == "victim"


@pytest.mark.parametrize(
    "path",
    [b"../victim", b"d/../../victim", b"/etc/passwd", b".git/config", b".GIT/config", b"d/.Git/hooks/x", b".", b"..",
     b"", b"d//x", b"d/./x", b"git~1/config", b".git", b"f/"],
)  # fmt: skip
def test_b25_paths_that_lead_outside_or_into_the_git_folder_are_refused(recovering: Recovering, path: bytes) -> None:
    checkpoint = recovering.keeping.checkpoint()
    do(recovering.root, "echo later >f")
    assert isinstance(recovering.refused(checkpoint, b"f", path), UnsafePath | PathNotInCheckpoint)


def test_a_folder_in_the_place_of_a_file_is_refused_before_anything_is_written(recovering: Recovering) -> None:
    do(recovering.root, "echo g >g; echo h >h")
    checkpoint = recovering.keeping.checkpoint()
    do(recovering.root, "rm g; mkdir g; echo in >g/in; echo later >f; echo later >h")
    assert isinstance(recovering.refused(checkpoint, b"f", b"g", b"h"), CannotReplace)


def test_a_file_in_the_place_of_a_folder_is_refused_before_anything_is_written(recovering: Recovering) -> None:
    do(recovering.root, "mkdir d; echo x >d/x")
    checkpoint = recovering.keeping.checkpoint()
    do(recovering.root, "rm -r d; echo file >d; echo later >f")
    assert isinstance(recovering.refused(checkpoint, b"f", b"d/x"), CannotReplace)


def test_a_path_that_the_checkpoint_does_not_hold_is_named(recovering: Recovering) -> None:
    checkpoint = recovering.keeping.checkpoint()
    do(recovering.root, "echo later >f")
    assert isinstance(recovering.refused(checkpoint, b"f", b"nowhere"), PathNotInCheckpoint)


@pytest.mark.parametrize(
    "script", ["echo x >>f", "echo x >x", "echo x >a.log", "git commit -q --allow-empty -m x", "git tag t"]
)
def test_a_folder_that_moved_since_the_person_looked_is_left_alone(recovering: Recovering, script: str) -> None:
    do(recovering.root, "echo '*.log' >.gitignore")
    checkpoint = recovering.keeping.checkpoint()
    do(recovering.root, "echo later >f")
    token = recovering.token()
    do(recovering.root, script)
    before = whole(recovering.root)
    with pytest.raises(StateChanged):
        recovering.recover(checkpoint, b"f", token=token)
    assert moved(before, whole(recovering.root)) == []


def test_what_stood_there_is_in_the_checkpoint_before(recovering: Recovering) -> None:
    checkpoint = recovering.keeping.checkpoint()
    (recovering.root / "f").write_text("an hour of work\n")
    recovering.recover(checkpoint, b"f")
    rows = recovering.keeping.timeline()
    assert git(recovering.root, "show", f"refs/botharness/recovery/{rows[-2].id}:f") == b"an hour of work\n"


def test_what_no_checkpoint_holds_is_not_written_over_in_a_conflict(recovering: Recovering) -> None:
    checkpoint = recovering.keeping.checkpoint()
    do(
        recovering.root,
        """git checkout -q -b o; echo o >f; git commit -qam o; git checkout -q main; echo m >f
        git commit -qam m; git merge o || true; echo 'an hour of resolving' >f""",
    )
    assert isinstance(recovering.refused(checkpoint, b"f"), CannotReplace)


def test_what_no_checkpoint_holds_is_not_written_over_where_it_is_ignored_now(recovering: Recovering) -> None:
    (recovering.root / "notes.log").write_text("old\n")
    checkpoint = recovering.keeping.checkpoint()
    do(recovering.root, "echo '*.log' >.gitignore; echo 'never kept' >notes.log")
    assert isinstance(recovering.refused(checkpoint, b"notes.log"), CannotReplace)


def test_what_no_checkpoint_holds_is_not_written_over_where_it_is_too_large(recovering: Recovering) -> None:
    (recovering.root / "big").write_text("small\n")
    checkpoint = recovering.keeping.checkpoint()
    recovering.keeping.set_cap(1_000_000)
    (recovering.root / "big").write_bytes(bytes(2_000_000))
    assert isinstance(recovering.refused(checkpoint, b"big"), CannotReplace)


def test_a_copy_elsewhere_touches_nothing(recovering: Recovering, tmp_path: Path) -> None:
    do(recovering.root, "mkdir d; echo x >d/x; chmod 600 d/x; ln -s f l; echo y >.env")
    checkpoint = recovering.keeping.checkpoint()
    do(recovering.root, "rm -r d; echo later >f")
    before = whole(recovering.root)
    place = os.fsencode(tmp_path / "copy")
    with recovering.keeping.opened() as work, StoredStates(work.memory) as stored:
        stored.extract(checkpoint, place, [])
    assert moved(before, whole(recovering.root)) == []
    assert (tmp_path / "copy" / "d" / "x").stat().st_mode & 0o777 == 0o600
    assert os.readlink(tmp_path / "copy" / "l") == "f"
    assert (tmp_path / "copy" / "f").read_bytes() == b"base\n"
    with (
        recovering.keeping.opened() as work,
        StoredStates(work.memory) as stored,
        pytest.raises(FolderTaken),
    ):
        stored.extract(checkpoint, place, [])
