"""The commits between commits, as libgit2 walks them.

Owns the one answer to a history with a hole in it (a shallow clone, a lost object): it is told as far as it goes, since
a damaged history is no reason to keep nothing any more.
"""

import datetime
import enum
from collections.abc import Iterable, Iterator

import msgspec
import pygit2

from backtrail.git.objects import Kind, Objects
from backtrail.git.repository import Repository
from backtrail.model.ids import Oid


class Order(enum.Enum):
    """In which order commits are told; the value is libgit2's."""

    NEWEST_FIRST = pygit2.enums.SortMode.TIME
    CHILDREN_FIRST = pygit2.enums.SortMode.TOPOLOGICAL


class Commit(msgspec.Struct, frozen=True):
    """One commit. subject and author as text: what is no UTF-8 is replaced. committed_at: in UTC."""

    oid: Oid
    tree: Oid
    parents: tuple[Oid, ...]
    subject: str
    author: str
    committed_at: datetime.datetime


def commits(
    repository: Repository, tips: Iterable[Oid], hidden: Iterable[Oid], order: Order = Order.NEWEST_FIRST
) -> Iterator[Commit]:
    """Yield what can be reached from the tips and not from the hidden ones; ids that are no commits here are passed."""
    objects = Objects(repository)
    walker = repository.handle.walk(None, order.value)
    for tip in tips:
        if is_commit(objects, tip):
            walker.push(pygit2.Oid(raw=tip))
    for oid in hidden:
        if is_commit(objects, oid):
            walker.hide(pygit2.Oid(raw=oid))
    try:
        for found in walker:
            yield _commit(found)
    except (KeyError, pygit2.GitError):
        return


def is_commit(objects: Objects, oid: Oid) -> bool:
    """Tell whether the repository holds a commit of this id."""
    return objects.has(oid) and objects.read(oid)[0] is Kind.COMMIT


def is_reachable(repository: Repository, oid: Oid, head: Oid | None) -> bool:
    """Tell whether a commit is `head` or one of its ancestors; where one of them is missing, whether they are equal."""
    objects = Objects(repository)
    if head is None or not (objects.has(oid) and objects.has(head)):
        return oid == head
    return oid == head or repository.handle.descendant_of(pygit2.Oid(raw=head), pygit2.Oid(raw=oid))


def _commit(found: pygit2.Commit) -> Commit:
    return Commit(
        oid=Oid(found.id.raw),
        tree=Oid(found.tree_id.raw),
        parents=tuple(Oid(parent.raw) for parent in found.parent_ids),
        subject=found.raw_message.split(b"\n", 1)[0].decode("utf-8", "replace"),
        author=found.author.raw_name.decode("utf-8", "replace"),
        committed_at=datetime.datetime.fromtimestamp(found.commit_time, datetime.UTC),
    )
