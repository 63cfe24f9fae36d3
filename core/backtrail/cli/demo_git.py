"""The Git program as the demo uses it, and what it and a plain walk say of a folder.

Owns running git with nothing of the person's environment that could send it elsewhere, and the two comparisons the
demo's proofs rest on. They share no code with the engine, on purpose: a proof by the engine's own eyes would be none.
"""

import hashlib
import os
import stat
import subprocess

from backtrail.model.errors.demo import GitFailed

_IDENTITY = (
    "-c", "user.name=Demo", "-c", "user.email=demo@backtrail.invalid", "-c", "commit.gpgSign=false",
    "-c", "core.hooksPath=/dev/null", "-c", "core.autocrlf=false", "-c", "advice.detachedHead=false",
)  # fmt: skip

Seen = dict[bytes, tuple[str, str]]
"""Path -> kind with mode, and a digest of the bytes or a link's target."""


class DemoGit:
    """Git in one folder."""

    def __init__(self, folder: bytes) -> None:
        self.folder = folder

    def run(self, *arguments: str) -> bytes:
        """Run a git command; return what it printed. Raises GitFailed."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        command = ["git", *_IDENTITY, *arguments]
        try:
            ended = subprocess.run(
                command, cwd=self.folder, env=environment, capture_output=True, check=False, stdin=subprocess.DEVNULL
            )
        except OSError as error:
            raise GitFailed(" ".join(arguments), error.strerror or "") from error
        if ended.returncode:
            raise GitFailed(" ".join(arguments), ended.stderr.decode("utf-8", "replace").strip())
        return ended.stdout

    def status(self) -> bytes:
        """Return what git says of branch, HEAD, index and files, without touching the index."""
        return self.run(
            "--no-optional-locks", "status", "--porcelain=v2", "--branch", "--untracked-files=all", "-z"
        ) + self.run("ls-files", "--stage", "-z")


def seen_in(folder: bytes) -> Seen:
    """Walk a folder, the Git folder left out, and return everything in it."""
    found: Seen = {}
    for place, folders, files in os.walk(folder):
        if place == folder:
            folders.remove(b".git")
        for name in (*folders, *files):
            path = os.path.join(place, name)
            status = os.lstat(path)
            content = ""
            if stat.S_ISLNK(status.st_mode):
                content = os.fsdecode(os.readlink(path))
            elif stat.S_ISREG(status.st_mode):
                with open(path, "rb") as file:
                    content = hashlib.sha256(file.read()).hexdigest()
            found[os.path.relpath(path, folder)] = oct(status.st_mode), content
    return found


def differing(one: Seen, other: Seen) -> list[bytes]:
    """Return the paths at which two walks differ."""
    return sorted(path for path in one.keys() | other.keys() if one.get(path) != other.get(path))
