"""How a row is found by the beginning of its id.

A range instead of LIKE: it uses the index of the ids, and `%` and `_` mean nothing in it.
"""

import peewee

_BEYOND = "\U0010ffff"  # above every character of an id


def has_prefix(column: peewee.ColumnBase, prefix: str) -> peewee.Expression:
    """Return the condition that the text in `column` begins with `prefix`."""
    return (column >= prefix) & (column < prefix + _BEYOND)
