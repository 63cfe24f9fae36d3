"""Trees that were edited against trees that were built of the whole list: the same, whatever changed."""

import pytest
from backtrail.git.tree_edit import edit_trees
from backtrail.git.trees import build_trees
from backtrail.model.ids import Oid
from core.git.test_trees import CONTENTS, ONE, TWO
from hypothesis import given, settings

FILE = 0o100644


@settings(max_examples=300, deadline=None)
@given(before=CONTENTS, after=CONTENTS)
def test_an_edit_leads_where_building_anew_does(
    before: dict[bytes, tuple[int, Oid]], after: dict[bytes, tuple[int, Oid]]
) -> None:
    changes = {path: after.get(path) for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    edited = edit_trees(build_trees((path, *content) for path, content in before.items()), changes)
    built = build_trees((path, *content) for path, content in after.items())
    assert edited is not None
    assert (edited.root, edited.folders) == (built.root, built.folders)
    assert edited.objects.items() >= built.objects.items()


def test_a_file_and_a_folder_of_one_name_are_refused() -> None:
    trees = build_trees([(b"a", FILE, ONE), (b"d/e", FILE, ONE)])
    for path in (b"a/b", b"d", b"a/b/c"):
        with pytest.raises(ValueError, match="a file and a folder"):
            edit_trees(trees, {path: (FILE, TWO)})


@pytest.mark.parametrize("path", [b"..", b"d/../e", b".git/config", b"d/.GIT", b"a//b", b"", b"a\0b"])
def test_paths_that_would_reach_elsewhere_are_refused(path: bytes) -> None:
    with pytest.raises(ValueError, match="unsafe"):
        edit_trees(build_trees([]), {path: (FILE, ONE)})


def test_trees_that_nothing_leads_to_do_not_pile_up() -> None:
    trees = build_trees([(b"d/f", FILE, ONE)])
    for number in range(2000):
        edited = edit_trees(trees, {b"d/f": (FILE, Oid(number.to_bytes(20, "big")))})
        if edited is None:
            break
        trees = edited
    assert edited is None
    assert len(trees.objects) < 1100
