"""The tables as peewee sees them, for building queries.

Owns names and types of columns, in the words of `model`; the constraints and indexes are in `migrations`, which alone
makes the tables, and a test holds the two together. No model here has a database: each query is run by the Connection
it is given to, so two open databases never mix.
"""

import peewee

from backtrail.store.columns import Flag, Moment, Number, Packed, Raw, Text


class MemoryRow(peewee.Model):
    """A memory. `last_seq` is the highest number that a checkpoint of it ever took."""

    number = peewee.AutoField()
    id = Text()
    name = Text()
    bot = Text()
    path = Raw()
    state = Text()
    protection_state = Text()
    protection_reason = Text(null=True)
    protection_since = Moment(null=True)
    protection_looked_at = Moment(null=True)
    added_at = Moment()
    size_cap = Number()
    first_commit = Raw(null=True)
    last_seq = Number(default=0)
    paused_until = Moment(null=True)
    omissions = Packed(null=True)

    class Meta:
        """Where it lies."""

        table_name = "memory"


class PendingRow(peewee.Model):
    """A checkpoint that has begun."""

    id = Text(primary_key=True)
    memory_id = Text()
    seq = Number()
    context_origin = Text()
    context_cause = Text()
    context_origin_id = Text(null=True)
    context_cause_id = Text(null=True)
    context_note = Text(null=True)
    begun_at = Moment()

    class Meta:
        """Where it lies."""

        table_name = "pending_checkpoint"


class CheckpointRow(peewee.Model):
    """A checkpoint. The columns that may be long come last, where a scan need not read them."""

    id = Text(primary_key=True)
    memory_id = Text()
    seq = Number()
    state = Text()
    commit = Raw()
    branch = Raw(null=True)
    head = Raw(null=True)
    operation = Text()
    index_tree = Raw()
    working_tree = Raw()
    content_token = Text()
    context_origin = Text()
    context_cause = Text()
    context_origin_id = Text(null=True)
    context_cause_id = Text(null=True)
    captured_at = Moment()
    clock_went_back = Flag()
    pinned = Flag()
    kept_in = Text(null=True)
    context_note = Text(null=True)
    note = Text(null=True)
    difference = Packed()
    lost = Packed(null=True)
    coverage = Packed()
    damage = Packed(null=True)

    class Meta:
        """Where it lies."""

        table_name = "checkpoint"


class ObservationRow(peewee.Model):
    """The last observation of a memory."""

    memory_id = Text(primary_key=True)
    token = Text()
    branch = Raw(null=True)
    head = Raw(null=True)
    checkpoint = Text(null=True)
    at = Moment()
    beyond = Packed(null=True)

    class Meta:
        """Where it lies."""

        table_name = "observation"


class EventRow(peewee.Model):
    """A Source Event."""

    id = Text(primary_key=True)
    memory_id = Text()
    kind = Text()
    at = Moment()
    change = Packed()

    class Meta:
        """Where it lies."""

        table_name = "source_event"


class AdmissionRow(peewee.Model):
    """An Admission. `number` is the order of arrival."""

    number = peewee.AutoField()
    id = Text()
    event_id = Text()
    bot = Text()
    state = Text()
    attempts = Number()

    class Meta:
        """Where it lies."""

        table_name = "admission"


class RestoreRow(peewee.Model):
    """A restore. `number` is the order in which they began."""

    number = peewee.AutoField()
    id = Text()
    memory_id = Text()
    target = Text()
    state = Text()
    archive = Raw(null=True)
    checkpoint = Text(null=True)
    started_at = Moment()
    took_ms = Number()
    undo_of = Text(null=True)
    bytes = Number()
    late = Packed(null=True)
    inside = Packed(null=True)
    not_carried = Packed(null=True)

    class Meta:
        """Where it lies."""

        table_name = "restore"


TABLES: tuple[type[peewee.Model], ...] = (
    MemoryRow, PendingRow, CheckpointRow, ObservationRow, EventRow, AdmissionRow, RestoreRow,
)  # fmt: skip
