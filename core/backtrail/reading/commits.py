"""What commits say: one line each for a list, all of it for one, and which of them hold a text.

Owns these three readings. A commit that is not here, or damaged, is told as such and holds up no other.
"""

import itertools
from collections.abc import Iterable, Iterator

from backtrail.git.commit_text import CommitText, parse_commit
from backtrail.git.history import newest_of
from backtrail.git.names import branch_tips
from backtrail.git.objects import Kind, Objects
from backtrail.git.repository import Repository
from backtrail.model.commits import CommitDetails, CommitLine
from backtrail.model.errors.repository import ObjectMissing, RepositoryDamaged
from backtrail.model.ids import Oid

_LINE_LIMIT = 400
_MESSAGE_LIMIT = 1 << 18


def newest_lines(repository: Repository, count: int) -> Iterator[str]:
    """Return the newest commits that branches lead to, each as its id and those of its parents."""
    return itertools.islice(newest_of(repository, branch_tips(repository)), count)


def commit_lines(objects: Objects, oids: Iterable[Oid]) -> Iterator[CommitLine | None]:
    """Yield the line of each commit."""
    for commit in _texts(objects, oids):
        if commit is None:
            yield None
        else:
            yield CommitLine(commit.subject[:_LINE_LIMIT], commit.author.name[:_LINE_LIMIT], commit.committer.at)


def commit_hits(objects: Objects, oids: Iterable[Oid], text: str) -> Iterator[bool]:
    """Yield for each commit whether `text` is in it."""
    wanted = text.casefold()
    for commit in _texts(objects, oids):
        said = "" if commit is None else f"{commit.message}\n{commit.author.name} <{commit.author.email}>"
        yield wanted in said.casefold()


def commit_details(objects: Objects, oid: Oid) -> CommitDetails:
    """Return all that a commit says; a long message is cut. Raises ObjectMissing, RepositoryDamaged."""
    tree = objects.tree_of(oid)
    commit = parse_commit(objects.read(oid)[1])
    parent = next(iter(commit.parents), None)
    return CommitDetails(
        oid=oid,
        tree=tree,
        parents=commit.parents,
        parent_tree=objects.tree_of(parent) if parent is not None and objects.has(parent) else None,
        author=commit.author,
        committer=commit.committer,
        message=commit.message[:_MESSAGE_LIMIT],
    )


def _texts(objects: Objects, oids: Iterable[Oid]) -> Iterator[CommitText | None]:
    for oid in oids:
        try:
            kind, raw = objects.read(oid)
        except (ObjectMissing, RepositoryDamaged):
            yield None
        else:
            yield parse_commit(raw) if kind is Kind.COMMIT else None
