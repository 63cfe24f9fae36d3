"""Leaving paths out on purpose: a person agrees that what cannot be kept of a folder is not kept.

Owns that only what a look has just left out can be agreed to, for the reason that it gave. Changes nothing of what is
kept: it only changes the answer (design: desktop, the state line).
"""

from collections.abc import Collection, Container

import msgspec

from backtrail.host.host import Host
from backtrail.host.open_memory import OpenMemory
from backtrail.inbox.observing import Observed
from backtrail.model.errors.memory import NotLeftOut
from backtrail.model.ids import RelPath
from backtrail.model.memory import Memory, Omission


def leave_out(host: Host, memory: Memory, paths: Collection[RelPath]) -> Observed:
    """Agree to what the look now leaves out at these paths. Raises NotLeftOut, and errors of a look."""
    with host.open_memory(memory) as work:
        left_out = {item.path: item.reason for item in work.scan().look.state.coverage.left_out}
        agreed = {omission.path: omission for omission in memory.omissions}
        for path in paths:
            place = _one_of(left_out, path, memory)
            agreed[place] = Omission(place, left_out[place])
        return _agreed(host, work, tuple(agreed.values()))


def count_again(host: Host, memory: Memory, paths: Collection[RelPath]) -> Observed:
    """Take it back for these paths. Raises NotLeftOut where it was never agreed to, and errors of a look."""
    agreed = {omission.path: omission for omission in memory.omissions}
    for path in paths:
        del agreed[_one_of(agreed, path, memory)]
    with host.open_memory(memory) as work:
        return _agreed(host, work, tuple(agreed.values()))


def _one_of(known: Container[RelPath], path: RelPath, memory: Memory) -> RelPath:
    """Return how a path is known: that of a folder has a slash behind."""
    found = next((place for place in (path, RelPath(path + b"/")) if place in known), None)
    if found is None:
        raise NotLeftOut(memory.name, path)
    return found


def _agreed(host: Host, work: OpenMemory, omissions: tuple[Omission, ...]) -> Observed:
    host.register.replace(msgspec.structs.replace(work.memory, omissions=omissions))
    return work.scan()
