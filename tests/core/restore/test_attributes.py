"""Who owns a folder, and who else may use it, is the same after a restore, for files, folders and the root."""

import os
from pathlib import Path

import pytest
from core.git_oracle import git
from core.keeping import Keeping
from core.restore.going_back import GoingBack

ACCESS = bytes.fromhex("0200000001000700ffffffff02000700e803000004000500ffffffff10000700ffffffff20000500ffffffff")
"""An access list that lets user 1000 in, as Linux stores it."""


def attributes(root: Path, *paths: str) -> dict[str, tuple[int, int, dict[str, bytes]]]:
    """Return owner, group and extended attributes of what stands at each path."""
    found = {}
    for path in paths:
        place = root / path
        status = place.stat()
        names = {name: os.getxattr(place, name) for name in os.listxattr(place)}
        found[path] = (status.st_uid, status.st_gid, names)
    return found


def give(place: Path) -> None:
    try:
        os.setxattr(place, "user.note", b"mine")
        os.setxattr(place, "system.posix_acl_access", ACCESS)
        if place.is_dir():
            os.setxattr(place, "system.posix_acl_default", ACCESS)
    except OSError as error:
        pytest.skip(f"no extended attributes here: {error}")
    if os.geteuid() == 0:
        os.chown(place, -1, 1234)


def test_folders_and_the_root_keep_them(keeping: Keeping) -> None:
    deep = keeping.root / "folder" / "deep"
    deep.mkdir(parents=True)
    (deep / "file").write_text("a file\n")
    (keeping.root / "empty").mkdir()
    git(keeping.root, "add", "-A")
    paths = (".", "folder", "folder/deep", "folder/deep/file", "empty")
    for path in paths:
        give(keeping.root / path)
    before = attributes(keeping.root, *paths)
    kept = keeping.checkpoint()
    (keeping.root / "f").write_text("later\n")
    keeping.checkpoint()
    back = GoingBack(keeping)
    record = back.to(kept)
    assert attributes(keeping.root, *paths) == before
    back.undo(record)
    assert attributes(keeping.root, *paths) == before
