"""The Host of one command: opened for it, and what it had to tell handed to the call.

Owns nothing else. Imported by the commands alone: it brings libgit2 and the database with it.
"""

import contextlib
import logging
import pathlib
import time
from collections.abc import Iterator

from backtrail.cli.call import Call
from backtrail.host.data_folder import WAIT_S, default_home
from backtrail.host.host import Host
from backtrail.model.commands import Lend
from backtrail.model.errors import BacktrailError
from backtrail.model.errors.host import HostBusy
from backtrail.wire.client import Client
from backtrail.wire.coding import request_of
from backtrail.wire.messages import Role
from backtrail.wording.notices import notice_sentence

_log = logging.getLogger(__name__)
_ASK_AGAIN_S = 0.5


@contextlib.contextmanager
def opened(call: Call) -> Iterator[Host]:
    """Open the Host of the data folder that the call names. Raises errors of `model.errors.host`, NoSpace."""
    with _taken(pathlib.Path(call.home) if call.home else default_home(), call) as host:
        _hand_over(host, call)  # before the command answers: what start-up had to tell belongs to its answer
        try:
            yield host
        finally:
            _hand_over(host, call)


def _hand_over(host: Host, call: Call) -> None:
    """Give the call what the Host has to tell, each thing once."""
    for notice in host.notices:
        said = notice_sentence(notice)
        told: dict[str, object] = {"code": notice.code, "message": said.message, "remedy": said.remedy}
        if notice.memory:
            told["memory"] = notice.memory
        call.notices.append((f"Note: {said.message} {said.remedy}", told))
    host.notices.clear()


def _taken(home: pathlib.Path, call: Call) -> Host:
    """Take the data folder: from a Host that serves it, which steps aside for us, or as soon as it is free.

    A Host that is just starting has the lock before it can be asked: so it is asked again and again.
    """
    until = time.monotonic() + WAIT_S
    wait_s = 0.0
    while True:
        try:
            return Host.open(home, wait_s=wait_s)
        except HostBusy:
            if time.monotonic() > until:
                raise HostBusy(str(home), WAIT_S) from None
        call.watched = _steps_aside(home)
        wait_s = _ASK_AGAIN_S


def _steps_aside(home: pathlib.Path) -> bool:
    """Ask a serving Host for the data folder. Where none serves, another command has it and will be done soon."""
    name, arguments = request_of(Lend())
    try:
        with Client.connect(home, Role.COMMAND_LINE) as client:
            client.ask(name, arguments)
    except BacktrailError as error:
        _log.info("no Host stepped aside: %s", error)
        return False
    return True
