"""The commits of a repository as a front end shows them: what points at them, and what they say.

Owns the values and the questions to a reader. Refs below `refs/botharness/` are nobody's to see here.
"""

import datetime
import enum

import msgspec

from backtrail.model.commands import Command
from backtrail.model.ids import Oid


class RefKind(enum.StrEnum):
    """Where a ref lives: `refs/heads/`, `refs/remotes/` or `refs/tags/`."""

    BRANCH = "branch"
    REMOTE = "remote"
    TAG = "tag"


class Ref(msgspec.Struct, frozen=True):
    """A name for a commit, without its `refs/heads/` or the like. A tag with a message stands for its commit."""

    kind: RefKind
    name: bytes
    commit: Oid


class Refs(msgspec.Struct, frozen=True):
    """What points at commits.

    head: the commit that is checked out, None if there is none yet. branch: None if detached. refs: branches,
    remotes and tags, each by name; those that name no commit that is here are left out.
    """

    head: Oid | None
    branch: bytes | None
    refs: tuple[Ref, ...]


class ReadRefs(Command[Refs], frozen=True, kw_only=True):
    """What points at commits of the repository at `root`."""

    root: bytes
    answer = Refs


class NewestCommits(msgspec.Struct, frozen=True):
    """Commits by their date, newest first, each as a line: its id and those of its parents that are here, in hex."""

    lines: tuple[str, ...]


class ReadNewest(Command[NewestCommits], frozen=True, kw_only=True):
    """So many of the newest commits that branches and remotes lead to, so that something can be shown at once."""

    root: bytes
    count: int
    answer = NewestCommits


class CommitLine(msgspec.Struct, frozen=True):
    """A commit in one line. committed_at: in UTC. Text that is no UTF-8 is read as the commit says, else replaced."""

    subject: str
    author: str
    committed_at: datetime.datetime


class CommitLines(msgspec.Struct, frozen=True):
    """For each commit asked for, in order, its line; None where it is not here or cannot be read."""

    lines: tuple[CommitLine | None, ...]


class ReadCommitLines(Command[CommitLines], frozen=True, kw_only=True):
    """The lines of some commits."""

    root: bytes
    oids: tuple[Oid, ...]
    answer = CommitLines


class Person(msgspec.Struct, frozen=True):
    """Who did it, and when: `at` in UTC, `offset_minutes` from it where they were."""

    name: str
    email: str
    at: datetime.datetime
    offset_minutes: int


class CommitDetails(msgspec.Struct, frozen=True, kw_only=True):
    """All that a commit says. parent_tree: of its first parent, None where it has none, or that one is not here."""

    oid: Oid
    tree: Oid
    parents: tuple[Oid, ...]
    parent_tree: Oid | None
    author: Person
    committer: Person
    message: str


class ReadCommit(Command[CommitDetails], frozen=True, kw_only=True):
    """All that one commit says. Fails with `object-missing` where it is not here."""

    root: bytes
    oid: Oid
    answer = CommitDetails


class CommitHits(msgspec.Struct, frozen=True):
    """For each commit asked about, in order: whether the text is in its message, or in its author's name or address."""

    hits: tuple[bool, ...]


class FindCommits(Command[CommitHits], frozen=True, kw_only=True):
    """Which of these commits hold a text. The case of letters does not matter."""

    root: bytes
    oids: tuple[Oid, ...]
    text: str
    answer = CommitHits


CommitQuestion = ReadRefs | ReadNewest | ReadCommitLines | ReadCommit | FindCommits
"""Every question about commits."""
