"""A branch's name is what Git takes for one: any other may lead out of the folder of refs."""

import subprocess

import pytest
from backtrail.git.branch_name import is_branch_name

NAMES = [
    b"main", b"a/b",
    b"-x", b"@", b"caf\xe9", b"a-b.c", b"HEAD", b"a@b", b"{", b"..", b"a..b", b"a/../b", b"../x", b"/a",
    b"a/",
    b"a//b", b".a", b"a/.b", b"a.lock", b"a.lock/b", b"a.", b"a b", b"a\tb", b"a\nb", b"a~1", b"a^", b"a:b", b"a?",
    b"a*", b"a[b", b"a\\b", b"a@{b", b"\x7f", b"\x01",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_agrees_with_git(name: bytes) -> None:
    said = subprocess.run([b"git", b"check-ref-format", b"refs/heads/" + name], check=False).returncode == 0
    assert is_branch_name(name) == said


def test_the_empty_name_is_none() -> None:
    assert not is_branch_name(b"")
