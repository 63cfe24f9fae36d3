"""What a commit object says, read from its raw bytes.

Owns reading. A commit of any age and tool is read as far as it goes: what cannot be understood is empty, text in no
known encoding is replaced, and a time beyond all calendars is the calendar's end.
"""

import datetime
import re

import msgspec

from backtrail.model.commits import Person
from backtrail.model.ids import Oid, oid_from_hex

_PERSON = re.compile(
    rb"(?P<name>.*?)\s*<(?P<email>[^>]*)>(?:.*?(?P<at>-?\d+)(?:\s+(?P<offset>[+-]\d{4}))?)?\s*\Z", re.DOTALL
)
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_EARLIEST = (datetime.datetime(1, 1, 2, tzinfo=datetime.UTC) - _EPOCH).total_seconds()
_LATEST = (datetime.datetime(9999, 12, 30, tzinfo=datetime.UTC) - _EPOCH).total_seconds()


class CommitText(msgspec.Struct, frozen=True):
    """A commit: its tree, its parents, who made it when, and its message."""

    tree: Oid | None
    parents: tuple[Oid, ...]
    author: Person
    committer: Person
    message: str

    @property
    def subject(self) -> str:
        """The first line of the message that is not empty."""
        return next((line.strip() for line in self.message.splitlines() if line.strip()), "")


def parse_commit(raw: bytes) -> CommitText:
    """Read the content of a commit object."""
    head, _, message = raw.partition(b"\n\n")
    fields: dict[bytes, list[bytes]] = {}
    for line in head.split(b"\n"):
        name, _, value = line.partition(b" ")
        if name:  # a line that begins with a space goes on with a signature
            fields.setdefault(name, []).append(value)
    encoding = fields.get(b"encoding", [b"utf-8"])[0].decode("ascii", "replace")
    trees = [oid for oid in map(_oid, fields.get(b"tree", ())) if oid is not None]
    return CommitText(
        tree=trees[0] if trees else None,
        parents=tuple(oid for oid in map(_oid, fields.get(b"parent", ())) if oid is not None),
        author=_person(fields.get(b"author", [b""])[0], encoding),
        committer=_person(fields.get(b"committer", [b""])[0], encoding),
        message=_text(message, encoding),
    )


def _oid(value: bytes) -> Oid | None:
    try:
        return oid_from_hex(value.decode("ascii"))
    except ValueError:
        return None


def _person(value: bytes, encoding: str) -> Person:
    match = _PERSON.match(value)
    if match is None:
        return Person(_text(value, encoding), "", _EPOCH, 0)
    seconds = min(max(float(match["at"] or 0), _EARLIEST), _LATEST)
    offset = match["offset"] or b"+0000"
    minutes = int(offset[1:3]) * 60 + int(offset[3:5])
    return Person(
        _text(match["name"], encoding),
        _text(match["email"], encoding),
        _EPOCH + datetime.timedelta(seconds=seconds),
        -minutes if offset.startswith(b"-") else minutes,
    )


def _text(value: bytes, encoding: str) -> str:
    try:
        return value.decode(encoding)
    except (LookupError, ValueError):
        return value.decode("utf-8", "replace")
