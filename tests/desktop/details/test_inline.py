"""Which parts of two lines are marked."""

from backtrail.model.changes import DiffLine, LineKind
from backtrail_desktop.details.inline import changed_ranges, partner_of


def line(kind: LineKind, text: str = "") -> DiffLine:
    return DiffLine(kind, None, None, text)


def marked(text: str, ranges: list[tuple[int, int]]) -> list[str]:
    return [text[begin:end] for begin, end in ranges]


def test_words_that_changed_are_marked_as_one_where_only_a_space_is_between() -> None:
    old, new = "and the map was no longer right.", "and the map kept the old bed."
    removed, added = changed_ranges(old, new)
    assert marked(old, removed) == ["was no longer right"]
    assert marked(new, added) == ["kept the old bed"]


def test_lines_with_nothing_in_common_are_not_marked_all_over() -> None:
    assert changed_ranges("alpha beta gamma", "12345;67890") == ([], [])
    assert changed_ranges("", "new") == ([], [])


def test_a_line_of_a_million_characters_does_not_hold_the_window_up() -> None:
    assert changed_ranges("a " * 500_000, "b " * 500_000) == ([], [])


def test_lines_are_paired_by_their_place_in_the_two_runs() -> None:
    same, gone, new = LineKind.SAME, LineKind.REMOVED, LineKind.ADDED
    lines = [line(kind) for kind in (same, gone, gone, new, new, new, same, new, gone)]
    assert [partner_of(lines, at) for at in range(len(lines))] == [None, 3, 4, 1, 2, None, None, None, None]
