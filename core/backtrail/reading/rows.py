"""`python -m backtrail.reading.rows ROOT`: commits with their parents, as `git rev-list --topo-order --parents` prints.

Stands in where git is not installed, or refuses the folder. Standard input names the tips, one id a line; a line that
begins with ^ names a commit that is left out with all that it leads to. No tips stand for whatever a branch, remote or
tag names. Owns the text alone. Ends when nobody reads any more.
"""

import gc
import itertools
import os
import sys
from collections.abc import Iterable

from backtrail.git.history import parents_of
from backtrail.git.names import read_names
from backtrail.git.object_database import trust_packs
from backtrail.git.repository import Repository
from backtrail.model.ids import oid_from_hex

_AT_ONCE = 512


def main() -> None:
    """Print, and exit."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]  # they would send libgit2 to another repository (case B44)
    gc.disable()  # nothing here refers in circles, and every row would make it look for such
    trust_packs()
    [root] = sys.argv[1:]
    lines = sys.stdin.read().split()
    tips = [oid_from_hex(line) for line in lines if not line.startswith("^")]
    hidden = [oid_from_hex(line[1:]) for line in lines if line.startswith("^")]
    repository = Repository.open(os.fsencode(root))
    tips = tips or [ref.commit for ref in read_names(repository).refs]
    try:
        _print(parents_of(repository, tips, hidden))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _print(rows: Iterable[tuple[str, list[str]]]) -> None:
    lines = (" ".join([name, *parents]) for name, parents in rows)
    while part := list(itertools.islice(lines, _AT_ONCE)):
        sys.stdout.write("\n".join(part) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
