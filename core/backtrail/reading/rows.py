"""`python -m backtrail.reading.rows ROOT`: commits with their parents, as `git rev-list --topo-order --parents` prints.

Stands in where git is not installed, or refuses the folder. Standard input names the tips, one id a line; a line that
begins with ^ names a commit that is left out with all that it leads to. It starts before it is asked: what takes time
is done by then. Owns the text alone. Ends when nobody reads any more.
"""

import gc
import itertools
import os
import sys
from collections.abc import Iterator

from backtrail.git.history import lines_of
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
    repository = Repository.open(os.fsencode(root))
    lines = sys.stdin.read().split()
    tips = [oid_from_hex(line) for line in lines if not line.startswith("^")]
    hidden = [oid_from_hex(line[1:]) for line in lines if line.startswith("^")]
    try:
        _print(lines_of(repository, tips, hidden))
    except BrokenPipeError:
        os._exit(1)  # nobody reads any more
    os._exit(
        0
    )  # all is printed; to free hundreds of thousands of commits takes a quarter of the time that it all takes


def _print(lines: Iterator[str]) -> None:
    while part := list(itertools.islice(lines, _AT_ONCE)):
        sys.stdout.write("\n".join(part) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
