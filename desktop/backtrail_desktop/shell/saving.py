"""Saving a copy of one file of a state where the person wants it.

Owns the question where, the order to the reader, and the notice that it ends with. The folder that is kept changes only
if the person chooses a place in it.
"""

import os
from functools import partial

from backtrail.model.changes import CopySaved, SaveCopy, SaveEnd
from backtrail.model.ids import Oid, RelPath
from backtrail.model.path_text import path_text
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from backtrail_desktop.client.port import Failure, Port
from backtrail_desktop.shell.dialogs import Dialogs
from backtrail_desktop.shell.notice import Notice, notice_of
from backtrail_desktop.shell.plain_text import plain_path

NOTHING_CHANGED = "Nothing was written."
_WHY = {
    SaveEnd.EXISTS: "A file of that name has come meanwhile.",
    SaveEnd.NO_SPACE: "The disk is full.",
    SaveEnd.MISSING: "The content is not in the repository any more.",
}


class CopySaver(QObject):
    """Saves copies. told(Notice): how it ended."""

    told = Signal(object)

    def __init__(self, window: QWidget, reader: Port, dialogs: Dialogs) -> None:
        super().__init__(window)
        self._window, self._reader, self._dialogs = window, reader, dialogs

    def save(self, root: bytes, path: RelPath, content: Oid) -> None:
        """Ask where to save a file of the folder `root`, and save it there."""
        name = plain_path(os.path.basename(path))
        self._dialogs.choose_file(self._window, name, partial(self._chosen, root, content))

    def _chosen(self, root: bytes, content: Oid, target: bytes, over: bool) -> None:  # noqa: FBT001 - a callback's
        self._reader.ask(
            SaveCopy(root=root, content=content, target=target, over=over),
            partial(self._ended, target),
            partial(self._failed, target),
        )

    def _ended(self, target: bytes, saved: CopySaved) -> None:
        if saved.end is SaveEnd.SAVED:
            self.told.emit(Notice(f"A copy is saved as {path_text(target)}."))
            return
        why = _WHY.get(saved.end, f"The system says: {saved.reason}.")
        self.told.emit(Notice(f"{path_text(target)} was not saved. {why}", NOTHING_CHANGED, warns=True))

    def _failed(self, target: bytes, failure: Failure) -> None:
        self.told.emit(notice_of(failure, f"{path_text(target)} was not saved."))
