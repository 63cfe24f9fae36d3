"""Who is at the other end of a Unix socket, as the kernel says.

Owns that one question. What the peer says of itself is not asked. Does not handle systems that can tell neither by
SO_PEERCRED nor by getpeereid: nobody is known there, and so nobody is let in.
"""

import ctypes
import os
import socket
import struct

_UCRED = struct.Struct("3i")


def peer_uid(sock: socket.socket) -> int | None:
    """Return the user that connected or listens at the other end of `sock`, None where the system does not tell."""
    if hasattr(socket, "SO_PEERCRED"):
        _, uid, _ = _UCRED.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size))
        return int(uid)
    return _by_getpeereid(sock)


def is_own(sock: socket.socket) -> bool:
    """Tell whether the other end is a process of this user."""
    return peer_uid(sock) == os.geteuid()


def _by_getpeereid(sock: socket.socket) -> int | None:
    getpeereid = getattr(ctypes.CDLL(None), "getpeereid", None)
    uid, gid = ctypes.c_uint32(), ctypes.c_uint32()
    if getpeereid is None or getpeereid(sock.fileno(), ctypes.byref(uid), ctypes.byref(gid)) != 0:
        return None
    return uid.value
