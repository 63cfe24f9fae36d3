"""A command that a person copies from a remedy must name exactly their path."""

import subprocess

import pytest
from backtrail.model.errors.repository import OwnedByAnother
from backtrail.wording.errors import explain
from backtrail.wording.sentence import counted, named, shell_word, size_text

ODD_PATHS = [
    b"/plain",
    b"/with space",
    b"/it's",
    b"/\xff\xfe",
    b"/new\nline",
    b"/back\\slash",
    "/größe/日本".encode(),
    b"/\xe2\x80\xae",
    b"/\x1b[31m'",
]


@pytest.mark.parametrize("path", ODD_PATHS)
def test_a_shell_reads_the_same_bytes_back(path: bytes) -> None:
    word = shell_word(path)
    assert word.isprintable()
    script = b"printf %s " + word.encode()
    assert subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout == path


def test_the_line_for_a_foreign_repository_is_exact() -> None:
    remedy = explain(OwnedByAnother(b"/srv/their notes")).remedy
    assert "`git config --global --add safe.directory '/srv/their notes'`" in remedy


def test_amounts_read_well() -> None:
    assert (counted(1, "file"), counted(2, "file")) == ("1 file", "2 files")
    assert [size_text(size) for size in (0, 1023, 1024, 5 << 30)] == ["0 bytes", "1023 bytes", "1.0 KiB", "5.0 GiB"]
    assert named([b"a", b"b\xff", b"c"], 2) == "a, b\\xff and 1 more"
