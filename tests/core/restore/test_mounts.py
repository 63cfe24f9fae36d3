"""What is mounted inside a folder is seen, bind mounts too: a switch over one would fail or tear it."""

import codecs
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from backtrail.restore.mounts import Mount, free_bytes, mounts_at_or_below, parse_mountinfo, same_device

_TABLE = rb"""22 28 0:21 / /proc rw,relatime shared:12 master:1 - proc proc rw
28 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
40 28 254:0 /srv/a\040b /mnt/with\040blank\011tab\134slash\012line\043 rw - ext4 /dev/vda rw
41 28 0:35 /@home /home rw,relatime shared:3 propagate_from:2 unbindable - btrfs /dev/sdb rw,subvol=/@home
42 28 0:40 / /mnt/no-source rw - tmpfs  rw
this line is no mount
"""


@pytest.fixture
def mount(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return a call of mount(8) whose last argument is the place; it is unmounted at the end."""

    def do(*arguments: object) -> None:
        done = subprocess.run(["mount", *map(os.fsencode, arguments)], capture_output=True, check=False)  # type: ignore[arg-type]
        if done.returncode:
            pytest.skip(f"cannot mount here: {done.stderr!r}")
        request.addfinalizer(lambda: subprocess.run(["umount", os.fsencode(arguments[-1])], check=True))  # type: ignore[arg-type]

    return do


def mounted() -> set[bytes]:
    """Return all mount points as another of the kernel's tables tells them. A chroot does not see its root there."""
    lines = Path("/proc/self/mounts").read_bytes().splitlines()
    return {codecs.escape_decode(line.split(b" ")[1])[0] for line in lines}


def test_the_table_is_read_with_its_escapes_and_optional_fields() -> None:
    assert parse_mountinfo(_TABLE) == (
        Mount(b"/proc", b"/", b"proc"),
        Mount(b"/", b"/", b"ext4"),
        Mount(b"/mnt/with blank\ttab\\slash\nline#", b"/srv/a b", b"ext4"),
        Mount(b"/home", b"/@home", b"btrfs"),
        Mount(b"/mnt/no-source", b"/", b"tmpfs"),
    )


def test_a_carriage_return_or_other_bytes_in_a_name_do_not_end_a_line() -> None:
    line = b"40 28 254:0 / /mnt/a\rb\x0bc\xff\x85 rw - ext4 /dev/vda rw\n"
    assert [mount.point for mount in parse_mountinfo(line)] == [b"/mnt/a\rb\x0bc\xff\x85"]


def test_a_line_that_was_cut_short_is_left_out() -> None:
    assert parse_mountinfo(b"") == ()
    assert parse_mountinfo(b"40 28 254:0 / /mnt rw - ") == (Mount(b"/mnt", b"/", b""),)
    assert parse_mountinfo(b"40 28 254:0 / /mnt rw -") == ()
    assert parse_mountinfo(b"40 28 254:0 / /mnt") == ()


def test_nothing_is_mounted_in_an_ordinary_folder(tmp_path: Path) -> None:
    assert mounts_at_or_below(os.fsencode(tmp_path)) == ()


def test_every_mount_lies_below_the_root() -> None:
    before, found, after = mounted(), set(mounts_at_or_below(b"/")), mounted()
    assert b"/proc" in found
    assert before & after <= found <= before | after


def test_bind_mounts_at_and_below_a_folder_are_seen_though_the_device_is_the_same(
    tmp_path: Path, mount: Callable[..., None]
) -> None:
    root, source = tmp_path / "with blank\n\\040", tmp_path / "source"
    (root / "deep").mkdir(parents=True)
    source.mkdir()
    mount("--bind", source, root / "deep")
    assert (root / "deep").stat().st_dev == root.stat().st_dev
    assert mounts_at_or_below(os.fsencode(root)) == (os.fsencode(root / "deep"),)
    assert mounts_at_or_below(os.fsencode(root / "deep")) == (os.fsencode(root / "deep"),)
    mount("--bind", root, root)
    assert mounts_at_or_below(os.fsencode(root))[0] == os.fsencode(root)


def test_a_neighbour_whose_name_begins_alike_is_not_inside(tmp_path: Path, mount: Callable[..., None]) -> None:
    root, neighbour = tmp_path / "notes", tmp_path / "notes-2"
    root.mkdir()
    neighbour.mkdir()
    mount("-t", "tmpfs", "none", neighbour)
    assert mounts_at_or_below(os.fsencode(root)) == ()


def test_a_folder_reached_through_a_link_shows_its_mounts(tmp_path: Path, mount: Callable[..., None]) -> None:
    root, link = tmp_path / "root", tmp_path / "link"
    (root / "deep").mkdir(parents=True)
    link.symlink_to(root)
    mount("-t", "tmpfs", "none", root / "deep")
    assert mounts_at_or_below(os.fsencode(link)) == (os.fsencode(root / "deep"),)


def test_room_and_device_of_another_file_system(tmp_path: Path, mount: Callable[..., None]) -> None:
    small = tmp_path / "small"
    small.mkdir()
    assert same_device(os.fsencode(tmp_path), os.fsencode(small))
    mount("-t", "tmpfs", "-o", "size=1m", "none", small)
    assert not same_device(os.fsencode(tmp_path), os.fsencode(small))
    assert free_bytes(os.fsencode(small)) == 1 << 20
    (small / "half").write_bytes(b"x" * (1 << 19))
    assert free_bytes(os.fsencode(small)) == 1 << 19
