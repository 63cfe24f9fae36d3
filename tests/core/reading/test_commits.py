import os
import subprocess
import sys
from pathlib import Path

import pytest
from backtrail.git.commit_text import parse_commit
from backtrail.model.commits import FindCommits, ReadCommit, ReadCommitLines, ReadNewest, ReadRefs, Ref, RefKind
from backtrail.model.errors.repository import ObjectMissing
from backtrail.model.ids import Oid, oid_from_hex
from backtrail.reading.answering import Reader
from core.git_oracle import ENVIRONMENT, ask, commit_all, git, new_repository

GONE = Oid(b"\x11" * 20)


def named(root: Path, name: str) -> Oid:
    return oid_from_hex(ask(root, "rev-parse", f"{name}^{{commit}}").decode().strip())


def grown(root: Path) -> Path:
    """Make a repository with a merge of three, a second root, remote branches, tags of all sorts, refs of ours."""
    new_repository(root)
    for side in ("side", "other"):
        git(root, "switch", "-q", "-c", side, "main")
        (root / side).write_text(side)
        commit_all(root, f"{side}\n\nthe body says Zebra")
    git(root, "switch", "-q", "main")
    git(root, "merge", "-q", "-m", "octopus", "side", "other")
    git(root, "switch", "-q", "--orphan", "alone")
    git(root, "commit", "-q", "--allow-empty", "-m", "another root")
    git(root, "switch", "-q", "main")
    git(root, "tag", "light")
    git(root, "tag", "-a", "-m", "x", "heavy", "side")
    git(root, "tag", "-a", "-m", "x", "heavier", "heavy")
    git(root, "tag", "a-tree", "main^{tree}")
    git(root, "update-ref", "refs/remotes/origin/main", "side")
    git(root, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    git(root, "update-ref", "refs/botharness/recovery/" + "ab" * 16, "main")
    git(root, "update-ref", "refs/stash", "main")
    return root


@pytest.mark.parametrize("packed", [False, True])
def test_every_name_stands_for_the_commit_that_git_says(tmp_path: Path, *, packed: bool) -> None:
    root = grown(tmp_path / "notes")
    if packed:
        git(root, "pack-refs", "--all")
    found = Reader().answer(ReadRefs(root=bytes(root)))
    main, side = named(root, "main"), named(root, "side")
    assert (found.head, found.branch) == (main, b"main")
    assert found.refs == (
        Ref(RefKind.BRANCH, b"alone", named(root, "alone")),
        Ref(RefKind.BRANCH, b"main", main),
        Ref(RefKind.BRANCH, b"other", named(root, "other")),
        Ref(RefKind.BRANCH, b"side", side),
        Ref(RefKind.REMOTE, b"origin/HEAD", side),
        Ref(RefKind.REMOTE, b"origin/main", side),
        Ref(RefKind.TAG, b"heavier", side),
        Ref(RefKind.TAG, b"heavy", side),
        Ref(RefKind.TAG, b"light", main),
    )


def test_a_detached_or_unborn_head_is_told(tmp_path: Path) -> None:
    root = new_repository(tmp_path / "notes")
    git(root, "switch", "-q", "--detach")
    assert Reader().answer(ReadRefs(root=bytes(root))).branch is None
    git(root, "switch", "-q", "--orphan", "new")
    found = Reader().answer(ReadRefs(root=bytes(root)))
    assert (found.head, found.branch) == (None, b"new")


def test_a_ref_to_an_object_that_is_not_here_is_left_out(tmp_path: Path) -> None:
    root = new_repository(tmp_path / "notes")
    (root / ".git" / "refs" / "heads" / "gone").write_text(GONE.hex() + "\n")
    assert [ref.name for ref in Reader().answer(ReadRefs(root=bytes(root))).refs] == [b"main"]


def test_a_commit_says_what_git_says_of_it(tmp_path: Path) -> None:
    root = grown(tmp_path / "notes")
    when = {"GIT_AUTHOR_DATE": "1600000000 -0730", "GIT_COMMITTER_DATE": "1700000000 +0545"}
    env = ENVIRONMENT | when | {"GIT_AUTHOR_NAME": "Åsa", "GIT_AUTHOR_EMAIL": "å@example.invalid"}
    subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "Ünder\n\nbody"], cwd=root, env=env, check=True)
    for name in ("main", "main~1", "side", "alone"):
        told = Reader().answer(ReadCommit(root=bytes(root), oid=named(root, name)))
        shown = ask(
            root, "show", "-s", "--format=%T%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ct%x00%B", name, "--"
        ).decode()
        tree, parents, author, email, at, committer, committed, message = shown.split("\0")
        assert told.tree.hex() == tree
        assert [parent.hex() for parent in told.parents] == parents.split()
        assert (told.author.name, told.author.email, int(told.author.at.timestamp())) == (author, email, int(at))
        assert (told.committer.name, int(told.committer.at.timestamp())) == (committer, int(committed))
        assert told.message.strip() == message.strip()
        parent_tree = ask(root, "rev-parse", f"{name}^^{{tree}}") if parents else b""
        assert (told.parent_tree or b"").hex() == parent_tree.decode().strip()
    told = Reader().answer(ReadCommit(root=bytes(root), oid=named(root, "main")))
    assert (told.author.offset_minutes, told.committer.offset_minutes) == (-450, 345)


def test_a_commit_that_is_not_here_is_told_as_such_and_holds_up_no_other(tmp_path: Path) -> None:
    root = grown(tmp_path / "notes")
    asked = (named(root, "side"), GONE, named(root, "alone"))
    lines = Reader().answer(ReadCommitLines(root=bytes(root), oids=asked)).lines
    assert [line and line.subject for line in lines] == ["side", None, "another root"]
    with pytest.raises(ObjectMissing):
        Reader().answer(ReadCommit(root=bytes(root), oid=GONE))


def test_text_is_found_in_message_and_author_whatever_its_case(tmp_path: Path) -> None:
    root = grown(tmp_path / "notes")
    asked = (named(root, "main"), named(root, "side"), GONE, named(root, "alone"))

    def hits(text: str) -> tuple[bool, ...]:
        return Reader().answer(FindCommits(root=bytes(root), oids=asked, text=text)).hits

    assert hits("zEBRA") == (False, True, False, False)
    assert hits("T@EXAMPLE") == (True, True, False, True)
    assert hits("nowhere") == (False,) * 4


@pytest.mark.parametrize(
    ("raw", "subject", "author"),
    [
        (b"", "", ""),
        (b"tree x\nauthor nobody\n\n\n  \nfirst\nsecond", "first", "nobody"),
        (b"author A <a@b> 99999999999999999999 +0000\n\n\xff", "�", "A"),
        (b"author \xc5 <a> 1 +0000\nencoding ISO-8859-1\n\n\xe4", "ä", "Å"),
        (b"author A <a> 1 +0000\nencoding no-such\n\n\xc3\xa4", "ä", "A"),
        (b"author A <a> -5 -0000\ngpgsig -----\n parent no\n\nx", "x", "A"),
    ],
)
def test_an_odd_commit_is_read_as_far_as_it_goes(raw: bytes, subject: str, author: str) -> None:
    commit = parse_commit(raw)
    assert (commit.subject, commit.author.name, commit.parents) == (subject, author, ())


def rows(root: Path, given: str) -> list[str]:
    command = [sys.executable, "-P", "-m", "backtrail.reading.rows", str(root)]
    return subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_rows_are_those_that_git_prints(tmp_path: Path) -> None:
    root = grown(tmp_path / "notes")
    tips = [named(root, name).hex() for name in ("main", "alone", "side")]
    told = rows(root, "\n".join(tips))
    assert sorted(told) == sorted(ask(root, "rev-list", "--topo-order", "--parents", *tips).decode().splitlines())
    place = {line[:40]: at for at, line in enumerate(told)}
    assert all(place[line[:40]] < place[parent] for line in told for parent in line.split()[1:])
    left = rows(root, f"{tips[0]}\n^{tips[2]}")
    assert sorted(left) == sorted(ask(root, "rev-list", "--parents", tips[0], f"^{tips[2]}").decode().splitlines())


def newest(root: Path, count: int) -> list[str]:
    return list(Reader().answer(ReadNewest(root=os.fsencode(root), count=count)).lines)


def test_the_newest_are_those_that_branches_lead_to_and_tags_where_there_is_nothing_else(tmp_path: Path) -> None:
    root = grown(tmp_path / "notes")
    git(root, "tag", "-a", "-m", "told", "old", "main~1")
    every = ask(root, "rev-list", "--parents", "HEAD", "--branches", "--remotes").decode().splitlines()
    assert sorted(newest(root, 100)) == sorted(every)
    assert newest(root, 2) == newest(root, 100)[:2]
    git(root, "checkout", "-q", "--orphan", "unborn")
    for name in ask(root, "for-each-ref", "--format=%(refname:short)", "refs/heads").decode().split():
        git(root, "branch", "-q", "-D", name)
    git(root, "update-ref", "-d", "refs/remotes/origin/main")
    tagged = ask(root, "rev-list", "--parents", "light", "heavy", "old").decode().splitlines()
    assert sorted(newest(root, 100)) == sorted(tagged)


def test_a_shallow_clone_ends_where_it_was_cut(tmp_path: Path) -> None:
    git(grown(tmp_path / "notes"), "clone", "-q", "--depth", "1", f"file://{tmp_path}/notes", str(tmp_path / "cut"))
    tip = named(tmp_path / "cut", "main").hex()
    assert rows(tmp_path / "cut", tip) == newest(tmp_path / "cut", 5) == [tip]
