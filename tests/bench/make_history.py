"""Make a Git repository with the commit shape of a large real project: 203,352 commits, its merges and tags.

usage: make_history.py TARGET [COMMITS]

Reads history-203k.txt.xz beside this file: one line a commit, oldest first: the time since the one before, then each
parent as a distance back; after a line "#" the tips ("b N" a branch, "t N" a tag). Only the shape is real: authors,
messages and the one file are made up.
"""

import lzma
import pathlib
import subprocess
import sys
from typing import IO

_SHAPE = pathlib.Path(__file__).with_name("history-203k.txt.xz")
_WORDS = [
    "fix",
    "add",
    "drop",
    "tidy",
    "rename",
    "speed",
    "test",
    "doc",
    "graph",
    "index",
    "restore",
    "merge",
    "branch",
    "scan",
    "note",
    "keep",
]


def make_history(target: str, limit: int | None = None) -> int:
    """Make the repository with at most `limit` commits; return how many it has."""
    with lzma.open(_SHAPE, "rt") as file:
        commits, _, tips = file.read().partition("\n#\n")
    rows = commits.split("\n")[:limit]
    subprocess.run(["git", "init", "-q", "-b", "main", target], check=True)
    importer = subprocess.Popen(["git", "-C", target, "fast-import", "--quiet"], stdin=subprocess.PIPE)
    feed = importer.stdin
    if feed is None:
        raise SystemExit("git fast-import takes no input")
    _write_commits(feed, rows)
    _write_tips(feed, tips.split("\n"), len(rows))
    feed.close()
    if importer.wait():
        raise SystemExit("git fast-import failed")
    subprocess.run(["git", "-C", target, "reset", "-q", "--hard", "main"], check=True)
    return len(rows)


def _write_commits(feed: IO[bytes], rows: list[str]) -> None:
    when = 0
    for number, row in enumerate(rows):
        delta, *back = (int(part) for part in row.split())
        when += delta
        if number and not back:  # a further root: forget the branch's tip, or that would become its parent
            feed.write(b"reset refs/heads/main\n\n")
        subject = f"{_WORDS[number % 16]} {_WORDS[number // 16 % 16]} #{number}"
        lines = [
            f"commit refs/heads/main\nmark :{number + 1}",
            f"committer Writer {number % 97} <w{number % 97}@example.invalid> {when} +0000",
            f"data {len(subject)}\n{subject}",
            *(f"{'merge' if place else 'from'} :{number + 1 - distance}" for place, distance in enumerate(back)),
            f"M 100644 inline file\ndata {len(str(number))}\n{number}\n\n",
        ]
        feed.write("\n".join(lines).encode())


def _write_tips(feed: IO[bytes], tips: list[str], commits: int) -> None:
    for number, tip in enumerate(filter(None, tips)):
        kind, index = tip.split()
        if int(index) < commits:
            name = f"refs/tags/v{number}" if kind == "t" else f"refs/heads/topic/{number}"
            feed.write(f"reset {name}\nfrom :{int(index) + 1}\n\n".encode())
    feed.write(f"reset refs/heads/main\nfrom :{commits}\n\n".encode())


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    make_history(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else None)
