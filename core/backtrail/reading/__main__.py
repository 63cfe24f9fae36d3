"""`python -m backtrail.reading`: the reader as a process, asked over standard input, answering on standard output.

Owns the two ends, so that no library can write between the answers. Ends when whoever asks is gone.
"""

import logging
import os
import signal
import sys

from backtrail.reading.answering import Reader
from backtrail.reading.loop import serve


def main() -> None:
    """Answer until the end of standard input."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]  # they would send libgit2 to another repository (case B44)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="backtrail: %(message)s")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C at the terminal is meant for who started us
    questions, answers = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    serve(Reader(), questions, answers)


if __name__ == "__main__":
    main()
