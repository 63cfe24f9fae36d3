"""Trees against `git mktree` and `git write-tree`: the same ids, in any order, for names of any bytes."""

import os
import subprocess
from pathlib import Path

import pytest
from backtrail.git.trees import all_safe, build_trees, parse_tree
from backtrail.model.ids import Oid
from hypothesis import given, settings
from hypothesis import strategies as st

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
ONE, TWO = Oid(b"\1" * 20), Oid(b"\n\0" * 10)


def git(repository: Path, *arguments: str, content: bytes = b"") -> bytes:
    done = subprocess.run(
        ["git", "-c", "core.protectNTFS=false", "-c", "core.protectHFS=false", *arguments],
        cwd=repository,
        env=ENVIRONMENT,
        input=content,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("trees")
    git(top, "init", "-q", "-b", "main")
    return top


NAMES = st.one_of(
    # Few letters, and those beside the slash, so that names are each other's beginnings.
    st.lists(st.sampled_from([b"a", b"b", b"-", b".", b"0", b"\xff"]), min_size=1, max_size=3).map(b"".join),
    st.binary(min_size=1, max_size=6),
).filter(lambda name: not {0, ord("/")} & set(name) and name.lower() not in {b".", b"..", b".git"})
MODES = st.sampled_from([0o100644, 0o100755, 0o120000, 0o160000])
OIDS = st.binary(min_size=20, max_size=20).filter(any).map(Oid)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map(b"/".join)


def is_file_and_folder(paths: set[bytes]) -> bool:
    return any(path[:at] in paths for path in paths for at in range(len(path)) if path[at : at + 1] == b"/")


CONTENTS = st.dictionaries(PATHS, st.tuples(MODES, OIDS), max_size=15).filter(lambda d: not is_file_and_folder({*d}))


@settings(max_examples=150, deadline=None)
@given(
    contents=st.dictionaries(PATHS, st.tuples(MODES, OIDS), max_size=15).filter(lambda d: not is_file_and_folder({*d}))
)
def test_same_tree_as_write_tree(repository: Path, contents: dict[bytes, tuple[int, Oid]]) -> None:
    trees = build_trees((path, mode, oid) for path, (mode, oid) in contents.items())
    lines = [b"%o %b\t%b\0" % (mode, oid.hex().encode(), path) for path, (mode, oid) in contents.items()]
    git(repository, "read-tree", "--empty")
    git(repository, "update-index", "-z", "--index-info", content=b"".join(lines))
    assert git(repository, "write-tree", "--missing-ok").decode().strip() == trees.root.hex()
    listed = git(repository, "ls-tree", "-r", "-d", "-z", trees.root.hex()).split(b"\0")[:-1]
    folders = {line.partition(b"\t")[2]: line.split()[2] for line in listed if line.startswith(b"040000")}
    assert {path: oid.hex().encode() for path, oid in trees.folders.items() if path} == folders
    assert trees.folders[b""] == trees.root
    assert set(trees.objects) == set(trees.folders.values())
    assert leaves(trees.objects, trees.root) == contents


def leaves(objects: dict[Oid, bytes], oid: Oid, prefix: bytes = b"") -> dict[bytes, tuple[int, Oid]]:
    found: dict[bytes, tuple[int, Oid]] = {}
    for mode, name, child in parse_tree(objects[oid]):
        if mode == 0o40000:
            found |= leaves(objects, child, prefix + name + b"/")
        else:
            found[prefix + name] = (mode, child)
    return found


@settings(max_examples=60, deadline=None)
@given(contents=st.dictionaries(NAMES, st.tuples(MODES, OIDS), max_size=10))
def test_same_tree_as_mktree(repository: Path, contents: dict[bytes, tuple[int, Oid]]) -> None:
    kinds = {0o160000: b"commit"}
    lines = [
        b"%06o %b %b\t%b\0" % (mode, kinds.get(mode, b"blob"), oid.hex().encode(), name)
        for name, (mode, oid) in contents.items()
    ]
    made = git(repository, "mktree", "-z", "--missing", content=b"".join(lines)).decode().strip()
    trees = build_trees((name, mode, oid) for name, (mode, oid) in contents.items())
    assert trees.root.hex() == made
    assert trees.objects[trees.root] == git(repository, "cat-file", "tree", made)


def test_no_entries_are_the_empty_tree() -> None:
    trees = build_trees([])
    assert trees.root.hex() == EMPTY_TREE
    assert trees.objects == {trees.root: b""}
    assert trees.folders == {b"": trees.root}


def test_folders_stand_where_their_slash_puts_them() -> None:
    entries = [(path, 0o100644, ONE) for path in (b"a/x", b"a", b"a-b", b"a.b", b"a0")]
    with pytest.raises(ValueError, match="file and a folder"):
        build_trees(entries)
    trees = build_trees([entry for entry in entries if entry[0] != b"a"])
    assert [name for _, name, _ in parse_tree(trees.objects[trees.root])] == [b"a-b", b"a.b", b"a", b"a0"]


def test_equal_folders_are_one_object() -> None:
    trees = build_trees([(b"a/b/f", 0o100644, ONE), (b"c/b/f", 0o100644, ONE)])
    assert trees.folders[b"a"] == trees.folders[b"c"]
    assert len(trees.objects) == 3


@pytest.mark.parametrize(
    "path",
    [b"", b"/", b"/a", b"a/", b"a//b", b".", b"..", b"a/.", b"./a", b"../a", b"a/../b", b"a/..", b".git", b"a/.Git",
     b".GIT/hooks/x", b"a\0b"],
)  # fmt: skip
def test_paths_that_would_reach_elsewhere_are_refused(path: bytes) -> None:
    with pytest.raises(ValueError, match="unsafe"):
        build_trees([(b"good", 0o100644, ONE), (path, 0o100644, ONE)])
    assert not all_safe([b"good", path])


def test_names_that_only_look_dangerous_are_kept() -> None:
    paths = [b".gitignore", b"a/.github/x", b"...", b"..a", b"a/.git.", b"git", b"\\", b"a\n", b" ", b"\xff"]
    assert all_safe(paths)
    assert all_safe([])
    assert len(leaves((trees := build_trees((path, 0o100644, ONE) for path in paths)).objects, trees.root)) == 10


def test_a_file_and_a_folder_of_one_name_are_refused_from_either_side() -> None:
    for entries in ([b"a/b", b"a/b/c/d"], [b"a/b/c", b"a/b", b"a/b-c"]):
        with pytest.raises(ValueError, match="file and a folder"):
            build_trees((path, 0o100644, ONE) for path in entries)


def test_what_no_tree_can_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        build_trees([(b"a", 0o100644, ONE), (b"a", 0o100644, ONE)])
    for mode in (0, 0o40000, 0o100664, 0o100600):
        with pytest.raises(ValueError, match="mode"):
            build_trees([(b"a", mode, ONE)])
    with pytest.raises(ValueError, match="20 bytes"):
        build_trees([(b"a", 0o100644, Oid(b"short"))])


def test_old_modes_are_read_as_they_are() -> None:
    raw = b"100664 a\0" + ONE + b"040000 b\0" + TWO + b"100600 c\0" + TWO
    assert parse_tree(raw) == [(0o100664, b"a", ONE), (0o40000, b"b", TWO), (0o100600, b"c", TWO)]


@pytest.mark.parametrize(
    "raw",
    [b"rubbish", b"100644 a\0", b"100644 \0" + ONE, b"100644 a/b\0" + ONE, b"100648 a\0" + ONE, b" 100644 a\0" + ONE,
     b"0 a\0" + ONE, b"20000 a\0" + ONE, b"-100644 a\0" + ONE, b"100644a\0" + ONE, b"100644 a\0" + ONE + b"x",
     b"x100644 a\0" + ONE],
)  # fmt: skip
def test_damaged_trees_are_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match="a tree"):
        parse_tree(raw)


def test_a_tree_cut_off_anywhere_is_refused() -> None:
    trees = build_trees([(b"a", 0o100644, ONE), (b"b/c", 0o100755, TWO), (b"d", 0o120000, TWO)])
    raw = trees.objects[trees.root]
    whole = [0, 29, 57]  # where an entry ends
    for length in range(len(raw)):
        if length in whole:
            assert parse_tree(raw[:length]) == parse_tree(raw)[: whole.index(length)]
        else:
            with pytest.raises(ValueError, match="a tree"):
                parse_tree(raw[:length])
