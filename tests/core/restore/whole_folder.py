"""Everything of a folder, for tests of restore to compare: every byte, mode and link, and what the Git command says.

Reads the disk by itself and asks Git without letting it write; uses none of the code under test.
"""

import hashlib
import os
import stat
from pathlib import Path
from typing import NamedTuple

from core.git_oracle import ask, git

Seen = tuple[str, int, str]
"""Kind, permission bits, and the digest of the content (of a link: its target in hex)."""


class Whole(NamedTuple):
    """One folder at one moment.

    files: all below it but the Git folder, ignored files and folders included; b"" is the folder itself.
    inside_git: all below the Git folder but objects, our own refs, and what Git keeps only to be fast.
    objects: names of the loose objects and packs. says: what the Git command answers.
    """

    files: dict[bytes, Seen]
    inside_git: dict[bytes, Seen]
    objects: frozenset[bytes]
    says: dict[str, bytes]

    def same_state(self) -> tuple[dict[bytes, Seen], dict[str, bytes]]:
        """What a restore must bring back: all files, and everything Git says of index, HEAD and working tree."""
        return self.files, {name: answer for name, answer in self.says.items() if name not in ("refs", "reflog")}


def whole(root: Path) -> Whole:
    """Look at a whole folder."""
    found = _walk(os.fsencode(root))
    inside = {path.removeprefix(b".git/"): seen for path, seen in found.items() if path.startswith(b".git/")}
    return Whole(
        files={path: seen for path, seen in found.items() if path != b".git" and not path.startswith(b".git/")},
        inside_git={
            path: seen
            for path, seen in inside.items()
            if not path.startswith((b"objects/", b"refs/botharness")) and path != b"objects"
        },
        objects=frozenset(
            path
            for path, seen in inside.items()
            if path.startswith(b"objects/") and seen[0] == "file" and b"/info/" not in path
        ),
        says=answers(root),
    )


def answers(root: Path) -> dict[str, bytes]:
    """Return what Git says of a repository."""
    refs = ask(root, "for-each-ref", "--format=%(refname) %(objectname) %(symref)").split(b"\n")
    return {
        "status": ask(root, "status", "--porcelain=v2", "--branch", "--untracked-files=all", "--ignored", "-z"),
        "index": ask(root, "ls-files", "-s", "-v", "-z"),
        "unmerged": ask(root, "ls-files", "-u", "-z"),
        "branch": git(root, "symbolic-ref", "-q", "HEAD", code=None),
        "HEAD": git(root, "rev-parse", "-q", "--verify", "HEAD", code=None),
        "MERGE_HEAD": git(root, "rev-parse", "-q", "--verify", "MERGE_HEAD", code=None),
        "reflog": git(root, "reflog", code=None),
        "refs": b"\n".join(line for line in refs if b"refs/botharness/" not in line),
    }


def _walk(top: bytes) -> dict[bytes, Seen]:
    found: dict[bytes, Seen] = {b"": ("folder", stat.S_IMODE(os.lstat(top).st_mode), "")}
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                seen = entry.stat(follow_symlinks=False)
                mode = stat.S_IMODE(seen.st_mode)
                path = os.path.relpath(entry.path, top)
                if entry.is_symlink():
                    found[path] = ("link", 0, os.readlink(entry.path).hex())
                elif entry.is_dir(follow_symlinks=False):
                    found[path] = ("folder", mode, "")
                    waiting.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    with open(entry.path, "rb") as file:
                        found[path] = ("file", mode, hashlib.file_digest(file, "sha256").hexdigest())
                else:
                    found[path] = ("special", mode, "")
    return found


def moved(here: Whole, there: Whole) -> list[str]:
    """Name what differs between two folders, for a person who reads a failed test."""
    found = [
        f"{part} {path!r}: {mine.get(path)} / {theirs.get(path)}"
        for part, mine, theirs in (
            ("file", here.files, there.files),
            ("git", here.inside_git, there.inside_git),
        )
        for path in sorted(mine.keys() | theirs.keys())
        if mine.get(path) != theirs.get(path)
    ]
    found += [
        f"{name}: {here.says[name]!r} / {there.says[name]!r}"
        for name in here.says
        if here.says[name] != there.says[name]
    ]
    return found
