"""A long look at a terminal: it shows how far it is, nothing of that goes anywhere else, and Ctrl+C takes it back."""

import contextlib
import os
import pty
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from core.git_oracle import new_repository, recovery_refs, self_proof
from end_to_end.command_line import PROGRAM, CommandLine

FEW = 300
MORE_AND_MORE = (20_000, 100_000, 500_000)
"""A fast machine is done with few files before anybody can interrupt it."""
STORING = b"keeping what Git has not"


@pytest.fixture
def line(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "data" / "home")


class AtTerminal:
    """A command whose stderr is a terminal."""

    def __init__(self, line: CommandLine, *arguments: str | Path) -> None:
        self.parent, child = pty.openpty()
        environment = line.environment | {"TERM": "xterm"}
        self.process = subprocess.Popen(
            [*PROGRAM, *arguments], env=environment, stdout=subprocess.PIPE, stderr=child, start_new_session=True
        )
        os.close(child)

    def said(self) -> Iterator[bytes]:
        """Give what the terminal showed so far, again and again until the command ends."""
        shown = b""
        with os.fdopen(self.parent, "rb", buffering=0) as terminal, contextlib.suppress(OSError):
            while piece := terminal.read(4096):
                shown += piece
                yield shown

    def end(self) -> tuple[int, bytes]:
        out, _ = self.process.communicate()
        return self.process.returncode, out


def grown(root: Path, files: int) -> Path:
    new_repository(root)
    for number in range(files):
        (root / f"f{number}").write_text(f"{number}\n" * 30)
    return root


@pytest.mark.parametrize("words", ["memory add", "scan --full-hash", "checkpoint take"])
def test_a_look_shows_how_far_it_is_and_leaves_stdout_alone(line: CommandLine, tmp_path: Path, words: str) -> None:
    root = grown(tmp_path / "notes", FEW)
    if words != "memory add":
        line.ask("memory", "add", root)
        for number in range(FEW):
            (root / f"f{number}").write_text(f"again {number}\n")
    command = AtTerminal(line, *words.split(), root)
    shown = b"".join(list(command.said())[-1:])
    code, out = command.end()
    assert code == 0
    assert STORING in shown
    assert b"%" in shown
    assert b"100%" not in shown
    assert b"%" not in out
    told = AtTerminal(line, "--json", "scan", "--full-hash", root)
    assert b"".join(told.said()) == b""
    assert told.end()[0] == 0


@pytest.mark.parametrize("seen", [b"\x1b", b"%"], ids=["the bar", "a percent"])
def test_an_add_that_is_interrupted_adds_nothing(tmp_path: Path, seen: bytes) -> None:
    for many in MORE_AND_MORE:
        line = CommandLine(tmp_path / f"{many}" / "home")
        root = grown(tmp_path / f"{many}" / "notes", many)
        if interrupted(line, root, seen):
            break
    else:
        pytest.fail("the add was always done before it could be interrupted")
    assert recovery_refs(root) == {}
    assert line.ask("memory", "list")["memories"] == []
    line.ask("memory", "add", root)
    assert len(recovery_refs(root)) == 1


def interrupted(line: CommandLine, root: Path, seen: bytes) -> bool:
    """Add a folder, and interrupt that once something is seen; tell whether that was in time."""
    with self_proof(root):
        command = AtTerminal(line, "memory", "add", root)
        sent = False
        for shown in command.said():
            if seen in shown and not sent:  # which steps are ever drawn depends on how fast the machine is
                sent = True
                command.process.send_signal(signal.SIGTERM)  # as Ctrl+C is; a run in the background ignores that
        code, out = command.end()
    assert sent
    if recovery_refs(root):
        assert len(line.ask("memory", "list")["memories"]) == 1
        return False
    assert (code, out) == (130, b"")
    return True
