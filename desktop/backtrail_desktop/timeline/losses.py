"""Which loss the banner tells of, and which a person has put aside.

Owns what counts as still lost: nothing that a later restore brought back, and nothing up to the loss that was
dismissed. Putting aside hides the banner alone; the row goes on naming the loss.
"""

from collections.abc import Sequence

from backtrail.model.checkpoint import Cause, Checkpoint, Lost
from backtrail.model.ids import MemoryId, RelPath
from PySide6.QtCore import QSettings

from backtrail_desktop.timeline.words import lost_count

_KEY = "dismissed-losses"


def open_losses(states: Sequence[Checkpoint], dismissed_up_to: int) -> list[Checkpoint]:
    """Return the states, of all given newest first, whose loss has neither come back nor been put aside."""
    found: list[Checkpoint] = []
    tokens = {state.id: state.content_token for state in states}
    seen_tokens: set[str] = set()
    restored: set[str] = set()
    fetched: dict[str, int] = {}
    for state in states:
        kept = state.kept_in or ""
        back = kept in restored or (state.kept_in is not None and tokens.get(state.kept_in) in seen_tokens)
        if state.lost and not back and fetched.get(kept, 0) < lost_count(state.lost) and state.seq > dismissed_up_to:
            found.append(state)
        seen_tokens.add(state.content_token)
        source = state.context.cause_id or ""
        if state.context.cause is Cause.HUMAN_RESTORE:
            restored.add(source)
        elif state.context.cause is Cause.HUMAN_FILE_RESTORE:
            fetched[source] = fetched.get(source, 0) + state.difference.added + state.difference.changed
    return found


def paths_to_get(lost: Sequence[Lost]) -> tuple[RelPath, ...]:
    """Return the paths whose files hold what was lost; content that was only staged comes back with the whole."""
    return tuple(dict.fromkeys(item.path for item in lost if not item.staged))


class Dismissed:
    """Remembers, for each folder, up to which state losses were put aside."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings

    def up_to(self, memory: MemoryId) -> int:
        """Return the number of the last state whose loss was put aside, 0 for none."""
        kept = self._settings.value(f"{_KEY}/{memory}", 0)
        return int(kept) if isinstance(kept, int | str) and str(kept).isdecimal() else 0

    def put_aside(self, loss: Checkpoint) -> None:
        """Show no banner any more for this loss or an earlier one."""
        self._settings.setValue(f"{_KEY}/{loss.memory_id}", max(loss.seq, self.up_to(loss.memory_id)))
