"""Make a Git working tree of many small text files, all committed.

usage: make_tree.py TARGET FILES FILES_PER_FOLDER [--untracked]

The same arguments give the same bytes. --untracked leaves the files out of Git, beside one empty commit.
"""

import pathlib
import random
import subprocess
import sys


def make_tree(target: str, files: int, per_folder: int, *, untracked: bool = False) -> None:
    """Make the tree."""
    chance = random.Random(1)  # noqa: S311 - the same bytes every time
    words = [f"{chance.getrandbits(64):x}" for _ in range(2000)]
    place = pathlib.Path(target)
    for number in range(files):
        folder = number // per_folder
        if number % per_folder == 0:
            place = pathlib.Path(f"{target}/d{folder % 71}/s{folder % 997}/t{folder}")
            place.mkdir(parents=True)
        text = "\n".join(chance.choices(words, k=chance.randint(20, 180)))
        (place / f"f{number}.txt").write_text(f"{text}\n{number}\n")
    who = ("-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "gc.auto=0", "-c", "maintenance.auto=false")
    for words_of in (("init", "-q", "-b", "main"), () if untracked else ("add", "-A")):
        if words_of:
            subprocess.run(["git", "-C", target, *words_of], check=True)
    subprocess.run(["git", "-C", target, *who, "commit", "-q", "--allow-empty", "-m", "base"], check=True)
    subprocess.run(["git", "-C", target, "gc", "-q"], check=True)  # else one would run while somebody measures


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        raise SystemExit(__doc__)
    make_tree(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), untracked="--untracked" in sys.argv)
