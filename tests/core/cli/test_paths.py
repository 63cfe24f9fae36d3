"""A path that is taken for another one gets the wrong file back."""

import os
from pathlib import Path

import pytest
from backtrail.cli.paths import below_top, chosen
from backtrail.model.clock import system_clock
from backtrail.model.errors.lookup import UnsafePath
from backtrail.model.ids import MemoryId
from backtrail.model.memory import Memory, MemoryState, Protection, ProtectionState


def memory_at(path: Path) -> Memory:
    return Memory(
        id=MemoryId("0" * 32),
        name="notes",
        bot="notes",
        path=os.fsencode(path),
        state=MemoryState.ATTACHED,
        protection=Protection(ProtectionState.PROTECTED),
        added_at=system_clock(),
    )


def test_paths_count_from_the_top_or_are_absolute(tmp_path: Path) -> None:
    memory = memory_at(tmp_path)
    top = os.fsencode(tmp_path)
    for given in (b"d/x", b"./d/x", b"d/x/", b".//d/x", top + b"/d/x", top + b"/d/x/"):
        assert below_top(memory, given) == b"d/x"
    for given in (b".", b"./", top, top + b"/"):
        assert below_top(memory, given) == b""
    assert below_top(memory, b"-x\xff") == b"-x\xff"


def test_an_absolute_path_through_a_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real/inner").symlink_to("nowhere")
    memory = memory_at(tmp_path / "real")
    assert below_top(memory, os.fsencode(tmp_path / "link/f")) == b"f"
    assert below_top(memory, os.fsencode(tmp_path / "link/inner")) == b"inner", "a link itself is not followed"


def test_a_path_outside_is_refused(tmp_path: Path) -> None:
    memory = memory_at(tmp_path / "notes")
    for given in (os.fsencode(tmp_path), os.fsencode(tmp_path / "notes-2/f"), b"/", b"/etc/passwd"):
        with pytest.raises(UnsafePath):
            below_top(memory, given)


def test_the_top_itself_means_all(tmp_path: Path) -> None:
    memory = memory_at(tmp_path)
    assert chosen(memory, [b"a", b"."]) == []
    assert chosen(memory, [b"a", b"./b"]) == [b"a", b"b"]
