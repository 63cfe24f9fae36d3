"""Whoever works in a folder is seen before the folder is switched away under them."""

import contextlib
import mmap
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from backtrail.model.restore import Inside
from backtrail.restore.inside import is_known_agent, known_agents, mapped_for_writing, who_is_inside

Start = Callable[..., int]

_WAIT = "; print('ready', flush=True); sys.stdin.read()"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return a way to start a Python process that runs a line and then waits; all are ended in the end."""
    with contextlib.ExitStack() as running:

        def begin(line: str, *arguments: object, cwd: Path | None = None, before: Sequence[str] = ()) -> int:
            command = [*before, sys.executable, "-c", "import sys; " + line + _WAIT, *map(str, arguments)]
            child = subprocess.Popen(command, cwd=cwd or tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            running.enter_context(child)
            running.callback(child.kill)
            assert child.stdout is not None
            if child.stdout.readline() != b"ready\n":
                pytest.skip("this machine does not let us start: " + " ".join(before))
            return child.pid

        yield begin


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "memory"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "file").write_bytes(b"x" * 100)
    return folder


def _inside(root: Path) -> dict[int, bool]:
    found = who_is_inside(os.fsencode(root))
    assert [process.pid for process in found] == sorted(process.pid for process in found)
    return {process.pid: process.writes for process in found}


def test_nobody_is_inside_an_ordinary_folder(root: Path, start: Start) -> None:
    start("pass")
    assert _inside(root) == {}


@pytest.mark.parametrize("below", ["", "deep"])
def test_a_process_that_stands_inside_is_seen_and_does_not_write(root: Path, start: Start, below: str) -> None:
    pid = start("pass", cwd=root / below)
    assert _inside(root) == {pid: False}
    assert who_is_inside(os.fsencode(root))[0].name.startswith("python")


def test_a_process_in_a_neighbour_whose_name_begins_alike_is_not_inside(root: Path, start: Start) -> None:
    neighbour = root.with_name("memory-2")
    neighbour.mkdir()
    start("pass", cwd=neighbour)
    start("pass", cwd=root.parent)
    assert _inside(root) == {}


@pytest.mark.parametrize(
    ("mode", "writes"), [("rb", False), ("ab", True), ("wb", True), ("r+b", True)], ids=["read", "add", "write", "both"]
)
def test_an_open_file_is_seen_with_how_it_was_opened(root: Path, start: Start, mode: str, *, writes: bool) -> None:
    pid = start("f = open(sys.argv[1], sys.argv[2])", root / "deep" / "file", mode)
    assert _inside(root) == {pid: writes}


def test_a_deleted_file_that_is_still_written_is_seen(root: Path, start: Start) -> None:
    pid = start("import os; f = open(sys.argv[1], 'wb'); os.unlink(sys.argv[1])", root / "deep" / "file")
    assert _inside(root) == {pid: True}


def test_a_fifo_or_folder_held_open_is_no_writing(root: Path, start: Start) -> None:
    os.mkfifo(root / "pipe")
    pid = start("import os; f = os.open(sys.argv[1], os.O_RDWR)", root / "pipe")
    other = start("import os; f = os.open(sys.argv[1], os.O_RDONLY)", root)
    assert _inside(root) == {pid: False, other: False}


def test_this_very_process_is_never_listed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    with (root / "deep" / "file").open("ab"):
        assert _inside(root) == {}


def test_who_started_the_command_merely_stands_there(root: Path, start: Start) -> None:
    ask = (
        "from backtrail.restore.inside import who_is_inside; import os; print(who_is_inside(os.fsencode(os.getcwd())))"
    )
    pid = start("import subprocess; f = open('out', 'w+'); f.close(); " + _ask(ask), cwd=root)
    said = (root.parent / "said").read_text()
    assert f"pid={pid}," in said
    assert "writes=True" not in said


def _ask(question: str) -> str:
    return f"subprocess.run([sys.executable, '-c', {question!r}], stdout=open('../said', 'w'), check=True)"


def test_a_process_stays_seen_when_its_folder_was_renamed(root: Path, start: Start) -> None:
    pid = start("f = open('file', 'ab')", cwd=root / "deep")
    archived = root.with_name("archived")
    root.rename(archived)
    root.mkdir()
    assert _inside(archived) == {pid: True}
    assert _inside(root) == {}


def test_names_of_any_bytes(tmp_path: Path, start: Start) -> None:
    root = tmp_path / os.fsdecode(b"caf\xe9 \n(deleted)")
    (root / "in").mkdir(parents=True)
    pid = start("pass", cwd=root / "in")
    assert _inside(root) == {pid: False}


def test_another_mount_namespace_that_shows_another_path_is_seen(root: Path, tmp_path: Path, start: Start) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    script = f'mount --bind "{root}" "{elsewhere}" && cd "{elsewhere}/deep" && exec "$@"'
    pid = start("f = open('file', 'ab')", before=["unshare", "-m", "sh", "-c", script, "sh"])
    assert os.readlink(f"/proc/{pid}/cwd").endswith(str(elsewhere / "deep"))  # a chroot shows what is above it, too
    assert list(elsewhere.iterdir()) == []
    assert _inside(root) == {pid: True}
    assert _inside(elsewhere) == {}


def test_a_process_with_another_root_folder_is_seen(root: Path, start: Start) -> None:
    line = "import os; os.chroot(sys.argv[1]); os.chdir('/memory'); f = open('/memory/deep/file', 'ab')"
    pid = start(line, root.parent) if os.geteuid() == 0 else pytest.skip("only root may change its root folder")
    assert os.readlink(f"/proc/{pid}/cwd") in {"/memory", str(root)}
    assert _inside(root) == {pid: True}


def test_processes_that_come_and_go_do_no_harm(root: Path) -> None:
    with subprocess.Popen(["sh", "-c", "while :; do /bin/true; done"], cwd=root) as busy:
        try:
            for _ in range(50):
                assert _inside(root)[busy.pid] is False
        finally:
            busy.kill()


def test_processes_of_others_are_passed_over(root: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    root.parent.chmod(0o755)
    os.seteuid(65534)
    try:
        with contextlib.suppress(PermissionError):
            who_is_inside(b"/")
            mapped_for_writing(b"/")
    finally:
        os.seteuid(0)


def test_a_shared_writable_mapping_is_seen_when_the_file_is_closed(root: Path, start: Start) -> None:
    odd = root / "deep" / os.fsdecode(b"a\nb \xff")
    odd.write_bytes(b"x" * 100)
    (root / "private").write_bytes(b"x" * 100)
    (root / "read").write_bytes(b"x" * 100)
    line = (
        "import mmap; shared, private, read = (open(name, 'r+b') for name in sys.argv[1:]);"
        "a = mmap.mmap(shared.fileno(), 0); shared.close();"
        "b = mmap.mmap(private.fileno(), 0, mmap.MAP_PRIVATE);"
        "c = mmap.mmap(read.fileno(), 0, prot=mmap.PROT_READ)"
    )
    start(line, odd, root / "private", root / "read")
    assert mapped_for_writing(os.fsencode(root)) == (os.fsencode(odd),)


def test_our_own_mapping_is_seen_too_and_gone_when_unmapped(root: Path) -> None:
    path = root / "deep" / "file"
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0):
        assert mapped_for_writing(os.fsencode(root)) == (os.fsencode(path),)
    assert mapped_for_writing(os.fsencode(root)) == ()


@pytest.mark.parametrize(
    ("name", "cmdline"),
    [
        ("claude", ["claude"]),
        ("node", ["claude", "--resume"]),
        ("MainThread", ["node", "/usr/local/bin/codex"]),
        ("node", ["/usr/bin/node", "--no-warnings", "/usr/lib/node_modules/@google/gemini-cli/dist/index.js"]),
        ("node", ["node", "/home/p/.npm/node_modules/@anthropic-ai/claude-code/cli.js"]),
        ("python3", ["/usr/bin/python3.11", "/home/p/.local/bin/aider", "--model", "x"]),
        ("python3", ["python3", "-m", "aider"]),
        ("cursor-agent", []),
        ("x", ["/opt/bin/goose"]),
    ],
)
def test_agents_are_known(name: str, cmdline: list[str]) -> None:
    assert is_known_agent(name, cmdline)


@pytest.mark.parametrize(
    ("name", "cmdline"),
    [
        ("bash", ["bash"]),
        ("vim", ["vim", "claude"]),
        ("node", ["node", "/home/p/amp/server.js"]),
        ("python3", ["python3", "-c", "print('claude')"]),
        ("git", ["git", "log", "codex"]),
        ("kthreadd", []),
        ("node", ["node"]),
    ],
)
def test_others_are_not_taken_for_agents(name: str, cmdline: list[str]) -> None:
    assert not is_known_agent(name, cmdline)


def test_agents_among_those_inside_are_told_by_their_command_line(root: Path, start: Start) -> None:
    agent = root.parent / "aider"
    agent.write_text("import sys; print('ready', flush=True); sys.stdin.read()")
    ordinary = start("pass", cwd=root)
    code = f"import os, sys; os.execv(sys.executable, [sys.executable, {str(agent)!r}])"
    pid = start("pass", cwd=root, before=[sys.executable, "-c", code])
    inside = who_is_inside(os.fsencode(root))
    assert {process.pid for process in inside} == {ordinary, pid}
    assert {process.pid for process in known_agents(inside)} == {pid}
    assert known_agents([Inside(2**22 + 1, "gone", writes=False)]) == ()
