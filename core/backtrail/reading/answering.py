"""What the reader answers: changes between two states, one file's difference or contents, a copy of a file, commits.

Owns the way from a question to the repository, opened anew for each question. Writes nothing but the copy.
"""

import contextlib
from collections.abc import Iterator
from typing import TypeVar, cast

from backtrail.checkpoints.content import changes_between
from backtrail.git.names import read_names
from backtrail.git.objects import Objects
from backtrail.git.repository import Repository
from backtrail.model.changes import (
    Change,
    Changes,
    Contents,
    CopySaved,
    FileDiff,
    FindNames,
    ListChanges,
    NameHits,
    ReadContents,
    ReadDiff,
    SaveCopy,
    SaveEnd,
    Shown,
)
from backtrail.model.commands import Command
from backtrail.model.commits import (
    CommitDetails,
    CommitHits,
    CommitLines,
    FindCommits,
    NewestCommits,
    ReadCommit,
    ReadCommitLines,
    ReadNewest,
    ReadRefs,
    Refs,
)
from backtrail.model.errors.lookup import Unknown
from backtrail.model.ids import Oid
from backtrail.reading.commits import commit_details, commit_hits, commit_lines, newest_lines
from backtrail.reading.differing import SIZE_LIMIT, file_diff
from backtrail.reading.naming import name_hits
from backtrail.reading.saving import save_copy

A = TypeVar("A")


class Reader:
    """Answers questions about repositories, one at a time."""

    def answer(self, command: Command[A]) -> A:
        """Return the answer. Raises errors of `model.errors.repository`."""
        return cast("A", self._answer(command))

    def _answer(self, command: Command[A]) -> object:
        match command:
            case ListChanges():
                return self._changes(command)
            case ReadDiff():
                return self._diff(command)
            case FindNames():
                return self._names(command)
            case ReadContents():
                return self._contents(command)
            case SaveCopy():
                return self._save(command)
            case ReadRefs() | ReadNewest() | ReadCommitLines() | ReadCommit() | FindCommits():
                return self._commits(command)
            case _:
                raise Unknown("command", type(command).__name__)

    def _changes(self, command: ListChanges) -> Changes:
        with _opened(command.root) as objects:
            old: tuple[Oid | None, Oid | None] = (None, None)
            if command.head is not None:
                tree = objects.tree_of(command.head)
                old = (tree, tree)
            elif command.old is not None:
                old = (command.old.index, command.old.working)
            found: list[Change] = changes_between(objects.tree, old, (command.new.index, command.new.working))
        return Changes(tuple(found[: command.limit]), len(found))

    def _names(self, command: FindNames) -> NameHits:
        with _opened(command.root) as objects:
            return NameHits(tuple(name_hits(objects.tree, command.trees, command.text)))

    def _diff(self, command: ReadDiff) -> FileDiff:
        with _opened(command.root) as objects:
            wanted = [oid for oid in (command.old, command.new) if oid is not None]
            if not all(objects.has(oid) for oid in wanted):
                return FileDiff(Shown.MISSING, (), None, None)
            sizes = {oid: objects.size(oid) for oid in wanted}
            if any(size > SIZE_LIMIT for size in sizes.values()):
                return FileDiff(Shown.TOO_LARGE, (), _size(sizes, command.old), _size(sizes, command.new))
            contents = {oid: objects.read(oid)[1] for oid in wanted}
        old, new = (None if oid is None else contents[oid] for oid in (command.old, command.new))
        return file_diff(old, new, command.context)

    def _contents(self, command: ReadContents) -> Contents:
        with _opened(command.root) as objects:
            return Contents(*(_content(objects, oid, command.limit) for oid in (command.old, command.new)))

    def _save(self, command: SaveCopy) -> CopySaved:
        with _opened(command.root) as objects:
            if not objects.has(command.content):
                return CopySaved(SaveEnd.MISSING)
            content = objects.read(command.content)[1]
        return save_copy(content, command.target, over=command.over)

    def _commits(
        self, command: ReadRefs | ReadNewest | ReadCommitLines | ReadCommit | FindCommits
    ) -> Refs | NewestCommits | CommitLines | CommitDetails | CommitHits:
        with _repository(command.root) as repository:
            objects = Objects(repository)
            match command:
                case ReadRefs():
                    return read_names(repository)
                case ReadNewest():
                    return NewestCommits(tuple(newest_lines(repository, command.count)))
                case ReadCommitLines():
                    return CommitLines(tuple(commit_lines(objects, command.oids)))
                case ReadCommit():
                    return commit_details(objects, command.oid)
                case FindCommits():
                    return CommitHits(tuple(commit_hits(objects, command.oids, command.text)))


@contextlib.contextmanager
def _repository(root: bytes) -> Iterator[Repository]:
    repository = Repository.open(root)
    try:
        yield repository
    finally:
        repository.close()


@contextlib.contextmanager
def _opened(root: bytes) -> Iterator[Objects]:
    with _repository(root) as repository:
        yield Objects(repository)


def _content(objects: Objects, oid: Oid | None, limit: int) -> bytes | None:
    if oid is None or not objects.has(oid) or objects.size(oid) > limit:
        return None
    return objects.read(oid)[1]


def _size(sizes: dict[Oid, int], oid: Oid | None) -> int | None:
    return None if oid is None else sizes[oid]
