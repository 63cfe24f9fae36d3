"""One window per data folder: who opens it, and what a later start says to it.

A lock decides who has the window; it goes with its process, so a socket that a dead one left is no obstacle. A later
start sends one message, `show 1` and the folder's bytes, and ends. Owns lock, socket and message. Imports no Qt, so
that a later start costs little. Does not handle starts whose runtime folders differ.
"""

import contextlib
import fcntl
import os
import pathlib
import socket
import time

from backtrail.model.errors.desktop import WindowNotAnswering
from backtrail.wire.address import socket_to_serve
from backtrail.wire.peer import is_own

PATIENCE_S = 4.0
LONGEST = 64 * 1024
"""The most bytes of a message."""
TAKEN = b"taken\n"
_SHOW = b"show 1\n"
_AGAIN_S = 0.05


class Single:
    """The right to be the one window of a data folder. listening: where later starts speak, from the first moment."""

    def __init__(self, lock: int, path: pathlib.Path) -> None:
        self._lock, self._path = lock, path
        self.listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        self.listening.bind(os.fspath(path))
        path.chmod(0o600)
        self.listening.listen(8)
        self.listening.setblocking(False)  # noqa: FBT003 - the standard library's signature

    def close(self) -> None:
        """Let the next start have the window."""
        self.listening.close()
        self._path.unlink(missing_ok=True)
        os.close(self._lock)


def become_single(home: pathlib.Path, folder: bytes | None, *, background: bool = False) -> Single | None:
    """Return the right to open the window, None once another one has it and was told what to show.

    folder: any way to write it. background: the other window is left as it is where there is no folder.
    Raises WindowNotAnswering after some seconds, SocketFolderUnsafe.
    """
    path = socket_to_serve(home / "window")  # a name of its own: the Host's is that of `home`
    until = time.monotonic() + PATIENCE_S
    message = _SHOW + (b"" if folder is None else os.path.realpath(folder))
    while True:
        lock = _locked(path.with_name(f"{path.name}.lock"))
        if lock is not None:
            return Single(lock, path)
        if (background and folder is None) or _was_told(path, message, until):
            return None
        if time.monotonic() > until:
            raise WindowNotAnswering(os.fspath(home))
        time.sleep(_AGAIN_S)


def folder_in(message: bytes) -> bytes | None:
    """Return the folder that a message names, empty where it names none; None if it is no message of ours."""
    if not message.startswith(_SHOW) or len(message) > LONGEST:
        return None
    folder = message.removeprefix(_SHOW)
    return folder if not folder or (folder.startswith(b"/") and b"\0" not in folder) else None


def _locked(path: pathlib.Path) -> int | None:
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock


def _was_told(path: pathlib.Path, message: bytes, until: float) -> bool:
    """Tell whether the window took the message. It did not where it is just beginning or just ending."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as there:
        there.settimeout(max(until - time.monotonic(), _AGAIN_S))
        try:
            there.connect(os.fspath(path))
            if not is_own(there):
                return False
            there.sendall(message)
            there.shutdown(socket.SHUT_WR)
            return there.recv(len(TAKEN)) == TAKEN
        except OSError:  # the caller tries again until its time is over, and tells it then
            return False
