"""Where the Host of a data folder listens.

The socket lies in a folder of mode 0700 below `$XDG_RUNTIME_DIR`, or below the temporary folder where there is none.
Its name is a hash of the data folder's real path, so that it is short and the same for every way to write the path.
Owns finding and checking these folders. Never makes one safe that is not, never follows a link to one; does not
handle a user who shares the account with an enemy.
"""

import contextlib
import hashlib
import os
import pathlib
import stat
import sys
from collections.abc import Mapping, Sequence

from backtrail.wire.errors import SocketFolderUnsafe

LONGEST_PATH = (104 if sys.platform == "darwin" else 108) - 1
"""The most bytes of a socket's path: what `sockaddr_un` holds, less the NUL at its end."""


def places(environment: Mapping[str, str] = os.environ) -> tuple[pathlib.Path, ...]:
    """Return the folders that a socket may lie in, best first. None of them need exist.

    A hook's or a service's environment may lack or bend what the shell's has: the usual places are there in any case,
    and clients look into all of them.
    """
    uid = os.geteuid()
    runtime = [environment.get("XDG_RUNTIME_DIR", ""), f"/run/user/{uid}"]
    shared = ["/tmp", environment.get("TMPDIR", "")]  # noqa: S108 - owner and mode are checked
    found = [pathlib.Path(base, "backtrail") for base in runtime if os.path.isabs(base)]
    found += [pathlib.Path(base, f"backtrail-{uid}") for base in shared if os.path.isabs(base)]
    return tuple(dict.fromkeys(found))


def socket_name(home: pathlib.Path) -> str:
    """Return the name of the socket of the data folder `home`."""
    return hashlib.sha256(os.fsencode(os.path.realpath(home))).hexdigest()[:16]


def socket_to_serve(home: pathlib.Path, folders: Sequence[pathlib.Path] | None = None) -> pathlib.Path:
    """Return where the Host of `home` is to listen, in the first of the folders that is safe. Makes that folder.

    Raises SocketFolderUnsafe, with what is wrong with each.
    """
    tried = {}
    for folder in places() if folders is None else folders:
        path = folder / socket_name(home)
        if len(os.fsencode(path)) > LONGEST_PATH:
            tried[str(folder)] = "path-too-long"
            continue
        if (wrong := _wrong_with_base(folder.parent)) is None:
            with contextlib.suppress(OSError):
                folder.mkdir(mode=0o700)
            wrong = _wrong_with(folder)
        if wrong is None:
            return path
        tried[str(folder)] = wrong
    raise SocketFolderUnsafe(tried)


def sockets_of(home: pathlib.Path, folders: Sequence[pathlib.Path] | None = None) -> list[pathlib.Path]:
    """Return the sockets that a Host of `home` may listen at: those that exist in safe folders, best first."""
    name = socket_name(home)
    paths = [folder / name for folder in (places() if folders is None else folders)]
    return [
        path
        for path in paths
        if len(os.fsencode(path)) <= LONGEST_PATH
        and _wrong_with_base(path.parent.parent) is None
        and _wrong_with(path.parent) is None
        and path.is_socket()
    ]


def _wrong_with(folder: pathlib.Path) -> str | None:
    """Return why the folder is not this user's alone, None if it is."""
    try:
        found = folder.lstat()
    except OSError as error:
        return error.strerror or "not-there"
    if not stat.S_ISDIR(found.st_mode):
        return "not-a-folder"
    if found.st_uid != os.geteuid():
        return "other-owner"
    return "other-mode" if stat.S_IMODE(found.st_mode) & 0o077 else None


def _wrong_with_base(base: pathlib.Path) -> str | None:
    """Return why another user might put a folder of theirs in place of one of ours in `base`, None if none can."""
    try:
        found = base.stat()
    except OSError as error:
        return error.strerror or "not-there"
    if not stat.S_ISDIR(found.st_mode):
        return "not-a-folder"
    if found.st_uid not in {0, os.geteuid()}:
        return "other-owner"
    open_to_all = found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX
    return "other-mode" if open_to_all else None
