"""A new database from what does not depend on one: the memories' own files and the refs in their repositories.

Owns keeping the damaged file aside; nothing of it is deleted. What only the database knew is gone and said to be:
notes and pins that came later, the Inbox, which looks had been told.
"""

import datetime
import os
import pathlib

from backtrail.host.data_folder import DataFolder
from backtrail.memories.register import Register
from backtrail.model.memory import Memory
from backtrail.store.database import Database

_BESIDE = ("", "-wal", "-shm")


def set_aside(database: pathlib.Path, now: datetime.datetime) -> pathlib.Path:
    """Rename a database and what SQLite keeps beside it; return the new name. Raises OSError."""
    kept = database.with_name(f"{database.name}.damaged-{now:%Y%m%dT%H%M%SZ}")
    number = 1
    while kept.exists():
        number += 1
        kept = database.with_name(f"{database.name}.damaged-{now:%Y%m%dT%H%M%SZ}-{number}")
    for ending in _BESIDE:
        here = database.with_name(database.name + ending)
        if os.path.lexists(here):
            here.rename(kept.with_name(kept.name + ending))
    return kept


def memories_written_down(folder: DataFolder, database: Database) -> list[Memory]:
    """Put every memory that the files tell of into a new database; return them."""
    register = Register(database, folder.memories)
    found = register.written_down()
    for memory in found:
        register.add(memory)
    return found
