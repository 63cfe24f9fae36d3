"""Something that listens where the Host would, and is of another version: `other_version.py HOME [nonsense]`.

It prints `ready`, and stops at the end of its standard input.
"""

import os
import pathlib
import socket
import sys
import threading

import msgspec
from backtrail.wire.address import socket_to_serve
from backtrail.wire.frames import framed

REFUSED = {"kind": "refused", "code": "other-version", "protocol": 999, "product": "9.9.9"}


def serve(listening: socket.socket, said: bytes) -> None:
    while True:
        client, _ = listening.accept()
        with client:
            client.recv(1 << 16)
            client.sendall(said)


def main() -> None:
    said = b"GET / HTTP/1.0\r\n\r\n" if "nonsense" in sys.argv else framed(msgspec.json.encode(REFUSED))
    path = socket_to_serve(pathlib.Path(sys.argv[1]))
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.fsencode(path))
        listening.listen()
        threading.Thread(target=serve, args=(listening, said), daemon=True).start()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.read()
    path.unlink()


if __name__ == "__main__":
    main()
