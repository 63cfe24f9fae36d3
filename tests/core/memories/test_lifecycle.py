"""Which folders become memories, and the four states of one: none of them touches the folder."""

import os
import tempfile
from pathlib import Path

import pytest
from backtrail.memories.finding import find_memory, is_inside
from backtrail.memories.lifecycle import Lifecycle
from backtrail.model.errors.lookup import Unknown
from backtrail.model.errors.memory import AlreadyAMemory, FolderTaken, NameTaken, UnknownSetting, WrongState
from backtrail.model.errors.repository import AnotherRepository, CannotBeProtected, NotAWorkingTree, NotReachable
from backtrail.model.memory import MemoryState, ProtectionState
from core.git_oracle import ask, git, new_repository, recovery_refs, self_proof
from core.keeping import Keeping


def refusal(lifecycle: Lifecycle, place: Path) -> str:
    with pytest.raises(CannotBeProtected) as caught:
        lifecycle.add(os.fsencode(place), None)
    return caught.value.why


def test_adding_changes_not_one_byte(keeping: Keeping) -> None:
    with self_proof(keeping.root), keeping.host() as host:
        memory = host.lifecycle().add(os.fsencode(keeping.root), None)
        assert (memory.name, memory.path) == ("notes", os.fsencode(keeping.root))
        assert (memory.protection.state, memory.protection.reason) == (ProtectionState.NOT_PROTECTED, "not-looked-at")
        assert host.memories() == [memory]
    assert recovery_refs(keeping.root) == {}


def test_a_subfolder_or_a_link_leads_to_the_whole(keeping: Keeping, tmp_path: Path) -> None:
    """B05"""
    (keeping.root / "a").mkdir()
    (tmp_path / "link").symlink_to(keeping.root / "a")
    with keeping.host() as host:
        assert host.lifecycle().add(os.fsencode(tmp_path / "link"), None).path == os.fsencode(keeping.root)
        with pytest.raises(AlreadyAMemory):
            host.lifecycle().add(os.fsencode(keeping.root), None)


def test_b56_home_root_and_temporary_root_are_refused(
    keeping: Keeping, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = new_repository(tmp_path / "person")
    (person / ".cache").mkdir()
    monkeypatch.setenv("HOME", str(person))
    temporary = new_repository(tmp_path / "tmp")
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with keeping.host() as host:
        assert refusal(host.lifecycle(), person) == "home-folder"
        assert refusal(host.lifecycle(), person / ".cache") == "home-folder"
        assert refusal(host.lifecycle(), temporary) == "temporary-root"
        assert host.memories() == []


def test_b57_data_folder_and_archives_are_refused(keeping: Keeping, tmp_path: Path) -> None:
    with keeping.host() as host:
        lifecycle = host.lifecycle()
        assert refusal(lifecycle, new_repository(keeping.home / "inside")) == "inside-data-folder"
        assert refusal(lifecycle, new_repository(tmp_path / ".backtrail" / "x" / "archive")) == "inside-archive"
        git(tmp_path, "init", "-q")
        assert refusal(lifecycle, tmp_path) == "holds-data-folder"
        assert host.memories() == []


def test_what_is_no_working_tree(keeping: Keeping, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    with keeping.host() as host:
        with pytest.raises(NotAWorkingTree):
            host.lifecycle().add(os.fsencode(tmp_path / "plain"), None)
        with pytest.raises(NotReachable):
            host.lifecycle().add(os.fsencode(tmp_path / "absent"), None)
        assert refusal(host.lifecycle(), tmp_path / "bare.git") == "bare"
        assert host.memories() == []


def test_a_new_memory(keeping: Keeping, tmp_path: Path) -> None:
    with keeping.host() as host:
        memory = host.lifecycle().new("ada", os.fsencode(tmp_path / "ada"), b"I am Ada\n")
        assert host.memory("ada") == memory
    assert ask(tmp_path / "ada", "show", "HEAD:PERSONA.md") == b"I am Ada\n"
    assert ask(tmp_path / "ada", "status", "--porcelain=v2", "--branch").splitlines()[1] == b"# branch.head main"
    assert ask(tmp_path / "ada", "status", "--porcelain") == b""
    assert Keeping(keeping.home, tmp_path / "ada").checkpoint().branch == b"main"


def test_a_new_memory_that_fails_leaves_nothing(keeping: Keeping, tmp_path: Path) -> None:
    with keeping.host() as host:
        host.lifecycle().new("ada", os.fsencode(tmp_path / "ada"), None)
        with pytest.raises(NameTaken):
            host.lifecycle().new("ada", os.fsencode(tmp_path / "other"), None)
        with pytest.raises(FolderTaken):
            host.lifecycle().new("eve", os.fsencode(tmp_path / "ada"), None)
        with pytest.raises(CannotBeProtected):
            host.lifecycle().new("eve", os.fsencode(keeping.home / "inside"), None)
        assert [memory.name for memory in host.memories()] == ["ada"]
    assert not (tmp_path / "other").exists()
    assert not (keeping.home / "inside").exists()


def test_four_different_things(keeping: Keeping) -> None:
    checkpoint = keeping.checkpoint()
    with self_proof(keeping.root), keeping.host() as host:
        memory = host.memories()[0]
        for state in (MemoryState.DETACHED, MemoryState.ATTACHED, MemoryState.ARCHIVED, MemoryState.ATTACHED):
            memory = host.lifecycle().move_to(memory, state)
            assert host.memories() == [memory]
        with pytest.raises(WrongState):
            host.lifecycle().move_to(memory, MemoryState.ATTACHED)
        detached = host.lifecycle().move_to(memory, MemoryState.DETACHED)
        with pytest.raises(WrongState):
            host.open_memory(detached)
        deleted = host.lifecycle().move_to(detached, MemoryState.DELETED)
        assert host.memories() == []
        with pytest.raises(Unknown):
            host.checkpoint(checkpoint.id)
        assert host.database.memories.get(deleted.id) == deleted
    assert set(recovery_refs(keeping.root)) == {checkpoint.id}


def test_a_state_survives_the_loss_of_the_database(keeping: Keeping) -> None:
    keeping.checkpoint()
    with keeping.host() as host:
        before = host.lifecycle().move_to(host.memories()[0], MemoryState.DETACHED)
    (keeping.home / "backtrail.db").unlink()
    with keeping.host() as host:
        (after,) = host.memories()
    assert (after.id, after.name, after.state) == (before.id, before.name, MemoryState.DETACHED)


def test_settings(keeping: Keeping, tmp_path: Path) -> None:
    keeping.checkpoint()
    keeping.root.rename(tmp_path / "moved")
    with keeping.host() as host:
        lifecycle, memory = host.lifecycle(), host.memories()[0]
        lifecycle.set(memory, "path", str(tmp_path / "moved"))
        (memory,) = host.memories()
        assert memory.path == os.fsencode(tmp_path / "moved")
        host.lifecycle().set(memory, "name", "other name")
        (memory,) = host.memories()
        host.lifecycle().set(memory, "size-cap", "5000")
        (memory,) = host.memories()
        assert (memory.name, memory.size_cap) == ("other name", 5000)
        for key, value in (
            ("size-cap", "-1"),
            ("size-cap", "1"),
            ("size-cap", "x"),
            ("size-cap", "9" * 20),
            ("colour", "blue"),
        ):
            with pytest.raises(UnknownSetting):
                host.lifecycle().set(memory, key, value)
    assert Keeping(keeping.home, tmp_path / "moved").scan().checkpoint is None


def test_a_person_names_a_memory_by_id_name_path_or_prefix(keeping: Keeping, tmp_path: Path) -> None:
    new_repository(keeping.root / "inner")
    with keeping.host() as host:
        outer = host.lifecycle().add(os.fsencode(keeping.root), None)
        inner = host.lifecycle().add(os.fsencode(keeping.root / "inner"), None)
        known = host.memories()
    assert find_memory(known, outer.id) == outer
    assert find_memory(known, outer.id[:6]) == outer
    assert find_memory(known, "inner") == inner
    assert find_memory(known, str(keeping.root / "f")) == outer
    assert find_memory(known, str(keeping.root / "inner" / "f")) == inner
    for given in ("", "nobody", str(tmp_path), str(keeping.root) + "-other", "zz"):
        with pytest.raises(Unknown):
            find_memory(known, given)


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [(b"/a", b"/a", True), (b"/a/b", b"/a", True), (b"/ab", b"/a", False), (b"/a", b"/", True), (b"/", b"/a", False)],
)
def test_inside(path: bytes, folder: bytes, expected: bool) -> None:  # noqa: FBT001
    assert is_inside(path, folder) is expected


def test_a_deleted_folder_that_is_added_again_has_its_states_again(keeping: Keeping) -> None:
    kept = keeping.checkpoint()
    with keeping.host() as host:
        memory = host.memories()[0]
        host.lifecycle().move_to(memory, MemoryState.DELETED)
        assert host.memories() == []
        back = host.lifecycle().add(os.fsencode(keeping.root), None)
        assert (back.id, back.state) == (memory.id, MemoryState.ATTACHED)
        assert host.checkpoint(kept.id)[1] == kept
        with pytest.raises(AlreadyAMemory):
            host.lifecycle().add(os.fsencode(keeping.root), None)


def test_a_memory_does_not_move_into_another_repository(keeping: Keeping, tmp_path: Path) -> None:
    kept = keeping.checkpoint()
    other = new_repository(tmp_path / "other")
    clone = tmp_path / "clone"
    git(keeping.root, "clone", "-q", str(keeping.root), str(clone))
    moved = tmp_path / "moved"
    keeping.root.rename(moved)
    with keeping.host() as host:
        memory = host.memories()[0]
        for place in (other, clone):
            with pytest.raises(AnotherRepository):
                host.lifecycle().set(memory, "path", str(place))
        memory = host.lifecycle().set(memory, "path", str(moved))
        with host.open_memory(memory) as work:
            assert work.scan().latest == kept
