"""Git trees as plain bytes: made from a list of paths, and read back entry by entry.

Owns the order and the encoding of tree objects, and which paths may stand in one. Never touches a repository: the
objects are returned, not written, and nobody looks whether the blobs exist. Names are bytes of any kind.
Not handled: what `.git` may be called on other systems (`git~1`, invisible characters), and the safety of names in a
tree that is read: whoever puts such names on a disk checks them (case B25).
Source: Git's `Documentation/gitformat-*`, `tree-walk.c`; design page "engine", facts.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from operator import itemgetter

import msgspec

from backtrail.model.ids import Oid
from backtrail.model.net_state import Mode

_OID_LENGTH = 20
_WRITTEN: dict[int, bytes] = {mode: b"%o " % mode for mode in (Mode.FILE, Mode.EXECUTABLE, Mode.SYMLINK, Mode.GITLINK)}
_KINDS = frozenset({0o040000, 0o100000, 0o120000, 0o160000})
_ENTRY = re.compile(rb"([0-7]{1,7}) ([^\0/]+)\0(.{20})", re.DOTALL)


class Trees(msgspec.Struct, frozen=True):
    """All tree objects of one folder: the id of the topmost, raw bytes by id (without header), ids by folder path.

    The root's path is empty; other paths have no slash at the end.
    """

    root: Oid
    objects: dict[Oid, bytes]
    folders: dict[bytes, Oid]


def build_trees(entries: Iterable[tuple[bytes, int, Oid]]) -> Trees:
    """Return the trees that hold `entries` (path, mode, id), given in any order; the empty tree for none.

    Raises ValueError where a path is given twice, is both a file and a folder or is unsafe (see `all_safe`), or where a
    mode or an id is none that Git would write there.
    """
    # Whole paths in byte order meet every folder at the very place where Git's order has it, as `name/`.
    ordered = sorted(entries, key=itemgetter(0))
    paths = {path for path, _, _ in ordered}
    _check(ordered, paths)
    building = _Building()
    lines = building.lines
    inside = b""
    for path, mode, oid in ordered:
        folder, _, name = path.rpartition(b"/")
        if folder != inside:
            lines = building.enter(folder)
            inside = folder
        lines += (_WRITTEN[mode], name, b"\0", oid)
    trees = building.finish()
    if not paths.isdisjoint(trees.folders):
        both = min(paths & trees.folders.keys())
        raise ValueError(f"{both!r} is a file and a folder")
    return trees


def parse_tree(raw: bytes) -> list[tuple[int, bytes, Oid]]:
    """Return mode, name and id of each entry of a raw tree, in its order.

    Modes are as written, also those that only old versions of Git wrote (100664). Raises ValueError on damage.
    """
    found = _ENTRY.findall(raw)
    # The search skips what is no entry: then the lengths do not add up.
    if sum([len(mode) + len(name) for mode, name, _ in found]) + (2 + _OID_LENGTH) * len(found) != len(raw):
        raise ValueError("a tree that is not a list of entries")
    modes = {mode: int(mode, 8) for mode in {mode for mode, _, _ in found}}
    if not {mode & 0o170000 for mode in modes.values()} <= _KINDS:
        raise ValueError("a tree with an entry of no known kind")
    return [(modes[mode], name, oid) for mode, name, oid in found]


def raw_tree(entries: Mapping[bytes, tuple[int, Oid]]) -> bytes:
    """Return the raw bytes of a tree from mode and id by name: in Git's order, which has a folder as `name/`."""
    ordered = sorted(
        (name + b"/" if mode == Mode.FOLDER else name, name, mode, oid) for name, (mode, oid) in entries.items()
    )
    return b"".join([b"%o %b\0%b" % (mode, name, oid) for _, name, mode, oid in ordered])


def all_safe(paths: Collection[bytes]) -> bool:
    r"""Tell whether no path would leave its folder or reach into a Git folder (case B25).

    Unsafe are parts that are empty, `.`, `..` or `.git` in any case, and a NUL anywhere.
    """
    if not paths:
        return True
    # One search through all paths at once: asking each of 50,000 paths would cost more than reading them.
    whole = b"/%b/" % b"/".join(paths).lower()
    return not any(part in whole for part in (b"//", b"/./", b"/../", b"/.git/", b"\0"))


def _check(ordered: list[tuple[bytes, int, Oid]], paths: set[bytes]) -> None:
    """Raise ValueError for what can be told before any tree is made."""
    if len(paths) != len(ordered):
        raise ValueError("a path is given twice")
    if not all_safe(paths):
        raise ValueError(f"unsafe path {next(path for path in sorted(paths) if not all_safe([path]))!r}")
    if not {mode for _, mode, _ in ordered} <= _WRITTEN.keys():
        raise ValueError("a mode that no entry of a tree has")
    if not {len(oid) for _, _, oid in ordered} <= {_OID_LENGTH}:
        raise ValueError("an id that is not 20 bytes")


class _Building:
    """The folders from the root down to where the entries now are; one that is left becomes a tree."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self._open: list[tuple[bytes, list[bytes]]] = [(b"", self.lines)]
        self._objects: dict[Oid, bytes] = {}
        self._folders: dict[bytes, Oid] = {}

    def enter(self, folder: bytes) -> list[bytes]:
        """Leave the folders that `folder` is not in, open those that lead to it, and return the pieces of it."""
        inside = self._open[-1][0]
        while inside and inside != folder and not folder.startswith(inside + b"/"):
            self._leave()
            inside = self._open[-1][0]
        if inside != folder:
            below = folder[len(inside) + 1 if inside else 0 :]
            for name in below.split(b"/"):
                inside = b"%b/%b" % (inside, name) if inside else name
                self._open.append((inside, []))
        return self._open[-1][1]

    def finish(self) -> Trees:
        """Leave every folder and return the trees."""
        while len(self._open) > 1:
            self._leave()
        root = self._make(b"", self.lines)
        return Trees(root, self._objects, self._folders)

    def _leave(self) -> None:
        folder, lines = self._open.pop()
        oid = self._make(folder, lines)
        self._open[-1][1].extend((b"40000 ", folder.rpartition(b"/")[2], b"\0", oid))

    def _make(self, folder: bytes, lines: list[bytes]) -> Oid:
        raw = b"".join(lines)
        oid = Oid(hashlib.sha1(b"tree %d\0" % len(raw) + raw, usedforsecurity=False).digest())
        self._objects[oid] = raw
        self._folders[folder] = oid
        return oid
