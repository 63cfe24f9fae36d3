"""What differs between two states, and one file's difference line by line: what a reader answers a front end.

Owns the values and the questions. A state is named by its two trees, so that it need not be a checkpoint.
"""

import enum

import msgspec

from backtrail.model.commands import Command
from backtrail.model.ids import Oid, RelPath


class ChangeStatus(enum.StrEnum):
    """How a path differs."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


class Change(msgspec.Struct, frozen=True):
    """A path that differs between two states; `staged` tells that it is the index that differs."""

    path: RelPath
    status: ChangeStatus
    staged: bool
    old: Oid | None
    new: Oid | None


class TreePair(msgspec.Struct, frozen=True):
    """A state by its trees; None is the empty tree."""

    index: Oid | None
    working: Oid | None


class Changes(msgspec.Struct, frozen=True):
    """Changes by path, at most as many as asked for; total: how many there are."""

    changes: tuple[Change, ...]
    total: int


class ListChanges(Command[Changes], frozen=True, kw_only=True):
    """What differs between two states of the repository at `root`. head: compare with this commit instead of `old`."""

    root: bytes
    old: TreePair | None
    new: TreePair
    head: Oid | None = None
    limit: int = 5000
    answer = Changes


class LineKind(enum.StrEnum):
    """What a line of a unified diff is."""

    HUNK = "hunk"
    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


class DiffLine(msgspec.Struct, frozen=True):
    """One line: its numbers in the old and the new file (None where it is not in it), and its text, without its end."""

    kind: LineKind
    old: int | None
    new: int | None
    text: str


class Shown(enum.StrEnum):
    """Whether a difference can be shown line by line, and if not, why."""

    TEXT = "text"
    BINARY = "binary"
    TOO_LARGE = "too-large"
    MISSING = "missing"


class FileDiff(msgspec.Struct, frozen=True):
    """One file's difference. Sizes in bytes, None where there is no file. cut: there are more lines than are given."""

    shown: Shown
    lines: tuple[DiffLine, ...]
    old_size: int | None
    new_size: int | None
    cut: bool = False


class ReadDiff(Command[FileDiff], frozen=True, kw_only=True):
    """How one file differs, given by its contents' ids; None where there is none."""

    root: bytes
    old: Oid | None
    new: Oid | None
    context: int = 3
    answer = FileDiff


class NameHits(msgspec.Struct, frozen=True):
    """For each pair asked about, in order: whether a path that differs has the text in its name."""

    hits: tuple[bool, ...]


class FindNames(Command[NameHits], frozen=True, kw_only=True):
    """In which of these working trees, newest first, a path with `text` in its name changed against the next.

    The last tree is only compared with; None is the empty tree. The case of letters does not matter.
    """

    root: bytes
    trees: tuple[Oid | None, ...]
    text: str
    answer = NameHits


class Contents(msgspec.Struct, frozen=True):
    """The bytes of two contents; None where there is none, where it is too large, or where it is not there any more."""

    old: bytes | None
    new: bytes | None


class ReadContents(Command[Contents], frozen=True, kw_only=True):
    """Two contents by their ids, each only if it has at most `limit` bytes."""

    root: bytes
    old: Oid | None
    new: Oid | None
    limit: int
    answer = Contents


class SaveEnd(enum.StrEnum):
    """How saving a copy ended. Only SAVED changed anything."""

    SAVED = "saved"
    EXISTS = "exists"
    NO_SPACE = "no-space"
    MISSING = "missing"
    REFUSED = "refused"


class CopySaved(msgspec.Struct, frozen=True):
    """How it ended; reason: the system's word where it refused."""

    end: SaveEnd
    reason: str = ""


class SaveCopy(Command[CopySaved], frozen=True, kw_only=True):
    """Write a content to the file `target`, whole or not at all. over: a file that is there may be replaced."""

    root: bytes
    content: Oid
    target: bytes
    over: bool = False
    answer = CopySaved


ChangeQuestion = ListChanges | ReadDiff | FindNames | ReadContents | SaveCopy
"""Every question about what differs."""
