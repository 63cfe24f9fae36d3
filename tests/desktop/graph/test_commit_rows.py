import hashlib
import random

import pytest
from backtrail_desktop.graph.commit_rows import NOW, OID, CommitRows, Splice
from hypothesis import given, settings
from hypothesis import strategies as st

WIDE = 10_000


def oid(number: int) -> bytes:
    return hashlib.sha1(b"%d" % number, usedforsecurity=False).digest()


def history(seed: int, count: int) -> list[tuple[bytes, list[bytes]]]:
    """Return commits with parents, children first: merges, forks, several roots."""
    choose = random.Random(seed)  # noqa: S311 - a history to look at, no secret
    found = []
    for number in range(count):
        further = [number + choose.randint(1, 30) for _ in range(choose.choice([0, 1, 1, 1, 1, 1, 1, 2, 2, 3]))]
        found.append((oid(number), [oid(one) for one in dict.fromkeys(further) if one < count]))
    return found


def rows_of(commits: list[tuple[bytes, list[bytes]]]) -> CommitRows:
    rows = CommitRows()
    for commit, parents in commits:
        rows.add(commit, parents)
    return rows


def everything(rows: CommitRows) -> list[object]:
    return [
        [rows.oid(row) for row in range(len(rows))],
        [rows.parents(row) for row in range(len(rows))],
        rows.drawn(0, len(rows), WIDE),
    ]


def test_what_was_added_is_found_again() -> None:
    commits = history(1, 2000)
    rows = rows_of(commits)
    for row, (commit, parents) in enumerate(commits):
        assert (rows.oid(row), rows.parents(row), rows.row_of(commit)) == (commit, parents, row)
        children = [at for at, (_, theirs) in enumerate(commits[:row]) if commit in theirs]
        assert rows.child_of(row) == (children[-1] if children else -1)
        assert rows.row_that_begins(commit.hex()[:9]) == row
    assert rows.row_of(oid(999_999)) == -1
    assert rows.row_that_begins("f" * 30) == -1


def test_an_id_is_found_only_where_one_begins() -> None:
    whole = bytes(range(OID))
    shifted = bytes([*range(1, OID), 0])
    rows = rows_of([(whole, [whole]), (whole, [shifted]), (b"\x07" * OID, [shifted])])
    assert rows.row_of(shifted) == -1
    assert rows.row_that_begins("0102") == -1
    assert rows.row_that_begins("000") == 0
    assert rows.row_that_begins("000", after=0) == 1
    assert rows.child_of(2) == -1


def test_a_row_is_drawn_the_same_wherever_one_begins() -> None:
    rows = rows_of(history(2, 3000))
    whole = rows.drawn(0, 3000, WIDE)
    for first in (0, 1, 511, 512, 513, 1023, 2047, 2999):
        assert rows.drawn(first, 40, WIDE) == whole[first : first + 40]


def test_lines_are_read_as_git_prints_them() -> None:
    commits = history(3, 50)
    rows = CommitRows()
    rows.add_lines(" ".join([commit.hex(), *(parent.hex() for parent in parents)]) for commit, parents in commits)
    assert everything(rows) == everything(rows_of(commits))
    for odd in ("", "fatal: bad object", "ab" * 19, "ab" * 21):
        with pytest.raises(ValueError, match="^" + odd + "$|hexadecimal"):
            CommitRows().add_lines([odd])


def spliced(old: CommitRows, top: list[tuple[bytes, list[bytes]]], gone: list[bytes]) -> CommitRows:
    splice = Splice(old, top, gone)
    while not splice.work(100):
        pass
    return splice.rows


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.integers(0, 2500), st.integers(0, 40), st.data())
def test_rows_after_a_splice_are_as_if_they_were_laid_out_anew(
    seed: int, count: int, more: int, data: st.DataObject
) -> None:
    commits = history(seed, count)
    tips = [
        number for number, (one, _) in enumerate(commits) if not any(one in theirs for _, theirs in commits[:number])
    ]
    gone = [commits[number][0] for number in data.draw(st.sets(st.sampled_from(tips or [0]), max_size=3)) if commits]
    kept = [(one, parents) for one, parents in commits if one not in gone]
    top = [(oid(10**6 + n), [kept[n * 7 % len(kept)][0]] if kept else []) for n in range(more)]
    rows = spliced(rows_of([(NOW, [oid(0)]), *commits]), [(NOW, [oid(1)]), *top], [NOW, *gone])
    assert everything(rows) == everything(rows_of([(NOW, [oid(1)]), *top, *kept]))
    rows.add(oid(1), [])
    rows.add(oid(2 * 10**6), [oid(3)])
    assert everything(rows) == everything(
        rows_of([(NOW, [oid(1)]), *top, *kept, (oid(1), []), (oid(2 * 10**6), [oid(3)])])
    )


def test_a_commit_on_top_takes_over_what_is_below() -> None:
    commits = history(5, 5000)
    splice = Splice(rows_of(commits), [(oid(10**6), [commits[0][0]])], [])
    assert splice.work(1500)
    assert len(splice.rows) == 5001
