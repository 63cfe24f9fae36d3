"""One run of the command line: what was asked for globally, and the one answer it gives.

Owns the promise of `--json`: exactly one JSON object on stdout, nothing else. Imports nothing heavy, since help and
completion need it too.
"""

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import cast

from backtrail.cli.printing import Block, print_blocks, print_problem
from backtrail.model.path_text import path_text

Json = dict[str, object]
REFUSED = 1


class CannotTell(Exception):
    """What was to be told could not be written. What was asked for is done or refused all the same."""


@contextlib.contextmanager
def _telling() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CannotTell(error.strerror or str(error)) from error


class Call:
    """What holds for the whole run.

    home: the data folder, None for the user's own. cwd: the folder it was called in, resolved, None where that is gone.
    exit_code: what the run ends with if nothing is raised. watched: a Host serves, and stepped aside for this run.
    notices: what the Host had to tell, as message and JSON.
    """

    def __init__(self) -> None:
        self.json = False
        self.home: str | None = None
        self.exit_code = 0
        self.watched = False
        self.notices: list[tuple[str, Json]] = []
        try:
            self.cwd: bytes | None = os.getcwdb()
        except FileNotFoundError:
            self.cwd = None

    def answer(self, data: Json, blocks: Iterable[Block] = ()) -> None:
        """Give the answer: `data` to a program, `blocks` (not looked at otherwise) to a person."""
        if self.json:
            self._write({**data, **self._told_notices()})
        else:
            self.tell_notices()
            with _telling():
                print_blocks(blocks)

    def fail(self, error: Json, blocks: Iterable[Block]) -> None:
        """Say what went wrong: as `error` on stdout to a program, on stderr to a person."""
        if self.json:
            self._write({"error": error, **self._told_notices()})
        else:
            self.tell_notices()
            with _telling():
                print_problem(blocks)

    def raw(self, content: bytes) -> None:
        """Give bytes as they are."""
        self.tell_notices()
        with _telling():
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
            sys.stdout.flush()

    def tell_notices(self) -> None:
        """Tell a person on stderr what the Host had to say; once."""
        with _telling():
            print_problem(message for message, _ in self.notices)
        self.notices = []

    def _told_notices(self) -> Json:
        return {"notices": [told for _, told in self.notices]} if self.notices else {}

    def _write(self, data: Json) -> None:
        with _telling():
            sys.stdout.flush()
            sys.stdout.buffer.write(_encoded(data) + b"\n")
            sys.stdout.flush()


def _encoded(data: Json) -> bytes:
    try:
        return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # a word of the system or of the command line that is not UTF-8
        return _encoded(cast("Json", _mapped(data, lambda text: path_text(os.fsencode(text)))))


def _is_utf8(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _mapped(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return value if _is_utf8(value) else change(value)
    if isinstance(value, dict):
        return {key: _mapped(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_mapped(item, change) for item in value]
    return value
