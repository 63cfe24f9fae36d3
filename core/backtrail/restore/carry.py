"""What of the present folder is copied along, and what goes to the archive only.

The target's own ignore rules decide (design: restore, what is carried over): a present path that they ignore, or that
the target's coverage lists as not held, is carried. Every other one that the target lacks leaves to the archive and is
named; carrying it would make it untracked there (case B01, B14). Pure: works on a listing and a target, reads no disk.
"""

import collections
import stat
from collections.abc import Callable, Iterator

import msgspec

from backtrail.git.ignore import FolderRules
from backtrail.model.coverage import Coverage
from backtrail.model.ids import RelPath
from backtrail.model.net_state import Mode, NetState
from backtrail.model.paths import folders_above
from backtrail.model.restore import CarryOver, Ignored, SizedPath
from backtrail.restore.listing import Kind, Listing

_LARGEST = 5


class Placed(msgspec.Struct, frozen=True):
    """Where each present path that is not the target's goes: topmost paths to carry, topmost with no place, leaving."""

    carried: tuple[RelPath, ...]
    no_place: tuple[RelPath, ...]
    leaving: tuple[RelPath, ...]


class Present:
    """The present folder as a tree of names, from its listing, the Git folder left out."""

    def __init__(self, listing: Listing) -> None:
        self.entries = listing.entries
        self._below: dict[bytes, list[bytes]] = collections.defaultdict(list)
        for path in listing.entries:
            if path and path != b".git" and not path.startswith(b".git/"):
                self._below[path.rpartition(b"/")[0]].append(path)

    def in_folder(self, folder: bytes) -> list[bytes]:
        """Return the paths directly in a folder."""
        return self._below.get(folder, [])

    def is_folder(self, path: bytes) -> bool:
        """Tell whether a path is a folder, not a link to one."""
        return self.entries[path].kind in (Kind.FOLDER, Kind.UNREADABLE)

    def topmost_without(self, other: "Present") -> list[bytes]:
        """Return the topmost paths of this folder that another one does not have."""
        found: list[bytes] = []
        waiting = [b""]
        while waiting:
            for path in self.in_folder(waiting.pop()):
                if path not in other.entries:
                    found.append(path)
                elif self.is_folder(path):
                    waiting.append(path)
        return found

    def size(self, path: bytes) -> tuple[int, int]:
        """Return how many files there are at and below a path that a copy can hold, and their bytes."""
        count = total = 0
        for here in self._at_and_below(path):
            entry = self.entries[here]
            if entry.kind is Kind.FILE:
                total += entry.size
            count += not self.is_folder(here) and not self._is_uncopied(here)
        return count, total

    def uncopied(self, path: bytes) -> list[RelPath]:
        """Return the sockets and devices at and below a path: a copy of them would be another one."""
        return [RelPath(here) for here in self._at_and_below(path) if self._is_uncopied(here)]

    def _is_uncopied(self, path: bytes) -> bool:
        entry = self.entries[path]
        return entry.kind is Kind.OTHER and not stat.S_ISFIFO(entry.mode)

    def _at_and_below(self, path: bytes) -> Iterator[bytes]:
        waiting = [path]
        while waiting:
            here = waiting.pop()
            yield here
            waiting.extend(self._below.get(here, ()))


class Sorter:
    """Sorts the present paths against one target."""

    def __init__(
        self,
        present: Present,
        target: NetState,
        rules: Callable[[bytes | None], FolderRules],
        ignore_file: Callable[[bytes], bytes | None],
    ) -> None:
        """`ignore_file` returns the target's .gitignore of a folder, by its path."""
        self._present = present
        self._coverage: Coverage = target.coverage
        self._rules = rules
        self._ignore_file = ignore_file
        self._held: dict[bytes, int] = {entry.path: entry.mode for entry in target.working if entry.checked_out}
        self._folders: set[bytes] = folders_above(self._held) | {
            folder.path for folder in target.folders if folder.path
        }
        self._carried: list[RelPath] = []
        self._no_place: list[RelPath] = []
        self._leaving: list[RelPath] = []

    def sort(self) -> Placed:
        """Return where everything goes."""
        waiting = [(b"", self._rules(self._ignore_file(b"")), False)]
        while waiting:
            folder, rules, ignored = waiting.pop()
            for path in self._present.in_folder(folder):
                waiting.extend(self._place(path, rules, ignored=ignored))
        return Placed(tuple(sorted(self._carried)), tuple(sorted(self._no_place)), tuple(sorted(self._leaving)))

    def _place(self, path: bytes, rules: FolderRules, *, ignored: bool) -> Iterator[tuple[bytes, FolderRules, bool]]:
        """Decide one path; yield it with its rules if what is in it has to be decided one by one."""
        name = path.rpartition(b"/")[2]
        is_folder = self._present.is_folder(path)
        held = self._held.get(path)
        if held == Mode.GITLINK and is_folder:
            self._carried.append(RelPath(path))  # a submodule's files are its own repository's (case B30)
            return
        ignored = ignored or rules.ignores(name, is_folder=is_folder)
        carry = ignored or self._coverage.covers(path)
        if held is not None:
            if is_folder:
                (self._no_place if carry else self._leaving).append(RelPath(path))
            return
        if is_folder and path in self._folders:
            yield path, rules.child(name, self._ignore_file(path)), ignored
        elif path in self._folders:
            (self._no_place if carry else self._leaving).append(RelPath(path))
        elif carry:
            self._carried.append(RelPath(path))
        elif is_folder and self._present.in_folder(path) and not self._is_repository(path):
            yield path, rules.child(name, self._ignore_file(path)), ignored
        else:
            self._leaving.append(RelPath(path))

    def _is_repository(self, folder: bytes) -> bool:
        """Tell whether a folder is a repository of its own, which goes as a whole."""
        return folder + b"/.git" in self._present.entries


def carry_over(present: Present, placed: Placed, choice: Ignored, submodules: frozenset[bytes]) -> CarryOver:
    """Return the plan for what is carried. A submodule that the target has is carried whatever the choice."""
    carried = placed.carried
    left = placed.no_place
    if choice is Ignored.LEAVE:
        left = (*left, *(path for path in carried if path not in submodules))
        carried = tuple(path for path in carried if path in submodules)
    uncopied = [special for path in carried for special in present.uncopied(path)]
    left = (*left, *uncopied)
    carried = tuple(path for path in carried if path not in uncopied)
    sizes = {path: present.size(path) for path in carried}
    largest = sorted(sizes, key=lambda path: sizes[path][1], reverse=True)[:_LARGEST]
    return CarryOver(
        choice=choice,
        paths=carried,
        count=sum(count for count, _ in sizes.values()),
        bytes=sum(total for _, total in sizes.values()),
        largest=tuple(SizedPath(path, sizes[path][1]) for path in largest),
        archive_only=tuple(sorted(left)),
    )


def everything_else(present: Present, held: NetState) -> tuple[RelPath, ...]:
    """Return the topmost paths of a folder that its own net state does not hold: for an undo, all are carried."""
    paths: dict[bytes, int] = {entry.path: entry.mode for entry in held.working}
    folders: set[bytes] = folders_above(paths) | {folder.path for folder in held.folders if folder.path}
    found: list[RelPath] = []
    waiting = [b""]
    while waiting:
        for path in present.in_folder(waiting.pop()):
            if present.is_folder(path) and path in folders:
                waiting.append(path)
            elif path not in paths or paths[path] == Mode.GITLINK:
                found.append(RelPath(path))
    return tuple(sorted(found))
