"""`backtrail watch`: the Host in the foreground, until it is told to stop.

Owns the process: signals, the readiness pipe of who started it, and what is said on the terminal. What the Host does is
`host.serving`'s.
"""

import functools
import logging
import os
import signal
import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING

import click

from backtrail.cli.call import REFUSED, Call
from backtrail.cli.printing import print_blocks
from backtrail.cli.verb import Verb
from backtrail.wording.sentence import counted

if TYPE_CHECKING:
    from backtrail.host.host import Host
    from backtrail.model.events import HostEvent


@click.command(
    cls=Verb,
    help="Watch all folders and keep each state as it appears, until interrupted. Other commands go on working.",
    example="backtrail watch",
)
@click.option("--ready-fd", type=int, hidden=True, help="Write a line here once the Host answers, then close it.")
@click.pass_obj
def watch(call: Call, ready_fd: int | None) -> None:
    """Serve until a signal comes."""
    import pathlib  # noqa: PLC0415 - libgit2 and the database come only when this runs

    from backtrail.host.data_folder import default_home  # noqa: PLC0415
    from backtrail.host.host import Host  # noqa: PLC0415
    from backtrail.host.serving import Serving  # noqa: PLC0415

    stop = threading.Event()

    def on_signal(number: int, frame: FrameType | None) -> None:
        del number, frame
        stop.set()

    logging.getLogger("backtrail").setLevel(logging.INFO if call.json else logging.WARNING)
    home = pathlib.Path(call.home) if call.home else default_home()
    with Host.open(home, wait_s=5) as host, Serving(host, functools.partial(_tell_loss, call, host)) as serving:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, on_signal)
        if ready_fd is not None:
            os.write(ready_fd, b"ready\n")
            os.close(ready_fd)
        watched = sum(memory.state == "attached" for memory in host.memories())
        call.answer({"watching": watched}, (f"Watching {counted(watched, 'folder')}. Ctrl+C stops.",))
        sys.stdout.flush()
        while not stop.wait(1):
            if serving.failed.is_set():
                call.exit_code = REFUSED
                return


def _tell_loss(call: Call, host: "Host", event: "HostEvent") -> None:
    """Say on the terminal when work disappeared, and where it is kept; programs hear it over the wire."""
    from backtrail.model.events import CheckpointRecorded  # noqa: PLC0415 - as above

    if call.json or not isinstance(event, CheckpointRecorded) or event.kept_in is None:
        return
    name = next((memory.name for memory in host.memories() if memory.id == event.memory), "a folder")
    lost, kept_in = counted(event.lost, "content"), event.kept_in[:8]
    print_blocks([f"{name}: {lost} LOST, not committed anywhere, and kept: `backtrail restore {kept_in} --plan`"])
    sys.stdout.flush()
