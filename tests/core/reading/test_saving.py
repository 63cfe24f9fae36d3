"""A copy is written whole or not at all, and never over a file that nobody spoke of."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from backtrail.model.changes import SaveEnd
from backtrail.reading.saving import save_copy


def _path(folder: Path, name: bytes) -> bytes:
    return os.path.join(os.fsencode(folder), name)


@pytest.mark.parametrize(
    "name", [b"plain", b"new \xe9\n.md", b"-rf", b"x" * 255], ids=["plain", "bytes", "dash", "long"]
)
def test_a_copy_holds_the_bytes_whatever_its_name(tmp_path: Path, name: bytes) -> None:
    target = _path(tmp_path, name)
    assert save_copy(b"an hour\0", target, over=False).end is SaveEnd.SAVED
    assert os.listdir(os.fsencode(tmp_path)) == [name]
    with open(target, "rb") as file:
        assert file.read() == b"an hour\0"


def test_a_file_that_is_there_is_left_alone_unless_asked(tmp_path: Path) -> None:
    target = tmp_path / "f"
    target.write_bytes(b"mine")
    assert save_copy(b"other", os.fsencode(target), over=False).end is SaveEnd.EXISTS
    assert target.read_bytes() == b"mine"
    assert save_copy(b"other", os.fsencode(target), over=True).end is SaveEnd.SAVED
    assert target.read_bytes() == b"other"
    assert os.listdir(tmp_path) == ["f"]


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    kept, link = tmp_path / "kept", tmp_path / "link"
    kept.write_bytes(b"mine")
    link.symlink_to(kept)
    assert save_copy(b"other", os.fsencode(link), over=False).end is SaveEnd.EXISTS
    assert save_copy(b"other", os.fsencode(link), over=True).end is SaveEnd.SAVED
    assert kept.read_bytes() == b"mine"
    assert not link.is_symlink()


@pytest.mark.parametrize("place", [b"nowhere/f", b"a-file/f", b"a-folder"])
def test_a_place_that_takes_no_file_is_told_and_nothing_is_left(tmp_path: Path, place: bytes) -> None:
    (tmp_path / "a-file").write_text("")
    (tmp_path / "a-folder").mkdir()
    saved = save_copy(b"other", _path(tmp_path, place), over=True)
    assert (saved.end, bool(saved.reason)) == (SaveEnd.REFUSED, True)
    assert sorted(os.listdir(tmp_path)) == ["a-file", "a-folder"]


SAVE = """
import os, signal, sys
from backtrail.reading.saving import save_copy
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
print(save_copy(b"x" * 1_000_000, os.fsencode(sys.argv[1]), over=True).end, os.listdir(os.path.dirname(sys.argv[1])))
"""


def test_a_write_that_breaks_off_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    target = tmp_path / "f"
    target.write_bytes(b"mine")
    limited = ["sh", "-c", 'ulimit -f 8; exec "$@"', "sh"]
    done = subprocess.run([*limited, sys.executable, "-c", SAVE, target], capture_output=True, text=True, check=True)
    assert done.stdout == "refused ['f']\n"
    assert target.read_bytes() == b"mine"


def test_a_full_disk_is_called_one(tmp_path: Path) -> None:
    small = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=64k tmpfs "$0" && exec "$@"', str(tmp_path)]
    if shutil.which("unshare") is None or subprocess.run([*small, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no disk of its own can be made here")
    words = [*small, sys.executable, "-c", SAVE, str(tmp_path / "f")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == "no-space []\n"
