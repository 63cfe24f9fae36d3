"""What keeps a restore from running is said before anything is done, and then nothing is done."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.errors import BacktrailError
from backtrail.model.errors.repository import NotReachable
from backtrail.model.errors.restore import Blocked, CheckpointDamaged, RestoreUnfinished, StateChanged
from backtrail.model.ids import Token
from core.git_oracle import git, new_repository
from core.keeping import Keeping
from core.restore.going_back import GoingBack, untidy
from core.restore.states import do
from core.restore.whole_folder import moved, whole

_HOLD = "import sys; f = open(sys.argv[1], 'ab'); print('open', flush=True); sys.stdin.read()"


@pytest.fixture
def back(keeping: Keeping) -> GoingBack:
    return GoingBack(keeping)


@pytest.fixture
def mount(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return a call of mount(8) whose last argument is the place; it is unmounted at the end."""

    def do_mount(*arguments: object) -> None:
        done = subprocess.run(["mount", *map(str, arguments)], capture_output=True, check=False)
        if done.returncode:
            pytest.skip(f"cannot mount here: {done.stderr!r}")
        request.addfinalizer(lambda: subprocess.run(["umount", "--lazy", str(arguments[-1])], check=True))

    return do_mount


def refused(back: GoingBack, checkpoint: Checkpoint) -> list[str]:
    """Return the codes of the blockers; a restore that is tried all the same must change nothing."""
    plan = back.plan(checkpoint)
    before = whole(back.root)
    with pytest.raises(Blocked) as error:
        back.with_token(checkpoint, plan.token)
    assert error.value.blockers == plan.blockers
    assert moved(before, whole(back.root)) == []
    assert untidy(back.root) == []
    return [blocker.code for blocker in plan.blockers]


def changed(back: GoingBack) -> Checkpoint:
    """Return a checkpoint that the folder has left behind."""
    checkpoint = back.keeping.checkpoint()
    (back.root / "f").write_bytes(b"later\n")
    return checkpoint


def test_a_stale_token_changes_nothing(back: GoingBack) -> None:
    checkpoint = changed(back)
    token = back.plan(checkpoint).token
    (back.root / "f").write_bytes(b"later still\n")
    before = whole(back.root)
    for stale in (token, Token(""), Token("0" * 64)):
        with pytest.raises(StateChanged):
            back.with_token(checkpoint, stale)
    assert moved(before, whole(back.root)) == []
    assert untidy(back.root) == []


@pytest.mark.parametrize("where", ["", "sub"])
def test_b18_a_mount_at_or_below_the_folder_is_never_moved(
    back: GoingBack, mount: Callable[..., None], tmp_path: Path, where: str
) -> None:
    (back.root / "sub").mkdir()
    checkpoint = changed(back)
    if where:
        (tmp_path / "elsewhere").mkdir()
    mount("--bind", tmp_path / "elsewhere" if where else back.root, back.root / where)
    assert "mount-inside" in refused(back, checkpoint)


def test_b20_an_archive_place_on_another_file_system_is_seen_before_anything_is_copied(
    back: GoingBack, mount: Callable[..., None]
) -> None:
    checkpoint = changed(back)
    beside = back.root.parent / ".backtrail"
    beside.mkdir()
    mount("-t", "tmpfs", "tmpfs", beside)
    plan = back.plan(checkpoint)
    assert [blocker.code for blocker in plan.blockers] == ["cannot-switch"]
    before = whole(back.root)
    with pytest.raises(Blocked):
        back.with_token(checkpoint, plan.token)
    assert moved(before, whole(back.root)) == []
    assert os.listdir(beside) == []


def test_a_parent_that_cannot_be_written(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    place = tmp_path / "parent"
    back = GoingBack(Keeping(tmp_path / "home", new_repository(place / "notes")))
    checkpoint = changed(back)
    close, open_again = (
        (["chattr", "+i"], ["chattr", "-i"]) if os.geteuid() == 0 else (["chmod", "555"], ["chmod", "755"])
    )
    request.addfinalizer(lambda: subprocess.run([*open_again, place], check=True))
    subprocess.run([*close, place], check=True)
    assert refused(back, checkpoint) == ["parent-not-writable"]


def test_no_space_is_seen_before_anything_is_copied(tmp_path: Path, mount: Callable[..., None]) -> None:
    place = tmp_path / "small"
    place.mkdir()
    mount("-t", "tmpfs", "-o", "size=64M", "tmpfs", place)
    back = GoingBack(Keeping(tmp_path / "home", new_repository(place / "notes")))
    (back.root / ".gitignore").write_bytes(b"big\n")
    checkpoint = changed(back)
    (back.root / "big").write_bytes(bytes(30 << 20))
    assert refused(back, checkpoint) == ["no-space"]


def test_b43_a_linked_worktree_is_not_switched(tmp_path: Path, root: Path) -> None:
    git(root, "worktree", "add", "-q", "../linked", "-b", "side")
    back = GoingBack(Keeping(tmp_path / "home", tmp_path / "linked"))
    checkpoint = changed(back)
    plan = back.plan(checkpoint)
    assert "git-elsewhere" in [blocker.code for blocker in plan.blockers]
    before = (root / ".git" / "worktrees" / "linked" / "index").read_bytes()
    with pytest.raises(Blocked):
        back.with_token(checkpoint, plan.token)
    assert (tmp_path / "linked" / "f").read_bytes() == b"later\n"
    assert (root / ".git" / "worktrees" / "linked" / "index").read_bytes() == before
    assert not (tmp_path / ".backtrail").exists()


def test_b43_switching_the_main_folder_keeps_its_linked_worktrees(back: GoingBack) -> None:
    root, linked = back.root, back.root.parent / "linked"
    checkpoint = changed(back)
    git(root, "worktree", "add", "-q", "../linked", "-b", "side")
    do(linked, "echo w >w; git add w; git commit -qm w; echo staged >s; git add s; echo dirty >>f")
    before = whole(linked).says, git(root, "worktree", "list", "--porcelain").split(b"\n\n")[1]
    back.to(checkpoint)
    assert (whole(linked).says, git(root, "worktree", "list", "--porcelain").split(b"\n\n")[1]) == before
    do(linked, "git commit -qm more")


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("mv .git ../away; ln -s ../away .git", "git-elsewhere"),
        ("mv .git/objects ../objects; ln -s ../../objects .git/objects", "git-elsewhere"),
        ("mv .git/refs ../refs; ln -s ../../refs .git/refs", "git-elsewhere"),
        ("git config core.worktree ../../notes", "git-elsewhere"),
        (
            "git clone -q . ../lender; echo ../../../lender/.git/objects >.git/objects/info/alternates",
            "relative-alternates",
        ),
    ],
)
def test_a_git_folder_that_is_not_wholly_inside_is_not_copied(back: GoingBack, script: str, code: str) -> None:
    checkpoint = changed(back)
    do(back.root, script)
    plan = back.plan(checkpoint)
    assert code in [blocker.code for blocker in plan.blockers]
    before = whole(back.root)
    with pytest.raises(Blocked):
        back.with_token(checkpoint, plan.token)
    assert moved(before, whole(back.root)) == []


def test_a_branch_that_another_worktree_has_checked_out(back: GoingBack) -> None:
    checkpoint = changed(back)
    do(back.root, "git checkout -q -b mine; git worktree add -q ../linked main")
    assert refused(back, checkpoint) == ["branch-in-other-worktree"]


@pytest.mark.parametrize("pack", ["true", "git pack-refs --all"])
@pytest.mark.parametrize(("then", "now"), [("a", "a/b"), ("a/b", "a"), ("a/b", "a/b/c")])
def test_a_branch_whose_name_is_taken(back: GoingBack, then: str, now: str, pack: str) -> None:
    git(back.root, "checkout", "-q", "-b", then)
    checkpoint = changed(back)
    do(back.root, f'git checkout -q -b x; git branch -q -D "$1"; git branch "$2"; {pack}', then, now)
    assert refused(back, checkpoint) == ["branch-name-taken"]


@pytest.mark.parametrize("name", ["index.lock", "HEAD.lock", "packed-refs.lock"])
def test_git_at_work_is_not_disturbed(back: GoingBack, name: str) -> None:
    checkpoint = changed(back)
    (back.root / ".git" / name).touch()
    plan = back.plan(checkpoint)
    assert [blocker.code for blocker in plan.blockers] == ["repository-busy"]
    with pytest.raises(Blocked):
        back.with_token(checkpoint, plan.token)
    (back.root / ".git" / name).unlink()
    back.to(checkpoint)


def test_a_gc_that_lives_is_not_disturbed_and_a_dead_one_does_not_matter(back: GoingBack) -> None:
    checkpoint = changed(back)
    pid = back.root / ".git" / "gc.pid"
    pid.write_text(f"{os.getpid()} {socket.gethostname()}")
    assert refused(back, checkpoint) == ["repository-busy"]
    gone = subprocess.Popen(["true"])
    gone.wait()
    pid.write_text(f"{gone.pid} {socket.gethostname()}")
    assert back.blockers(checkpoint) == []


@pytest.fixture
def writer(back: GoingBack) -> Iterator[subprocess.Popen[bytes]]:
    """A process that holds a file of the folder open for writing."""
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, back.root / "f"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        yield process
        process.communicate(b"")


def test_a_process_that_writes_inside_needs_a_word_of_its_own(back: GoingBack, writer: subprocess.Popen[bytes]) -> None:
    checkpoint = changed(back)
    plan = back.plan(checkpoint)
    assert [(process.pid, process.writes) for process in plan.inside] == [(writer.pid, True)]
    assert refused(back, checkpoint) == ["in-use"]
    record = back.to(checkpoint, despite=frozenset({"in-use"}))
    assert [process.pid for process in record.inside] == [writer.pid]


def test_a_shell_that_only_stands_inside_is_counted_and_does_not_block(back: GoingBack) -> None:
    checkpoint = changed(back)
    with subprocess.Popen(["sh", "-c", "echo; read _"], cwd=back.root, stdin=-1, stdout=-1) as shell:
        assert shell.stdout is not None
        shell.stdout.readline()
        plan = back.plan(checkpoint)
        assert ([process.pid for process in plan.inside], plan.blockers) == ([shell.pid], ())
        record = back.to(checkpoint)
        assert [process.pid for process in record.inside] == [shell.pid]
        shell.communicate(b"")


def test_b04_a_checkpoint_with_a_damaged_object_is_refused_by_name(back: GoingBack) -> None:
    (back.root / "only-here").write_bytes(b"kept nowhere else\n")
    checkpoint = changed(back)
    oid = git(back.root, "rev-parse", f"refs/botharness/recovery/{checkpoint.id}:only-here").decode().strip()
    (back.root / "only-here").unlink()
    back.keeping.scan()
    token = back.plan(checkpoint).token
    loose = back.root / ".git" / "objects" / oid[:2] / oid[2:]
    loose.chmod(0o644)
    loose.write_bytes(git(back.root, "hash-object", "-w", "f") and b"no object at all")
    before = whole(back.root)
    with pytest.raises(CheckpointDamaged) as error:
        back.with_token(checkpoint, token)
    assert oid in error.value.objects
    assert moved(before, whole(back.root)) == []
    assert untidy(back.root) == []


def test_b04_a_target_that_would_remove_most_files_is_said_to(back: GoingBack) -> None:
    checkpoint = changed(back)
    for number in range(30):
        (back.root / str(number)).write_text("x")
    plan = back.plan(checkpoint)
    assert [(caution.code, caution.count) for caution in plan.cautions] == [("most-files-leave", 30)]


def test_b71_a_folder_that_is_not_there_is_not_reachable_and_its_checkpoints_stay(back: GoingBack) -> None:
    checkpoint = changed(back)
    back.root.rename(back.root.with_name("moved"))
    with pytest.raises(BacktrailError) as error, back.keeping.opened():
        pass
    assert error.value.code == NotReachable.code
    back.root.with_name("moved").rename(back.root)
    back.to(checkpoint)


def test_a_restore_that_cannot_be_settled_blocks_this_memory_alone(back: GoingBack, tmp_path: Path) -> None:
    checkpoint = changed(back)
    record = back.to(checkpoint)
    assert record.archive is not None
    journal = Path(os.fsdecode(record.archive)).with_name("restore.json")
    kept = journal.read_bytes()
    journal.write_bytes(b"{")
    marker = back.root / ".git" / "backtrail-copy"
    marker.write_text("whoever")
    other = new_repository(tmp_path / "elsewhere" / "other")
    with back.keeping.host() as host:
        memory = back.keeping.memory(host)
        with pytest.raises(RestoreUnfinished):
            host.open_memory(memory)
        with host.open_memory(host.lifecycle().add(os.fsencode(other), None)) as work:
            assert work.take().id
    journal.write_bytes(kept)
    marker.unlink()
    (back.root / "f").write_bytes(b"and on\n")
    back.to(checkpoint)


@pytest.mark.parametrize("mark", ["i", "a"])
def test_a_folder_that_cannot_be_moved_is_told_before(back: GoingBack, mark: str) -> None:
    checkpoint = changed(back)
    if subprocess.run(["chattr", f"+{mark}", back.root], capture_output=True, check=False).returncode:
        pytest.skip("this file system has no such mark")
    try:
        assert refused(back, checkpoint) == ["cannot-switch"]
    finally:
        subprocess.run(["chattr", f"-{mark}", back.root], check=True)
    back.to(checkpoint)


def test_empty_folders_where_the_branch_is_to_be_are_no_obstacle(back: GoingBack) -> None:
    git(back.root, "checkout", "-q", "-b", "side")
    checkpoint = changed(back)
    git(back.root, "checkout", "-q", "-f", "main")
    git(back.root, "branch", "-q", "-D", "side")
    (back.root / ".git/refs/heads/side/a/b").mkdir(parents=True)
    back.to(checkpoint)
    assert git(back.root, "symbolic-ref", "HEAD") == b"refs/heads/side\n"
