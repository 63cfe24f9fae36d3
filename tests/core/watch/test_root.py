"""The root folder goes away or becomes another one: never silence, never "deleted" for "not reachable" (case B71)."""

import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from backtrail.model.watching import Unreachable, UnreachableReason, Watching
from core.git_oracle import new_repository
from core.watch.ears import Ears, Fence

_RENAME_EXCHANGE = 2
_AT_FDCWD = -100


def _exchange(a: Path, b: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    done = libc.renameat2(_AT_FDCWD, os.fsencode(a), _AT_FDCWD, os.fsencode(b), _RENAME_EXCHANGE)
    assert done == 0, os.strerror(ctypes.get_errno())


def _until_unreachable(ears: Ears, reason: UnreachableReason) -> None:
    ears.until(lambda: ears.state("notes") == Unreachable(reason))


def test_renamed_root_is_moved_and_gives_no_hints_until_it_is_back(
    ears: Ears, fence: Fence, root: Path, tmp_path: Path
) -> None:
    ears.watch("notes", root)
    root.rename(tmp_path / "elsewhere")
    _until_unreachable(ears, UnreachableReason.MOVED)
    hints = ears.hints["notes"]
    (tmp_path / "elsewhere" / "f").write_text("x")
    fence.pass_by()
    assert ears.state("notes") == Unreachable(UnreachableReason.MOVED)
    assert ears.hints["notes"] == hints
    (tmp_path / "elsewhere").rename(root)
    ears.until_state("notes", Watching)
    ears.until_hints("notes", hints + 1)
    (root / "f").write_text("y")
    ears.until_hints("notes", hints + 2)


def test_parent_renamed_counts_as_moved(ears: Ears, tmp_path: Path) -> None:
    root = new_repository(tmp_path / "parent" / "notes")
    ears.watch("notes", root)
    (tmp_path / "parent").rename(tmp_path / "elsewhere")
    _until_unreachable(ears, UnreachableReason.MOVED)


def test_another_folder_at_the_path_is_not_taken_for_the_memory(
    ears: Ears, fence: Fence, root: Path, tmp_path: Path
) -> None:
    other = new_repository(tmp_path / "other")
    ears.watch("notes", root)
    root.rename(tmp_path / "elsewhere")
    other.rename(root)
    _until_unreachable(ears, UnreachableReason.REPLACED)
    hints = ears.hints["notes"]
    (root / "f").write_text("x")
    fence.pass_by()
    assert ears.hints["notes"] == hints
    ears.watcher.renew("notes")
    ears.until_state("notes", Watching)
    ears.until_hints("notes", hints + 1)
    (root / "f").write_text("y")
    ears.until_hints("notes", hints + 2)


def test_deleted_root_is_gone_and_one_made_again_is_another(ears: Ears, root: Path) -> None:
    ears.watch("notes", root)
    shutil.rmtree(root)
    _until_unreachable(ears, UnreachableReason.GONE)
    new_repository(root)  # often with the same inode number
    _until_unreachable(ears, UnreachableReason.REPLACED)
    ears.watcher.renew("notes")
    ears.until_state("notes", Watching)


def test_root_deleted_and_made_again_between_two_checks(ears: Ears, root: Path) -> None:
    ears.watch("notes", root)
    for _ in range(5):
        shutil.rmtree(root)
        root.mkdir()
    _until_unreachable(ears, UnreachableReason.REPLACED)


def test_root_that_is_missing_from_the_start_is_watched_when_it_comes(ears: Ears, tmp_path: Path) -> None:
    root = tmp_path / "later"
    ears.watcher.add("notes", os.fsencode(root), os.fsencode(root / ".git"), lambda _: False)
    _until_unreachable(ears, UnreachableReason.GONE)
    assert "notes" not in ears.hints
    new_repository(root)
    ears.until_state("notes", Watching)
    ears.until_hints("notes", 1)


def test_file_in_place_of_the_root(ears: Ears, root: Path, tmp_path: Path) -> None:
    ears.watch("notes", root)
    root.rename(tmp_path / "elsewhere")
    root.write_text("a file")
    _until_unreachable(ears, UnreachableReason.MOVED)


def test_link_that_is_turned_elsewhere_is_replaced(ears: Ears, root: Path, tmp_path: Path) -> None:
    other = new_repository(tmp_path / "other")
    link = tmp_path / "link"
    link.symlink_to(root)
    ears.watch("notes", link)
    link.unlink()
    link.symlink_to(other)
    _until_unreachable(ears, UnreachableReason.REPLACED)


def test_after_a_switch_the_new_folder_is_watched_and_the_archive_is_not(
    ears: Ears, fence: Fence, root: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    (root / "sub").mkdir()
    shutil.copytree(root, copy)
    ears.watch("notes", root)
    _exchange(root, copy)
    ears.watcher.renew("notes")
    ears.until_hints("notes", 2)
    ears.until_state("notes", Watching)
    (copy / "sub" / "late").write_text("written into the archive (B19)")
    fence.pass_by()
    hints = ears.hints["notes"]
    (root / "sub" / "file").write_text("x")
    ears.until_hints("notes", hints + 1)
    assert hints <= 3  # the exchange itself may be heard once


def test_switch_without_renew_is_noticed(ears: Ears, root: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    ears.watch("notes", root)
    _exchange(root, copy)
    _until_unreachable(ears, UnreachableReason.REPLACED)


@pytest.fixture
def mounted(tmp_path: Path) -> Callable[[], None]:
    """Mount and unmount a small file system at tmp_path/drive."""
    image, drive = tmp_path / "image", tmp_path / "drive"
    image.write_bytes(b"")
    os.truncate(image, 8 << 20)
    drive.mkdir()
    for command in (["mkfs.ext4", "-q", "-F", image], ["mount", "-o", "loop", image, drive]):
        try:
            done = subprocess.run(command, capture_output=True, check=False)
        except FileNotFoundError as error:
            pytest.skip(f"cannot mount here: {error}")
        if done.returncode:
            pytest.skip(f"cannot mount here: {done.stderr!r}")
    return lambda: subprocess.run(["mount", "-o", "loop", image, drive], check=True) and None


def test_unmounted_drive_is_not_deleted_and_is_watched_again_when_it_is_back(
    ears: Ears, mounted: Callable[[], None], tmp_path: Path
) -> None:
    drive = tmp_path / "drive"
    try:
        root = new_repository(drive / "notes")
        ears.watch("notes", root)
        subprocess.run(["umount", drive], check=True)  # a watch does not hold the drive
        _until_unreachable(ears, UnreachableReason.UNMOUNTED)
        mounted()
        ears.until_state("notes", Watching)
        (root / "f").write_text("x")
        ears.until_hints("notes", 3)
    finally:
        subprocess.run(["umount", drive], check=False)
