"""The database file: made whole, checked when opened, and the way to its rows.

A new file is made beside its place and renamed into it, so that a kill leaves none or a complete one; whatever else
lies there and is not a sound database of ours is refused as damaged and not touched (decision 0003).
Does not lock out a second process, and does not repair or rebuild: it says what is wrong.
"""

import contextlib
import errno
import os
import pathlib
import shutil
import stat
from typing import Self

from backtrail.model.errors.capture import NoSpace
from backtrail.model.errors.host import DatabaseDamaged, DataFolderUnusable
from backtrail.store.checkpoints import Checkpoints
from backtrail.store.connection import Connection
from backtrail.store.inbox import Inbox
from backtrail.store.memories import Memories
from backtrail.store.migrations import STEPS, migrate, schema
from backtrail.store.observations import Observations
from backtrail.store.restores import Restores

APPLICATION_ID = 0x4254726C
"""Tells a database of ours from any other SQLite file: "BTrl"."""


class Database:
    """An open database. Threads may share it; a transaction keeps the others waiting until it ends."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.memories = Memories(connection)
        self.checkpoints = Checkpoints(connection)
        self.observations = Observations(connection)
        self.inbox = Inbox(connection)
        self.restores = Restores(connection)

    @classmethod
    def open(cls, path: pathlib.Path) -> Self:
        """Open the database at `path`, which is made (mode 0600) where there is none, and bring its schema up to date.

        Raises DatabaseDamaged, DatabaseNewer, NoSpace, or DataFolderUnusable where the folder cannot be used.
        """
        try:
            if not os.path.lexists(path):
                _make(path)
            if not stat.S_ISREG(path.stat().st_mode):  # a FIFO would hang
                raise DatabaseDamaged(str(path), "not a regular file")
            _check_length(path)
        except OSError as error:
            raise _refused(error, path) from error
        with contextlib.ExitStack() as undo:
            connection = Connection(path)
            undo.callback(connection.close)
            _check_ours(connection)
            connection.sql("PRAGMA journal_mode = wal")
            _check_sound(connection)
            migrate(connection, APPLICATION_ID)
            _check_schema(connection)
            undo.pop_all()
        return cls(connection)

    def close(self) -> None:
        """Close it. Every method raises DataFolderUnusable from now on."""
        self._connection.close()

    def transaction(self) -> contextlib.AbstractContextManager[None]:
        """Do everything inside or nothing. May be nested: an inner one that fails leaves the outer one going."""
        return self._connection.transaction()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _make(path: pathlib.Path) -> None:
    draft = path.with_name(path.name + ".new")
    for leftover in (draft, _beside(draft, "-journal"), _beside(path, "-shm")):
        leftover.unlink(missing_ok=True)
    if _beside(path, "-wal").exists():  # of a database that is gone: SQLite would play it into the new one
        _beside(path, "-wal").replace(_beside(path, "-wal.orphan"))
    descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
    os.fchmod(descriptor, 0o600)
    os.close(descriptor)
    connection = Connection(draft)
    try:
        migrate(connection, APPLICATION_ID)
    finally:
        connection.close()
    draft.rename(path)
    _sync_folder(path.parent)


def _beside(path: pathlib.Path, ending: str) -> pathlib.Path:
    return path.with_name(path.name + ending)


def _sync_folder(folder: pathlib.Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refused(error: OSError, path: pathlib.Path) -> Exception:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return NoSpace(os.fsencode(path), free=shutil.disk_usage(path.parent).free)
    return DataFolderUnusable(str(path.parent), error.strerror or str(error))


def _check_length(path: pathlib.Path) -> None:
    """SQLite reads the missing end of a last page as zeros; only a write-ahead log may still hold the whole of it."""
    with path.open("rb") as file:
        page_size = int.from_bytes(file.read(18)[16:], "big")
    log = _beside(path, "-wal")
    if page_size > 1 and path.stat().st_size % page_size and not (log.exists() and log.stat().st_size):
        raise DatabaseDamaged(str(path), "cut within a page")


def _check_ours(connection: Connection) -> None:
    if connection.sql("PRAGMA application_id") != [(APPLICATION_ID,)]:
        raise DatabaseDamaged(str(connection.path), "not a database of Backtrail")


def _check_sound(connection: Connection) -> None:
    found = [str(row[0]) for row in connection.sql("PRAGMA quick_check(5)")]
    if found != ["ok"]:
        raise DatabaseDamaged(str(connection.path), "; ".join(found))


def _check_schema(connection: Connection) -> None:
    fresh = Connection(pathlib.Path(":memory:"))
    try:
        migrate(fresh, APPLICATION_ID)
        differing = schema(fresh) ^ schema(connection)
    finally:
        fresh.close()
    if differing:
        names = ", ".join(sorted({name for _, name, _ in differing}))
        raise DatabaseDamaged(str(connection.path), f"the schema is not number {len(STEPS)}: {names}")
