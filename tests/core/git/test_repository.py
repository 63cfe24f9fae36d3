"""What can be opened, and what cannot be protected and says so by name instead of hanging or going elsewhere."""

import contextlib
import os
from pathlib import Path

import pygit2
import pytest
from backtrail.git.repository import Repository, find_top, git_folder_of
from backtrail.model.errors.repository import (
    CannotBeProtected,
    NotAWorkingTree,
    NotReachable,
    OwnedByAnother,
    RepositoryDamaged,
)
from core.git_oracle import git, new_repository

pytestmark = pytest.mark.timeout(10)


def opened(root: Path) -> Repository:
    return Repository.open(os.fsencode(root))


def refusal(root: Path) -> tuple[str, str]:
    with pytest.raises(CannotBeProtected) as caught:
        opened(root)
    assert caught.value.path == os.fsencode(root)
    return caught.value.why, caught.value.detail


def test_a_plain_one(root: Path) -> None:
    repository = opened(root)
    assert (repository.root, repository.git_dir, repository.linked) == (
        os.fsencode(root),
        os.fsencode(root / ".git"),
        False,
    )
    assert repository.setting("core.bare") == "false"
    assert repository.setting("no.such") is None
    repository.close()


def test_b43_a_linked_worktree(root: Path, tmp_path: Path) -> None:
    git(root, "worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    repository = opened(tmp_path / "side")
    assert repository.linked
    assert repository.git_dir == os.fsencode(root / ".git" / "worktrees" / "side")
    assert os.path.realpath(repository.common_dir) == os.fsencode(root / ".git")


def test_a_git_folder_elsewhere(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--separate-git-dir", str(tmp_path / "far.git"), "work")
    repository = opened(tmp_path / "work")
    assert (repository.git_dir, repository.linked) == (os.fsencode(tmp_path / "far.git"), False)


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("extensions.refStorage", "reftable", "reftable"),
        ("extensions.objectFormat", "sha256", "sha256"),
        ("extensions.partialClone", "origin", "partial-clone"),
        ("remote.origin.promisor", "true", "partial-clone"),
        ("core.bare", "true", "bare"),
    ],
)
def test_b39_what_cannot_be_kept_is_said_by_name(root: Path, key: str, value: str, why: str) -> None:
    git(root, "config", "core.repositoryformatversion", "1")
    git(root, "config", key, value)
    assert refusal(root) == (why, "")


def test_b39_a_real_sha256_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", "new")
    assert refusal(tmp_path / "new") == ("sha256", "")


def test_b39_an_unknown_extension_is_damage_and_no_crash(root: Path) -> None:
    git(root, "config", "core.repositoryformatversion", "1")
    git(root, "config", "extensions.compatObjectFormat", "sha256")
    with pytest.raises(RepositoryDamaged) as caught:
        opened(root)
    assert "compatobjectformat" in caught.value.detail.lower()


def test_b39_extensions_that_change_nothing_for_us_are_fine(root: Path) -> None:
    git(root, "config", "core.repositoryformatversion", "1")
    git(root, "config", "extensions.worktreeConfig", "true")
    opened(root)


def test_a_bare_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    assert refusal(tmp_path / "bare.git") == ("bare", "")
    with pytest.raises(CannotBeProtected):
        find_top(os.fsencode(tmp_path / "bare.git"))


def test_core_worktree_that_leads_elsewhere(root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    git(root, "config", "core.worktree", str(tmp_path / "elsewhere"))
    assert refusal(root)[0] == "worktree-elsewhere"


def test_core_worktree_that_leads_here(root: Path) -> None:
    git(root, "config", "core.worktree", str(root))
    opened(root)


@pytest.mark.parametrize(
    "name",
    ["config", "packed-refs", "info/exclude", "objects/info/alternates", "shallow", "config.worktree"],
)
def test_b52_a_fifo_where_libgit2_reads(root: Path, name: str) -> None:
    path = root / ".git" / name
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    assert refusal(root) == ("odd-file", str(path))


def test_b52_a_fifo_as_head(root: Path) -> None:
    (root / ".git" / "HEAD").unlink()
    os.mkfifo(root / ".git" / "HEAD")
    with pytest.raises(NotAWorkingTree):
        opened(root)


@pytest.mark.parametrize(
    "text",
    [
        "[include]\n\tpath = pipe\n",
        "[include] path = pipe\n",
        '[includeIf "gitdir:/"]\n\tpath = "pipe"\n',
        "[INCLUDE]\n\tPath=pipe\n",
        "[include]\n\tpath = pipe ; a comment\n",
        "[include]\n\tpath = pi\\\npe\n",
        "[include]\n\tpath = deeper\n",
        '[include]\n\tpath = "pi"pe\n',
        '[a "]"] [include] path = pipe\n',
        "[include]\r\n\tpath = pipe\r\n",
    ],
)
def test_b52_a_fifo_that_the_configuration_includes(root: Path, text: str) -> None:
    os.mkfifo(root / ".git" / "pipe")
    (root / ".git" / "deeper").write_text("[include]\n\tpath = pipe\n")
    with (root / ".git" / "config").open("a") as config:
        config.write(text)
    assert refusal(root) == ("odd-file", str(root / ".git" / "pipe"))


def test_a_fifo_as_dot_git(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")
    with pytest.raises(NotAWorkingTree):
        opened(tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a folder away")
def test_b46_owned_by_another_user(root: Path) -> None:
    for path in (root, root / ".git"):
        os.chown(path, 12345, 12345)
    with pytest.raises(OwnedByAnother) as caught:
        opened(root)
    assert caught.value.path == os.fsencode(root)


@pytest.mark.parametrize("content", [b"", b"gitdir: nowhere\n", b"gitdir: \n", b"\xff\xfe", b"x" * 10_000])
def test_a_dot_git_file_that_leads_nowhere(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").write_bytes(content)
    assert git_folder_of(os.fsencode(tmp_path)) is None
    with pytest.raises(NotAWorkingTree):
        opened(tmp_path)


@pytest.mark.parametrize("name", ["commondir", "objects/info/alternates"])
def test_a_nul_in_a_path_that_git_reads_is_its_end_and_no_crash(root: Path, name: str) -> None:
    (root / ".git" / name).write_bytes(b"nowhere\0" + bytes(range(40)))
    with contextlib.suppress(RepositoryDamaged):
        assert opened(root).root == os.fsencode(root)


@pytest.mark.parametrize("place", ["/dev/null", "/dev/null/x"])
def test_a_working_tree_that_cannot_be_is_damage_and_no_crash(root: Path, place: str) -> None:
    git(root, "config", "core.worktree", place)
    with pytest.raises((RepositoryDamaged, CannotBeProtected)):
        opened(root)


def test_a_damaged_configuration(root: Path) -> None:
    (root / ".git" / "config").write_bytes(b"[core\n\xff\x00")
    with pytest.raises(RepositoryDamaged):
        opened(root)


def test_a_configuration_in_latin_1_is_no_damage(root: Path) -> None:
    """Git reads such a file, so we do; what follows in it still counts, and the last value wins."""
    with (root / ".git" / "config").open("ab") as file:
        file.write(b'[user]\n\tname = Andr\xe9\n[branch "caf\xe9"]\n\tremote = x\n[core]\n\texcludesFile = caf\xe9\n')
        file.write(b"[core]\n\tfileMode = true\n\tfilemode = false\n\tignoreCase\n")
    (root / os.fsdecode(b"caf\xe9")).write_bytes(b"*.log\n")
    repository = Repository.open(os.fsencode(root))
    assert repository.exclude_files()[0] == b"*.log\n"
    assert not repository.flag("core.fileMode", default=True)
    assert repository.flag("core.ignoreCase", default=False)


def test_the_repositorys_own_configuration_wins_over_the_persons(root: Path, tmp_path: Path) -> None:
    level = pygit2.enums.ConfigLevel.GLOBAL
    before = pygit2.settings.search_path[level]
    (tmp_path / ".gitconfig").write_text("[core]\n\tfileMode = false\n\tignoreCase = true\n")
    try:
        pygit2.settings.search_path[level] = str(tmp_path)
        repository = Repository.open(os.fsencode(root))
        assert repository.flag("core.ignoreCase", default=False)
        assert repository.flag("core.fileMode", default=False)
    finally:
        pygit2.settings.search_path[level] = before


def test_b71_absent_is_not_reachable(tmp_path: Path) -> None:
    with pytest.raises(NotReachable):
        opened(tmp_path / "absent")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotReachable):
        opened(tmp_path / "file")


def test_the_top_is_found_from_anywhere_inside(root: Path, tmp_path: Path) -> None:
    """B05: a checkpoint is always of the whole folder."""
    (root / "a" / "b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(root / "a" / "b")
    for place in (root, root / "a" / "b", root / "f", tmp_path / "link"):
        assert find_top(os.fsencode(place)) == os.fsencode(root)
    with pytest.raises(NotAWorkingTree):
        find_top(os.fsencode(tmp_path))
    with pytest.raises(NotReachable):
        find_top(os.fsencode(tmp_path / "absent"))


def test_an_inner_repository_is_its_own(root: Path) -> None:
    new_repository(root / "inner")
    assert find_top(os.fsencode(root / "inner" / "f")) == os.fsencode(root / "inner")
    (root / "plain").mkdir()
    with pytest.raises(NotAWorkingTree):
        opened(root / "plain")
