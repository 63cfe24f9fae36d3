"""What the reader shows of a difference is what `git diff` shows."""

import pathlib
import subprocess

import pytest
from backtrail.model.changes import LineKind, Shown
from backtrail.reading.differing import SIZE_LIMIT, file_diff
from hypothesis import given, settings
from hypothesis import strategies as st

LINES = st.lists(st.sampled_from(["a", "b", "", "  c", "d\r", "é"]), max_size=30)


def applied(old: list[str], new: list[str], context: int) -> list[str]:
    """Apply the shown difference to the old lines."""
    shown = file_diff("".join(f"{x}\n" for x in old).encode(), "".join(f"{x}\n" for x in new).encode(), context)
    assert shown.shown is Shown.TEXT
    result: list[str] = []
    at = 0
    for line in shown.lines:
        if line.kind is LineKind.HUNK:
            continue
        if line.old is not None:
            result += old[at : line.old - 1]
            at = line.old
            assert old[at - 1] == line.text
        if line.new is not None:
            missing = line.new - 1 - len(result)
            result += old[at : at + missing] if line.old is None else []
            at += missing if line.old is None else 0
            result.append(line.text)
            assert line.new == len(result)
    return result + old[at:]


@given(LINES, LINES, st.integers(0, 5))
@settings(max_examples=150)
def test_applying_what_is_shown_gives_the_new_file(old: list[str], new: list[str], context: int) -> None:
    assert applied(old, new, context) == new


def test_shows_what_git_diff_shows(tmp_path: pathlib.Path) -> None:
    old = "".join(f"line {number}\n" for number in range(60))
    new = old.replace("line 7\n", "line seven\n").replace("line 40\n", "") + "more\n"
    (tmp_path / "old").write_text(old)
    (tmp_path / "new").write_text(new)
    said = subprocess.run(
        ["git", "diff", "--no-index", "old", "new"], cwd=tmp_path, stdout=subprocess.PIPE, check=False
    )
    by_git = [line for line in said.stdout.decode().split("\n")[4:] if line]
    marks = {LineKind.HUNK: "", LineKind.SAME: " ", LineKind.ADDED: "+", LineKind.REMOVED: "-"}
    ours = [marks[line.kind] + line.text for line in file_diff(old.encode(), new.encode(), 3).lines]
    assert [line for line in ours if not line.startswith("@@")] == [x for x in by_git if not x.startswith("@@")]
    assert [line for line in ours if line.startswith("@@")] == [
        x.rpartition("@@")[0] + "@@" for x in by_git if "@@" in x
    ]


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        (None, b"\0\1", Shown.BINARY),
        (b"text\n", b"\0", Shown.BINARY),
        (b"x" * (SIZE_LIMIT + 1), b"x", Shown.TOO_LARGE),
        (None, b"", Shown.TEXT),
    ],
)
def test_what_cannot_be_shown_is_named(old: bytes | None, new: bytes | None, shown: Shown) -> None:
    diff = file_diff(old, new, 3)
    assert diff.shown is shown
    assert (diff.old_size, diff.new_size) == (None if old is None else len(old), None if new is None else len(new))


def test_bytes_that_are_not_text_are_escaped_not_lost() -> None:
    assert [line.text for line in file_diff(None, b"caf\xe9\n", 3).lines] == ["@@ -0,0 +1,1 @@", "caf\\xe9"]
