"""What the commits on the screen say, read when they come into sight, and kept for a while.

Owns the cache and the one question under way: the reader is asked for all that is wanted at once, not row by row.
"""

from functools import partial

from backtrail.model.commits import CommitLine, CommitLines, ReadCommitLines
from backtrail.model.ids import Oid
from PySide6.QtCore import QObject, QTimer, Signal

from backtrail_desktop.client.port import Failure, Port

_KEPT = 20_000
_AT_ONCE = 200
_REST_MS = 8


class CommitTexts(QObject):
    """Lines of commits. came: more of them are known."""

    came = Signal()

    def __init__(self, reader: Port, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader = reader
        self._root: bytes | None = None
        self._known: dict[bytes, CommitLine | None] = {}
        self._wanted: dict[bytes, None] = {}
        self._asking = False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_REST_MS)
        self._soon.timeout.connect(self._ask)

    def show(self, root: bytes | None) -> None:
        """Speak of another repository from now on."""
        if root == self._root:
            return
        self._root = root
        self._known.clear()
        self._wanted.clear()
        self._soon.stop()

    def knows(self, oid: bytes) -> bool:
        """Tell whether it is known what a commit says, or that it cannot be read; if not, it will be asked for."""
        if oid in self._known:
            return True
        self._wanted.pop(oid, None)
        self._wanted[oid] = None  # what was looked at last comes first
        if not self._asking and not self._soon.isActive():
            self._soon.start()
        return False

    def line(self, oid: bytes) -> CommitLine | None:
        """Return what a commit says, None where that is not known or it cannot be read."""
        return self._known.get(oid)

    def _ask(self) -> None:
        if self._root is None or not self._wanted or self._asking:
            return
        oids = [self._wanted.popitem()[0] for _ in range(min(_AT_ONCE, len(self._wanted)))]
        self._wanted.clear()  # what is still looked at asks again when it is painted
        self._asking = True
        asked = ReadCommitLines(root=self._root, oids=tuple(Oid(oid) for oid in oids))
        self._reader.ask(asked, partial(self._told, asked), self._failed)

    def _told(self, asked: ReadCommitLines, lines: CommitLines) -> None:
        self._asking = False
        if asked.root == self._root:
            self._known.update(zip(asked.oids, lines.lines, strict=True))
        while len(self._known) > _KEPT:
            del self._known[next(iter(self._known))]
        self.came.emit()

    def _failed(self, failure: Failure) -> None:
        del failure  # the rows stay without words; they are asked for again when they are looked at
        self._asking = False
