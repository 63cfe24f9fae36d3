"""Layouts drawn as pictures: one line a commit, from top to bottom as they are shown."""

import textwrap

import pytest
from backtrail_desktop.graph.lanes import Lanes, Row

WIDE = 1000


def parsed(history: str) -> list[tuple[bytes, list[bytes]]]:
    """Read `d:b,c  c:a  b:a  a` as commits with their parents, children first."""
    found = []
    for word in history.split():
        name, _, parents = word.partition(":")
        found.append((name.encode(), [parent.encode() for parent in parents.split(",") if parent]))
    return found


def line(row: Row) -> str:
    """Draw a row: ● the commit, │ a lane that passes, ╯╰ one that ends in it, ╮╭ that begins, ├ that it joins."""
    beside = {*row.above, *row.below} - {row.lane}
    width = 1 + max([row.lane, *beside, *row.through])
    reach = range(min([row.lane, *beside]), max([row.lane, *beside]) + 1)
    drawn = ""
    for lane in range(width):
        left = lane < row.lane
        if lane == row.lane:
            sign = "●"
        elif lane in row.through:
            sign = ("├" if left else "┤") if lane in row.below else ("┼" if lane in reach else "│")
        elif lane in row.above and lane in row.below:
            sign = "├" if left else "┤"
        elif lane in row.above:
            sign = "╰" if left else "╯"
        elif lane in row.below:
            sign = "╭" if left else "╮"
        else:
            sign = "─" if lane in reach else " "
        if beside and lane in reach and lane != max(beside) and lane != row.lane and sign in "╯╮┤":
            sign = {"╯": "┴", "╮": "┬", "┤": "┼"}[sign]
        drawn += sign + ("─" if lane in reach and lane + 1 in reach else " ")
    return drawn.rstrip()


def picture(history: str) -> list[str]:
    lanes = Lanes()
    return [line(lanes.draw(oid, parents, WIDE)) for oid, parents in parsed(history)]


PICTURES = {
    "a straight line": (
        "c:b b:a a",
        """
        ●
        ●
        ●
        """,
    ),
    "a merge": (
        "m:a,b a:r b:r r",
        """
        ●─╮
        ● │
        │ ●
        ●─╯
        """,
    ),
    "a branch keeps its lane down to where it forked": (
        "tip:fork main:x x:fork fork:r r",
        """
        ●
        │ ●
        │ ●
        ●─╯
        ●
        """,
    ),
    "an octopus": (
        "o:a,b,c a:r b:r c:r r",
        """
        ●─┬─╮
        ● │ │
        │ ● │
        │ │ ●
        ●─┴─╯
        """,
    ),
    "a criss-cross": (
        "x:a,b y:b,a a:r b:r r",
        """
        ●─╮
        ├─┼─●
        ● │ │
        │ ●─╯
        ●─╯
        """,
    ),
    "two roots that never meet": (
        "a:r1 r1 b:r2 r2",
        """
        ●
        ●
        ●
        ●
        """,
    ),
    "two roots that a merge joins": (
        "m:a,b a b",
        """
        ●─╮
        ● │
          ●
        """,
    ),
    "a lane that is free is used again": (
        "m:a,b b n:a,c c a",
        """
        ●─╮
        │ ●
        │ ●─╮
        │ │ ●
        ●─╯
        """,
    ),
    "a merge over lanes that pass": (
        "p:a q:b m:c,a c:a b:a a",
        """
        ●
        │ ●
        ├─┼─●
        │ │ ●
        │ ● │
        ●─┴─╯
        """,
    ),
    "a merge of a commit with itself": (
        "m:a,a a",
        """
        ●
        ●
        """,
    ),
    "a history that was cut off": (
        "b:a,gone a:lost",
        """
        ●─╮
        ● │
        """,
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_of(name: str) -> None:
    history, wanted = PICTURES[name]
    assert picture(history) == textwrap.dedent(wanted).strip("\n").splitlines()


def test_a_hundred_branches_stand_side_by_side_and_end_where_they_forked() -> None:
    history = " ".join(f"b{n}:r" for n in range(100)) + " r"
    drawn = picture(history)
    assert drawn[99] == "│ " * 99 + "●"
    assert drawn[100] == "●" + "─┴" * 98 + "─╯"


def test_a_thousand_tags_on_one_line_take_one_lane() -> None:
    commits = "".join(f"c{n}:c{n + 1} " for n in range(1000))
    assert set(picture(commits)) == {"●"}


def test_rows_stay_as_they_are_while_more_come_in() -> None:
    history, _ = PICTURES["a merge over lanes that pass"]
    whole = picture(history)
    words = history.split()
    for count in range(1, len(words)):
        assert picture(" ".join(words[:count])) == whole[:count]


def test_only_the_lanes_asked_for_are_told_of_those_that_pass() -> None:
    lanes = Lanes()
    for number in range(50):
        lanes.place(b"t%d" % number, [b"p%d" % number])
    row = lanes.draw(b"p49", [], 10)
    assert (row.lane, row.through) == (49, tuple(range(10)))


def test_lanes_go_on_from_where_they_were_written_down() -> None:
    for history, _ in PICTURES.values():
        commits = parsed(history)
        for cut in range(len(commits)):
            lanes = Lanes()
            for oid, parents in commits[:cut]:
                lanes.place(oid, parents)
            again = Lanes(lanes.awaited)
            for oid, parents in commits[cut:]:
                assert again.draw(oid, parents, WIDE) == lanes.draw(oid, parents, WIDE)
