"""Looking for a commit by text, author or the beginning of its id, from where a person stands, down or up.

Owns the search: ids are looked through at once, what commits say by the reader a part at a time, in the order of the
rows, so that the nearest is found first. A search can be given up at any moment.
"""

import itertools
import re
from collections.abc import Iterable, Iterator
from functools import partial

from backtrail.model.commits import CommitHits, FindCommits
from backtrail.model.ids import Oid
from PySide6.QtCore import QObject, Signal

from backtrail_desktop.client.port import Failure, Port
from backtrail_desktop.graph.commit_rows import NOW, CommitRows

_AT_ONCE = 1500
_ID = re.compile(r"[0-9a-f]{4,40}")


class Finding(QObject):
    """Looks in the rows of one repository. found(bytes): this commit. missed(str): none, and why if it broke off."""

    found = Signal(object)
    missed = Signal(str)

    def __init__(self, reader: Port, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader = reader
        self._asked: FindCommits | None = None
        self._parts: Iterator[tuple[Oid, ...]] = iter(())

    def stop(self) -> None:
        """Give up."""
        self._parts, self._asked = iter(()), None

    def look(self, root: bytes, rows: CommitRows, text: str, begin: int, *, down: bool) -> None:
        """Look from the row beyond `begin` to the end, and then from the other end to it."""
        self.stop()
        row = _row_by_id(rows, text.lower(), begin) if _ID.fullmatch(text.lower()) else -1
        if row >= 0:
            self.found.emit(rows.oid(row))
            return
        count = len(rows)
        order = (
            itertools.chain(range(begin + 1, count), range(min(begin + 1, count)))
            if down
            else itertools.chain(range(begin - 1, -1, -1), range(count - 1, max(begin, 0) - 1, -1))
        )
        self._parts = _parts(rows, order)
        self._look_on(root, text)

    def _look_on(self, root: bytes, text: str) -> None:
        part = next(self._parts, None)
        if part is None:
            self.missed.emit("")
            return
        self._asked = FindCommits(root=root, oids=part, text=text)
        self._reader.ask(self._asked, partial(self._told, self._asked), partial(self._failed, self._asked))

    def _told(self, asked: FindCommits, hits: CommitHits) -> None:
        if asked is not self._asked:
            return
        first = next((oid for oid, hit in zip(asked.oids, hits.hits, strict=True) if hit), None)
        if first is not None:
            self.found.emit(first)
        else:
            self._look_on(asked.root, asked.text)

    def _failed(self, asked: FindCommits, failure: Failure) -> None:
        if asked is self._asked:
            self.missed.emit(failure.message)


def _row_by_id(rows: CommitRows, digits: str, begin: int) -> int:
    below = rows.row_that_begins(digits, begin)
    return below if below >= 0 else rows.row_that_begins(digits)


def _parts(rows: CommitRows, order: Iterable[int]) -> Iterator[tuple[Oid, ...]]:
    oids = (Oid(oid) for oid in map(rows.oid, order) if oid != NOW)
    while part := tuple(itertools.islice(oids, _AT_ONCE)):
        yield part
