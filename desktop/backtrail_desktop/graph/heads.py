"""At which commits states were kept, as the Host tells it page by page.

Owns the questions. What was known stays until all of it is known anew.
"""

from functools import partial

from backtrail.model.commands import HeadCount, HeadPage, ListHeads
from backtrail.model.ids import MemoryId
from PySide6.QtCore import QObject, Signal

from backtrail_desktop.client.port import Asked, Failure, HostPort


class Heads(QObject):
    """Asks for one folder at a time. told(dict[bytes, HeadCount]): the states by commit."""

    told = Signal(object)

    def __init__(self, host: HostPort, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._host = host
        self._asked: Asked | None = None
        self._memory: MemoryId | None = None

    def show(self, memory: MemoryId | None) -> None:
        """Speak of another folder from now on."""
        self._memory = memory
        self.told.emit({})
        self.refresh()

    def refresh(self) -> None:
        """Ask anew."""
        if self._asked is not None:
            self._asked.cancel()
            self._asked = None
        if self._memory is not None:
            self._ask(self._memory, {}, None)

    def _ask(self, memory: MemoryId, found: dict[bytes, HeadCount], below: int | None) -> None:
        self._asked = self._host.ask(
            ListHeads(memory=memory, below_seq=below), partial(self._page, memory, found), self._failed
        )

    def _page(self, memory: MemoryId, found: dict[bytes, HeadCount], page: HeadPage) -> None:
        if memory != self._memory:
            return
        found |= {one.head: one for one in page.heads}
        if page.more:
            self._ask(memory, found, page.heads[-1].newest_seq)
        else:
            self._asked = None
            self.told.emit(found)

    def _failed(self, failure: Failure) -> None:
        del failure  # what was known stays; the next event asks again
        self._asked = None
