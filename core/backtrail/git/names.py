"""What points at the commits of a repository: branches, remotes, tags.

Owns which refs those are, and that each stands for a commit that is here: tags are followed to theirs. Never names our
own refs.
"""

from collections.abc import Iterator

from backtrail.git.head import read_head
from backtrail.git.objects import Kind, Objects
from backtrail.git.refs import refs_below
from backtrail.git.repository import Repository
from backtrail.model.commits import Ref, RefKind, Refs
from backtrail.model.ids import Oid, oid_from_hex

_PLACES = ((b"refs/heads/", RefKind.BRANCH), (b"refs/remotes/", RefKind.REMOTE), (b"refs/tags/", RefKind.TAG))
_DEEPEST_TAG = 8


def read_names(repository: Repository) -> Refs:
    """Return what points at commits now. Raises as `read_head` and `refs_below` do."""
    objects = Objects(repository)
    head = read_head(repository)
    oid = head.oid if head.oid is not None and objects.kind(head.oid) is Kind.COMMIT else None
    return Refs(oid, head.branch, tuple(_refs(repository, objects)))


def branch_tips(repository: Repository) -> set[Oid]:
    """Return what HEAD, branches and remotes name; what tags name where there are no others. Not looked at."""
    head = read_head(repository)
    found = set() if head.oid is None else {head.oid}
    for prefix, kind in _PLACES:
        if kind is not RefKind.TAG or not found:
            found.update(refs_below(repository.common_dir, prefix).values())
    return found


def _refs(repository: Repository, objects: Objects) -> Iterator[Ref]:
    for prefix, kind in _PLACES:
        for name, oid in sorted(refs_below(repository.common_dir, prefix).items()):
            commit = _commit_of(objects, oid)
            if commit is not None:
                yield Ref(kind, name.removeprefix(prefix), commit)


def _commit_of(objects: Objects, oid: Oid) -> Oid | None:
    """Return the commit that a ref leads to, None for a tag of something else or for what is not here."""
    for _ in range(_DEEPEST_TAG):
        kind = objects.kind(oid)
        if kind is Kind.COMMIT:
            return oid
        if kind is not Kind.TAG:
            return None
        raw = objects.read(oid)[1]
        try:
            oid = oid_from_hex(raw[len(b"object ") :].partition(b"\n")[0].decode("ascii"))
        except ValueError:
            return None
    return None
