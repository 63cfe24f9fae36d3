"""If Backtrail is gone, README's lines must still bring a checkpoint back: run them as they stand there."""

import re
import subprocess
from pathlib import Path

import pytest
from core.git_oracle import ENVIRONMENT, git, new_repository
from end_to_end.command_line import CommandLine

README = Path(__file__).parents[2] / "README.md"


@pytest.fixture
def script() -> str:
    told = README.read_text("utf-8").partition("**Without Backtrail**")[2]
    found = re.search(r"```sh\n(.*?)```", told, re.DOTALL)
    assert found
    return found[1]


def test_plain_git_brings_a_checkpoint_back(tmp_path: Path, script: str) -> None:
    root = new_repository(tmp_path / "notes")
    line = CommandLine(tmp_path / "home")
    line.ask("memory", "add", root)
    (root / "f").write_bytes(b"worked on\r\n")
    git(root, "add", "f")
    (root / "d").mkdir()
    (root / "d/new").write_text("untracked\n")
    (root / "d/new").chmod(0o755)
    odd = ("git~1", ".git.", ".git ", ".g\u200cit", ".git::$INDEX_ALLOCATION", "con")
    for name in odd:
        (root / name).write_text("a name that other systems forbid\n")
    ref = line.ask("checkpoint", "take", root)["checkpoint"]["ref"]
    git(root, "reset", "-q", "--hard")
    git(root, "clean", "-fdq")
    index = (root / ".git/index").read_bytes()
    script = script.replace("refs/botharness/recovery/ID", ref)
    done = subprocess.run(
        ["bash", "-euc", script], cwd=root, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "rescued/f").read_bytes() == b"worked on\r\n"
    assert (tmp_path / "rescued/d/new").read_text() == "untracked\n"
    assert {path.name for path in (tmp_path / "rescued").iterdir()} == {"f", "d", *odd}
    assert (tmp_path / "rescued/d/new").stat().st_mode & 0o111
    assert (root / ".git/index").read_bytes() == index
    assert '"branch": "main"' in done.stdout
    assert "f | 2 +-" in done.stdout


def test_an_archive_is_an_ordinary_repository(tmp_path: Path) -> None:
    root = new_repository(tmp_path / "notes")
    line = CommandLine(tmp_path / "home")
    line.ask("memory", "add", root)
    one = line.ask("checkpoint", "take", root)["checkpoint"]["id"]
    (root / "f").write_text("worked on\n")
    git(root, "stash", "push", "-q")
    (root / "f").write_text("again\n")
    token = line.ask("restore", one, "--plan")["plan"]["token"]
    line.ask("restore", one, "--token", token)
    [archive] = (tmp_path / ".backtrail/notes").glob("*/repository")
    subprocess.run(["cp", "-a", archive, tmp_path / "somewhere"], check=True)
    assert (tmp_path / "somewhere/f").read_text() == "again\n"
    assert git(tmp_path / "somewhere", "status", "--porcelain") == b" M f\n"
    assert git(tmp_path / "somewhere", "stash", "list") != b""
    git(tmp_path / "somewhere", "fsck", "--strict")
