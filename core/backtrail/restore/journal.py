"""The journal of one restore: what is being done and how far it is; afterwards the archive's manifest.

Owns `restore.json` beside the copy. Each entry is written whole, fsynced and renamed, so a kill leaves the one before
or the one after. Start-up reads it and the marker; nothing else decides (case B87).
"""

import datetime
import os

import msgspec

from backtrail.git.refs import fsync_folder
from backtrail.model.errors.restore import RestoreUnfinished
from backtrail.model.ids import CheckpointId, MemoryId, RestoreId
from backtrail.model.path_text import path_bytes, path_text
from backtrail.model.restore import Inside, LateWriter, RestoreRecord, RestoreState, Step
from backtrail.restore.places import Places

_FORMAT = 1
_ORDER = list(Step)


class Journal(msgspec.Struct, frozen=True, kw_only=True):
    """One restore on paper. Paths are text that loses nothing (`model.path_text`).

    deleting: the archive was begun to be deleted for good, so it is not whole any more.
    """

    id: RestoreId
    memory_id: MemoryId
    memory_name: str
    live: str
    target: CheckpointId
    undo_of: RestoreId | None
    before: CheckpointId | None
    step: Step
    state: RestoreState
    started_at: datetime.datetime
    format: int = _FORMAT
    took_ms: int = 0
    bytes: int = 0
    checkpoint: CheckpointId | None = None
    not_carried: tuple[str, ...] = ()
    late: tuple[str, ...] = ()
    inside: tuple[Inside, ...] = ()
    deleting: bool = False

    def reached(self, step: Step) -> bool:
        """Tell whether the restore had come to `step`."""
        return _ORDER.index(self.step) >= _ORDER.index(step)

    def record(self, places: Places) -> RestoreRecord:
        """Return what is told of this restore."""
        return RestoreRecord(
            id=self.id,
            memory_id=self.memory_id,
            target=self.target,
            state=self.state,
            archive=places.copy if os.path.isdir(places.copy) else None,
            checkpoint=self.checkpoint,
            started_at=self.started_at,
            took_ms=self.took_ms,
            undo_of=self.undo_of,
            late=tuple(LateWriter(path_bytes(text)) for text in self.late),
            inside=self.inside,
            not_carried=tuple(path_bytes(text) for text in self.not_carried),
            bytes=self.bytes,
        )


def write_journal(places: Places, journal: Journal) -> Journal:
    """Write the journal durably; return it. Raises OSError."""
    temporary = places.journal + b".new"
    with open(temporary, "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(journal), indent=1))
        file.flush()
        os.fsync(file.fileno())
    os.rename(temporary, places.journal)
    fsync_folder(places.box)
    return journal


def read_journal(box: bytes) -> Journal | None:
    """Return the journal of an archive folder, or None if there is none. Raises RestoreUnfinished for a damaged one."""
    path = os.path.join(box, b"restore.json")
    try:
        with open(path, "rb") as file:
            journal = msgspec.json.decode(file.read(), type=Journal)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError) as error:
        raise RestoreUnfinished(path_text(box), str(error)) from error
    if journal.format != _FORMAT:
        raise RestoreUnfinished(path_text(box), f"its journal is of format {journal.format}")
    return journal
