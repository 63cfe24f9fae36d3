"""Long lists in pages: at most 500 rows in one answer, and never more than fits a message.

Owns keyset paging: a page ends with the key of its last row, and the next one begins after it, so that rows added or
gone meanwhile shift nothing. Both ends are here: cutting a page at the Host, walking all pages at a client. Does not
know what a row or a key is, beyond that both are JSON.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import msgspec

from backtrail.wire.errors import Damage, FrameDamaged
from backtrail.wire.messages import JsonObject

MOST_ROWS = 500
"""More in one message would hold up the window that takes it."""

MOST_BYTES = 900 << 10
"""Rows are long where paths are: a page ends early rather than outgrow a frame."""

_T = TypeVar("_T")


class Wanted(msgspec.Struct, frozen=True):
    """What a client wants of a list: rows after a key, None for the first ones."""

    after: object = None
    limit: int = MOST_ROWS


class Page(msgspec.Struct, frozen=True):
    """Rows in JSON, and the key that the next page begins after: None if this is the last page."""

    rows: tuple[msgspec.Raw, ...]
    next: object = None


class _Came(msgspec.Struct, frozen=True):
    rows: list[object]
    next: object = None


def wanted(arguments: JsonObject) -> Wanted:
    """Read `after` and `limit` of a request's arguments; the limit is brought between 1 and 500.

    Raises FrameDamaged for a limit that is no number.
    """
    try:
        asked = msgspec.convert({name: arguments[name] for name in ("after", "limit") if name in arguments}, Wanted)
    except msgspec.ValidationError as error:
        raise FrameDamaged(Damage.NOT_A_MESSAGE, str(error)) from error
    return Wanted(asked.after, max(1, min(asked.limit, MOST_ROWS)))


def page(rows: Iterable[_T], limit: int, key: Callable[[_T], object], as_json: Callable[[_T], object]) -> Page:
    """Cut one page off `rows`, which come in the order of their keys, and of which one more than `limit` is read."""
    taken: list[msgspec.Raw] = []
    size = 0
    last = None
    for row in rows:
        encoded = msgspec.json.encode(as_json(row))
        size += len(encoded) + 1
        if taken and (len(taken) >= limit or size > MOST_BYTES):
            return Page(tuple(taken), last)
        taken.append(msgspec.Raw(encoded))
        last = key(row)
    return Page(tuple(taken))


def all_rows(ask: Callable[[str, JsonObject], object], command: str, arguments: JsonObject) -> Iterator[object]:
    """Give all rows of a list that the Host sends in pages, asking for each page when it is reached."""
    after = None
    while True:
        came = msgspec.convert(ask(command, {**arguments, "after": after, "limit": MOST_ROWS}), _Came)
        yield from came.rows
        if came.next is None:
            return
        after = came.next
