"""The content token: one digest of everything a checkpoint would hold.

Owns what is in it: branch, HEAD, operation, index with conflict stages and flags, working entries, modes, empty
folders. Not in it: stats, and what is not captured, since a growing log must not make checkpoints (design: engine).
"""

import hashlib
import operator
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from backtrail.model.ids import Token
from backtrail.model.net_state import IndexEntry, NetState, WorkingEntry

E = TypeVar("E")


class _LastDigest(Generic[E]):
    """The digest of a long list, made anew only where an entry is another object than last time."""

    def __init__(self, line: Callable[[E], bytes]) -> None:
        self._line = line
        self._entries: tuple[E, ...] | None = None
        self._digest = b""

    def of(self, entries: tuple[E, ...]) -> bytes:
        last = self._entries
        if last is None or len(last) != len(entries) or not all(map(operator.is_, last, entries)):
            self._digest = _digest(map(self._line, entries))
            self._entries = entries
        return self._digest


class Digests:
    """The digests of the last state's two long parts."""

    def __init__(self) -> None:
        self.index: _LastDigest[IndexEntry] = _LastDigest(_index_line)
        self.working: _LastDigest[WorkingEntry] = _LastDigest(_working_line)


def content_token(state: NetState, last: Digests | None = None) -> Token:
    """Return the digest of a net state: equal for equal states, and only for those. last: those of the look before."""
    last = last or Digests()
    merge = state.merge
    parts = (
        b"backtrail content 2",
        b"detached" if state.branch is None else b"branch " + state.branch,
        state.head or b"unborn",
        state.operation.encode(),
        b"" if merge is None else b"".join(merge.heads),
        b"" if merge is None else merge.message or b"",
        b"" if merge is None else merge.mode or b"",
        last.index.of(state.index),
        last.working.of(state.working),
        _digest(b"%o %d %b\0" % (e.permissions, e.empty, e.path) for e in state.folders),
    )
    return Token(hashlib.sha256(b"".join(b"%d:%b" % (len(part), part) for part in parts)).hexdigest())


def _index_line(e: IndexEntry) -> bytes:
    return b"%o %d%d%d%d %b%b\0" % (e.mode, e.stage, e.assume_valid, e.skip_worktree, e.intent_to_add, e.oid, e.path)


def _working_line(e: WorkingEntry) -> bytes:
    return b"%o %o %d %b%b\0" % (e.mode, e.permissions, e.checked_out, e.oid, e.path)


def _digest(lines: Iterable[bytes]) -> bytes:
    return hashlib.sha256(b"".join(lines)).digest()
