"""The socket that the Host listens at, from its making to its removal.

Owns the file of the socket. A stale one is removed only when the caller says that it holds the data folder's lock:
then no living Host can own it. Never removes what is no socket, nor at the end what another Host put there since.
"""

import contextlib
import errno
import os
import pathlib
import socket
import stat
from typing import Self

from backtrail.wire.errors import SocketTaken

_BACKLOG = 128


class Listener:
    """A listening Unix socket, and its file."""

    def __init__(self, sock: socket.socket, path: pathlib.Path) -> None:
        self._sock = sock
        self._path = path
        made = path.lstat()
        self._identity = (made.st_dev, made.st_ino)

    @classmethod
    def open(cls, path: pathlib.Path, *, lock_held: bool) -> Self:
        """Listen at `path`. `lock_held`: a socket that stands there is stale. Raises SocketTaken, OSError."""
        if lock_held:
            _remove_stale(path)
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            try:
                sock.bind(os.fsencode(path))
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    raise SocketTaken(str(path)) from error
                raise
            path.chmod(0o600)
            sock.listen(_BACKLOG)
            sock.setblocking(False)  # noqa: FBT003 - the standard library's signature
            return cls(sock, path)
        except BaseException:
            sock.close()
            raise

    def fileno(self) -> int:
        """Return the descriptor, for a selector."""
        return self._sock.fileno()

    def accept(self) -> socket.socket | None:
        """Return the next client, not blocking, None if it has left already. Raises OSError without descriptors."""
        try:
            sock, _ = self._sock.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return None
        sock.setblocking(False)  # noqa: FBT003 - the standard library's signature
        return sock

    def close(self) -> None:
        """Listen no more, and remove the file if it is still ours."""
        self._sock.close()
        with contextlib.suppress(FileNotFoundError):
            found = self._path.lstat()
            if (found.st_dev, found.st_ino) == self._identity:
                self._path.unlink()


def _remove_stale(path: pathlib.Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise SocketTaken(str(path))
        path.unlink()
