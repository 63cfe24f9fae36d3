"""In which states a path with some text in its name changed: the history of one file, or of all alike.

Owns what counts as a hit. Reads trees, never contents; equal trees are not entered. A tree that is gone or damaged is
no hit, and ends nothing: other states can still be looked at.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from backtrail.git.tree_diff import diff_trees
from backtrail.model.errors.repository import ObjectMissing, RepositoryDamaged
from backtrail.model.ids import Oid
from backtrail.model.path_text import path_text


def name_hits(read: Callable[[Oid], bytes], trees: Sequence[Oid | None], text: str) -> Iterator[bool]:
    """Yield for each tree but the last whether a path that differs from the next tree has `text` in it."""
    wanted = text.casefold()
    for new, old in pairwise(trees):
        try:
            changes = diff_trees(read, old, new).changes
        except (ObjectMissing, RepositoryDamaged):
            yield False
        else:
            yield any(wanted in path_text(change.path).casefold() for change in changes)
