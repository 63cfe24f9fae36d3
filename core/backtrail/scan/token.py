"""The content token: one digest of everything a checkpoint would hold.

Owns what is in it: branch, HEAD, operation, index with conflict stages and flags, working entries, modes, empty
folders. Not in it: stats, and what is not captured, since a growing log must not make checkpoints (design: engine).
"""

import hashlib

from backtrail.model.ids import Token
from backtrail.model.net_state import NetState


def content_token(state: NetState) -> Token:
    """Return the digest of a net state: equal for equal states, and only for those."""
    digest = hashlib.sha256(b"backtrail content 1\0")
    merge = state.merge
    for part in (
        b"detached" if state.branch is None else b"branch " + state.branch,
        state.head or b"unborn",
        state.operation.encode(),
        b"" if merge is None else b"".join(merge.heads),
        b"" if merge is None else merge.message or b"",
        b"" if merge is None else merge.mode or b"",
    ):
        digest.update(b"%d:%b" % (len(part), part))
    digest.update(b"index %d\0" % len(state.index))
    digest.update(
        b"".join(
            b"%o %d%d%d%d %b%b\0" % (e.mode, e.stage, e.assume_valid, e.skip_worktree, e.intent_to_add, e.oid, e.path)
            for e in state.index
        )
    )
    digest.update(b"working %d\0" % len(state.working))
    digest.update(
        b"".join(b"%o %o %d %b%b\0" % (e.mode, e.permissions, e.checked_out, e.oid, e.path) for e in state.working)
    )
    digest.update(b"folders %d\0" % len(state.folders))
    digest.update(b"".join(b"%o %d %b\0" % (e.permissions, e.empty, e.path) for e in state.folders))
    return Token(digest.hexdigest())
