"""What a person agreed to leave out is not kept, and not called kept; what else cannot be kept still counts."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from backtrail.host.host import Host
from backtrail.host.omitting import count_again, leave_out
from backtrail.model.coverage import Reason
from backtrail.model.errors.memory import NotLeftOut
from backtrail.model.ids import RelPath
from backtrail.model.memory import BY_CHOICE, Memory, Omission, ProtectionState
from core.git_oracle import git, new_repository

PIPE, NESTED = RelPath(b"pipe"), RelPath(b"lib/")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with Host.open(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def memory(host: Host, tmp_path: Path) -> Memory:
    root = new_repository(tmp_path / "notes")
    os.mkfifo(root / "pipe")
    git(new_repository(root / "lib"), "commit", "-q", "--allow-empty", "-m", "inner")
    with host.added(os.fsencode(root), None) as added:
        return host.look_at(added)


def test_what_is_left_out_on_purpose_is_no_warning_and_still_not_held(host: Host, memory: Memory) -> None:
    assert memory.protection.state is ProtectionState.DEGRADED
    observed = leave_out(host, memory, [PIPE])
    assert observed.protection.state is ProtectionState.DEGRADED, "the other one was not agreed to"
    observed = leave_out(host, host.memory(memory.id), [RelPath(b"lib")])
    assert (observed.protection.state, observed.protection.reason) == (ProtectionState.PROTECTED, BY_CHOICE)
    assert {item.path for item in observed.look.state.coverage.left_out} == {PIPE, NESTED}
    known = host.memory(memory.id)
    assert set(known.omissions) == {
        Omission(PIPE, Reason.SPECIAL_FILE),
        Omission(NESTED, Reason.NESTED_REPOSITORY),
    }
    (written,) = host.register.written_down()
    assert written.omissions == known.omissions, "a database that is made anew knows it too"
    again = count_again(host, known, [NESTED])
    assert again.protection.state is ProtectionState.DEGRADED
    assert [omission.path for omission in host.memory(memory.id).omissions] == [PIPE]


def test_another_reason_at_the_same_path_counts(host: Host, memory: Memory) -> None:
    leave_out(host, memory, [PIPE, NESTED])
    root = Path(os.fsdecode(memory.path))
    (root / "pipe").unlink()
    git(new_repository(root / "pipe"), "commit", "-q", "--allow-empty", "-m", "inner")
    now = host.look_at(host.memory(memory.id))
    assert now.protection.state is ProtectionState.DEGRADED


def test_a_path_that_is_kept_cannot_be_left_out(host: Host, memory: Memory) -> None:
    for path in (b"f", b"nowhere", b"li", b"pipe/"):
        with pytest.raises(NotLeftOut):
            leave_out(host, memory, [PIPE, RelPath(path)])
    with pytest.raises(NotLeftOut):
        count_again(host, memory, [PIPE])
    assert host.memory(memory.id).omissions == ()
