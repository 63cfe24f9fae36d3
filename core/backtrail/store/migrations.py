"""The schema, as numbered steps that are never changed once released; a new one is added at the end.

Owns the tables, their constraints and indexes, and the number of the schema in `PRAGMA user_version`. Steps are SQL of
their own time and know nothing of `tables`, which describes the newest schema only. Does not handle going back: a
database of a newer Backtrail is refused.
"""

from backtrail.model.errors.host import DatabaseNewer
from backtrail.store.connection import Connection

_FIRST = (
    """
    CREATE TABLE memory (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        bot TEXT NOT NULL,
        path BLOB NOT NULL,
        state TEXT NOT NULL,
        protection_state TEXT NOT NULL,
        protection_reason TEXT,
        protection_since INTEGER,
        protection_looked_at INTEGER,
        added_at INTEGER NOT NULL,
        size_cap INTEGER NOT NULL,
        first_commit BLOB,
        last_seq INTEGER NOT NULL
    )
    """,
    """
    CREATE TABLE pending_checkpoint (
        id TEXT NOT NULL PRIMARY KEY,
        memory_id TEXT NOT NULL REFERENCES memory (id),
        seq INTEGER NOT NULL,
        context_origin TEXT NOT NULL,
        context_cause TEXT NOT NULL,
        context_origin_id TEXT,
        context_cause_id TEXT,
        context_note TEXT,
        begun_at INTEGER NOT NULL,
        UNIQUE (memory_id, seq)
    )
    """,
    """
    CREATE TABLE checkpoint (
        id TEXT NOT NULL PRIMARY KEY,
        memory_id TEXT NOT NULL REFERENCES memory (id),
        seq INTEGER NOT NULL,
        state TEXT NOT NULL,
        "commit" BLOB NOT NULL,
        branch BLOB,
        head BLOB,
        operation TEXT NOT NULL,
        index_tree BLOB NOT NULL,
        working_tree BLOB NOT NULL,
        content_token TEXT NOT NULL,
        context_origin TEXT NOT NULL,
        context_cause TEXT NOT NULL,
        context_origin_id TEXT,
        context_cause_id TEXT,
        captured_at INTEGER NOT NULL,
        clock_went_back INTEGER NOT NULL,
        pinned INTEGER NOT NULL,
        kept_in TEXT,
        context_note TEXT,
        note TEXT,
        difference BLOB NOT NULL,
        lost BLOB,
        coverage BLOB NOT NULL,
        UNIQUE (memory_id, seq)
    )
    """,
    """
    CREATE TABLE observation (
        memory_id TEXT NOT NULL PRIMARY KEY REFERENCES memory (id),
        token TEXT NOT NULL,
        branch BLOB,
        head BLOB,
        checkpoint TEXT,
        at INTEGER NOT NULL,
        beyond BLOB
    )
    """,
    """
    CREATE TABLE source_event (
        id TEXT NOT NULL PRIMARY KEY,
        memory_id TEXT NOT NULL REFERENCES memory (id),
        kind TEXT NOT NULL,
        at INTEGER NOT NULL,
        change BLOB NOT NULL
    )
    """,
    """
    CREATE TABLE admission (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        event_id TEXT NOT NULL REFERENCES source_event (id),
        bot TEXT NOT NULL,
        state TEXT NOT NULL,
        attempts INTEGER NOT NULL
    )
    """,
    "CREATE INDEX admission_by_bot ON admission (bot, state, number)",
    """
    CREATE TABLE restore (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        memory_id TEXT NOT NULL REFERENCES memory (id),
        target TEXT NOT NULL,
        state TEXT NOT NULL,
        archive BLOB,
        checkpoint TEXT,
        started_at INTEGER NOT NULL,
        took_ms INTEGER NOT NULL,
        undo_of TEXT,
        bytes INTEGER NOT NULL,
        late BLOB,
        inside BLOB,
        not_carried BLOB
    )
    """,
    "CREATE INDEX restore_by_memory ON restore (memory_id, number)",
)

_DAMAGE = ("ALTER TABLE checkpoint ADD COLUMN damage BLOB",)
_PAUSE = ("ALTER TABLE memory ADD COLUMN paused_until INTEGER",)
_OMISSIONS = ("ALTER TABLE memory ADD COLUMN omissions BLOB",)

STEPS: tuple[tuple[str, ...], ...] = (_FIRST, _DAMAGE, _PAUSE, _OMISSIONS)
"""Step n leads from schema n to schema n + 1."""


def migrate(connection: Connection, application_id: int) -> None:
    """Bring the schema up to the newest number, in one transaction. Raises DatabaseNewer where it is beyond that."""
    found = int(connection.sql("PRAGMA user_version")[0][0])
    if found > len(STEPS):
        raise DatabaseNewer(str(connection.path), found, len(STEPS))
    if found == len(STEPS):
        return
    with connection.transaction():
        for step in STEPS[found:]:
            for statement in step:
                connection.sql(statement)
        connection.sql(f"PRAGMA application_id = {application_id}")
        connection.sql(f"PRAGMA user_version = {len(STEPS)}")


def schema(connection: Connection) -> set[tuple[str, str, str]]:
    """Return what a database is made of: kind, name and wording of each table and index of ours."""
    found = connection.sql("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    return {(str(kind), str(name), str(sql)) for kind, name, sql in found}
