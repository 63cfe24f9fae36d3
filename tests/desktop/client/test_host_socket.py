"""Messages arrive whole and in order, however long one of them is."""

import os
from pathlib import Path

from backtrail.wire.messages import Answer, Event, frame_of
from backtrail.wire.parts import frames_of
from backtrail_desktop.client.host_socket import HostSocket
from PySide6.QtNetwork import QLocalServer
from pytestqt.qtbot import QtBot

LONG = [f"a path that is as long as paths are: {number}" for number in range(50_000)]


def test_what_comes_after_a_long_answer_is_not_told_before_it_nor_lost_at_the_end(qtbot: QtBot, tmp_path: Path) -> None:
    place = tmp_path / "s"
    server = QLocalServer()
    assert server.listen(os.fspath(place))
    socket = HostSocket(place)
    came: list[object] = []
    socket.came.connect(came.append)
    with qtbot.waitSignal(socket.connected):
        socket.open()
    qtbot.waitUntil(server.hasPendingConnections)
    other = server.nextPendingConnection()
    for frame in (*frames_of(Answer(1, LONG)), frame_of(Event("first", None, {})), frame_of(Answer(2, "short"))):
        other.write(frame)
    with qtbot.waitSignal(socket.ended):
        other.disconnectFromServer()
    server.close()
    assert [type(one) for one in came] == [Answer, Event, Answer]
    assert isinstance(came[0], Answer)
    assert came[0].result == LONG
