"""Our reading of ignore files against Git's own: a secret kept or an hour of work not kept is what a difference costs.

Every case builds a real folder and asks `git ls-files` and `git check-ignore`; the walk below is the smallest that can
use `FolderRules`. BACKTRAIL_FUZZ=N runs N random examples instead of the few that are fixed.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from backtrail.git.ignore import FolderRules
from backtrail.git.ignore_pattern import rules_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
FUZZ = int(os.environ.get("BACKTRAIL_FUZZ", "0"))


class Tree(NamedTuple):
    """What stands in a folder. A path that ends in a slash is an empty folder, one in `links` a link to the root."""

    paths: tuple[bytes, ...]
    ignore_files: Mapping[bytes, bytes] = {}
    sources: tuple[bytes, bytes] = (b"", b"")
    links: tuple[bytes, ...] = ()
    tracked: tuple[bytes, ...] = ()
    ignore_case: bool = False


class Scratch:
    """A Git folder that working trees come to, one after the other."""

    def __init__(self, base: Path) -> None:
        self.root = bytes(base / "tree")
        self._excludes = base / "excludes"
        self._git_folder = base / "git"
        self._environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | {
            "HOME": str(base),
            "XDG_CONFIG_HOME": str(base),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        self._ignore_case = False
        subprocess.run(["git", "init", "-q", "--bare", self._git_folder], check=True, env=self._environment)

    def fill(self, tree: Tree) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        Path(os.fsdecode(self.root)).mkdir()
        for path in tree.paths:
            full = os.path.join(self.root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            if path in tree.links:
                os.symlink(self.root, full)
            elif not path.endswith(b"/"):
                open(full, "xb").close()
        for folder, content in tree.ignore_files.items():
            with open(os.path.join(self.root, folder, b".gitignore"), "wb") as file:
                file.write(content)
        self._excludes.write_bytes(tree.sources[0])
        (self._git_folder / "info" / "exclude").write_bytes(tree.sources[1])
        (self._git_folder / "index").unlink(missing_ok=True)
        self._ignore_case = tree.ignore_case
        if tree.tracked:
            entries = b"".join(b"100644 %s\t%s\0" % (EMPTY_BLOB.encode(), path) for path in tree.tracked)
            self.git("update-index", "-z", "--index-info", text=entries)

    def git(self, *arguments: str, text: bytes = b"") -> set[bytes]:
        done = subprocess.run(
            [
                "git",
                f"--git-dir={self._git_folder}",
                b"--work-tree=" + self.root,
                *("-c", f"core.excludesFile={self._excludes}"),
                *("-c", f"core.ignoreCase={self._ignore_case}"),
                *("-c", "core.bare=false"),
                *arguments,
            ],
            cwd=self.root,
            env=self._environment,
            input=text,
            capture_output=True,
            check=False,
        )
        assert done.returncode in {0, 1}, done.stderr
        return {path for path in done.stdout.split(b"\0") if path}


class Entry(NamedTuple):
    path: bytes
    is_folder: bool
    ignored: bool


def walk(root: bytes, tree: Tree) -> Iterator[Entry]:
    """Yield every entry outside of ignored folders, and whether our rules ignore it."""
    rules = FolderRules.root(tree.sources, tree.ignore_files.get(b""), ignore_case=tree.ignore_case)
    todo = [(b"", rules)]
    while todo:
        folder, rules = todo.pop()
        with os.scandir(os.path.join(root, folder)) as entries:
            for entry in entries:
                path = os.path.join(folder, entry.name)
                is_folder = entry.is_dir(follow_symlinks=False)
                ignored = rules.ignores(entry.name, is_folder=is_folder)
                yield Entry(path, is_folder, ignored)
                if is_folder and not ignored:
                    todo.append((path, rules.child(entry.name, tree.ignore_files.get(path))))


def kept(entries: list[Entry], tree: Tree) -> set[bytes]:
    return {entry.path for entry in entries if not entry.is_folder and not entry.ignored} | set(tree.tracked)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Scratch:
    return Scratch(tmp_path_factory.mktemp("ignore"))


def names(*paths: bytes) -> tuple[bytes, ...]:
    return paths


# name: (patterns of the root, paths that Git ignores, paths that it does not)
CASES: dict[str, tuple[bytes, tuple[bytes, ...], tuple[bytes, ...]]] = {
    # lines
    "comment_is_no_pattern": (b"#a\nb\n", names(b"b"), names(b"#a", b"a")),
    "escaped_hash_is_a_name": (b"\\#a\n", names(b"#a"), names(b"a", b"\\#a")),
    "escaped_exclamation_mark_is_a_name": (b"\\!a\n", names(b"!a"), names(b"a")),
    "hash_inside_is_a_name": (b"a#b\n a\n", names(b"a#b", b" a"), names(b"a")),
    "trailing_spaces_go": (b"a   \n", names(b"a"), names(b"a   ", b"a ")),
    "escaped_trailing_space_stays": (b"a\\ \nb\\   \n", names(b"a ", b"b "), names(b"a", b"b", b"b\\")),
    "escaped_backslash_before_a_space": (b"a\\\\ \n", names(b"a\\"), names(b"a", b"a\\ ", b"a ")),
    "only_spaces": (b"   \n\\ \n", names(b" "), names(b"   ", b"a")),
    "space_inside_stays": (b"a b \n", names(b"a b"), names(b"a", b"b")),
    "trailing_tab_stays": (b"a\t\n", names(b"a\t"), names(b"a")),
    "carriage_return_before_newline_goes": (b"a\r\nb\r", names(b"a", b"b"), names(b"a\r", b"b\r")),
    "only_one_carriage_return_goes": (b"a\r\r\nb\r \n", names(b"a\r", b"b\r"), names(b"a", b"b")),
    "space_before_carriage_return_goes": (b"a \r\n", names(b"a"), names(b"a ", b"a \r")),
    "byte_order_mark": (b"\xef\xbb\xbfa\n\xef\xbb\xbfb", names(b"a", b"\xef\xbb\xbfb"), names(b"\xef\xbb\xbfa", b"b")),
    "byte_order_mark_before_a_comment": (b"\xef\xbb\xbf#a\nb", names(b"b"), names(b"#a")),
    "last_line_without_newline": (b"a\nb", names(b"a", b"b"), names(b"c")),
    "nul_ends_a_pattern": (b"a\0b\n\0c\nd\0 \n", names(b"a", b"d"), names(b"b", b"c", b"ab")),
    "empty_patterns": (b"\n!\n/\n//\n!/\n\r\n", (), names(b"a", b"b/c")),
    # strength
    "last_match_wins": (b"*\n!a\na\n!b\n", names(b"a", b"c", b".gitignore"), names(b"b")),
    "negation_of_nothing": (b"!a\n", (), names(b"a")),
    "double_negation_is_a_name": (b"*\n!!a\n", names(b"a", b".gitignore"), names(b"!a")),
    "ignored_parent_cannot_be_undone": (b"a/\n!a/b\n!a/*\n", names(b"a/"), ()),
    "all_but_one_folder": (
        b"/*\n!/a\n/a/*\n!/a/b\n!.gitignore\n",
        names(b"c", b"a/d", b"e/"),
        names(b"a/b/f", b"a/b/g"),
    ),
    "name_undoes_path": (b"a/b\n!b\n", (), names(b"a/b")),
    "path_undoes_name": (b"b\n!a/b\n", names(b"b", b"c/b"), names(b"a/b")),
    "suffix_undoes_name": (b"a.x\n!*.x\n*.x.x\n", names(b"a.x.x"), names(b"a.x")),
    "longer_suffix_is_weaker": (b"*.b.c\n!*.c\n", (), names(b"a.b.c", b"d.c")),
    # slashes
    "name_at_every_level": (b"a\n", names(b"a", b"b/a", b"b/c/a"), names(b"b/aa")),
    "leading_slash_anchors": (b"/a\n", names(b"a"), names(b"b/a")),
    "inner_slash_anchors": (b"a/b\n", names(b"a/b"), names(b"c/a/b")),
    "trailing_slash_takes_folders": (b"a/\nb/\n", names(b"a/"), names(b"b", b"c/b")),
    "trailing_slash_takes_folders_below": (b"a/\n", names(b"b/a/"), names(b"b/c", b"d/a")),
    "two_leading_slashes": (b"//a\n", (), names(b"a", b"b/a")),
    "two_trailing_slashes": (b"a//\n", (), names(b"a/b")),
    "two_inner_slashes": (b"a//b\n", (), names(b"a/b")),
    "escaped_slash": (b"a\\/b\n\\/c\nd\\/\n", names(b"a/b"), names(b"c", b"d/e")),
    # stars
    "star_stays_in_a_name": (b"a/*/c\n", names(b"a/b/c"), names(b"a/b/d/c", b"a/c")),
    "star_takes_a_leading_dot": (b"*a\n", names(b".a", b"a"), names(b"ab")),
    "star_at_the_end_of_a_path": (b"a/*\n", names(b"a/b", b"a/c/"), ()),
    "star_in_the_middle": (b"a*c\n", names(b"ac", b"abc", b"abbc"), names(b"acb", b"bac")),
    "stars_anywhere_in_front": (b"**/a/b\n", names(b"a/b", b"c/a/b", b"c/d/a/b"), names(b"ca/b")),
    "stars_in_front_of_a_name": (b"**/a\n", names(b"a", b"b/a"), names(b"ba")),
    "stars_everything_below": (b"a/**\n", names(b"a/b", b"a/c/"), names(b"b/c")),
    "stars_do_not_take_the_folder_itself": (b"a/**\n!a/b\n", names(b"a/c"), names(b"a/b")),
    "stars_between": (b"a/**/b\n", names(b"a/b", b"a/c/b", b"a/c/d/b"), names(b"a/cb", b"b")),
    "stars_twice": (b"**/a/**/b/**/c\n", names(b"a/b/c", b"x/a/y/b/z/c"), names(b"a/c", b"b/a/c")),
    "stars_beside_text_are_one_star": (b"x/a**b\n", names(b"x/ab", b"x/acb"), names(b"x/a/b")),
    "stars_behind_plain_text_span_folders": (b"a**/b\n", names(b"ab", b"ac/b", b"a/b", b"a/c/b"), names(b"c/b")),
    "stars_behind_a_wildcard_do_not": (b"?**/b\n", names(b"ac/b", b"a/b"), names(b"ab", b"a/c/b")),
    "stars_before_text": (b"c/**b\n", names(b"c/b", b"c/ab"), names(b"c/a/b")),
    "stars_before_an_escaped_slash": (b"**\\/b\n", names(b"a/b", b"a/c/b"), names(b"b")),
    "stars_only": (b"**\n", names(b"a", b"b/", b".gitignore"), ()),
    "stars_and_a_slash": (b"**/\n", names(b"b/"), names(b"a")),
    "three_stars": (b"***/a/b\nc/***\n", names(b"a/b", b"d/a/b", b"c/e"), names(b"a/c")),
    "stars_after_stars": (b"**/**/a/**/**/b\n", names(b"a/b", b"c/a/d/e/b"), names(b"b", b"a/cb")),
    "lonely_stars_in_a_name": (b"a**\n", names(b"a", b"ab", b"c/ab"), names(b"ba")),
    # one byte
    "question_mark_is_one_byte": (b"a?\n", names(b"ab", b"a\xff", b"a\n", b"a "), names(b"a", b"abc", "aé".encode())),
    "question_mark_is_no_slash": (b"a?b/c\n", names(b"a.b/c"), names(b"a/b/c")),
    "escaped_wildcards": (b"\\*\n\\?a\n\\[b]\n", names(b"*", b"?a", b"[b]"), names(b"a", b"ba", b"b")),
    "escaped_letter": (b"\\a\\b\n", names(b"ab"), names(b"\\a\\b")),
    "trailing_backslash_matches_nothing": (b"a\\\n", (), names(b"a", b"a\\")),
    "escaped_backslash": (b"a\\\\b\n", names(b"a\\b"), names(b"ab")),
    "name_that_is_not_utf8": (b"\xff*\n/\xe9/x\n", names(b"\xff", b"\xffa", b"\xe9/x"), names(b"a\xff")),
    "two_unicode_forms_are_two_names": ("é\n".encode(), names("é".encode()), names("e\u0301".encode())),
    "newline_in_a_name": (b"a*b\nc?d\n", names(b"a\nb", b"c\nd"), names(b"a\n", b"ab\n")),
    "case_counts": (b"A\n[b]\n", names(b"A", b"b"), names(b"a", b"B")),
    # sets
    "set": (b"[ab]c\n", names(b"ac", b"bc"), names(b"cc", b"c", b"[ab]c")),
    "range": (b"[a-c]\n", names(b"a", b"b", b"c"), names(b"d", b"-")),
    "backward_range_is_its_first_byte": (b"[c-a]\n", names(b"c"), names(b"a", b"b", b"-")),
    "negated_set": (b"x[!a]\ny[^a]\n", names(b"xb", b"x!", b"yb"), names(b"xa", b"ya", b"x")),
    "negated_set_is_no_slash": (b"a[!b]c/d\n", names(b"a.c/d"), names(b"a/c/d")),
    "caret_inside_is_a_byte": (b"[a^]\n[b!]\n", names(b"^", b"!", b"a", b"b"), names(b"c")),
    "closing_bracket_first": (b"x[]a]\ny[!]a]\n", names(b"x]", b"xa", b"yb"), names(b"x", b"y]", b"ya")),
    "closing_bracket_starts_a_range": (b"[]-a]\n", names(b"]", b"^", b"_", b"a"), names(b"-", b"b")),
    "dash_at_the_ends": (b"x[-a]\ny[a-]\n", names(b"x-", b"xa", b"y-", b"ya"), names(b"xb")),
    "dash_after_a_range": (b"[a-c-e]\n", names(b"a", b"b", b"-", b"e"), names(b"d")),
    "range_of_dashes": (b"x[--0]\n", names(b"x-", b"x.", b"x0"), names(b"x1", b"x,")),
    "backslash_in_a_set": (b"x[\\]]\ny[a\\-c]\n", names(b"x]", b"y-", b"ya", b"yc"), names(b"x\\", b"yb", b"y\\")),
    "escaped_ends_of_a_range": (b"[\\a-\\c]\n", names(b"a", b"b", b"c"), names(b"\\", b"-")),
    "set_that_is_not_closed": (b"[ab\nc[\nd[]\ne[a\\]\n", (), names(b"[ab", b"a", b"c[", b"d[]", b"e[a]")),
    "slash_in_a_set": (b"a[/]b\nc[d/]e\n", names(b"cde"), names(b"a/b", b"c/e")),
    "class": (b"[[:digit:]]x\n", names(b"0x", b"9x"), names(b"ax", b":x", b"dx")),
    "class_beside_others": (b"[_[:digit:]a-c]\n", names(b"_", b"0", b"b"), names(b"d", b":")),
    "negated_class": (b"x[^[:alpha:]]\n", names(b"x0", b"x\xff"), names(b"xa", b"xZ")),
    "unknown_class_matches_nothing": (b"[[:other:]a]\n[[::]]\n", (), names(b"a", b":", b"o", b":]")),
    "class_that_is_not_closed": (b"x[[:a]\ny[[:]\n", names(b"xa", b"x:", b"x[", b"y:", b"y["), names(b"xb")),
    "range_that_ends_in_a_bracket": (b"[Y-[:digit:]]\n", names(b"d]", b"Z]", b":]", b"Y]"), names(b"0", b"0]")),
    "class_is_no_end_of_a_range": (b"[[:digit:]-a]\n", names(b"0", b"-", b"a"), names(b"B", b":")),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_root_file_reads_as_git_reads_it(scratch: Scratch, case: str) -> None:
    patterns, ignored, other = CASES[case]
    check(scratch, Tree(paths=ignored + other, ignore_files={b"": patterns}), ignored)


SEVERAL: dict[str, tuple[Tree, tuple[bytes, ...]]] = {
    "nearer_file_wins": (
        Tree(names(b"a.x", b"f/a.x", b"f/g/a.x"), {b"": b"*.x\n", b"f": b"!*.x\n", b"f/g": b"*.x\n"}),
        names(b"a.x", b"f/g/a.x"),
    ),
    "patterns_stand_in_their_folder": (
        Tree(names(b"a", b"f/a", b"f/g/a", b"f/b/c", b"b/c"), {b"f": b"/a\nb/c\n"}),
        names(b"f/a", b"f/b/c"),
    ),
    "wildcards_stand_in_their_folder": (
        Tree(names(b"f/x/c", b"f/x/y/c", b"x/c", b"f/d/e/h"), {b"f": b"*/c\nd/**/h\n"}),
        names(b"f/x/c", b"f/d/e/h"),
    ),
    "folder_name_with_wildcards_is_plain": (Tree(names(b"*/a", b"b/a"), {b"*": b"/a\n"}), names(b"*/a")),
    "info_exclude_beats_global": (Tree(names(b"a", b"b"), {}, (b"a\nb\n", b"!a\n")), names(b"b")),
    "ignore_file_beats_info_exclude": (Tree(names(b"a", b"b"), {b"": b"!a\n"}, (b"", b"a\nb\n")), names(b"b")),
    "global_patterns_stand_in_the_root": (
        Tree(names(b"id.key", b"f/id.key", b"s", b"f/s"), {}, (b"*.key\n", b"/s\n")),
        names(b"id.key", b"f/id.key", b"s"),
    ),
    "byte_order_mark_in_every_file": (
        Tree(names(b"a", b"b", b"c"), {b"": b"\xef\xbb\xbfc"}, (b"\xef\xbb\xbfa", b"\xef\xbb\xbfb")),
        names(b"a", b"b", b"c"),
    ),
    "link_to_a_folder_is_no_folder": (
        Tree(names(b"a", b"f/a", b"b"), {b"": b"a/\nb\n"}, links=names(b"a", b"f/a", b"b")),
        names(b"b"),
    ),
    "tracked_file_in_an_ignored_folder": (
        Tree(names(b"f/a", b"f/b"), {b"": b"f/\n"}, tracked=names(b"f/a")),
        names(b"f"),
    ),
    "same_file_in_two_folders": (
        Tree(names(b"f/a/b", b"g/a/b", b"g/b"), {b"f": b"a/b\n", b"g": b"a/b\n"}),
        names(b"f/a/b", b"g/a/b"),
    ),
    "case_is_ignored": (
        Tree(
            names(b"Build", b"x.LOG", b"FoO/bAr", b"q.Txt", b"\xc3\x89"),
            {b"": "bUILD\n*.Log\nfOo/Bar\nQ.?XT\né\n".encode()},
            ignore_case=True,
        ),
        names(b"Build", b"x.LOG", b"FoO/bAr", b"q.Txt"),
    ),
    "case_is_ignored_in_ranges_not_in_sets": (
        Tree(
            names(b"Ax", b"ay", b"Az", b"aw", b"Av", b"0"),
            {b"": b"[A]x\n[A-B]y\n[a]z\n\\Aw\n[[:upper:]]v\n[[:lower:]]0\n"},
            ignore_case=True,
        ),
        names(b"ay", b"Az", b"Av"),
    ),
    "case_is_ignored_in_folders": (
        Tree(names(b"Sub/Deep/File"), {b"Sub": b"dEEP/f*\n"}, ignore_case=True),
        names(b"Sub/Deep/File"),
    ),
}


@pytest.mark.parametrize("case", SEVERAL)
def test_several_files_read_as_git_reads_them(scratch: Scratch, case: str) -> None:
    check(scratch, *SEVERAL[case])


def check(scratch: Scratch, tree: Tree, ignored: tuple[bytes, ...]) -> None:
    """Compare the walk with what is expected, and with both things that Git says."""
    scratch.fill(tree)
    entries = list(walk(scratch.root, tree))
    ours = {entry.path for entry in entries if entry.ignored}
    # Without the dot, ":a" would not be a path but a question of its own.
    asked = b"".join(b"./%s\0" % entry.path for entry in entries)
    assert ours == {path.rstrip(b"/") for path in ignored}
    assert scratch.git("check-ignore", "--no-index", "-z", "--stdin", text=asked) == {b"./" + path for path in ours}
    assert scratch.git("ls-files", "-o", "--exclude-standard", "-z") == kept(entries, tree) - set(tree.tracked)
    assert scratch.git("ls-files", "-co", "--exclude-standard", "-z") == kept(entries, tree)


CLASSES = ("alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit")
SETS = ("!a", "Z-A", "z-a", "Z-a", "^[:upper:]", "!-~", "@-\\^", "\x80-\xff")


@pytest.mark.parametrize("ignore_case", [False, True])
@pytest.mark.parametrize("inside", [*(f"[:{name}:]" for name in CLASSES), *SETS])
def test_every_byte_in_and_out_of_a_set(scratch: Scratch, inside: str, *, ignore_case: bool) -> None:
    paths = tuple(b"x" + bytes([byte]) for byte in range(1, 256) if byte != ord("/"))
    tree = Tree(paths, {b"": b"x[%s]\n" % inside.encode("latin-1")}, ignore_case=ignore_case)
    scratch.fill(tree)
    assert scratch.git("ls-files", "-o", "--exclude-standard", "-z") == kept(list(walk(scratch.root, tree)), tree)


# Random trees

LETTERS = (
    b"a", b"b", b"c", b"A", b".", b"-", b" ", b"#", b"!", b"\\", b"[", b"]", b"*", b"?", b":", b"^", b"\n", b"\r",
    b"\t", b"\xff", b"\xc3\xa9",
)  # fmt: skip
PIECES = (
    b"*", b"**", b"***", b"?", b"/", b"/", b"**/", b"/**", b"/**/", b"\\", b"\\/", b"[", b"]", b"[!", b"[^", b"[]",
    b"[a-c]", b"[b-", b"[\\", b"-]", b"[A-B]", b"[[:alpha:]]", b"[[:", b":]", b"[[:punct:]]", b"[^a]", b"[/]", b"!",
    b"#", b"\\ ", b"  ", b"\0", b"\xef\xbb\xbf",
)  # fmt: skip
WAYS = (b"{}", b"{}", b"{}", b"{}", b"?", b"*", b"**", b"[{}]", b"[!{}]", b"\\{}", b"[{}-c]", b"[\\{}]", b"")


def one_name() -> st.SearchStrategy[bytes]:
    usual = st.sampled_from((b"a", b"b", b"ab", b"a.b", b"abc", b"ba.b", b"A", b"aB"))
    odd = st.lists(st.sampled_from(LETTERS), min_size=1, max_size=4).map(b"".join)
    return (usual | odd).filter(lambda name: name not in {b".", b".."})


@st.composite
def blurred(draw: st.DrawFn, paths: tuple[bytes, ...]) -> bytes:
    """Draw a pattern that comes from a path that is there."""
    names = draw(st.sampled_from(paths)).split(b"/")
    first = draw(st.integers(0, len(names) - 1))
    last = draw(st.integers(first + 1, len(names)))
    pattern = bytearray(draw(st.sampled_from((b"", b"", b"/", b"**/", b"*/", b"/**/"))))
    for number, name in enumerate(names[first:last]):
        if number:
            pattern += draw(st.sampled_from((b"/", b"/", b"/", b"/**/", b"/*/", b"*/", b"**/", b"\\/", b"/**")))
        for byte in name:
            pattern += draw(st.sampled_from(WAYS)).replace(b"{}", bytes([byte]))
    return bytes(pattern) + draw(st.sampled_from((b"", b"", b"", b"/", b"/*", b"/**", b"*", b"**", b"\\")))


@st.composite
def content(draw: st.DrawFn, paths: tuple[bytes, ...]) -> bytes:
    any_pieces = st.lists(st.sampled_from(LETTERS + PIECES), max_size=6).map(b"".join)
    line = st.tuples(st.sampled_from((b"", b"", b"!")), blurred(paths) | any_pieces, st.sampled_from((b"", b"", b" ")))
    lines = draw(st.lists(line.map(b"".join), max_size=5))
    ending = draw(st.sampled_from((b"\n", b"\n", b"\r\n")))
    start = draw(st.sampled_from((b"", b"", b"", b"\xef\xbb\xbf")))
    return start + ending.join(lines) + draw(st.sampled_from((b"", ending)))


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    wanted = draw(st.lists(st.lists(one_name(), min_size=1, max_size=4), min_size=1, max_size=12))
    files: dict[bytes, None] = {}
    folders = {b"": None}
    for parts in wanted:
        above = [b"/".join(parts[:n]) for n in range(1, len(parts))]
        path = b"/".join(parts)
        if path not in folders and not any(folder in files for folder in above):
            folders.update(dict.fromkeys(above))
            files[path] = None
    paths = tuple(files)
    with_file = draw(st.lists(st.sampled_from(tuple(folders)), unique=True, max_size=3))
    ignore_case = draw(st.booleans()) and draw(st.booleans())
    links = draw(st.lists(st.sampled_from(paths), unique=True, max_size=2))
    return Tree(
        paths=paths,
        ignore_files={folder: draw(content(paths)) for folder in with_file},
        sources=(draw(content(paths)), draw(content(paths))),
        links=tuple(links),
        # Git looks names of its index up without case then, which is the walk's business.
        tracked=() if ignore_case else tuple(draw(st.lists(st.sampled_from(paths), unique=True, max_size=2))),
        ignore_case=ignore_case,
    )


@settings(
    max_examples=FUZZ or 150,
    derandomize=not FUZZ,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(tree=trees())
@pytest.mark.timeout(300 + FUZZ)
def test_random_trees_are_kept_as_git_keeps_them(scratch: Scratch, tree: Tree) -> None:
    scratch.fill(tree)
    expected = scratch.git("ls-files", "-co", "--exclude-standard", "-z")
    assert kept(list(walk(scratch.root, tree)), tree) == expected


# Hostile patterns

HOSTILE = {
    "stars_in_a_name": (b"*a" * 40 + b"b", b"a"),
    "stars_and_question_marks": (b"*?" * 40 + b"b", b"a"),
    "stars_and_sets": (b"*[ab]" * 40 + b"c", b"a"),
    "stars_over_folders": (b"x/" + b"**/a/" * 40 + b"b", b"a/"),
    "stars_of_both_sorts": (b"x/" + b"**/*a*a/" * 20 + b"b", b"aaa/"),
    "stars_behind_plain_text": (b"/x" + b"**/a/" * 40 + b"b", b"a/"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_pattern_takes_polynomial_time(case: str) -> None:
    pattern, unit = HOSTILE[case]
    rules = FolderRules.root((), pattern)

    def seconds(length: int) -> float:
        *folders, name = (b"x/" + unit * length).rstrip(b"/").split(b"/")
        inside = rules
        for folder in folders if b"/" in pattern else ():
            inside = inside.child(folder, None)

        def once() -> float:
            start = time.perf_counter()
            for _ in range(20):
                assert not inside.ignores(name, is_folder=False)
            return time.perf_counter() - start

        return min(once() for _ in range(5))

    # Twice the length costs four times as much, or eight; it would be a million times with one way more per byte.
    assert seconds(200) < 32 * seconds(100)


def test_hostile_files_are_read_in_linear_time() -> None:
    def seconds(size: int) -> float:
        lines = (
            b"[" + b"[:" * size + b"x]",
            b"[" * size,
            b"\\" * size,
            b"a*" * size,
            b" " * size + b"a",
            b"**/" * size,
        )
        start = time.perf_counter()
        list(rules_of(b"\n".join(lines), ignore_case=False))
        return time.perf_counter() - start

    assert seconds(40_000) < 32 * seconds(5_000)  # eight times the size; squared it would be 64


def test_pattern_longer_than_any_path_matches_nothing() -> None:
    rules = FolderRules.root((), b"*" + b"a" * 5000 + b"?\n" + b"b" * 100_000 + b"\n*a\n")
    assert rules.ignores(b"aa", is_folder=False)
    assert not rules.ignores(b"b", is_folder=False)


def test_folder_without_a_file_shares_everything_with_its_parent() -> None:
    root = FolderRules.root((b"*.o\n",), b"/a/b\n*.x\n")
    child = root.child(b"a", None)
    assert child._files is root._files
    assert child._folders is root._folders
    assert child.ignores(b"b", is_folder=False)
    assert not root.ignores(b"b", is_folder=False)


def test_files_of_equal_content_are_compiled_once() -> None:
    root = FolderRules.root((), None)
    first, second = root.child(b"a", b"x*y*z\n"), root.child(b"b", b"x*y*z\n")
    assert first._files[0][0] is second._files[0][0]
