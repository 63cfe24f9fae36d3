"""What a checkpoint does not hold is never taken for deleted, and what it never had does not stay behind."""

import os
import socket
from pathlib import Path

import pytest
from backtrail.model.coverage import Reason
from backtrail.model.restore import Ignored, PathChange, RestoreState
from core.git_oracle import commit_all, git, new_repository
from core.keeping import Keeping
from core.restore.going_back import GoingBack, archived
from core.restore.states import do
from core.restore.whole_folder import whole


@pytest.fixture
def back(keeping: Keeping) -> GoingBack:
    return GoingBack(keeping)


def test_b01_untracked_files_of_somebody_else_leave_to_the_archive_and_are_named(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    (back.root / "out").mkdir()
    (back.root / "out" / "result.jsonl").write_bytes(os.urandom(1000))
    made = (back.root / "out" / "result.jsonl").read_bytes()
    assert PathChange(b"out/result.jsonl", staged=False) in back.plan(checkpoint).leaves
    record = back.to(checkpoint)
    assert not (back.root / "out").exists()
    assert (archived(record) / "out" / "result.jsonl").read_bytes() == made


def test_b14_a_file_created_later_does_not_stay(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    (back.root / "Foo.md").write_text("later")
    record = back.to(checkpoint)
    assert not (back.root / "Foo.md").exists()
    assert (archived(record) / "Foo.md").read_text() == "later"


def test_b08_a_file_above_the_cap_stays_as_it_is_now(back: GoingBack) -> None:
    back.keeping.scan()
    back.keeping.set_cap(10_000_000)
    (back.root / "g").write_text("new")
    (back.root / "corpus.bin").write_bytes(bytes(20_000_000))
    checkpoint = back.keeping.checkpoint()
    assert [item.reason for item in checkpoint.coverage.left_out] == [Reason.TOO_LARGE]
    with (back.root / "corpus.bin").open("ab") as file:
        file.write(b"more\n")
    plan = back.plan(checkpoint)
    assert plan.carry_over.paths == (b"corpus.bin",)
    assert [item.path for item in plan.not_in_target] == [b"corpus.bin"]
    back.to(checkpoint)
    assert (back.root / "corpus.bin").stat().st_size == 20_000_005


def test_ignored_content_goes_along_with_its_times_and_modes(back: GoingBack) -> None:
    do(back.root, "printf 'ign/\n*.log\n.env\n' >.gitignore; git add .; git commit -qm i")
    checkpoint = back.keeping.checkpoint()
    do(
        back.root,
        """mkdir -p ign/deep/empty sub; echo s >.env; chmod 600 .env; echo l >sub/x.log; ln -s nowhere ign/link
        echo x >ign/deep/x; chmod 700 ign/deep; touch -d 2001-02-03Z ign/deep/x; head -c 1000 /dev/urandom >ign/random
        echo f >f""",
    )
    before = whole(back.root)
    plan = back.plan(checkpoint)
    assert plan.carry_over.paths == (b".env", b"ign", b"sub/x.log")
    assert plan.carry_over.count == 5
    back.to(checkpoint)
    now = whole(back.root)
    changed = {path for path in before.files.keys() | now.files.keys() if before.files.get(path) != now.files.get(path)}
    assert changed == {b"f"}
    assert int((back.root / "ign" / "deep" / "x").stat().st_mtime) == 981158400
    assert b"! ign/random" in now.says["status"]


def test_the_rules_of_the_target_decide_what_is_ignored(back: GoingBack) -> None:
    (back.root / ".gitignore").write_text("old.log\n")
    checkpoint = back.keeping.checkpoint()
    (back.root / ".gitignore").write_text("new.log\n.env\n")
    for name in ("old.log", "new.log", ".env"):
        (back.root / name).write_text(name)
    plan = back.plan(checkpoint)
    assert plan.carry_over.paths == (b"old.log",)
    assert {change.path for change in plan.leaves if not change.staged} == {b"new.log", b".env"}
    record = back.to(checkpoint)
    assert (back.root / "old.log").exists()
    assert not (back.root / ".env").exists()
    assert (archived(record) / ".env").read_text() == ".env"
    with back.keeping.opened() as work:  # nothing secret has become an untracked file that a checkpoint would store
        assert work.scan().checkpoint is None


@pytest.mark.parametrize(
    ("rules", "text"),
    [(".git/info/exclude", "notes\n"), ("out/.gitignore", "*\n"), (".git/info/exclude", "out/\n")],
    ids=["a rule of the repository's own", "a folder that ignores itself", "the whole folder"],
)
def test_what_is_ignored_only_since_it_was_kept_comes_back(back: GoingBack, rules: str, text: str) -> None:
    """No checkpoint holds such rules, so the target does not know them; nor may they hide what it holds."""
    (back.root / "out").mkdir()
    (back.root / "out" / "notes").write_text("hand-made\n")
    checkpoint = back.keeping.checkpoint()
    (back.root / rules).write_text(text)
    (back.root / "out" / "notes").write_text("overwritten\n")
    back.keeping.scan()
    record = back.to(checkpoint)
    assert record.state is RestoreState.DONE
    assert (back.root / "out" / "notes").read_text() == "hand-made\n"
    assert (back.root / rules).read_text() == text


def test_ignored_content_can_be_left_in_the_archive(back: GoingBack) -> None:
    do(back.root, "echo 'ign/' >.gitignore; mkdir ign; echo i >ign/i")
    checkpoint = back.keeping.checkpoint()
    (back.root / "f").write_text("later")
    plan = back.plan(checkpoint, Ignored.LEAVE)
    assert (plan.carry_over.paths, plan.carry_over.archive_only) == ((), (b"ign",))
    record = back.to(checkpoint, Ignored.LEAVE)
    assert not (back.root / "ign").exists()
    assert (archived(record) / "ign" / "i").read_text() == "i\n"
    back.undo(record)
    assert (back.root / "ign" / "i").read_text() == "i\n"


def test_ignored_content_whose_place_is_taken_stays_in_the_archive_and_is_named(back: GoingBack) -> None:
    do(
        back.root,
        "printf 'p\nq\n' >.gitignore; echo file >p; mkdir q; echo in >q/in; git add -f p q; git commit -qm pq",
    )
    checkpoint = back.keeping.checkpoint()
    do(back.root, "git rm -rq --cached p q; git commit -qm gone; rm -r p q; mkdir p; echo built >p/built; echo now >q")
    plan = back.plan(checkpoint)
    assert plan.carry_over.archive_only == (b"p", b"q")
    record = back.to(checkpoint)
    assert (back.root / "p").read_text() == "file\n"
    assert (back.root / "q" / "in").read_text() == "in\n"
    assert (archived(record) / "p" / "built").read_text() == "built\n"
    assert (archived(record) / "q").read_text() == "now\n"


def test_b29_a_nested_repository_goes_along_whole(back: GoingBack) -> None:
    do(back.root, "git init -q sub; cd sub; echo x >x; git add x; git commit -qm s; echo dirty >x; echo u >u")
    checkpoint = back.keeping.checkpoint()
    do(back.root, "echo later >f; cd sub; git add .; git commit -qm later; echo more >>x")
    before = whole(back.root / "sub")
    back.to(checkpoint)
    assert whole(back.root / "sub") == before
    assert (back.root / "f").read_bytes() == b"base\n"


def test_a_nested_repository_that_came_later_leaves_whole_to_the_archive(back: GoingBack) -> None:
    checkpoint = back.keeping.checkpoint()
    do(back.root, "git init -q sub; cd sub; echo x >x; git add x; git commit -qm s; echo dirty >x")
    before = whole(back.root / "sub")
    record = back.to(checkpoint)
    assert not (back.root / "sub").exists()
    assert whole(archived(record) / "sub") == before


_WITH_SUBMODULE = """
git init -q -b main ../part; (cd ../part; echo 1 >x; git add x; git commit -qm s)
git submodule -q add ../part sm; git commit -qm sm
"""


def test_b30_a_dirty_submodule_goes_along_unchanged(back: GoingBack) -> None:
    do(back.root, _WITH_SUBMODULE + "echo DIRTY >sm/x; echo new >sm/y")
    checkpoint = back.keeping.checkpoint()
    do(back.root, "echo later >f; echo MORE >>sm/x")
    before = whole(back.root / "sm")
    back.to(checkpoint)
    assert whole(back.root / "sm") == before


def test_b30_a_submodule_that_has_moved_on_keeps_its_commits_and_files(back: GoingBack) -> None:
    do(back.root, _WITH_SUBMODULE)
    checkpoint = back.keeping.checkpoint()
    do(back.root, "cd sm; echo 2 >x; git commit -qam moved; cd ..; git add sm; git commit -qm bump; echo later >f")
    before = whole(back.root / "sm")
    back.to(checkpoint)
    assert whole(back.root / "sm") == before
    assert git(back.root, "ls-files", "-s", "sm").split()[1] == git(back.root, "rev-parse", "HEAD:sm").strip()


def test_b30_a_submodule_that_is_gone_leaves_an_empty_place(back: GoingBack) -> None:
    do(back.root, _WITH_SUBMODULE)
    checkpoint = back.keeping.checkpoint()
    do(back.root, "git rm -qf sm; git commit -qm rm; rm -rf sm")
    back.to(checkpoint)
    do(back.root, "git submodule -q update --init; test -f sm/x")


def test_special_files_go_along_and_sockets_stay_in_the_archive(
    back: GoingBack, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(back.root / "pipe", 0o600)
    monkeypatch.chdir(back.root)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("sock")
        checkpoint = back.keeping.checkpoint()
        assert {item.path for item in checkpoint.coverage.left_out} == {b"pipe", b"sock"}
        (back.root / "f").write_text("later")
        monkeypatch.chdir("/")
        planned = back.plan(checkpoint).carry_over
        record = back.to(checkpoint)
    assert (planned.paths, planned.count, planned.archive_only) == ((b"pipe",), 1, (b"sock",))
    assert (back.root / "pipe").is_fifo()
    assert record.not_carried == ()
    assert (archived(record) / "sock").is_socket()


def test_a_socket_among_ignored_files_is_said_to_stay_in_the_archive(
    back: GoingBack, monkeypatch: pytest.MonkeyPatch
) -> None:
    do(back.root, "echo run/ >.gitignore; mkdir run; echo 1 >run/pid")
    checkpoint = back.keeping.checkpoint()
    monkeypatch.chdir(back.root)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("run/sock")
        monkeypatch.chdir("/")
        planned = back.plan(checkpoint).carry_over
        record = back.to(checkpoint)
    assert (planned.paths, planned.count, planned.archive_only) == ((b"run",), 1, (b"run/sock",))
    assert (back.root / "run" / "pid").read_text() == "1\n"
    assert (archived(record) / "run" / "sock").is_socket()


def test_an_empty_folder_that_comes_back_and_other_permissions_of_folders_are_in_the_plan(back: GoingBack) -> None:
    do(back.root, "mkdir hollow tight wide gone; echo 1 >tight/f; echo 1 >wide/f; chmod 700 tight; rmdir gone")
    checkpoint = back.keeping.checkpoint()
    do(back.root, "rmdir hollow; chmod 755 tight; chmod 711 wide; mkdir later")
    plan = back.plan(checkpoint)
    assert plan.comes_back == (PathChange(b"hollow", staged=False, folder=True),)
    assert plan.changes == (
        PathChange(b"tight", staged=False, folder=True),
        PathChange(b"wide", staged=False, folder=True),
    )
    assert plan.leaves == (PathChange(b"later", staged=False, folder=True),)
    back.to(checkpoint)
    assert back.plan(checkpoint).comes_back == ()
    assert back.plan(checkpoint).changes == ()


def test_b05_a_restore_is_of_the_whole_folder_and_says_every_path(
    back: GoingBack, monkeypatch: pytest.MonkeyPatch
) -> None:
    do(back.root, "mkdir fe be; echo 1 >fe/a; echo old >be/s; git add .; git commit -qm two")
    monkeypatch.chdir(back.root / "fe")
    checkpoint = back.keeping.checkpoint()
    (back.root / "be" / "s").write_text("CURRENT")
    plan = back.plan(checkpoint)
    assert plan.changes == (PathChange(b"be/s", staged=False),)
    monkeypatch.chdir("/")
    record = back.to(checkpoint)
    assert (archived(record) / "be" / "s").read_text() == "CURRENT"


def test_an_enclosing_repository_sees_no_archive(tmp_path: Path) -> None:
    outer = new_repository(tmp_path / "outer")
    back = GoingBack(Keeping(tmp_path / "home", new_repository(outer / "inner")))
    commit_all(outer)
    before = git(outer, "status", "--porcelain", "--untracked-files=all")
    checkpoint = back.keeping.checkpoint()
    (back.root / "f").write_text("later")
    back.to(checkpoint)
    (back.root / "f").write_text("base\n")
    assert git(outer, "status", "--porcelain", "--untracked-files=all") == before
