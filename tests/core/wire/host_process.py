"""A Host of its own for the tests: `python -m core.wire.host_process HOME [SPARE]`.

It listens where the Host of HOME would, prints `ready`, and stops at the end of its standard input. SPARE: how many
descriptors it may open for clients.
"""

import concurrent.futures
import os
import pathlib
import resource
import sys

from backtrail.wire.address import socket_to_serve
from backtrail.wire.limits import Limits
from backtrail.wire.server import Server
from core.wire.work import Work


def main() -> None:
    home = pathlib.Path(sys.argv[1])
    work = Work(concurrent.futures.ThreadPoolExecutor(4))
    with Server.open(socket_to_serve(home), work, lock_held=True, limits=Limits(retry_s=0.2)):
        if len(sys.argv) > 2:
            highest = max(int(name) for name in os.listdir("/proc/self/fd"))
            _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (highest + int(sys.argv[2]), hard))
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
