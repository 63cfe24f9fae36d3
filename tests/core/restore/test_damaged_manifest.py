"""A damaged manifest of an old archive hides no other archive and stops no look; one of a running restore does."""

import os
from pathlib import Path

import pytest
from backtrail.model.errors.restore import RestoreUnfinished
from backtrail.restore.archives import archives
from backtrail.restore.places import MARKER, boxes_of
from core.keeping import Keeping
from core.restore.going_back import GoingBack


@pytest.fixture
def two_archives(keeping: Keeping) -> Path:
    """Give the manifest of the older of two archives, damaged."""
    first = keeping.checkpoint()
    for text in ("one\n", "two\n"):
        (keeping.root / "f").write_text(text)
        GoingBack(keeping).to(first)
    manifest = Path(os.fsdecode(boxes_of(os.fsencode(keeping.root))[0])) / "restore.json"
    manifest.write_bytes(b"{")
    return manifest


def test_the_others_are_listed_and_work_goes_on_being_kept(keeping: Keeping, two_archives: Path) -> None:
    assert two_archives.exists()
    assert len(archives(os.fsencode(keeping.root))) == 1
    (keeping.root / "f").write_text("three\n")
    assert keeping.scan().checkpoint is not None
    assert two_archives.read_bytes() == b"{"


def test_with_a_copy_under_way_the_memory_is_blocked(keeping: Keeping, two_archives: Path) -> None:
    marker = two_archives.parent / "repository" / os.fsdecode(MARKER)
    marker.write_bytes(b"?")
    with pytest.raises(RestoreUnfinished), keeping.opened():
        pass
    assert marker.exists()
