"""Whether a checkpoint is whole: its ref, its lineage, and every object with its hash recomputed.

Owns the proof before a restore and the command `checkpoint verify`. Reads only. Objects of HEAD's history are the
person's own and are not checked; what our chain names is.
"""

from backtrail.git.chain import BrokenChain, read_chain
from backtrail.git.new_objects import object_id
from backtrail.git.objects import EMPTY_TREE, Kind, Objects
from backtrail.git.refs import read_ref
from backtrail.git.repository import Repository
from backtrail.git.trees import parse_tree
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.errors.repository import ObjectMissing, RepositoryDamaged
from backtrail.model.ids import Oid
from backtrail.model.net_state import Mode
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
    heads = [checkpoint.head, *(chain.merge.heads if chain.merge else ())]
    gone = [oid.hex() for oid in heads if oid is not None and not objects.has(oid)]
    wrong = _wrong_objects(objects, [*chain.commits, checkpoint.index_tree, checkpoint.working_tree], progress)
    return tuple((gone + wrong)[:_REPORTED_AT_MOST])


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
