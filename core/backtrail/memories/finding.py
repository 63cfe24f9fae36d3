"""From what a person typed to one memory: an id, a name, a path in it, or an id prefix, in this order.

Left out, it is the memory around the current folder. Owns only the choice; opens nothing.
"""

import os

from backtrail.model.errors.lookup import Ambiguous, Unknown
from backtrail.model.memory import Memory

_SHORTEST_PREFIX = 4


def find_memory(memories: list[Memory], given: str | None) -> Memory:
    """Return the one memory that `given` names. Raises Unknown or Ambiguous."""
    if given is None:
        try:
            here = os.getcwdb()
        except FileNotFoundError:
            return _unknown(".")  # the current folder was deleted
        return _around(memories, here) or _unknown(os.fsdecode(here))
    for memory in memories:
        if memory.id == given:
            return memory
    named = [memory for memory in memories if memory.name == given]
    if named:
        return _only(named, given)
    around = _around(memories, os.fsencode(given))
    if around is not None:
        return around
    if len(given) >= _SHORTEST_PREFIX and (prefixed := [m for m in memories if m.id.startswith(given)]):
        return _only(prefixed, given)
    return _unknown(given)


def _around(memories: list[Memory], path: bytes) -> Memory | None:
    """Return the memory that `path` lies in, the innermost of several."""
    if not os.path.lexists(path):
        return None
    here = os.path.realpath(path)
    holding = [memory for memory in memories if is_inside(here, memory.path)]
    return max(holding, key=lambda memory: len(memory.path), default=None)


def is_inside(path: bytes, folder: bytes) -> bool:
    """Tell whether `path` is `folder` or lies in it; both absolute and resolved."""
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def _only(found: list[Memory], given: str) -> Memory:
    if len(found) > 1:
        raise Ambiguous("memory", given, tuple(memory.id for memory in found))
    return found[0]


def _unknown(given: str) -> Memory:
    raise Unknown("memory", given)
