"""The demo proves what it claims, with nothing of its own machine but git; and it refuses what is not its own."""

import json
import os
from pathlib import Path

import pytest
from core.git_oracle import git, new_repository
from end_to_end.command_line import CommandLine


@pytest.fixture
def line(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "home")


def test_the_story_holds(line: CommandLine, tmp_path: Path) -> None:
    told = line.ask("demo", tmp_path / "story")["demo"]
    assert told["ok"]
    assert told["folder"] == str(tmp_path / "story")
    assert len(told["proofs"]) == 8
    assert all(proof["ok"] for proof in told["proofs"])
    assert b"log/thursday.md" in git(tmp_path / "story", "status", "--porcelain", "-uall")
    assert len(line.ask("archive", "list", "story")["archives"]) == 3


def test_the_story_is_told_and_leaves_its_folder(line: CommandLine, tmp_path: Path) -> None:
    line.environment |= {"TMPDIR": str(tmp_path / "temporary")}
    (tmp_path / "temporary").mkdir()
    said = line.text("demo")
    assert "git reset --hard" in said
    assert "NOT OK" not in said
    assert said.count("  ok: ") == 8
    [folder] = (tmp_path / "temporary").glob("backtrail-demo-*/keepers-log")
    assert str(folder) in said


def test_a_name_that_is_taken_is_no_trouble(line: CommandLine, tmp_path: Path) -> None:
    line.ask("demo", tmp_path / "one/story")
    line.ask("demo", tmp_path / "two/story")
    assert [memory["name"] for memory in line.ask("memory", "list")["memories"]] == ["story", "story-2"]


def test_a_folder_with_something_in_it_is_left_alone(line: CommandLine, tmp_path: Path) -> None:
    root = new_repository(tmp_path / "mine")
    assert line.refused("demo", root) == "folder-taken"
    assert line.refused("demo", root / "f") == "folder-taken"
    assert sorted(os.listdir(root)) == [".git", "f"]
    assert git(root, "status", "--porcelain") == b""


def test_a_place_in_the_data_folder_is_refused_and_left_as_it_was(line: CommandLine) -> None:
    line.ask("status")
    error = json.loads(line.run("--json", "demo", line.home / "demo", code=1).stdout)["error"]
    assert (error["code"], error["data"]["why"]) == ("cannot-be-protected", "inside-data-folder")
    assert not (line.home / "demo").exists()


def test_without_git_it_says_what_is_missing(line: CommandLine, tmp_path: Path) -> None:
    line.environment["PATH"] = str(tmp_path / "nothing")
    assert line.refused("demo", tmp_path / "story") == "git-failed"
    assert not (tmp_path / "story").exists()


def test_the_rescue_can_be_left_to_the_person(line: CommandLine, tmp_path: Path) -> None:
    told = line.ask("demo", "--until-loss", tmp_path / "story")["demo"]
    assert told["ok"]
    assert [proof["name"] for proof in told["proofs"]] == ["the-loss-is-named", "and-where-it-is-kept"]
    newest = line.ask("checkpoint", "list", tmp_path / "story")["checkpoints"][0]
    assert newest["lost"]
    plan = line.ask("restore", newest["kept_in"], "--plan")["plan"]
    line.ask("restore", newest["kept_in"], "--token", plan["token"])
    assert line.ask("checkpoint", "list", tmp_path / "story")["checkpoints"][0]["cause"] == "human-restore"
