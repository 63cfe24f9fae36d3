"""The commits between commits, as libgit2 walks them.

Owns the one answer to a history with a hole in it (a shallow clone, a lost object): it is told as far as it goes, since
a damaged history is no reason to keep nothing any more.
"""

import datetime
import enum
import heapq
import os
from collections.abc import Iterable, Iterator
from typing import cast

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
    for found in _walk(repository, tips, hidden, order):
        yield _commit(found)


def parents_of(repository: Repository, tips: Iterable[Oid], hidden: Iterable[Oid]) -> Iterator[tuple[str, list[str]]]:
    """Yield each commit after all its children, with its parents, as hexadecimal digits.

    In a shallow clone a parent that is not here is left out.
    """
    shallow = os.path.lexists(os.path.join(repository.common_dir, b"shallow"))
    odb = repository.handle.odb
    for found in _walk(repository, tips, hidden, Order.CHILDREN_FIRST):
        yield str(found.id), [str(parent) for parent in found.parent_ids if not shallow or odb.exists(parent)]


def newest_of(repository: Repository, tips: Iterable[Oid]) -> Iterator[tuple[str, list[str]]]:
    """Yield commits by their date, newest first, with their parents, as hexadecimal digits; the first at once.

    A parent whose clock was ahead may come before its child.
    """
    handle, seen = repository.handle, set(tips)
    coming = [_dated(handle, oid) for oid in seen if is_commit(Objects(repository), oid)]
    heapq.heapify(coming)
    while coming:
        _, name, parents = heapq.heappop(coming)
        here = [parent for parent in parents if parent in handle]
        yield name, [str(parent) for parent in here]
        for parent in here:
            if Oid(parent.raw) not in seen:
                seen.add(Oid(parent.raw))
                heapq.heappush(coming, _dated(handle, Oid(parent.raw)))


def _dated(handle: pygit2.Repository, oid: Oid) -> tuple[int, str, list[pygit2.Oid]]:
    commit = cast("pygit2.Commit", handle[pygit2.Oid(raw=oid)])
    return -commit.commit_time, str(commit.id), commit.parent_ids


def _walk(repository: Repository, tips: Iterable[Oid], hidden: Iterable[Oid], order: Order) -> Iterator[pygit2.Commit]:
    objects = Objects(repository)
    walker = repository.handle.walk(None, order.value)
    for tip in tips:
        if is_commit(objects, tip):
            walker.push(pygit2.Oid(raw=tip))
    for oid in hidden:
        if is_commit(objects, oid):
            walker.hide(pygit2.Oid(raw=oid))
    try:
        yield from walker
    except (KeyError, pygit2.GitError):
        return


def is_commit(objects: Objects, oid: Oid) -> bool:
    """Tell whether the repository holds a commit of this id."""
    return objects.kind(oid) is Kind.COMMIT


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
