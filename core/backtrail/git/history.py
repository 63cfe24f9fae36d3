"""The commits between commits, as libgit2 walks them.

Owns the one answer to a history with a hole in it (a shallow clone, a lost object): it is told as far as it goes, since
a damaged history is no reason to keep nothing any more.
"""

import datetime
import enum
import heapq
import os
from collections.abc import Callable, Iterable, Iterator

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


def lines_of(repository: Repository, tips: Iterable[Oid], hidden: Iterable[Oid]) -> Iterator[str]:
    """Yield each commit after all its children: its id and those of its parents, in hexadecimal digits, with spaces.

    In a shallow clone a parent that is not here is left out.
    """
    here = _here(repository)
    for found in _walk(repository, tips, hidden, Order.CHILDREN_FIRST):
        yield " ".join(map(str, (found.id, *here(found.parent_ids))))


def newest_of(repository: Repository, tips: Iterable[Oid]) -> Iterator[str]:
    """Yield commits by their date, newest first, as `lines_of` does; the first at once. Tips may be tags of commits.

    A parent whose clock was ahead may come before its child.
    """
    here, handle = _here(repository), repository.handle
    first = [commit for tip in tips if (commit := _dated(handle, pygit2.Oid(raw=tip))) is not None]
    coming = list({commit[1]: commit for commit in first}.values())  # two tags may lead to one commit
    seen = {name for _, name, _ in coming}
    heapq.heapify(coming)
    while coming:
        _, name, parents = heapq.heappop(coming)
        known = here(parents)
        yield " ".join(map(str, (name, *known)))
        for parent in known:
            if str(parent) not in seen and (commit := _dated(handle, parent)) is not None:
                seen.add(str(parent))
                heapq.heappush(coming, commit)


def _here(repository: Repository) -> Callable[[list[pygit2.Oid]], list[pygit2.Oid]]:
    """Return what leaves out parents that are not here, where such are to be expected."""
    if not os.path.lexists(os.path.join(repository.common_dir, b"shallow")):
        return lambda parents: parents
    odb = repository.handle.odb
    return lambda parents: [parent for parent in parents if odb.exists(parent)]


def _dated(handle: pygit2.Repository, oid: pygit2.Oid) -> tuple[int, str, list[pygit2.Oid]] | None:
    """Return minus the time of a commit, its id and its parents; None for what is none, not here or damaged."""
    try:
        commit = handle[oid].peel(pygit2.Commit)
    except (KeyError, pygit2.GitError):
        return None
    return -commit.commit_time, str(commit.id), commit.parent_ids


def _walk(repository: Repository, tips: Iterable[Oid], hidden: Iterable[Oid], order: Order) -> Iterator[pygit2.Commit]:
    walker = repository.handle.walk(None, order.value)
    for put, oids in ((walker.push, tips), (walker.hide, hidden)):
        for oid in oids:
            try:
                put(pygit2.Oid(raw=oid))
            except (KeyError, pygit2.GitError):
                continue  # no commit, or not here any more
    try:
        yield from walker
    except (KeyError, pygit2.GitError):
        return


def is_commit(objects: Objects, oid: Oid) -> bool:
    """Tell whether the repository holds a commit of this id."""
    return objects.kind(oid) is Kind.COMMIT


def is_reachable(repository: Repository, oid: Oid, head: Oid | None) -> bool:
    """Tell whether a commit is `head` or one of its ancestors; no where the history between them cannot be read."""
    if head is None or oid == head:
        return oid == head
    try:
        return repository.handle.descendant_of(pygit2.Oid(raw=head), pygit2.Oid(raw=oid))
    except (KeyError, pygit2.GitError):
        return False


def _commit(found: pygit2.Commit) -> Commit:
    return Commit(
        oid=Oid(found.id.raw),
        tree=Oid(found.tree_id.raw),
        parents=tuple(Oid(parent.raw) for parent in found.parent_ids),
        subject=found.raw_message.split(b"\n", 1)[0].decode("utf-8", "replace"),
        author=found.author.raw_name.decode("utf-8", "replace"),
        committed_at=datetime.datetime.fromtimestamp(found.commit_time, datetime.UTC),
    )
