"""The contract of the command line, by processes: what programs rely on, and what a person may lose if it is broken."""

import base64
import contextlib
import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from core.git_oracle import git, new_repository, status
from end_to_end.command_line import PROGRAM, CommandLine

CHECKPOINT_FIELDS = {
    "id", "seq", "ref", "branch", "head", "index_tree", "working_tree", "origin", "origin_id", "cause", "cause_id",
    "captured_at", "coverage", "note", "pinned", "state", "lost", "kept_in", "difference", "operation",
}  # fmt: skip
PLAN_FIELDS = {
    "target", "token", "comes_back", "changes", "leaves", "commits_leaving", "ignored", "blockers", "warnings",
}  # fmt: skip
SCAN_FIELDS = {
    "memory", "token", "changed", "checkpoint", "lost", "kept_in", "event", "protection", "coverage", "took_ms",
}  # fmt: skip


@pytest.fixture
def line(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "home")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return new_repository(tmp_path / "notes")


@pytest.fixture
def notes(line: CommandLine, root: Path) -> Path:
    line.ask("memory", "add", root)
    return root


def taken(line: CommandLine, root: Path) -> str:
    return str(line.ask("checkpoint", "take", root)["checkpoint"]["id"])


def test_adding_looks_at_once_and_leaves_every_byte(line: CommandLine, root: Path) -> None:
    before = (root / ".git/index").read_bytes(), status(root)
    memory = line.ask("memory", "add", root)["memory"]
    assert memory["protection"]["state"] == "protected"
    assert (memory["name"], memory["path"], memory["state"]) == ("notes", str(root), "attached")
    assert before == ((root / ".git/index").read_bytes(), status(root))
    assert not line.ask("scan", root)["changed"]


def test_a_memory_that_cannot_be_kept_is_added_and_says_so(line: CommandLine, root: Path) -> None:
    conflict(root)
    protection = line.ask("memory", "add", root)["memory"]["protection"]
    assert (protection["state"], protection["reason"]) == ("not-protected", "unmerged-index")


def conflict(root: Path) -> None:
    git(root, "checkout", "-q", "-b", "other")
    (root / "f").write_text("other\n")
    git(root, "commit", "-qam", "other")
    git(root, "checkout", "-q", "main")
    (root / "f").write_text("main\n")
    git(root, "commit", "-qam", "main")
    git(root, "merge", "other", code=1)


def test_an_unmerged_index_is_no_failure_of_the_look(line: CommandLine, notes: Path) -> None:
    conflict(notes)
    told = line.ask("scan", notes)
    assert told.keys() == SCAN_FIELDS
    assert told["checkpoint"] is None
    assert told["protection"]["state"] == "not-protected"
    assert line.refused("checkpoint", "take", notes) == "unmerged-index"
    said = line.text("scan", notes)
    assert "not kept since" in said
    assert "git merge --abort" in said


def test_the_answers_have_the_names_of_the_contract(line: CommandLine, notes: Path) -> None:
    told = line.ask("checkpoint", "take", notes, "--note", "größer")
    assert told["checkpoint"].keys() >= CHECKPOINT_FIELDS
    assert told["checkpoint"]["note"] == "größer"
    assert told["checkpoint"]["captured_at"].endswith("Z")
    assert told["checkpoint"]["coverage"] == {"complete": True, "left_out": [], "ignored_count": 0}
    one = told["checkpoint"]["id"]
    assert (
        git(notes, "rev-parse", told["checkpoint"]["ref"] + "^{tree}").decode().strip()
        == (told["checkpoint"]["working_tree"])
    )
    assert line.ask("checkpoint", "show", one[:6])["checkpoints"][0]["id"] == one
    plan = line.ask("restore", one, "--plan")["plan"]
    assert plan.keys() >= PLAN_FIELDS
    assert plan["token"] == line.ask("scan", notes)["token"]
    assert line.ask("scan", notes).keys() == SCAN_FIELDS
    assert [memory["name"] for memory in line.ask("memory", "list")["memories"]] == ["notes"]


def test_json_may_stand_anywhere(line: CommandLine, notes: Path) -> None:
    for words in (["--json", "memory", "list"], ["memory", "--json", "list"], ["memory", "list", "--json"]):
        assert json.loads(line.run(*words).stdout)["memories"][0]["path"] == str(notes)
    other = str(line.home.parent / "other")
    assert line.ask("memory", "list", "--home", other) == {"memories": []}
    assert line.ask("--home", other, "memory", "list") == {"memories": []}


@pytest.mark.parametrize(
    "words",
    [["nonsense"], ["memory", "add"], ["restore"], ["restore", "ab", "--plan", "--token", "x"], ["scan", "--bad"],
     ["checkpoint", "list", "--since", "yesterday"], ["checkpoint", "prune"], ["memory", "new", b"\xff"],
     ["archive", "delete", "x"]],
)  # fmt: skip
def test_wrong_usage_is_two_and_an_object_under_json(line: CommandLine, words: list[str]) -> None:
    assert line.ask(*words, code=2)["error"]["code"] == "usage"
    assert line.ask(*words, "--json", code=2)["error"]["code"] == "usage"


def test_wrong_usage_tells_a_person_on_stderr(line: CommandLine) -> None:
    done = line.run("memory", "add", code=2)
    assert done.stdout == b""
    assert b"backtrail memory add --help" in done.stderr
    assert b"Commands:" in line.run(code=2).stderr


def test_a_refusal_tells_a_person_what_to_do_on_stderr(line: CommandLine, tmp_path: Path) -> None:
    done = line.run("memory", "add", tmp_path, code=1)
    assert done.stdout == b""
    assert f"git init {tmp_path}".encode() in done.stderr


def test_refusals_have_stable_codes(line: CommandLine, notes: Path, tmp_path: Path) -> None:
    assert line.refused("memory", "add", notes) == "already-a-memory"
    assert line.refused("memory", "add", tmp_path / "nowhere") == "not-reachable"
    assert line.refused("memory", "new", "x", "--from", "https://example.invalid/x") == "not-available-yet"
    assert line.refused("scan", "nobody") == "unknown-id"
    assert line.refused("restore", "0000", "--plan") == "unknown-id"
    assert line.refused("restore", "--undo", "0000") == "unknown-id"
    git(tmp_path, "init", "-q", "--bare", "bare")
    error = line.ask("memory", "add", tmp_path / "bare", code=1)["error"]
    assert (error["code"], error["data"]["why"]) == ("cannot-be-protected", "bare")


def test_an_environment_of_git_leads_nowhere_else(line: CommandLine, notes: Path, tmp_path: Path) -> None:
    other = new_repository(tmp_path / "other")
    line.environment |= {"GIT_DIR": str(other / ".git"), "GIT_INDEX_FILE": str(other / ".git/index")}
    (notes / "new").write_text("new\n")
    told = line.ask("scan", notes)["checkpoint"]
    assert git(notes, "cat-file", "-p", told["ref"] + ":new") == b"new\n"
    assert git(other, "for-each-ref", "refs/botharness") == b""


def test_lost_work_is_named_once_per_path_and_comes_back(line: CommandLine, notes: Path) -> None:
    (notes / "f").write_text("staged\n")
    git(notes, "add", "f")
    (notes / "f").write_text("worked on for an hour\n")
    (notes / "new").write_text("untracked\n")
    kept = line.ask("scan", notes)["checkpoint"]["id"]
    want = status(notes)
    git(notes, "reset", "-q", "--hard")
    git(notes, "clean", "-fdq")
    told = line.ask("scan", notes)
    assert told["lost"] == [{"path": "f", "staged": True}, {"path": "new"}]
    assert told["kept_in"] == kept
    plan = line.ask("restore", kept, "--plan")["plan"]
    assert {"path": "new", "staged": False} in plan["comes_back"]
    done = line.ask("restore", kept, "--token", plan["token"])["restore"]
    assert done["state"] == "done"
    assert status(notes) == want
    assert (Path(done["archive"]) / "f").read_text() == "base\n"
    archives = line.ask("archive", "list", notes)["archives"]
    assert [(item["id"], item["path"], item["restore"]) for item in archives] == [
        (done["id"], done["archive"], done["id"])
    ]
    line.ask("restore", "--undo", done["id"])
    assert (notes / "f").read_text() == "base\n"
    assert not (notes / "new").exists()


def test_a_stale_token_changes_nothing(line: CommandLine, notes: Path) -> None:
    one = taken(line, notes)
    (notes / "f").write_text("two\n")
    token = line.ask("restore", one, "--plan")["plan"]["token"]
    (notes / "f").write_text("three\n")
    assert line.refused("restore", one, "--token", token) == "state-changed"
    assert line.refused("recover", one, "--token", token, "f") == "state-changed"
    assert (notes / "f").read_text() == "three\n"


def test_a_plan_with_blockers_is_an_answer_and_its_restore_a_refusal(line: CommandLine, notes: Path) -> None:
    one = taken(line, notes)
    (notes / "f").write_text("two\n")
    (notes / ".git/index.lock").touch()
    plan = line.ask("restore", one, "--plan")["plan"]
    assert [blocker["code"] for blocker in plan["blockers"]] == ["repository-busy"]
    assert plan["blockers"][0]["message"]
    assert plan["blockers"][0]["remedy"]
    error = line.ask("restore", one, "--token", plan["token"], code=1)["error"]
    assert error["code"] == "repository-busy"
    assert error["data"]["blockers"][0]["code"] == "repository-busy"
    assert "IN THE WAY" in line.text("restore", one, "--plan")
    assert (notes / "f").read_text() == "two\n"


def test_programs_at_work_block_until_waved_through(line: CommandLine, notes: Path) -> None:
    one = taken(line, notes)
    (notes / "f").write_text("two\n")
    with (notes / "log").open("w", buffering=1) as writer:
        writer.write("begun\n")
        plan = line.ask("restore", one, "--plan")["plan"]
        assert "in-use" in [blocker["code"] for blocker in plan["blockers"]]
        assert line.refused("restore", one, "--token", plan["token"]) == "in-use"
        line.ask("restore", one, "--token", plan["token"], "--despite-in-use")
    assert (notes / "f").read_text() == "base\n"


def test_a_shell_in_the_folder_is_told_where_it_stands(line: CommandLine, notes: Path) -> None:
    one = taken(line, notes)
    (notes / "f").write_text("two\n")
    token = line.ask("restore", one, "--plan")["plan"]["token"]
    said = line.text("restore", one, "--token", token, cwd=notes)
    assert 'run `cd "$PWD"`' in said
    assert "backtrail restore --undo" in said
    assert str(notes.parent / ".backtrail") in said


def test_files_come_back_in_place_and_nothing_else_moves(line: CommandLine, notes: Path) -> None:
    (notes / "d").mkdir()
    (notes / "d/x").write_text("x\n")
    (notes / "d/y").write_text("y\n")
    one = taken(line, notes)
    for name in ("f", "d/x", "d/y"):
        (notes / name).write_text("spoilt\n")
    index = (notes / ".git/index").read_bytes()
    token = line.ask("scan", notes)["token"]
    told = line.ask("recover", one, "--token", token, notes / "d/x", "f")["recovered"]
    assert told["paths"] == [{"path": "d/x"}, {"path": "f"}]
    assert told["checkpoint"]["cause"] == "human-file-restore"
    assert [(notes / name).read_text() for name in ("f", "d/x", "d/y")] == ["base\n", "x\n", "spoilt\n"]
    assert (notes / ".git/index").read_bytes() == index
    token = line.ask("scan", notes)["token"]
    assert line.refused("recover", one, "--token", token, "nothing") == "path-not-in-checkpoint"
    assert line.refused("recover", one, "--token", token, "../f") == "unsafe-path"
    assert line.refused("recover", one, "--token", token, notes.parent / "f") == "unsafe-path"


def test_contents_leave_as_raw_bytes(line: CommandLine, notes: Path, tmp_path: Path) -> None:
    content = bytes(range(256)) + b"\r\n"
    (notes / "raw").write_bytes(content)
    os.symlink("raw", notes / "link")
    one = taken(line, notes)
    assert line.run("checkpoint", "cat", one, "raw").stdout == content
    assert line.run("checkpoint", "cat", one, notes / "raw").stdout == content
    assert line.run("checkpoint", "cat", one, "link").stdout == b"raw"
    assert base64.b64decode(line.ask("checkpoint", "cat", one, "raw")["file"]["content_b64"]) == content
    line.ask("checkpoint", "extract", one, "--to", tmp_path / "out")
    assert (tmp_path / "out/raw").read_bytes() == content
    assert os.readlink(tmp_path / "out/link") == "raw"
    assert not (tmp_path / "out/.git").exists()
    assert line.refused("checkpoint", "extract", one, "--to", tmp_path / "out") == "folder-taken"


def test_names_that_are_no_text_survive_every_way(line: CommandLine, notes: Path) -> None:
    name = b"\xff\\ \xe2\x80\xae\n\x1b[31m"
    with open(os.path.join(os.fsencode(notes), name), "wb") as file:
        file.write(b"odd\n")
    told = line.ask("scan", notes)["event"]["paths"]
    assert base64.b64decode(told[0]["path_b64"]) == name
    one = line.ask("checkpoint", "list", notes)["checkpoints"][0]["id"]
    assert line.run("checkpoint", "cat", one, name).stdout == b"odd\n"
    said = line.run("checkpoint", "files", one).stdout
    assert b"\x1b" not in said
    assert "\u202e".encode() not in said
    assert line.refused("memory", "show", b"\xff") == "unknown-id"


def test_differences_in_every_direction(line: CommandLine, notes: Path) -> None:
    one = taken(line, notes)
    (notes / "f").write_text("staged\n")
    git(notes, "add", "f")
    (notes / "bin").write_bytes(b"\0\1")
    two = taken(line, notes)
    (notes / "f").write_text("later\n")
    both = [{"path": "bin", "status": "added", "staged": False}, {"path": "f", "status": "changed", "staged": False},
            {"path": "f", "status": "changed", "staged": True}]  # fmt: skip

    def changes(*words: str) -> list[dict[str, object]]:
        told = line.ask("checkpoint", "diff", *words)["changes"]
        return [{key: entry[key] for key in ("path", "status", "staged")} for entry in told]

    assert changes(two) == both
    assert changes(two, "--previous") == both
    assert changes(two, "--head") == both
    assert changes(one, two) == both
    assert changes(one, two, "bin") == both[:1]
    assert changes(two, "--now") == [{"path": "f", "status": "changed", "staged": False}]
    assert changes(one)[:1] == []
    assert line.ask("scan", notes)["changed"], "a comparison must not count as a look"
    patches = {
        (entry["path"], entry["staged"]): entry for entry in line.ask("checkpoint", "diff", two, "--patch")["changes"]
    }
    assert patches["f", True]["patch"] == "@@ -1,1 +1,1 @@\n-base\n+staged\n"
    assert patches["bin", False]["not_shown"] == "binary"
    said = line.text("checkpoint", "diff", two, "--now", "--patch")
    assert "-staged" in said
    assert "+later" in said


def test_line_ends_that_git_takes_for_clean_are_no_difference_to_head(line: CommandLine, notes: Path) -> None:
    git(notes, "config", "core.autocrlf", "true")
    (notes / "dos").write_bytes(b"a\r\nb\r\n")
    os.utime(notes / "dos", (1e9, 1e9))  # else Git itself could not tell by the times
    git(notes, "add", "dos")
    git(notes, "commit", "-qm", "dos")
    assert b"dos" not in status(notes)
    one = taken(line, notes)
    assert line.ask("checkpoint", "diff", one, "--head")["changes"] == []


def test_a_list_narrows(line: CommandLine, notes: Path) -> None:
    for content in ("1", "2", "2"):
        (notes / "g").write_text(content)
        taken(line, notes)
    git(notes, "checkout", "-q", "-b", "side")
    (notes / "d").mkdir()
    (notes / "d/h").write_text("3")
    line.ask("scan", notes)

    def seqs(*words: str | Path) -> list[int]:
        return [item["seq"] for item in line.ask("checkpoint", "list", *words)["checkpoints"]]

    assert seqs(notes) == [5, 4, 3, 2, 1]
    assert seqs(notes, "--limit", "2") == [5, 4]
    assert seqs(notes, "--path", "g") == [3, 2]
    assert seqs(notes, "--path", notes / "g", "--limit", "1") == [3]
    assert seqs(notes, "--path", "d") == [5]
    assert seqs(notes, "--path", "f") == [1]
    assert seqs(notes, "--branch", "side") == [5]
    assert seqs(notes, "--origin", "human-command") == [4, 3, 2]
    assert seqs(notes, "--since", "2999-01-01") == []
    assert seqs(notes, "--since", "2001-01-01T00:00:00Z") == [5, 4, 3, 2, 1]
    assert seqs("--path", "d", "notes") == [5]


def test_notes_and_pins_stay_and_old_checkpoints_go_only_on_a_word(line: CommandLine, notes: Path) -> None:
    one = taken(line, notes)
    assert line.ask("checkpoint", "pin", one)["checkpoint"]["pinned"] is True
    assert line.ask("checkpoint", "note", one, "good")["checkpoint"]["note"] == "good"
    assert line.ask("checkpoint", "list", notes)["checkpoints"][0]["note"] == "good"
    assert line.ask("checkpoint", "unpin", one)["checkpoint"]["pinned"] is False
    assert line.ask("checkpoint", "note", one)["checkpoint"]["note"] is None
    told = line.ask("checkpoint", "prune", notes, "--plan")
    assert (told["ok"], told["damaged"], told["kept"], told["going"]) == (True, [], 2, [])
    assert line.ask("checkpoint", "prune", notes, "--yes")["done"] is True


def test_a_damaged_checkpoint_is_found_and_named(line: CommandLine, notes: Path) -> None:
    (notes / "g").write_text("kept\n")
    checkpoint = line.ask("checkpoint", "take", notes)["checkpoint"]
    assert line.ask("checkpoint", "verify", checkpoint["id"]) == {"ok": True, "verified": 1, "damaged": []}
    blob = git(notes, "rev-parse", checkpoint["ref"] + ":g").decode().strip()
    place = notes / ".git/objects" / blob[:2] / blob[2:]
    content = place.read_bytes()
    place.chmod(0o644)
    place.unlink()
    told = line.ask("checkpoint", "verify", "--all", code=1)
    assert told["damaged"] == [{"id": checkpoint["id"], "memory": checkpoint["memory"], "objects": [blob]}]
    assert line.refused("checkpoint", "cat", checkpoint["id"], "g") == "checkpoint-damaged"
    place.write_bytes(content)
    assert line.ask("checkpoint", "verify", checkpoint["id"])["ok"]


def test_the_four_states_of_a_memory(line: CommandLine, notes: Path) -> None:
    one = taken(line, notes)
    assert line.ask("memory", "detach", notes)["memory"]["state"] == "detached"
    assert line.refused("scan", "notes") == "wrong-state"
    assert line.run("checkpoint", "cat", one, "f").stdout == b"base\n", "what was kept can be read all the same"
    (notes / "f").write_text("meanwhile\n")
    assert line.ask("memory", "attach", "notes")["memory"]["state"] == "attached"
    assert line.ask("checkpoint", "list", notes)["checkpoints"][0]["difference"]["changed"] == 1
    assert line.ask("memory", "archive", "notes")["memory"]["state"] == "archived"
    assert line.ask("memory", "reactivate", "notes")["memories"][0]["state"] == "attached"
    assert line.ask("memory", "set", "name", "diary", "notes")["memory"]["name"] == "diary"
    assert line.refused("memory", "set", "size-cap", "1", "diary") == "unknown-setting"
    assert "stay" in line.text("memory", "delete", "diary")
    assert line.ask("memory", "list") == {"memories": []}
    assert git(notes, "for-each-ref", "refs/botharness") != b""


def test_a_paused_folder_is_never_called_kept(line: CommandLine, notes: Path) -> None:
    (notes / "f").write_text("an hour of work\n")
    told = line.ask("memory", "pause", notes, "--for", "90m")["memories"][0]
    assert (told["protection"]["state"], told["protection"]["reason"]) == ("not-protected", "paused")
    assert told["paused_until"] is not None
    assert len(line.ask("checkpoint", "list", notes)["checkpoints"]) == 2
    assert "paused by you until" in line.text("status")
    assert line.ask("scan", notes)["protection"]["reason"] == "paused"
    for wrong in ("0m", "25h"):
        assert line.refused("memory", "pause", notes, "--for", wrong) == "wrong-pause"
    for wrong in ("", "h", "1", "1.5h", "٣h", "-1h", "99999999h"):
        line.ask("memory", "pause", notes, "--for", wrong, code=2)
    resumed = line.ask("memory", "resume", "--all")["memories"][0]
    assert (resumed["protection"]["state"], resumed["paused_until"]) == ("protected", None)


def test_a_file_that_is_left_out_on_purpose_is_no_warning(line: CommandLine, notes: Path) -> None:
    os.mkfifo(notes / "pipe")
    assert line.ask("scan", notes)["protection"]["state"] == "degraded"
    assert line.refused("memory", "leave-out", "notes", "f") == "not-left-out"
    told = line.ask("memory", "leave-out", "notes", "pipe")["memory"]
    assert told["protection"]["reason"] == "left-out-by-choice"
    assert [one["path"] for one in told["omissions"]] == ["pipe"]
    assert "all but what you left out" in line.text("status")
    scanned = line.ask("scan", notes)
    assert (scanned["protection"]["state"], scanned["coverage"]["complete"]) == ("protected", False)
    told = line.ask("memory", "leave-out", "--again", "notes", "pipe")["memory"]
    assert (told["protection"]["state"], told["omissions"]) == ("degraded", [])


def test_the_folder_around_here_is_meant_where_none_is_named(line: CommandLine, notes: Path) -> None:
    (notes / "sub").mkdir()
    memory = line.ask("memory", "show", cwd=notes / "sub")["memory"]
    assert line.ask("scan", cwd=notes / "sub")["memory"] == memory["id"]
    assert line.refused("scan", cwd=notes.parent) == "unknown-id"


def test_one_folder_that_cannot_be_looked_at_does_not_stop_the_others(
    line: CommandLine, notes: Path, tmp_path: Path
) -> None:
    gone = new_repository(tmp_path / "gone")
    line.ask("memory", "add", gone)
    gone.rename(tmp_path / "elsewhere")
    told = line.ask("scan", "--all", code=1)["scans"]
    assert [("error" in scan, scan.get("changed")) for scan in told] == [(False, False), (True, None)]
    assert told[1]["error"]["code"] == "not-reachable"
    memories = {memory["name"]: memory for memory in line.ask("status")["status"]["memories"]}
    assert memories["notes"]["protection"]["state"] == "protected"
    assert memories["gone"]["protection"]["reason"] == "not-reachable"
    assert memories["gone"]["checkpoints"] == 1
    checks = {(check["memory"], check["name"]): check for check in line.ask("doctor", code=1)["checks"]}
    assert not checks["gone", "reachable"]["ok"]
    assert checks["notes", "look-changes-nothing"]["ok"]
    assert str(notes) in line.text("memory", "list")


def test_doctor_names_remotes_that_would_publish_checkpoints(line: CommandLine, notes: Path, tmp_path: Path) -> None:
    assert line.ask("doctor")["ok"]
    git(tmp_path, "init", "-q", "--bare", "mirror")
    git(notes, "remote", "add", "--mirror=push", "twin", str(tmp_path / "mirror"))
    git(notes, "push", "-q", "twin")
    checks = {check["name"]: check for check in line.ask("doctor", "--leaks", code=1)["checks"]}
    assert "twin" in checks["no-mirror-remote"]["message"]
    assert "1 ref" in checks["not-on-remotes"]["message"]


def test_a_lost_database_is_made_anew_and_said_to_be(line: CommandLine, notes: Path) -> None:
    one = taken(line, notes)
    (line.home / "backtrail.db").write_bytes(b"rubbish" * 1000)
    told = line.ask("checkpoint", "list", notes)
    assert [notice["code"] for notice in told["notices"]] == ["database-rebuilt"]
    assert told["checkpoints"][0]["id"] == one
    assert "notices" not in line.ask("checkpoint", "list", notes)
    rebuilt = line.run("doctor", "--rebuild")
    assert b"made anew" in rebuilt.stderr
    assert b"made anew" not in rebuilt.stdout


def test_doctor_takes_a_checkpoint_back_whose_objects_are_there_again(line: CommandLine, notes: Path) -> None:
    checkpoint = line.ask("checkpoint", "take", notes)["checkpoint"]
    git(notes, "update-ref", "-d", checkpoint["ref"])
    assert not line.ask("doctor", code=1)["ok"]
    assert line.refused("restore", checkpoint["id"], "--plan") == "checkpoint-damaged"
    assert line.ask("doctor", "--repair")["ok"]
    assert line.ask("checkpoint", "verify", checkpoint["id"])["ok"]
    git(notes, "rev-parse", "--verify", "-q", checkpoint["ref"])


def test_doctor_reads_disk_and_newest_checkpoint_and_compares_them(line: CommandLine, notes: Path) -> None:
    (notes / "new").write_bytes(b"only here\r\n")
    held = {check["name"]: check for check in line.ask("doctor")["checks"]}["disk-is-held"]
    assert "2 files" in held["message"]
    content = git(notes, "hash-object", "--no-filters", "new").decode().strip()
    stored = notes / ".git" / "objects" / content[:2] / content[2:]
    stored.chmod(0o600)
    stored.write_bytes(zlib.compress(b"blob 11\0other here\n"))
    held = {check["name"]: check for check in line.ask("doctor", code=1)["checks"]}["disk-is-held"]
    assert not held["ok"]
    assert content in held["message"]
    line.ask("checkpoint", "verify", "--all", code=1)
    line.ask("scan", notes)
    assert line.ask("doctor")["ok"]


def test_an_archive_is_shown_brought_back_and_deleted_only_after_asking_twice(line: CommandLine, notes: Path) -> None:
    one = taken(line, notes)
    (notes / "f").write_text("two\n")
    token = line.ask("restore", one, "--plan")["plan"]["token"]
    archive = line.ask("restore", one, "--token", token)["restore"]
    assert line.ask("archive", "show", archive["id"][:8])["archives"][0]["path"] == archive["archive"]
    line.ask("archive", "bring-back", archive["id"])
    assert (notes / "f").read_text() == "two\n"
    line.run("archive", "delete", archive["id"], given=b"n\n", code=1)
    line.run("archive", "delete", archive["id"], given=b"y\nno\n", code=1)
    assert Path(archive["archive"]).is_dir()
    line.run("archive", "delete", archive["id"], given=b"y\n" + archive["id"][:8].encode() + b"\n")
    assert not Path(archive["archive"]).exists()
    second = line.ask("archive", "list")["archives"]
    line.ask("archive", "delete", second[0]["id"], "--yes")
    assert line.ask("archive", "list") == {"archives": []}


def test_a_new_memory_begins_with_its_persona(line: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text("Be kind.\n")
    memory = line.ask("memory", "new", "bot", "--at", tmp_path / "bot", "--persona", tmp_path / "p.md")["memory"]
    assert memory["protection"]["state"] == "protected"
    assert git(tmp_path / "bot", "show", "HEAD:PERSONA.md") == b"Be kind.\n"
    assert line.refused("memory", "new", "bot2", "--at", tmp_path / "bot") == "folder-taken"


@pytest.mark.parametrize("name", ["../evil", "a/b", "", ".", "..", " "])
def test_a_name_that_reads_like_a_path_is_refused(line: CommandLine, notes: Path, tmp_path: Path, name: str) -> None:
    before = sorted(tmp_path.rglob("*"))
    assert line.refused("memory", "new", name, cwd=notes) == "unfit-name"
    assert line.refused("memory", "set", "name", name, notes) == "unfit-name"
    assert [path for path in sorted(tmp_path.rglob("*")) if path not in before and "home" not in path.parts] == []


def test_a_reader_that_leaves_early_is_no_trouble(line: CommandLine, notes: Path) -> None:
    for at in range(3000):  # their names are more than a pipe holds
        (notes / f"file-{at:04}-{'x' * 100}").write_text("x")
    one = taken(line, notes)
    process = subprocess.Popen(
        [*PROGRAM, "checkpoint", "files", one], env=line.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_interrupted_command_says_so(
    line: CommandLine, notes: Path, number: signal.Signals, request: pytest.FixtureRequest
) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background ignores it
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    with (line.home / "lock").open("r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with subprocess.Popen(
            [*PROGRAM, "--json", "scan", notes], env=line.environment, stdout=subprocess.PIPE
        ) as process:
            while not has_open(process.pid, line.home / "lock"):
                assert process.poll() is None
            process.send_signal(number)
            assert process.wait() == 130
            assert process.stdout is not None
            assert json.load(process.stdout)["error"]["code"] == "interrupted"


def has_open(pid: int, path: Path) -> bool:
    found = False
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            found |= os.readlink(link) == str(path)
    return found


@pytest.mark.parametrize("words", [("status",), ("--json", "status"), ("checkpoint", "list"), ("--help",)])
def test_an_answer_that_cannot_be_written_is_told_without_a_traceback(
    line: CommandLine, notes: Path, words: tuple[str, ...]
) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*PROGRAM, *words], env=line.environment, cwd=notes, stdout=full, stderr=subprocess.PIPE, check=False
        )
        nowhere = subprocess.run([*PROGRAM, *words, "?"], env=line.environment, stdout=full, stderr=full, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(b"backtrail: The answer could not be written: No space left on device.\n")
    assert b"Traceback" not in done.stderr
    assert nowhere.returncode in {1, 2}


@pytest.mark.parametrize("json_wanted", [True, False])
def test_an_interruption_while_it_begins_meets_no_traceback(line: CommandLine, *, json_wanted: bool) -> None:
    interrupted = (
        "import builtins, sys, backtrail.entry\n"
        "def interrupt(*_): raise KeyboardInterrupt\n"
        "builtins.__import__ = interrupt\n"
        "backtrail.entry.main()"
    )
    command = [sys.executable, "-c", interrupted, *(["--json"] if json_wanted else []), "status"]
    done = subprocess.run(command, env=line.environment, capture_output=True, check=False, text=True)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert ('"interrupted"' in done.stdout) == json_wanted


def test_a_person_at_a_terminal_gets_a_table_and_no_escapes_of_names(line: CommandLine, notes: Path) -> None:
    line.ask("checkpoint", "take", notes, "--note", "\x1b]0;title\x07[bold]")
    parent, child = pty.openpty()
    with os.fdopen(parent, "rb", buffering=0) as terminal:
        process = subprocess.Popen(
            [*PROGRAM, "checkpoint", "list", notes], env=line.environment | {"TERM": "xterm"}, stdout=child
        )
        os.close(child)
        said = b""
        while True:
            try:
                said += terminal.read(4096)
            except OSError:
                break
        assert process.wait() == 0
    assert b"\x1b]0;title" not in said
    assert b"\\x1b]0;title" in said.replace(b"\r\n", b"")
    assert b"[bold]" in said


def test_every_command_has_help_with_an_example(line: CommandLine) -> None:
    nouns = ["memory", "checkpoint", "archive"]
    verbs = {
        "memory": "add new list show detach attach archive reactivate delete set",
        "checkpoint": "take list show diff files cat extract pin unpin note verify prune",
        "archive": "list show bring-back delete",
    }
    single = ["scan", "restore", "recover", "status", "doctor", "demo", "completion"]
    commands = [[], *([word] for word in [*nouns, *single]), *([n, v] for n in nouns for v in verbs[n].split())]
    for words in commands:
        said = line.text(*words, "--help")
        assert "\nExample:\n  backtrail" in said or '\nExample:\n  eval "$(backtrail' in said, words


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_are_given_completion(line: CommandLine, shell: str) -> None:
    assert "_BACKTRAIL_COMPLETE" in line.text("completion", shell)
    line.environment |= {
        "_BACKTRAIL_COMPLETE": f"{shell}_complete", "COMP_WORDS": "backtrail checkpoint ver",
        "COMP_CWORD": "ver" if shell == "fish" else "2",
    }  # fmt: skip
    completed = subprocess.run([*PROGRAM], env=line.environment, capture_output=True, check=True).stdout
    assert b"verify" in completed


def test_a_path_or_id_mistyped_is_not_told_that_nothing_differs(line: CommandLine, root: Path) -> None:
    line.ask("memory", "add", root)
    kept = line.ask("checkpoint", "list", root)["checkpoints"][0]["id"]
    assert line.ask("checkpoint", "diff", kept, "--now", "f")["changes"] == []
    assert line.refused("checkpoint", "diff", kept, "deadbeef") == "path-not-in-checkpoint"
    assert line.refused("checkpoint", "diff", kept, "--now", "no-such-file") == "path-not-in-checkpoint"
