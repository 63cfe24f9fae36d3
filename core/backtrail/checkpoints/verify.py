"""Whether a checkpoint is whole: its ref, its lineage, and every object with its hash recomputed.

Owns the proof before a restore and the command `checkpoint verify`. Reads only. What our chain names is checked, HEAD
and the heads of a merge among it; what lies behind those is the person's own history, and is not.
"""

from collections.abc import Iterable

from backtrail.git.chain import BrokenChain, read_chain
from backtrail.git.new_objects import object_id
from backtrail.git.objects import EMPTY_TREE, Kind, Objects
from backtrail.git.refs import read_ref
from backtrail.git.repository import Repository
from backtrail.git.trees import parse_tree
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.errors.repository import ObjectMissing, RepositoryDamaged
from backtrail.model.ids import Oid, oid_from_hex
from backtrail.model.net_state import Mode, NetState
from backtrail.model.progress import SILENT, Progress

_REPORTED_AT_MOST = 20


def damage_of(repository: Repository, checkpoint: Checkpoint, progress: Progress = SILENT) -> tuple[str, ...]:
    """Return what is wrong with a checkpoint: the ref's name or object ids in hex; empty when it is whole."""
    if read_ref(repository.common_dir, checkpoint.ref) != checkpoint.commit:
        return (checkpoint.ref.decode(),)
    return content_damage(repository, checkpoint, progress)


def content_damage(repository: Repository, checkpoint: Checkpoint, progress: Progress = SILENT) -> tuple[str, ...]:
    """Return the ids in hex of what is wrong below a checkpoint's commit, whatever its ref says."""
    objects = Objects(repository)
    try:
        chain = read_chain(objects, checkpoint.commit)
    except ObjectMissing as error:
        return (error.oid,)
    except (BrokenChain, RepositoryDamaged):
        return (checkpoint.commit.hex(),)
    stored = chain.checkpoint
    if (stored.id, stored.head, stored.branch, stored.index_tree, stored.working_tree) != (
        checkpoint.id,
        checkpoint.head,
        checkpoint.branch,
        checkpoint.index_tree,
        checkpoint.working_tree,
    ):
        return (checkpoint.commit.hex(),)
    heads = [oid for oid in (checkpoint.head, *(chain.merge.heads if chain.merge else ())) if oid is not None]
    roots = [*heads, *chain.commits, checkpoint.index_tree, checkpoint.working_tree]
    return tuple(_wrong_objects(objects, roots, progress)[:_REPORTED_AT_MOST])


def still_damaged(repository: Repository, checkpoint: Checkpoint) -> bool:
    """Tell whether a checkpoint that was found damaged still is. All of it is read only once its known damage is gone.

    False where nothing was ever found wrong below its ref.
    """
    if not checkpoint.damage:
        return False
    return bool(wrong_of(Objects(repository), checkpoint.damage) or content_damage(repository, checkpoint))


def unreadable(objects: Objects, state: NetState) -> tuple[str, ...]:
    """Return the ids in hex of HEAD and files' contents that are not there. Only that they are there is looked at."""
    entries = [*((one.oid, one.mode) for one in state.working), *((one.oid, one.mode) for one in state.index)]
    wanted = {oid for oid, mode in entries if mode != Mode.GITLINK}
    wanted.update(oid for oid in (state.head, *(state.merge.heads if state.merge else ())) if oid is not None)
    gone = sorted(oid.hex() for oid in wanted if objects.kind(oid) is None)
    return tuple(gone[:_REPORTED_AT_MOST])


def wrong_of(objects: Objects, damage: Iterable[str]) -> list[str]:
    """Return which of the objects that were found wrong, or what is below them, still are. Names of refs are passed."""
    named = [oid_from_hex(item) for item in damage if not item.startswith("refs/")]
    return _wrong_objects(objects, named, SILENT)


def _wrong_objects(objects: Objects, roots: list[Oid], progress: Progress) -> list[str]:
    """Return the ids of objects below `roots` (trees entered) that are missing or are not what their name says."""
    wrong: list[str] = []
    seen: set[Oid] = {EMPTY_TREE}
    waiting = list(roots)
    while waiting:
        oid = waiting.pop()
        if oid in seen:
            continue
        seen.add(oid)
        try:
            kind, content = objects.read(oid)
        except (ObjectMissing, RepositoryDamaged):
            wrong.append(oid.hex())
            continue
        if object_id(kind, content) != oid:
            wrong.append(oid.hex())
            continue
        progress.advance(len(content))
        if kind is Kind.TREE:
            waiting.extend(below for mode, _, below in parse_tree(content) if mode != Mode.GITLINK)
    return wrong
