"""How the facts of `model` lie in columns: the field types, and a value as a row and back.

Bytes stay bytes (a path or branch need not be UTF-8, case B34), times are integer microseconds since 1970 UTC,
nested values are MessagePack. Reading checks every type, so that a row of a torn page is an error and not a fact.
Does not handle values of other rooms: what has no column is never stored.
"""

import datetime
from typing import Any, TypeVar

import msgspec
import peewee

V = TypeVar("V", bound=msgspec.Struct)

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND = datetime.timedelta(microseconds=1)
_AS_THEY_ARE = (bytes, datetime.datetime)
_FLAGS: dict[object, bool] = {0: False, 1: True}


class _AsItIs(peewee.AnyField):
    """A column whose content is the fact. peewee's own fields would bend a value of a wrong type into the right one."""

    def python_value(self, value: object) -> object:
        """Return it; `from_row` checks its type."""
        return value


class Text(_AsItIs):
    """Text, or the word of an enum."""

    field_type = "TEXT"


class Number(_AsItIs):
    """A whole number of at most 64 bits."""

    field_type = "INTEGER"


class Raw(_AsItIs):
    """Bytes exactly as they are: a path, a branch, an object id."""

    field_type = "BLOB"


class Moment(peewee.AnyField):
    """An aware time, as whole microseconds since 1970 UTC: exact, and in order."""

    field_type = "INTEGER"

    def db_value(self, value: datetime.datetime | None) -> int | None:
        """Return the microseconds. Integers throughout: a float loses some."""
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def python_value(self, value: int | None) -> datetime.datetime | None:
        """Return the time, in UTC. Raises ValidationError for what is none."""
        if value is None:
            return None
        try:
            return _EPOCH + value * _MICROSECOND
        except (OverflowError, TypeError) as error:
            raise msgspec.ValidationError(str(error)) from error


class Flag(peewee.AnyField):
    """Yes or no, as 1 or 0."""

    field_type = "INTEGER"

    def python_value(self, value: object) -> object:
        """Return it as a bool; `from_row` refuses anything else."""
        return _FLAGS.get(value, value)


class Packed(peewee.AnyField):
    """Nested facts as MessagePack; an empty list is NULL, so that a query can ask for it."""

    field_type = "BLOB"

    def db_value(self, value: object) -> bytes | None:
        """Return the MessagePack bytes."""
        return msgspec.msgpack.encode(value) if value else None

    def python_value(self, value: bytes | None) -> object:
        """Return plain lists and mappings. Raises DecodeError for what is no MessagePack."""
        if value is None:
            return ()
        if not isinstance(value, bytes):
            raise msgspec.ValidationError("not MessagePack")
        return msgspec.msgpack.decode(value)


def to_row(value: msgspec.Struct, *, spread: str | None = None) -> dict[str, Any]:
    """Return `value` by column name. The nested value `spread` gets a column for each of its facts."""
    row: dict[str, Any] = msgspec.to_builtins(value, builtin_types=_AS_THEY_ARE)
    if spread is not None:
        row |= {f"{spread}_{name}": fact for name, fact in row.pop(spread).items()}
    return row


def from_row(row: dict[str, Any], kind: type[V], **spread: type[msgspec.Struct]) -> V:
    """Return the value of type `kind` that `to_row` wrote; `spread` names the nested value and its type.

    Raises ValidationError where a column holds what is no such fact.
    """
    for name, nested in spread.items():
        row[name] = {fact: row.pop(f"{name}_{fact}") for fact in nested.__struct_fields__}
    return msgspec.convert(row, kind, builtin_types=_AS_THEY_ARE)
