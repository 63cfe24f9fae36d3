"""In which states a file with some text in its name changed, as the reader finds out.

Owns what has been looked at and what was found, for one text. A row names only the first few files of its change, so
its words alone would miss the rest. Asks for few states at a time, newest first, so that what was done recently is
found at once and the search can be left at any time. The states looked at must follow one another without a gap.
"""

from functools import partial

from backtrail.model.changes import FindNames, NameHits
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.ids import CheckpointId, Oid
from PySide6.QtCore import QObject, Signal

from backtrail_desktop.client.port import Asked, Failure, Port

_AT_ONCE = 50


class NameSearch(QObject):
    """Looks for a text. progressed(bool): some more has been looked at; True where something was found."""

    progressed = Signal(bool)
    failed = Signal(object)

    def __init__(self, reader: Port | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader = reader
        self._asked: Asked | None = None
        self._generation = 0
        self._root = b""
        self._text = ""
        self._states: list[Checkpoint] = []
        self._complete = False
        self._looked_at: set[CheckpointId] = set()
        self.found: set[CheckpointId] = set()

    @property
    def looking(self) -> bool:
        """True while there is more to look at."""
        return self._asked is not None

    def begin(self, root: bytes, text: str) -> None:
        """Look for a text from now on; an empty one ends the search."""
        if (root, text) == (self._root, self._text):
            return
        self._generation += 1
        if self._asked is not None:
            self._asked.cancel()
            self._asked = None
        self._root, self._text = root, text
        self._states, self._looked_at, self.found = [], set(), set()

    def look_at(self, states: list[Checkpoint], *, complete: bool) -> None:
        """Look at these states, newest first. complete: there are no older ones than the last."""
        self._states, self._complete = states, complete
        self._go_on()

    def _go_on(self) -> None:
        if self._reader is None or not self._text or self._asked is not None:
            return
        slice_ = self._next_slice()
        if not slice_:
            return
        last = slice_[-1][1]
        trees = (*(state.working_tree for state, _older in slice_), last)
        wanted = tuple(state.id for state, _older in slice_)
        self._asked = self._reader.ask(
            FindNames(root=self._root, trees=trees, text=self._text),
            partial(self._arrived, self._generation, wanted),
            partial(self._failed, self._generation),
        )

    def _next_slice(self) -> list[tuple[Checkpoint, Oid | None]]:
        """Return the first states not looked at, without a gap, each with the tree before it."""
        found: list[tuple[Checkpoint, Oid | None]] = []
        count = len(self._states)
        for at, state in enumerate(self._states):
            if state.id in self._looked_at or (at + 1 == count and not self._complete):
                if found:
                    break
                continue
            found.append((state, self._states[at + 1].working_tree if at + 1 < count else None))
            if len(found) == _AT_ONCE:
                break
        return found

    def _arrived(self, generation: int, wanted: tuple[CheckpointId, ...], answer: NameHits) -> None:
        if generation != self._generation:
            return
        self._asked = None
        self._looked_at.update(wanted)
        new = {one for one, hit in zip(wanted, answer.hits, strict=False) if hit}
        self.found |= new
        self._go_on()
        self.progressed.emit(bool(new))

    def _failed(self, generation: int, failure: Failure) -> None:
        if generation == self._generation:
            self._asked = None
            self.failed.emit(failure)
