"""The commits of a graph, one row each, as few bytes as they need: a million of them take some sixty megabytes.

Owns the arrays, and how a row is found and drawn again: the lanes are written down every 512 rows, and what lies
between is laid out anew when it is looked at. No Qt. Ids are raw bytes.
"""

import bisect
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import msgspec

from backtrail_desktop.graph.lanes import Lanes, Row

OID = 20
NOW = b"\0" * OID
"""Stands for the working state, whose parent is HEAD."""
_EVERY = 512


class Mark(msgspec.Struct, frozen=True):
    """How things stand above a row: how many parents were told before it, and where the lanes lead."""

    row: int
    parents: int
    awaited: tuple[bytes | None, ...]


@dataclass
class Stored:
    """The arrays: ids of all rows, parents of all rows one after another, how many each row has; and the last lanes."""

    ids: bytearray = field(default_factory=bytearray)
    parents: bytearray = field(default_factory=bytearray)
    counts: "array[int]" = field(default_factory=lambda: array("H"))
    marks: list[Mark] = field(default_factory=list)
    lanes: Lanes = field(default_factory=Lanes)


class CommitRows:
    """Rows that only grow at the end."""

    def __init__(self) -> None:
        self.stored = Stored()

    def __len__(self) -> int:
        return len(self.stored.counts)

    @property
    def ends(self) -> bool:
        """Tell whether no lane leads further down."""
        return not self.stored.lanes.awaited

    def add(self, oid: bytes, parents: Sequence[bytes]) -> None:
        """Add a row."""
        self._add([oid + b"".join(parents)])

    def add_lines(self, lines: Iterable[str]) -> None:
        """Add rows as `git rev-list --parents` prints them. Raises ValueError for anything else."""
        found = [bytes.fromhex(line) for line in lines]
        for raw in found:
            if not raw or len(raw) % OID:
                raise ValueError(raw.hex())
        self._add(found)

    def _add(self, commits: Sequence[bytes]) -> None:
        """Add rows, each an id and the ids of its parents one after another."""
        stored, place = self.stored, self.stored.lanes.place
        row, parents = len(stored.counts), len(stored.parents) // OID
        marked = stored.marks[-1].row + _EVERY if stored.marks else 0
        for raw in commits:
            if row >= marked:
                stored.marks.append(Mark(row, parents, stored.lanes.awaited))
                marked = row + _EVERY
            theirs = [raw[at : at + OID] for at in range(OID, len(raw), OID)]
            place(raw[:OID], theirs)
            row += 1
            parents += len(theirs)
        stored.ids += b"".join([raw[:OID] for raw in commits])
        stored.parents += b"".join([raw[OID:] for raw in commits])
        stored.counts.extend([len(raw) // OID - 1 for raw in commits])

    def oid(self, row: int) -> bytes:
        """Return the commit of a row."""
        return bytes(self.stored.ids[row * OID : (row + 1) * OID])

    def parents(self, row: int) -> list[bytes]:
        """Return the parents of a row's commit."""
        mark = self._mark(row)
        at = mark.parents + sum(self.stored.counts[mark.row : row])
        return self.parents_at(at, self.stored.counts[row])

    def row_of(self, oid: bytes) -> int:
        """Return the row of a commit, -1 where it has none."""
        return _find(self.stored.ids, oid) if len(oid) == OID else -1

    def row_that_begins(self, digits: str, after: int = -1) -> int:
        """Return the first row below `after` whose id begins with these hexadecimal digits, -1 where there is none."""
        whole, half = bytes.fromhex(digits[: len(digits) // 2 * 2]), digits[len(digits) // 2 * 2 :]
        at = self.stored.ids.find(whole, (after + 1) * OID)
        while at >= 0:
            if at % OID == 0 and self.stored.ids[at : at + OID].hex().startswith(digits[: 2 * len(whole)] + half):
                return at // OID
            at = self.stored.ids.find(whole, at + 1)
        return -1

    def child_of(self, row: int) -> int:
        """Return the nearest row above whose commit has this one as a parent, -1 where there is none."""
        oid = self.oid(row)
        end = self._mark(row).parents + sum(self.stored.counts[self._mark(row).row : row])
        at = self.stored.parents.rfind(oid, 0, end * OID)
        while at >= 0 and at % OID:
            at = self.stored.parents.rfind(oid, 0, at + OID - 1)
        return -1 if at < 0 else self._row_of_parent(at // OID)

    def drawn(self, first: int, count: int, most: int) -> list[Row]:
        """Return what is drawn in `count` rows, `most` lanes wide at most."""
        mark = self._mark(first)
        lanes, at = Lanes(mark.awaited), mark.parents
        rows: list[Row] = []
        for row in range(mark.row, min(first + count, len(self))):
            parents = self.parents_at(at, self.stored.counts[row])
            at += len(parents)
            if row < first:
                lanes.place(self.oid(row), parents)
            else:
                rows.append(lanes.draw(self.oid(row), parents, most))
        return rows

    def parents_at(self, at: int, count: int) -> list[bytes]:
        """Return so many of all parents told, from the one of this number on."""
        return [bytes(self.stored.parents[one * OID : (one + 1) * OID]) for one in range(at, at + count)]

    def _row_of_parent(self, number: int) -> int:
        mark = self.stored.marks[bisect.bisect_right(self.stored.marks, number, key=lambda mark: mark.parents) - 1]
        row, left = mark.row, number - mark.parents
        while left >= self.stored.counts[row]:
            left -= self.stored.counts[row]
            row += 1
        return row

    def _mark(self, row: int) -> Mark:
        return self.stored.marks[bisect.bisect_right(self.stored.marks, row, key=lambda mark: mark.row) - 1]


class Splice:
    """Rows as they are after refs moved: new ones on top, those that nothing leads to any more gone.

    Made a piece at a time, since a long history takes seconds. Below the row where the lanes meet those of before, the
    rows of before are taken over as they are: once `work` has said that it is done, the old rows are used up.
    """

    def __init__(self, old: CommitRows, top: Sequence[tuple[bytes, Sequence[bytes]]], gone: Iterable[bytes]) -> None:
        self.rows = CommitRows()
        self._old, self._gone = old, set(gone)
        for oid, parents in top:
            self.rows.add(oid, parents)
        self._row, self._at = 0, 0
        self._begins = {mark.row: at for at, mark in enumerate(old.stored.marks)}

    def work(self, rows: int) -> bool:
        """Go on for at most so many rows; tell whether it is done."""
        old, new = self._old, self.rows
        for _ in range(rows):
            if self._row == len(old):
                return True
            if self._row in self._begins and not self._gone and self._met(self._begins[self._row]):
                return True
            oid = old.oid(self._row)
            parents = old.parents_at(self._at, old.stored.counts[self._row])
            self._row += 1
            self._at += len(parents)
            if oid in self._gone:
                self._gone.remove(oid)
            else:
                new.add(oid, parents)
        return False

    def _met(self, number: int) -> bool:
        """Take over what is below a mark, if the lanes are as they were there."""
        old, new = self._old.stored, self.rows.stored
        mark = old.marks[number]
        if new.lanes.awaited != mark.awaited:
            return False
        further, more = len(new.counts) - mark.row, len(new.parents) // OID - mark.parents
        old.ids[: mark.row * OID] = new.ids
        old.parents[: mark.parents * OID] = new.parents
        old.counts[: mark.row] = new.counts
        below = [Mark(one.row + further, one.parents + more, one.awaited) for one in old.marks[number:]]
        self.rows.stored = Stored(old.ids, old.parents, old.counts, new.marks + below, old.lanes)
        return True


def _find(ids: bytearray, oid: bytes) -> int:
    at = ids.find(oid)
    while at >= 0 and at % OID:
        at = ids.find(oid, at + 1)
    return -1 if at < 0 else at // OID
