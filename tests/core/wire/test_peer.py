import os
import socket

from backtrail.wire.peer import _by_getpeereid, is_own, peer_uid


def test_the_kernel_says_who_is_there() -> None:
    ends = socket.socketpair()
    for end in ends:
        assert peer_uid(end) == os.geteuid()
        assert is_own(end)
        end.close()


def test_where_the_system_does_not_tell_nobody_is_known() -> None:
    ends = socket.socketpair()
    for end in ends:
        assert _by_getpeereid(end) in {None, os.geteuid()}
        end.close()
