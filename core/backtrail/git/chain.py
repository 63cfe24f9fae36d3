r"""The hidden chain that holds one checkpoint, and reading it back.

    ref -> working commit (tree: working tree) -> index commit (tree: index) -> observed HEAD
                        \-> metadata commit (only for long lists or a merge) -> the MERGE_HEAD commits

Source: record "recovery checkpoints"; design page "engine", the hidden chain. Owns the shape of the chain. Writes
nothing: it returns the objects to add. Commits carry the Host's identity and are never signed (case B72).
"""

import msgspec

from backtrail.git.metadata import FORMAT, Metadata, checkpoint_of, coverage_of, describe, folders_of
from backtrail.git.new_objects import NewObject, made
from backtrail.git.objects import Kind, Objects
from backtrail.git.tree_diff import tree_entries
from backtrail.git.trees import build_trees, parse_tree
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.ids import Oid, RelPath, oid_from_hex
from backtrail.model.net_state import IndexEntry, Merge, Mode, NetState, Operation, WorkingEntry
from backtrail.model.path_text import path_bytes

_IDENTITY = "Backtrail <host@backtrail.invalid>"
_INDEX_MESSAGE = "Backtrail: index\n"
_INLINE_LIMIT = 64 * 1024
_METADATA_FILE = b"checkpoint.json"
_MERGE_FILES = (b"MERGE_MSG", b"MERGE_MODE")


class BrokenChain(Exception):
    """What a recovery ref names is not a chain of ours, or not one that this version can read."""


class Chain(msgspec.Struct, frozen=True):
    """The commits (and the metadata's tree and blobs) of one checkpoint; the trees of index and files come apart."""

    commit: Oid
    objects: tuple[NewObject, ...]


class Commit(msgspec.Struct, frozen=True):
    """A commit as far as we read it."""

    tree: Oid
    parents: tuple[Oid, ...]
    message: str


def encode_chain(checkpoint: Checkpoint, state: NetState) -> Chain:
    """Return the chain of a checkpoint. `checkpoint.commit` is not looked at: it is what comes out."""
    stamp = f"{_IDENTITY} {int(checkpoint.captured_at.timestamp())} +0000"
    heads = () if state.head is None else (state.head,)
    # a fixed date, so that an unchanged index on an unchanged HEAD is the same commit again
    index_commit = _commit(checkpoint.index_tree, heads, f"{_IDENTITY} 0 +0000", _INDEX_MESSAGE)
    objects = [index_commit]
    parents = [index_commit.oid]
    told = msgspec.json.format(msgspec.json.encode(describe(checkpoint, state)), indent=1)
    message = f"Backtrail checkpoint {checkpoint.id}\n\n"
    if len(told) <= _INLINE_LIMIT and state.merge is None:
        message += told.decode() + "\n"
    else:
        extra = _metadata_objects(told, state.merge, stamp)
        objects += extra
        parents.append(extra[-1].oid)
        message += "What this checkpoint holds is told in checkpoint.json of the second parent.\n"
    working_commit = _commit(checkpoint.working_tree, tuple(parents), stamp, message)
    return Chain(working_commit.oid, (*objects, working_commit))


def _metadata_objects(told: bytes, merge: Merge | None, stamp: str) -> list[NewObject]:
    """Return the metadata commit and what it needs, the commit last."""
    files = {_METADATA_FILE: told}
    if merge is not None:
        notes = zip(_MERGE_FILES, (merge.message, merge.mode), strict=True)
        files |= {name: content for name, content in notes if content is not None}
    blobs = {name: made(Kind.BLOB, content) for name, content in files.items()}
    trees = build_trees((name, int(Mode.FILE), blob.oid) for name, blob in blobs.items())
    tree = made(Kind.TREE, trees.objects[trees.root])
    commit = _commit(tree.oid, merge.heads if merge else (), stamp, "Backtrail: what a checkpoint holds\n")
    return [*blobs.values(), tree, commit]


def _commit(tree: Oid, parents: tuple[Oid, ...], stamp: str, message: str) -> NewObject:
    lines = [f"tree {tree.hex()}", *(f"parent {parent.hex()}" for parent in parents)]
    lines += [f"author {stamp}", f"committer {stamp}", "", message]
    return made(Kind.COMMIT, "\n".join(lines).encode())


def read_commit(objects: Objects, oid: Oid) -> Commit:
    """Return tree, parents and message of a commit. Raises BrokenChain for anything else, ObjectMissing."""
    kind, content = objects.read(oid)
    if kind is not Kind.COMMIT:
        raise BrokenChain(f"{oid.hex()} is no commit")
    header, _, message = content.partition(b"\n\n")
    tree: Oid | None = None
    parents: list[Oid] = []
    try:
        for line in header.split(b"\n"):
            key, _, value = line.partition(b" ")
            if key == b"tree":
                tree = oid_from_hex(value.decode("ascii"))
            elif key == b"parent":
                parents.append(oid_from_hex(value.decode("ascii")))
    except ValueError as error:
        raise BrokenChain(f"{oid.hex()}: {error}") from error
    if tree is None:
        raise BrokenChain(f"{oid.hex()} has no tree")
    return Commit(tree, tuple(parents), message.decode("utf-8", "replace"))


class StoredChain(msgspec.Struct, frozen=True):
    """A chain as it was read back. `commits` are those of ours in it."""

    checkpoint: Checkpoint
    metadata: Metadata
    merge: Merge | None
    commits: tuple[Oid, ...]


def read_chain(objects: Objects, commit: Oid) -> StoredChain:
    """Read the chain below a recovery ref. Raises BrokenChain, or ObjectMissing."""
    working = read_commit(objects, commit)
    if not working.parents:
        raise BrokenChain(f"{commit.hex()} has no index commit")
    index = read_commit(objects, working.parents[0])
    told = working.message.partition("\n\n")[2].encode()
    files: dict[bytes, Oid] = {}
    merge_heads: tuple[Oid, ...] = ()
    if len(working.parents) > 1:
        extra = read_commit(objects, working.parents[1])
        try:
            files = {name: oid for _, name, oid in parse_tree(objects.tree(extra.tree))}
        except ValueError as error:
            raise BrokenChain(f"{commit.hex()}: {error}") from error
        merge_heads = extra.parents
        if _METADATA_FILE not in files:
            raise BrokenChain(f"{commit.hex()} has no checkpoint.json")
        told = objects.read(files[_METADATA_FILE])[1]
    try:
        metadata = msgspec.json.decode(told, type=Metadata)
        checkpoint = checkpoint_of(metadata, commit, index.tree, working.tree)
    except (msgspec.DecodeError, ValueError, OverflowError) as error:
        raise BrokenChain(f"{commit.hex()}: {error}") from error
    if metadata.format != FORMAT:
        raise BrokenChain(f"{commit.hex()} is of format {metadata.format}")
    if index.parents != (() if checkpoint.head is None else (checkpoint.head,)):
        raise BrokenChain(f"{commit.hex()} names another HEAD than its index commit")
    merge = None
    if checkpoint.operation is Operation.MERGE and merge_heads:
        notes = [objects.read(files[name])[1] if name in files else None for name in _MERGE_FILES]
        merge = Merge(merge_heads, notes[0], notes[1])
    return StoredChain(checkpoint, metadata, merge, (commit, *working.parents))


def read_state(objects: Objects, chain: StoredChain) -> NetState:
    """Return the net state that a chain holds. Raises ObjectMissing if a tree is gone."""
    told = chain.metadata
    checkpoint = chain.checkpoint
    return NetState(
        branch=checkpoint.branch,
        head=checkpoint.head,
        operation=checkpoint.operation,
        merge=chain.merge,
        index=_index_entries(objects, checkpoint.index_tree, told),
        working=_working_entries(objects, checkpoint, told),
        folders=folders_of(told),
        coverage=coverage_of(told),
    )


def _paths(texts: list[str]) -> frozenset[bytes]:
    return frozenset(path_bytes(text) for text in texts)


def _index_entries(objects: Objects, tree: Oid, told: Metadata) -> tuple[IndexEntry, ...]:
    assume_valid, skip_worktree = _paths(told.assume_valid), _paths(told.skip_worktree)
    entries = [
        IndexEntry(RelPath(path), mode, oid, 0, path in assume_valid, path in skip_worktree)
        for path, (mode, oid) in tree_entries(objects.tree, tree).items()
    ]
    for item in told.intent_to_add:
        path = path_bytes(item.path)
        entries.append(
            IndexEntry(
                path=RelPath(path),
                mode=item.mode,
                oid=oid_from_hex(item.oid),
                assume_valid=path in assume_valid,
                skip_worktree=path in skip_worktree,
                intent_to_add=True,
            )
        )
    entries.sort(key=lambda entry: entry.path)
    return tuple(entries)


def _working_entries(objects: Objects, checkpoint: Checkpoint, told: Metadata) -> tuple[WorkingEntry, ...]:
    index = tree_entries(objects.tree, checkpoint.index_tree)
    index |= {path_bytes(item.path): (item.mode, oid_from_hex(item.oid)) for item in told.intent_to_add}
    stat_unclean, absent = _paths(told.stat_unclean), _paths(told.not_checked_out)
    permissions: dict[bytes, int] = {path_bytes(item.path): item.permissions for item in told.permissions}
    usual = {int(Mode.FILE): told.usual.file, int(Mode.EXECUTABLE): told.usual.executable}
    entries: list[WorkingEntry] = []
    for path, (mode, oid) in sorted(tree_entries(objects.tree, checkpoint.working_tree).items()):
        stat_clean = path in index and path not in stat_unclean
        on_disk = path not in absent
        entries.append(
            WorkingEntry(
                path=RelPath(path),
                mode=mode,
                permissions=permissions.get(path, usual.get(mode, 0)) if on_disk else 0,
                oid=oid,
                clean=stat_clean or index.get(path) == (mode, oid),
                stat_clean=stat_clean,
                checked_out=on_disk,
            )
        )
    return tuple(entries)
