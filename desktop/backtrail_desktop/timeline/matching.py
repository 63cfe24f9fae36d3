"""Whether a state passes the filter, as far as that is decided here and not by the Host.

Owns what was found out about a text: by the words of rows, and by names of files, which the reader looks through. What
rows say is kept until another text is looked for: words of ten thousand rows take a tenth of a second.
"""

from backtrail.model.checkpoint import Checkpoint
from backtrail.model.ids import CheckpointId
from PySide6.QtCore import QObject

from backtrail_desktop.client.port import Port
from backtrail_desktop.timeline.name_search import NameSearch
from backtrail_desktop.timeline.rows import Filter, says


class Matching:
    """Holds a filter and what is known of its text."""

    def __init__(self, reader: Port | None, parent: QObject) -> None:
        self.names = NameSearch(reader, parent)
        self.filter = Filter()
        self._said: dict[CheckpointId, bool] = {}

    def begin(self, root: bytes, wanted: Filter) -> None:
        """Decide by this filter from now on, in the repository at `root`."""
        if wanted.text != self.filter.text:
            self._said = {}
        self.filter = wanted
        self.names.begin(root, wanted.text)

    def passes(self, checkpoint: Checkpoint) -> bool:
        """Tell whether a state is to be shown."""
        text = self.filter.text
        if not text:
            return True
        if checkpoint.id not in self._said:
            self._said[checkpoint.id] = says(checkpoint, text)
        found = self._said[checkpoint.id] or checkpoint.id in self.names.found
        return found and self.filter.lets_through(checkpoint)
