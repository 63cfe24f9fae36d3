"""Which remotes of a repository would publish our refs with a push, or hold them already (case B75).

Owns reading the configuration, and asking a remote what it has: the one place where Backtrail goes over the network,
and only when a person asks for it. Changes nothing, here or there.
"""

import os
import re
import subprocess

from backtrail.git.repository import Repository
from backtrail.git.settings import settings

_KEY = re.compile(r"remote\.(?P<name>.+)\.(?P<what>[a-z]+)", re.IGNORECASE)
_OURS = "refs/botharness/"
_ASKED_FOR_S = 30


def remote_names(repository: Repository) -> list[str]:
    """Return the names of the remotes that have an address."""
    return sorted({name for name, what, _ in _settings(repository) if what == "url"})


def publishing_remotes(repository: Repository) -> list[str]:
    """Return the remotes to which a plain `git push` would send our refs: mirrors, and refspecs that take all."""
    found = set()
    for name, what, value in _settings(repository):
        mirror = what == "mirror" and value.lower() in ("true", "yes", "on", "1", "")
        if mirror or (what == "push" and _takes_ours(value)):
            found.add(name)
    return sorted(found)


def _takes_ours(refspec: str) -> bool:
    source = refspec.removeprefix("+").split(":", 1)[0]
    begin, star, _ = source.partition("*")
    return (bool(star) and _OURS.startswith(begin)) or source.startswith(_OURS)


def _settings(repository: Repository) -> list[tuple[str, str, str]]:
    """Return name, key and value of every setting of a remote, the person's own configuration included."""
    found = []
    for key, value in settings(repository.handle.config):
        match = _KEY.fullmatch(key)
        if match:
            found.append((match["name"], match["what"].lower(), value))
    return found


def ours_on(repository: Repository, remote: str) -> tuple[int, str]:
    """Ask a remote how many of our refs it has; return that and, where it did not answer, why.

    Asks no questions of its own: a remote that wants a password counts as not answering.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_TERMINAL_PROMPT": "0", "GIT_SSH_COMMAND": "ssh -o BatchMode=yes"}
    command = ["git", "-C", os.fsdecode(repository.root), "ls-remote", "--", remote, _OURS + "*"]
    try:
        answer = subprocess.run(
            command, env=environment, capture_output=True, check=False, timeout=_ASKED_FOR_S, stdin=subprocess.DEVNULL
        )
    except FileNotFoundError:
        return 0, "the program git is not here"
    except subprocess.TimeoutExpired:
        return 0, f"no answer in {_ASKED_FOR_S} s"
    if answer.returncode:
        said = answer.stderr.decode("utf-8", "replace").strip().split("\n")
        return 0, said[0].removeprefix("fatal: ").rstrip(".") or f"git ended with {answer.returncode}"
    return len(answer.stdout.splitlines()), ""
