"""HEAD, and what Git is in the middle of, read as raw bytes.

Owns reading. Branch names are bytes (case B34). Writes nothing.
"""

import os

import msgspec

from backtrail.git.branch_name import is_branch_name
from backtrail.git.refs import read_ref
from backtrail.git.repository import Repository
from backtrail.git.small_file import read_small
from backtrail.model.errors.repository import CannotBeProtected, RepositoryDamaged
from backtrail.model.ids import Oid, oid_from_hex
from backtrail.model.net_state import Merge, Operation

_BRANCHES = b"refs/heads/"


class Head(msgspec.Struct, frozen=True):
    """Where HEAD points: a branch (None when detached), a commit (None when unborn)."""

    branch: bytes | None
    oid: Oid | None


def read_head(repository: Repository) -> Head:
    """Return where HEAD points now. Raises RepositoryDamaged, or CannotBeProtected for a HEAD outside branches."""
    place = os.path.join(repository.git_dir, b"HEAD")
    raw = b"ref: " + os.readlink(place) if os.path.islink(place) else read_small(place)  # core.preferSymlinkRefs
    if raw is None:
        raise RepositoryDamaged(repository.root, "HEAD", "it is missing")
    if not raw.startswith(b"ref:"):
        try:
            return Head(None, oid_from_hex(raw.strip().decode("ascii")))
        except ValueError as error:
            raise RepositoryDamaged(repository.root, "HEAD", "it names no commit") from error
    name = raw[4:].strip()
    if not name.startswith(_BRANCHES) or not is_branch_name(name.removeprefix(_BRANCHES)):
        raise CannotBeProtected(repository.root, "odd-head", os.fsdecode(name))
    return Head(name.removeprefix(_BRANCHES), read_ref(repository.common_dir, name))


def operation_in_progress(git_dir: bytes) -> Operation:
    """Return what Git is in the middle of."""

    def there(name: bytes) -> bool:
        return os.path.lexists(os.path.join(git_dir, name))

    if there(b"rebase-merge"):
        return Operation.REBASE
    if there(b"rebase-apply"):
        return Operation.APPLY if there(b"rebase-apply/applying") else Operation.REBASE
    for name, operation in (
        (b"MERGE_HEAD", Operation.MERGE),
        (b"CHERRY_PICK_HEAD", Operation.CHERRY_PICK),
        (b"REVERT_HEAD", Operation.REVERT),
        (b"BISECT_LOG", Operation.BISECT),
    ):
        if there(name):
            return operation
    return Operation.NONE


def read_merge(repository: Repository) -> Merge | None:
    """Return the merge in progress, if there is one."""
    heads = read_small(os.path.join(repository.git_dir, b"MERGE_HEAD"))
    if heads is None:
        return None
    try:
        oids = tuple(oid_from_hex(line.decode("ascii")) for line in heads.split())
    except ValueError as error:
        raise RepositoryDamaged(repository.root, "MERGE_HEAD", "it names no commit") from error
    message = read_small(os.path.join(repository.git_dir, b"MERGE_MSG"))
    mode = read_small(os.path.join(repository.git_dir, b"MERGE_MODE"))
    return Merge(oids, message, mode)
