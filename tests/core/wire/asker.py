"""A command line that asks for long work and cancels it on Ctrl-C: `python -m core.wire.asker SOCKET`."""

import pathlib
import signal
import sys

from backtrail.wire.client import Client
from backtrail.wire.errors import CommandFailed
from backtrail.wire.messages import Progress
from core.wire.by_hand import hello


def main() -> None:
    with Client.at(pathlib.Path(sys.argv[1]), hello()) as client:
        signal.signal(signal.SIGINT, lambda *_: client.cancel())
        try:
            client.ask("long", on_progress=said)
        except CommandFailed as error:
            sys.stdout.write(f"{error.code}\n")


def said(progress: Progress) -> None:
    sys.stdout.write(f"{progress.step}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
