"""Trees made from others that differ in a few paths: only folders above those paths are made anew.

Owns the same answer as `build_trees` gives for the whole list, at the cost of the difference. Touches no repository.
"""

import hashlib
from collections import defaultdict
from collections.abc import Mapping

from backtrail.git.tree_diff import Content
from backtrail.git.trees import Trees, all_safe, parse_tree, raw_tree
from backtrail.model.ids import Oid
from backtrail.model.net_state import Mode

_DEAD_AT_MOST = 1000
"""So many trees that nothing leads to any more are dragged along, or as many as there are folders."""


def edit_trees(trees: Trees, changes: Mapping[bytes, Content | None]) -> Trees | None:
    """Return `trees` with other content at some paths, None: with nothing there; None where building anew is cheaper.

    Raises ValueError where a path is both a file and a folder, or unsafe.
    """
    if len(trees.objects) > 2 * len(trees.folders) + _DEAD_AT_MOST:
        return None
    if not all_safe(changes.keys()):
        raise ValueError("an unsafe path")
    objects, folders = dict(trees.objects), dict(trees.folders)
    here: dict[bytes, dict[bytes, Content | None]] = defaultdict(dict)
    for path, content in changes.items():
        folder, _, name = path.rpartition(b"/")
        here[folder][name] = content
    below: dict[bytes, dict[bytes, Oid | None]] = defaultdict(dict)
    waiting: dict[int, set[bytes]] = {
        depth: set() for depth in range(1 + max((_depth(folder) for folder in here), default=0))
    }
    for folder in here:
        waiting[_depth(folder)].add(folder)
    for depth in sorted(waiting, reverse=True):
        for folder in waiting[depth]:
            raw = objects[folders[folder]] if folder in folders else b""
            entries = {name: (mode, oid) for mode, name, oid in parse_tree(raw)}
            _edit(folder, entries, here.get(folder, {}), below.get(folder, {}))
            made = _put(objects, folders, folder, entries)
            if folder:
                parent, _, name = folder.rpartition(b"/")
                below[parent][name] = made
                waiting[depth - 1].add(parent)
    return Trees(folders[b""], objects, folders)


def _depth(folder: bytes) -> int:
    return folder.count(b"/") + 1 if folder else 0


def _edit(
    folder: bytes,
    entries: dict[bytes, Content],
    files: Mapping[bytes, Content | None],
    folders: Mapping[bytes, Oid | None],
) -> None:
    """Change the entries of one folder: first what goes, then what comes."""
    for name, content in files.items():
        if content is None and name in entries and entries[name][0] != Mode.FOLDER:
            del entries[name]
    for name, oid in folders.items():
        if name in entries and entries[name][0] == Mode.FOLDER:
            del entries[name]
        if oid is not None:
            if name in entries:
                raise ValueError(f"{folder + b'/' + name!r} is a file and a folder")
            entries[name] = (Mode.FOLDER, oid)
    for name, content in files.items():
        if content is not None:
            if name in entries and entries[name][0] == Mode.FOLDER:
                raise ValueError(f"{folder + b'/' + name!r} is a file and a folder")
            entries[name] = content


def _put(
    objects: dict[Oid, bytes], folders: dict[bytes, Oid], folder: bytes, entries: dict[bytes, Content]
) -> Oid | None:
    """Make the tree of a folder, None where nothing is left in it; the root may be empty."""
    if folder and not entries:
        folders.pop(folder, None)
        return None
    raw = raw_tree(entries)
    oid = Oid(hashlib.sha1(b"tree %d\0" % len(raw) + raw, usedforsecurity=False).digest())
    objects[oid] = raw
    folders[folder] = oid
    return oid
