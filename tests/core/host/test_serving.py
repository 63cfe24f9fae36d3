"""The Host as it serves: what changes on disk is kept and told, a command line gets its turn, nothing runs unasked."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from backtrail.host.host import Host
from backtrail.host.serving import Serving
from backtrail.model.commands import (
    AddMemory,
    DeleteArchive,
    Lend,
    ListArchives,
    ListMemories,
    MoveMemory,
    PlanRestore,
    Restore,
    Scan,
    TakeCheckpoint,
)
from backtrail.model.events import ArchiveDeleted, CheckpointRecorded, MemoryChanged, MemoryObserved, RestoreFinished
from backtrail.model.memory import MemoryState
from backtrail.model.restore import RestoreState
from backtrail.wire.client import Client
from backtrail.wire.errors import CommandFailed
from backtrail.wire.messages import Role
from core.git_oracle import git
from core.host.front_end import FrontEnd


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def front(home: Path) -> Iterator[FrontEnd]:
    with Host.open(home) as host, Serving(host), Client.connect(home, Role.COMMAND_LINE, events=True) as client:
        yield FrontEnd(client)


def test_work_and_its_loss_are_kept_and_named_without_being_asked(front: FrontEnd, root: Path) -> None:
    front.ask(AddMemory(path=os.fsencode(root)))
    front.event(MemoryObserved)
    (root / "f").write_text("an hour of work\n")
    front.event(CheckpointRecorded, lost=0)
    git(root, "reset", "-q", "--hard")
    front.event(CheckpointRecorded, lost=1)
    newest = front.states()[0]
    assert [lost.path for lost in newest.lost] == [b"f"]
    plan = front.ask(PlanRestore(checkpoint=newest.kept_in))
    done = front.ask(Restore(checkpoint=newest.kept_in, token=plan.token))
    assert done.state is RestoreState.DONE
    assert (root / "f").read_text() == "an hour of work\n"
    front.event(RestoreFinished)
    with (root / "f").open("a") as file:
        file.write("and on it goes, in the folder that was switched in\n")
    front.event(CheckpointRecorded, lost=0)


def test_what_one_front_end_does_every_other_hears_of(front: FrontEnd, home: Path, root: Path) -> None:
    with Client.connect(home, Role.WINDOW, events=True) as client:
        other = FrontEnd(client)
        kept = front.ask(AddMemory(path=os.fsencode(root)))
        other.event(MemoryObserved, memory=kept.memory.id, protection=kept.protection)
        (root / "f").write_text("an hour of work\n")
        taken = front.ask(TakeCheckpoint(memory=kept.memory.id))
        other.event(CheckpointRecorded, memory=kept.memory.id)
        git(root, "reset", "-q", "--hard")
        front.ask(TakeCheckpoint(memory=kept.memory.id))
        assert other.event(CheckpointRecorded, lost=1).kept_in is not None
        plan = front.ask(PlanRestore(checkpoint=taken.id))
        done = front.ask(Restore(checkpoint=taken.id, token=plan.token))
        other.event(RestoreFinished, memory=kept.memory.id)
        front.ask(Restore(undo=done.id))
        other.event(RestoreFinished, memory=kept.memory.id)
        archive, *others = front.ask(ListArchives()).archives
        front.ask(DeleteArchive(archive=archive.restore.id[:8], for_good=True))
        other.event(ArchiveDeleted, memory=kept.memory.id)
        left = [one.restore.id for one in front.ask(ListArchives()).archives]
        assert left == [one.restore.id for one in others]
        front.ask(MoveMemory(memory=kept.memory.id, state=MemoryState.DETACHED))
        other.event(MemoryChanged, memory=kept.memory.id)
        front.ask(Lend())
        other.event(MemoryChanged, memory=None)


def test_a_restore_without_a_plan_is_refused(front: FrontEnd, root: Path) -> None:
    kept = front.ask(AddMemory(path=os.fsencode(root))).checkpoint
    assert kept is not None
    (root / "f").write_text("later\n")
    assert front.refusal(Restore(checkpoint=kept.id)) == "state-changed"
    assert (root / "f").read_text() == "later\n"


def test_a_command_line_gets_the_data_folder_and_the_host_comes_back(front: FrontEnd, home: Path, root: Path) -> None:
    memory = front.ask(AddMemory(path=os.fsencode(root))).memory
    front.event(CheckpointRecorded)
    with front.borrow(home) as host:
        (root / "f").write_text("meanwhile\n")
        with host.open_memory(host.memories()[0]) as work:
            taken = work.scan().checkpoint
    assert taken is not None
    assert front.ask(Scan(memory=memory.id)).changed is False
    assert front.states()[0].id == taken.id
    (root / "f").write_text("afterwards\n")
    front.event(CheckpointRecorded)


def test_the_host_comes_back_from_a_command_line_that_never_came(front: FrontEnd, root: Path) -> None:
    front.ask(AddMemory(path=os.fsencode(root)))
    front.ask(Lend())
    assert len(front.ask(ListMemories()).memories) == 1
    assert len(front.states()) == 1


def test_a_detached_folder_is_left_alone_and_comes_back_with_what_changed(front: FrontEnd, root: Path) -> None:
    memory = front.ask(AddMemory(path=os.fsencode(root))).memory
    front.event(CheckpointRecorded)
    front.ask(MoveMemory(memory=memory.id, state=MemoryState.DETACHED))
    (root / "f").write_text("unseen\n")
    assert front.refusal(Scan(memory=memory.id)) == "wrong-state"
    assert len(front.states()) == 1
    front.ask(MoveMemory(memory=memory.id, state=MemoryState.ATTACHED))
    front.event(CheckpointRecorded, lost=0)


def test_an_unknown_command_is_refused_by_name(front: FrontEnd) -> None:
    with pytest.raises(CommandFailed) as failed:
        front.client.ask("Telepathy", {})
    assert failed.value.code == "unknown-command"
    assert front.ask(ListMemories()).memories == ()


def test_what_becomes_ignored_is_no_longer_watched(front: FrontEnd, root: Path) -> None:
    front.ask(AddMemory(path=os.fsencode(root)))
    front.event(CheckpointRecorded)
    (root / "build").mkdir()
    (root / "build/out").write_text("1")
    front.event(CheckpointRecorded, lost=0)
    (root / ".gitignore").write_text("build/\n")
    front.event(CheckpointRecorded, lost=0)
    (root / "f").write_text("seen all the same\n")
    front.event(CheckpointRecorded, lost=0)
    assert front.states()[0].coverage.ignored_count == 1
