"""One SQLite connection, and the one place where what SQLite reports becomes an error of ours.

Owns the lock that lets several threads share the connection, transactions, and the translation of errors.
Never knows a table. Does not handle a second writer: the Host holds a lock of its own on the data folder, so a
database that stays locked means that somebody else is in there, and is reported as such.
"""

import contextlib
import os
import pathlib
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec
import peewee

from backtrail.model.errors.capture import NoSpace
from backtrail.model.errors.host import DatabaseDamaged, DataFolderUnusable, HostBusy

T = TypeVar("T")

BUSY_S = 5.0
"""How long SQLite waits for somebody else's lock."""

PRAGMAS = {
    "foreign_keys": 1,
    "synchronous": "full",  # a row that was announced survives a power cut
    "cell_size_check": 1,  # a torn page is seen when it is read
    "trusted_schema": 0,
}


_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
"""And SQLITE_ERROR while reading or writing: a table is missing, or text is not UTF-8."""


class Contradiction(ValueError):
    """A row contradicts what is stored: its id is taken, or what it refers to is not there. The caller's mistake."""


class Connection:
    """A connection to the database file at `path`, shared by all threads of the process, one at a time.

    Every method raises NoSpace, DatabaseDamaged, HostBusy or DataFolderUnusable when the database fails, the last one
    also once it is closed; and Contradiction when a constraint is violated.
    """

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._depth = 0
        self._sqlite = peewee.SqliteDatabase(
            str(path), PRAGMAS, thread_safe=False, autoconnect=False, check_same_thread=False, timeout=BUSY_S
        )
        with self._translated():
            self._sqlite.connect()

    def close(self) -> None:
        """Close it, once the thread that is at work has finished. Closing twice is no error."""
        with self._lock, self._translated():
            self._sqlite.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Do everything inside or nothing. May be nested: an inner one that fails leaves the outer one going."""
        with self._lock:
            point = f"depth_{self._depth}"
            begin, keep, undo = ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
            if self._depth:
                begin, keep, undo = (f"SAVEPOINT {point}", f"RELEASE {point}", f"ROLLBACK TO {point}")
            self.sql(begin)
            self._depth += 1
            try:
                yield
                self.sql(keep)
            except BaseException:
                if self._going():
                    self.sql(undo)
                raise
            finally:
                self._depth -= 1

    def values(self, query: peewee.BaseQuery, make: Callable[[dict[str, Any]], T]) -> list[T]:
        """Run a select and return what `make` makes of each row, given by column name."""
        with self._turn():
            return [make(row) for row in query.dicts().execute(self._sqlite)]

    def value(self, query: peewee.Query, make: Callable[[dict[str, Any]], T]) -> T | None:
        """Run a select and return what `make` makes of its first row, or None."""
        return next(iter(self.values(query.limit(1), make)), None)

    def change(self, query: peewee.BaseQuery) -> int:
        """Run an update or a delete and return how many rows it touched; or an insert, whose result means nothing."""
        with self._turn():
            return int(query.execute(self._sqlite) or 0)

    def sql(self, text: str) -> list[tuple[Any, ...]]:
        """Run one statement of our own wording: pragmas and migrations."""
        with self._turn():
            return list(peewee.RawQuery(text).tuples().execute(self._sqlite))

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        with self._lock, self._translated():
            if self._sqlite.is_closed():
                raise DataFolderUnusable(str(self.path.parent), "the database is closed")
            if self._depth and not self._going():
                # SQLite ends a transaction by itself when the disk is full: what follows would be half of it
                raise DataFolderUnusable(str(self.path.parent), "an earlier error ended the transaction")
            yield

    def _going(self) -> bool:
        if self._sqlite.is_closed():
            return False
        driver: sqlite3.Connection = self._sqlite.connection()  # type: ignore[no-untyped-call] # the stub lacks a type
        return driver.in_transaction

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (peewee.PeeweeException, sqlite3.Error, msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise translate(error, self.path) from error


def translate(error: Exception, path: pathlib.Path) -> Exception:
    """Return what of ours `error` means for the database at `path`."""
    if isinstance(error, (msgspec.MsgspecError, UnicodeDecodeError)):  # a row or a schema that no code of ours wrote
        return DatabaseDamaged(str(path), str(error))
    original = getattr(error, "orig", error)
    code = getattr(original, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code == sqlite3.SQLITE_CONSTRAINT:
        return Contradiction(str(original))
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return HostBusy(str(path.parent), BUSY_S)
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _free(path) == 0):
        return NoSpace(os.fsencode(path), free=_free(path))
    if code in _DAMAGE or (code == sqlite3.SQLITE_ERROR and isinstance(original, sqlite3.OperationalError)):
        return DatabaseDamaged(str(path), str(original))
    return DataFolderUnusable(str(path.parent), str(original))


def _free(path: pathlib.Path) -> int | None:
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return None
