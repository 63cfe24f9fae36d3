"""The history of a file, as the reader finds it, is the one that `git log` tells."""

from pathlib import Path

from backtrail.model.changes import FindNames
from backtrail.model.ids import Oid, oid_from_hex
from backtrail.reading.answering import Reader
from core.git_oracle import ask, commit_all


def test_a_file_that_is_not_among_the_first_names_of_a_change_is_found(root: Path) -> None:
    for number in range(12):
        (root / f"n{number}").write_text(str(number))
        (root / "sub").mkdir(exist_ok=True)
        (root / "sub" / "Zuletzt.md").write_text(str(number // 3))
        commit_all(root, str(number))
    commits = ask(root, "log", "--format=%H").decode().split()
    trees: list[Oid | None] = [
        oid_from_hex(ask(root, "rev-parse", f"{one}^{{tree}}").decode().strip()) for one in commits
    ]
    found = Reader().answer(FindNames(root=bytes(root), trees=(*trees, None), text="zuletzt"))
    told = set(ask(root, "log", "--format=%H", "--", "sub/Zuletzt.md").decode().split())
    assert [commit in told for commit in commits] == list(found.hits)
    assert sum(found.hits) == 4


def test_a_tree_that_is_gone_does_not_end_the_search(root: Path) -> None:
    tree = oid_from_hex(ask(root, "rev-parse", "HEAD^{tree}").decode().strip())
    gone = Oid(b"\1" * 20)
    found = Reader().answer(FindNames(root=bytes(root), trees=(gone, tree, None), text="F"))
    assert found.hits == (False, True)
