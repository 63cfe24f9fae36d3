"""What the reader answers: changes between two states, one file's difference or contents, and a copy of a file.

Owns the way from a question to the repository, opened anew for each question. Writes nothing but the copy.
"""

from typing import TypeVar, cast

from backtrail.checkpoints.content import changes_between
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
from backtrail.model.errors.lookup import Unknown
from backtrail.model.ids import Oid
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
            case _:
                raise Unknown("command", type(command).__name__)

    def _changes(self, command: ListChanges) -> Changes:
        repository = Repository.open(command.root)
        try:
            objects = Objects(repository)
            old: tuple[Oid | None, Oid | None] = (None, None)
            if command.head is not None:
                tree = objects.tree_of(command.head)
                old = (tree, tree)
            elif command.old is not None:
                old = (command.old.index, command.old.working)
            found: list[Change] = changes_between(objects.tree, old, (command.new.index, command.new.working))
        finally:
            repository.close()
        return Changes(tuple(found[: command.limit]), len(found))

    def _names(self, command: FindNames) -> NameHits:
        repository = Repository.open(command.root)
        try:
            objects = Objects(repository)
            return NameHits(tuple(name_hits(objects.tree, command.trees, command.text)))
        finally:
            repository.close()

    def _diff(self, command: ReadDiff) -> FileDiff:
        repository = Repository.open(command.root)
        try:
            objects = Objects(repository)
            wanted = [oid for oid in (command.old, command.new) if oid is not None]
            if not all(objects.has(oid) for oid in wanted):
                return FileDiff(Shown.MISSING, (), None, None)
            sizes = {oid: objects.size(oid) for oid in wanted}
            if any(size > SIZE_LIMIT for size in sizes.values()):
                return FileDiff(Shown.TOO_LARGE, (), _size(sizes, command.old), _size(sizes, command.new))
            contents = {oid: objects.read(oid)[1] for oid in wanted}
        finally:
            repository.close()
        old, new = (None if oid is None else contents[oid] for oid in (command.old, command.new))
        return file_diff(old, new, command.context)

    def _contents(self, command: ReadContents) -> Contents:
        repository = Repository.open(command.root)
        try:
            objects = Objects(repository)
            return Contents(*(_content(objects, oid, command.limit) for oid in (command.old, command.new)))
        finally:
            repository.close()

    def _save(self, command: SaveCopy) -> CopySaved:
        repository = Repository.open(command.root)
        try:
            objects = Objects(repository)
            if not objects.has(command.content):
                return CopySaved(SaveEnd.MISSING)
            content = objects.read(command.content)[1]
        finally:
            repository.close()
        return save_copy(content, command.target, over=command.over)


def _content(objects: Objects, oid: Oid | None, limit: int) -> bytes | None:
    if oid is None or not objects.has(oid) or objects.size(oid) > limit:
        return None
    return objects.read(oid)[1]


def _size(sizes: dict[Oid, int], oid: Oid | None) -> int | None:
    return None if oid is None else sizes[oid]
