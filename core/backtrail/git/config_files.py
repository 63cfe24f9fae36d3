"""The files that libgit2 will read when it opens a repository, so that they can be looked at first.

libgit2 opens what a path names, and a FIFO there hangs the process with Python's global lock held. Owns finding those
files and refusing odd ones. Does not interpret the configuration.
"""

import codecs
import os
import re
import stat

from backtrail.git.object_database import borrowed
from backtrail.git.small_file import as_git_reads_it
from backtrail.model.errors.repository import CannotBeProtected

_SECTION = re.compile(rb'\s*\[\s*([A-Za-z0-9.-]+)\s*(?:"(?:\\.|[^"\\])*")?\s*\]')
_PATH = re.compile(rb"\s*path\s*=\s*(.*)", re.IGNORECASE)
_CONTINUED = re.compile(rb"(?<!\\)((?:\\\\)*)\\\r?\n")
_PIECE = re.compile(rb'\\(.)|(")|([#;])|(.)')
_DEEPEST_INCLUDE = 10


def check_regular(root: bytes, git_dir: bytes, common_dir: bytes) -> None:
    """Raise CannotBeProtected if anything libgit2 reads on opening exists and is not a regular file."""
    names = (b"config", b"packed-refs", b"info/exclude", b"objects/info/alternates", b"shallow")
    plain = [os.path.join(common_dir, name) for name in names]
    plain += [os.path.join(git_dir, name) for name in (b"HEAD", b"commondir", b"gitdir", b"config.worktree")]
    plain += _files_in(os.path.join(common_dir, b"info"))
    for path in plain:
        _refuse_odd(root, path)
    objects = os.path.join(common_dir, b"objects")
    for folder in (objects, *borrowed(objects)):
        _check_objects(root, folder)
    for start in (os.path.join(common_dir, b"config"), os.path.join(git_dir, b"config.worktree")):
        _check_includes(root, start, 0)


def _check_objects(root: bytes, objects: bytes) -> None:
    """Look at what libgit2 opens in an object folder, and at what names those that it borrows from."""
    for folder in (b"pack", b"info", b"info/commit-graphs"):
        for path in _files_in(os.path.join(objects, folder)):
            _refuse_odd(root, path)


def _files_in(folder: bytes) -> list[bytes]:
    """Return what is directly in a folder and is no folder."""
    try:
        with os.scandir(folder) as entries:
            return [entry.path for entry in entries if not entry.is_dir()]
    except OSError:
        return []


def _check_includes(root: bytes, config: bytes, depth: int) -> None:
    if depth > _DEEPEST_INCLUDE:
        return
    for path in _includes(config):
        _refuse_odd(root, path)
        _check_includes(root, path, depth + 1)


def _includes(config: bytes) -> list[bytes]:
    """Return the absolute paths that a configuration file includes, conditional ones too."""
    try:
        with open(config, "rb") as file:
            lines = _CONTINUED.sub(rb"\1", file.read().removeprefix(codecs.BOM_UTF8)).split(b"\n")
    except OSError:
        return []  # libgit2 reads it in a moment and says what is wrong with it
    found: list[bytes] = []
    including = False
    for line in lines:
        end = 0
        while section := _SECTION.match(line, end):
            including = section[1].lower() in (b"include", b"includeif")
            end = section.end()
        if including and (match := _PATH.match(line, end)):
            found.append(os.path.join(os.path.dirname(config), _expanded(as_git_reads_it(_value(match[1])))))
    return found


def _expanded(path: bytes) -> bytes:
    """Return a path as libgit2 reads it: `~/` is the home folder, `~name/` nothing special."""
    return os.path.expanduser(path) if path.startswith(b"~/") else path


def _value(written: bytes) -> bytes:
    """Return a value as Git reads it: without quotes, comment and blanks around it."""
    value = bytearray()
    quoted = False
    kept = 0
    for escaped, quote, comment, other in _PIECE.findall(written):
        if quote:
            quoted = not quoted
        elif comment and not quoted:
            break
        else:
            value += escaped or comment or other
        if quoted or quote or not other.isspace():
            kept = len(value)
    return bytes(value[:kept])


def _refuse_odd(root: bytes, path: bytes) -> None:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return  # absent, or a loop of links: nothing that would hang
    if not stat.S_ISREG(mode):
        raise CannotBeProtected(root, "odd-file", os.fsdecode(path))
