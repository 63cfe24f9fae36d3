"""A path that a program cannot read back exactly from JSON leads it to another file."""

import base64

import pytest
from backtrail.wire.path_json import path_json


@pytest.mark.parametrize("path", [b"plain/name", "größe/日本".encode(), b"new\nline", b" -> ", "\u202e".encode()])
def test_a_path_that_is_text_is_simply_that(path: bytes) -> None:
    assert path_json(path) == {"path": path.decode()}


@pytest.mark.parametrize(
    ("path", "text"), [(b"a\xff", "a\\xff"), (b"a\\b", "a\\\\b"), (b"\xed\xb2\x80", "\\xed\\xb2\\x80")]
)
def test_any_other_path_has_its_bytes_beside_it(path: bytes, text: str) -> None:
    told = path_json(path, "archive")
    assert told["archive"] == text
    assert base64.b64decode(told["archive_b64"]) == path
    assert told.keys() == {"archive", "archive_b64"}
