"""Which lane each commit stands in, and what is drawn beside it: one commit after another, children first.

Owns the layout and nothing else: no Git, no Qt. A lane is the way down to a commit that was named as a parent and has
not come yet. A row never changes once it is placed, so that lanes stay put while more rows come in. A branch keeps its
own lane down to the commit it forked from: it is seen where that was.
"""

import heapq
from collections.abc import Sequence

import msgspec


class Row(msgspec.Struct, frozen=True):
    """What is drawn in a commit's row.

    lane: where the commit stands. above: lanes that end in it from above, its own among them. below: lanes that go down
    from it to its parents; one that others came down in already is in `through` too. through: lanes that pass by. Of
    `through` only the first lanes are told, as many as were asked for.
    """

    lane: int
    above: tuple[int, ...]
    below: tuple[int, ...]
    through: tuple[int, ...]


class Lanes:
    """The lanes as they are below the last commit that was placed."""

    def __init__(self, awaited: Sequence[bytes | None] = ()) -> None:
        self._awaited = list(awaited)
        self._lanes_of: dict[bytes, list[int]] = {}
        self._free: list[int] = []
        for lane, oid in enumerate(awaited):
            if oid is None:
                self._free.append(lane)  # ascending, so it is a heap
            else:
                self._lanes_of.setdefault(oid, []).append(lane)

    @property
    def awaited(self) -> tuple[bytes | None, ...]:
        """The commit that each lane leads to; None where the lane is free."""
        count = len(self._awaited)
        while count and self._awaited[count - 1] is None:
            count -= 1
        return tuple(self._awaited[:count])  # Python's collector looks through a tuple of bytes once, a list always

    def place(self, oid: bytes, parents: Sequence[bytes]) -> int:
        """Give a commit its lane: the leftmost that leads to it, else the leftmost that is free."""
        lanes_of = self._lanes_of
        leading = lanes_of.pop(oid, None)
        if leading is not None and len(leading) == len(parents) == 1:
            return self._go_on(leading, parents[0])  # as nine of ten commits do
        lane = self._take(oid) if leading is None else self._join(leading)
        first = True
        for parent in parents:
            known = lanes_of.get(parent)
            if first:
                first = False
                self._awaited[lane] = parent
                if known is None:
                    lanes_of[parent] = [lane]
                else:
                    known.append(lane)
            elif known is None:
                lanes_of[parent] = [self._take(parent)]
        if first:
            self._give_up(lane)
        return lane

    def draw(self, oid: bytes, parents: Sequence[bytes], most: int) -> Row:
        """Place a commit, and return what is drawn for it, `most` lanes wide at most."""
        above = sorted(self._lanes_of.get(oid, ()))
        through = [lane for lane, other in enumerate(self._awaited[:most]) if other is not None and other != oid]
        lane = self.place(oid, parents)
        below = {lane} if parents else set()
        below.update(min(self._lanes_of[parent]) for parent in parents[1:] if parent != parents[0])
        return Row(lane, tuple(above), tuple(sorted(below)), tuple(through))

    def _join(self, leading: list[int]) -> int:
        """Let the lanes that lead to a commit end in the leftmost of them."""
        lane = min(leading)
        for other in leading:
            if other != lane:
                self._give_up(other)
        return lane

    def _go_on(self, leading: list[int], parent: bytes) -> int:
        """Lead the one lane that led to a commit on to its one parent."""
        lane = leading[0]
        self._awaited[lane] = parent
        known = self._lanes_of.get(parent)
        if known is None:
            self._lanes_of[parent] = leading
        else:
            known.append(lane)
        return lane

    def _take(self, oid: bytes) -> int:
        if self._free:
            lane = heapq.heappop(self._free)
            self._awaited[lane] = oid
            return lane
        self._awaited.append(oid)
        return len(self._awaited) - 1

    def _give_up(self, lane: int) -> None:
        self._awaited[lane] = None
        heapq.heappush(self._free, lane)
