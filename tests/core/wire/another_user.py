"""A process of another user that connects to the socket `s` of its current folder, and prints what it hears."""

import os
import pathlib
import sys

from backtrail.wire.client import Client
from backtrail.wire.errors import HostOfAnotherUser
from core.wire.by_hand import ByHand, hello

NOBODY = 65534


def main() -> None:
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    with ByHand(pathlib.Path("s")) as client:
        sys.stdout.write(f"{client.hear_all()}\n")
    try:
        Client.at(pathlib.Path("s"), hello())
    except HostOfAnotherUser as error:
        sys.stdout.write(f"{error.facts()}\n")


if __name__ == "__main__":
    main()
