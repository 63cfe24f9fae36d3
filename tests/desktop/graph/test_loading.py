"""The rows of real repositories, as git and the stand-in print them, while refs move."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from backtrail_desktop.client.reader_client import ReaderClient
from backtrail_desktop.graph import row_process
from backtrail_desktop.graph.commit_rows import NOW, CommitRows
from backtrail_desktop.graph.loading import Loading
from core.git_oracle import ask, git, new_repository
from desktop.graph.repositories import PATIENCE_MS, grown
from PySide6.QtCore import QCoreApplication, QProcess
from pytestqt.qtbot import QtBot


class Shown:
    """What a graph would show: the rows told last, and what was told on the way."""

    def __init__(self, qtbot: QtBot, reader: ReaderClient) -> None:
        self.qtbot, self.rows = qtbot, CommitRows()
        self.told: list[str] = []
        self.loading = Loading(reader)
        self.loading.replaced.connect(self._replaced)
        self.loading.finished.connect(lambda: self.told.append("finished"))
        self.loading.failed.connect(self.told.append)
        self.loading.refs_changed.connect(lambda: self.told.append("refs"))

    def _replaced(self, rows: CommitRows) -> None:
        self.rows = rows
        self.told.append("replaced")

    def show(self, root: Path, only: bytes | None = None) -> None:
        with self.qtbot.waitSignal(self.loading.finished, timeout=PATIENCE_MS):
            self.loading.show(bytes(root), only)

    def refresh(self) -> list[str]:
        self.told.clear()
        with self.qtbot.waitSignal(self.loading.finished, timeout=PATIENCE_MS):
            self.loading.refresh()
        return self.told

    def commits(self) -> dict[str, list[str]]:
        return {
            self.rows.oid(row).hex(): [parent.hex() for parent in self.rows.parents(row)]
            for row in range(len(self.rows))
            if self.rows.oid(row) != NOW
        }


@pytest.fixture
def shown(qtbot: QtBot) -> Iterator[Shown]:
    reader = ReaderClient()
    made = Shown(qtbot, reader)
    yield made
    made.loading.close()
    reader.close()


def told_by_git(root: Path, *revisions: str) -> dict[str, list[str]]:
    lines = ask(root, "rev-list", "--parents", *revisions, "--").decode().splitlines()
    return {line[:40]: line.split()[1:] for line in lines}


EVERYTHING = ("HEAD", "--branches", "--remotes", "--tags")


@pytest.fixture(params=["git", "stand-in", "git that fails"])
def printer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Have rows printed by git, without it, or by a git that refuses (as it does in somebody else's folder)."""
    if request.param == "stand-in":
        monkeypatch.setattr(row_process.shutil, "which", lambda _: None)
    elif request.param == "git that fails":
        refusing = tmp_path / "bin" / "git"
        refusing.parent.mkdir()
        refusing.write_text("#!/bin/sh\necho fatal: detected dubious ownership >&2\nexit 128\n")
        refusing.chmod(0o755)
        monkeypatch.setenv("PATH", f"{refusing.parent}{os.pathsep}{os.environ['PATH']}")


def as_one_sees_it(shown: Shown, root: Path) -> None:
    """Compare with git, and with a graph that is loaded anew."""
    assert shown.commits() == told_by_git(root, *EVERYTHING)
    place = {shown.rows.oid(row): row for row in range(len(shown.rows))}
    for row in range(len(shown.rows)):
        assert all(place[parent] > row for parent in shown.rows.parents(row))
    assert shown.rows.oid(0) == NOW
    assert [parent.hex() for parent in shown.rows.parents(0)] == [git(root, "rev-parse", "HEAD").decode().strip()]
    assert shown.rows.ends


@pytest.mark.usefixtures("printer")
def test_every_commit_that_has_a_name_is_a_row_and_no_other(shown: Shown, tmp_path: Path) -> None:
    root = grown(tmp_path / "notes")
    shown.show(root)
    as_one_sees_it(shown, root)
    shown.show(root, b"side")
    assert shown.commits() == told_by_git(root, "side")
    shown.show(root, b"main")
    assert shown.commits() == told_by_git(root, "main")
    assert shown.rows.oid(0) == NOW


@pytest.mark.usefixtures("printer")
def test_rows_follow_refs_that_move(shown: Shown, tmp_path: Path) -> None:
    root = grown(tmp_path / "notes")
    shown.show(root)
    git(root, "commit", "-q", "--allow-empty", "-m", "one more")
    assert shown.refresh() == ["refs", "replaced", "finished"]
    as_one_sees_it(shown, root)
    for command in (
        "reset -q --hard HEAD~4",
        "switch -q --detach other",
        "branch -D main",
        "tag -d heavy",
        "switch -q --orphan fresh",
        "commit -q --allow-empty -m root",
        "commit -q --amend --allow-empty -m again",
        "branch -m fresh renamed",
    ):
        git(root, *command.split())
        shown.refresh()
        if command != "switch -q --orphan fresh":
            as_one_sees_it(shown, root)


def test_nothing_is_told_where_nothing_moved(shown: Shown, tmp_path: Path) -> None:
    root = grown(tmp_path / "notes")
    shown.show(root)
    assert shown.refresh() == ["finished"]
    git(root, "switch", "-q", "-c", "same-commit")
    assert shown.refresh() == ["refs", "finished"]


def test_old_commits_that_were_collected_are_forgotten(shown: Shown, tmp_path: Path) -> None:
    root = grown(tmp_path / "notes")
    git(root, "switch", "-q", "-c", "gone")
    git(root, "commit", "-q", "--allow-empty", "-m", "gone")
    shown.show(root)
    git(root, "switch", "-q", "main")
    git(root, "branch", "-D", "gone")
    git(root, "reflog", "expire", "--expire=all", "--all")
    git(root, "gc", "-q", "--prune=now")
    shown.refresh()
    as_one_sees_it(shown, root)


def test_a_folder_without_a_commit_has_the_row_of_now_alone(shown: Shown, tmp_path: Path) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    git(root, "init", "-q")
    shown.show(root)
    assert (len(shown.rows), shown.commits(), shown.rows.oid(0)) == (1, {}, NOW)


def test_a_folder_that_cannot_be_read_is_told(qtbot: QtBot, shown: Shown, tmp_path: Path) -> None:
    with qtbot.waitSignal(shown.loading.failed, timeout=PATIENCE_MS) as told:
        shown.loading.show(bytes(tmp_path / "nowhere"))
    assert "nowhere" in told.args[0]
    shown.show(grown(tmp_path / "notes"))


def test_a_folder_inside_another_repository_is_not_taken_for_it(qtbot: QtBot, shown: Shown, tmp_path: Path) -> None:
    root = new_repository(grown(tmp_path / "notes") / "inner")
    shown.show(root)
    as_one_sees_it(shown, root)
    shutil.rmtree(root / ".git")
    with qtbot.waitSignal(shown.loading.failed, timeout=PATIENCE_MS):
        shown.loading.show(bytes(root))


def test_nothing_the_repository_names_is_run(shown: Shown, tmp_path: Path) -> None:
    root = grown(tmp_path / "notes")
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    for name in (
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "diff.external",
        "alias.rev-list",
        "core.hooksPath",
    ):
        git(root, "config", name, f"!{trap}" if name.startswith("alias") else str(trap))
    shown.show(root)
    git(root, "-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "x")
    shown.refresh()
    as_one_sees_it(shown, root)
    assert not (tmp_path / "sprung").exists()


def test_showing_another_folder_stops_the_first(qtbot: QtBot, shown: Shown, tmp_path: Path) -> None:
    first, second = grown(tmp_path / "first"), new_repository(tmp_path / "second")
    shown.loading.show(bytes(first))
    qtbot.waitUntil(lambda: "refs" in shown.told, timeout=PATIENCE_MS)
    shown.show(second)
    as_one_sees_it(shown, second)
    shown.loading.show(None)
    QCoreApplication.sendPostedEvents()
    qtbot.waitUntil(lambda: not shown.loading.findChildren(QProcess), timeout=PATIENCE_MS)
