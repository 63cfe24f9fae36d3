"""Captures that are killed: `python -m core.host.killed_capture HOME ROOT`, then one number a line on its input.

For number N a forked child looks at the folder and is killed by SIGKILL just before its N-th step that touches the
disk for writing; `killed N` or `done N` is answered. 0 means: look again and again until somebody kills the child;
its process id is answered, and then `ended`.
"""

import os
import signal
import sys
from pathlib import Path

from core.keeping import Keeping

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_STEPS = ("os.rename", "os.remove", "os.mkdir", "os.utime", "os.link")


def main() -> None:
    home, root = Path(sys.argv[1]), Path(sys.argv[2])
    for line in sys.stdin:
        number = int(line)
        child = os.fork()
        if child == 0:
            if number:
                kill_before_step(number, os.fsencode(root))
            while True:
                with Keeping(home, root).opened() as work:
                    work.scan()
                if number:
                    os._exit(0)
                with (root / "f").open("ab") as file:
                    file.write(b"one more\n")
        if not number:
            say(str(child))
        _, status = os.waitpid(child, 0)
        say(f"{'killed' if os.WIFSIGNALED(status) else 'done'} {number}" if number else "ended")


def kill_before_step(number: int, root: bytes) -> None:
    """Let this process end, as by the power button, at a step that it is about to take."""
    left = number

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in _STEPS or (event == "open" and is_step(arguments)):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def is_step(arguments: tuple[object, ...]) -> bool:
        path, _, flags = arguments
        writes = isinstance(flags, int) and bool(flags & _WRITING)
        in_git_folder = isinstance(path, bytes) and path.startswith(root + b"/.git/")
        # a folder in there is opened to make a rename in it durable
        return writes or (in_git_folder and isinstance(flags, int) and bool(flags & os.O_DIRECTORY))

    sys.addaudithook(watch)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
