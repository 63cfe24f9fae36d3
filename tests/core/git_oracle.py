"""What the Git command says, for tests to compare with, and a proof that a capture changed nothing.

The command is the oracle: none of this uses the code under test. Reading always goes through `--no-optional-locks`, so
that asking does not itself rewrite the index.
"""

import contextlib
import hashlib
import os
import re
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "XDG_"))} | {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@example.invalid",
    "GIT_COMMITTER_NAME": "t",
    "GIT_COMMITTER_EMAIL": "t@example.invalid",
    "LC_ALL": "C",
}
RECOVERY = "refs/botharness/recovery/"
_LISTED = re.compile(rb"(\d+) ([0-9a-f]{40}) (\d)\t([^\0]+)\0(?:  [^\n]*\n){4}  size: \d+\tflags: ([0-9a-f]+)\n")
_INTEND_TO_ADD = 1 << 29
Entries = dict[bytes, tuple[int, str]]
"""Mode and hex id by path."""


def git(root: Path, *arguments: str | bytes | Path, given: bytes = b"", code: int | None = 0) -> bytes:
    """Run git as a person would and return what it prints; `code` is the expected exit code, None for any."""
    done = subprocess.run(["git", *arguments], cwd=root, input=given, env=ENVIRONMENT, capture_output=True, check=False)
    assert code is None or done.returncode == code, done.stderr
    return done.stdout


def ask(root: Path, *arguments: str | bytes) -> bytes:
    """Ask git without letting it write."""
    return git(root, "--no-optional-locks", *arguments)


def new_repository(root: Path) -> Path:
    """Make a repository on branch `main` with one committed file `f`."""
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (root / "f").write_bytes(b"base\n")
    git(root, "add", "f")
    git(root, "commit", "-q", "-m", "base")
    return root


def commit_all(root: Path, message: str = "more") -> None:
    """Commit everything that is there."""
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)


def git_folders(root: Path) -> tuple[Path, Path]:
    """Return the Git folder of a working tree, and the common one (another in a linked worktree)."""
    named = ask(root, "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir").splitlines()
    return Path(os.fsdecode(named[0])), Path(os.fsdecode(named[1]))


def status(root: Path) -> bytes:
    """Return what a person sees as the state of the folder."""
    return ask(root, "status", "--porcelain=v2", "--branch", "--untracked-files=all", "--ignored", "-z")


def head(root: Path) -> str | None:
    """Return HEAD in hex, or None while it is unborn."""
    return git(root, "--no-optional-locks", "rev-parse", "-q", "--verify", "HEAD", code=None).decode().strip() or None


def index_entries(root: Path) -> Entries:
    """Return what the index holds at stage 0, entries that are only intended left out."""
    found: Entries = {}
    for match in _LISTED.finditer(ask(root, "ls-files", "-s", "--debug", "-z")):
        mode, oid, stage, path, flags = match.groups()
        if stage == b"0" and not int(flags, 16) & _INTEND_TO_ADD:
            found[path] = (int(mode, 8), oid.decode())
    return found


def tree_entries(root: Path, name: str) -> Entries:
    """Return everything below a tree that is not a folder."""
    found: Entries = {}
    for line in ask(root, "ls-tree", "-r", "-z", name).split(b"\0")[:-1]:
        facts, _, path = line.partition(b"\t")
        mode, _, oid = facts.split(b" ")
        found[path] = (int(mode, 8), oid.decode())
    return found


def blob_id(content: bytes) -> str:
    """Return the id that these raw bytes have."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def disk_entries(root: Path) -> Entries:
    """Return mode and raw content of every file and link that Git tracks, or would show as untracked."""
    found: Entries = {}
    for path in set(ask(root, "ls-files", "-co", "--exclude-standard", "-z").split(b"\0")) - {b""}:
        place = os.path.join(os.fsencode(root), path)
        if any(os.path.islink(place[:at]) for at in range(len(os.fsencode(root)) + 1, len(place)) if place[at] == 47):
            continue  # a tracked path behind a link is not there
        try:
            mode = os.lstat(place).st_mode
        except (FileNotFoundError, NotADirectoryError):
            continue
        if stat.S_ISLNK(mode):
            found[path] = (0o120000, blob_id(os.readlink(place)))
        elif stat.S_ISREG(mode):
            with open(place, "rb") as file:
                found[path] = (0o100755 if mode & 0o100 else 0o100644, blob_id(file.read()))
    return found


def damage(root: Path) -> bytes:
    """Return what `git fsck` finds wrong; empty when all is well."""
    done = subprocess.run(
        ["git", "fsck", "--strict", "--no-dangling", "--no-progress"],
        cwd=root,
        env=ENVIRONMENT,
        capture_output=True,
        check=False,
    )
    complaints = [line for line in (done.stdout + done.stderr).splitlines(keepends=True) if b"unborn" not in line]
    return b"".join(line for line in complaints if b"No default references" not in line)


def leftovers(root: Path) -> list[str]:
    """Return temporary files, `.keep` files and packs without an index in the object folder."""
    objects = git_folders(root)[1] / "objects"
    found = [path for path in objects.rglob("*") if path.name.startswith("tmp_") or path.suffix == ".keep"]
    found += [path for path in objects.glob("pack/*.pack") if not path.with_suffix(".idx").exists()]
    return [str(path) for path in found]


def recovery_refs(root: Path) -> dict[str, str]:
    """Return the hidden refs: checkpoint id to commit."""
    lines = ask(root, "for-each-ref", "--format=%(refname) %(objectname)", RECOVERY).decode().splitlines()
    return {name.removeprefix(RECOVERY): oid for name, oid in (line.split(" ") for line in lines)}


_Facts = tuple[int, int, int, int, int, int, int, int]


def _listing(place: Path, objects: Path, ours: Path) -> tuple[dict[bytes, _Facts], dict[bytes, tuple[int, int]]]:
    """Return the facts of everything but objects and our refs; and of the objects what must never change."""
    found: dict[bytes, _Facts] = {}
    held: dict[bytes, tuple[int, int]] = {}
    waiting = [os.fsencode(place)]
    while waiting:
        folder = waiting.pop()
        inside_objects = folder.startswith(os.fsencode(objects))
        with contextlib.suppress(PermissionError), os.scandir(folder) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                if inside_objects:
                    ours_for_now = b"_backtrail-" in entry.name or entry.name.endswith(b".keep")
                    if not entry.is_dir(follow_symlinks=False) and not ours_for_now:
                        held[entry.path] = (status.st_mode, status.st_size)
                elif entry.path in (os.fsencode(objects), os.fsencode(ours.parent)):
                    continue
                elif entry.name.startswith(b"sharedindex."):
                    continue  # Git gives it a new time whenever it reads it, even for us; its bytes are compared
                elif not entry.path.startswith(os.fsencode(ours)):
                    found[entry.path] = (
                        status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns,
                        status.st_ino, status.st_uid, status.st_gid, status.st_nlink,
                    )  # fmt: skip
    return found, held


def _contents(git_dir: Path, common_dir: Path) -> dict[str, bytes]:
    """Return the bytes of what a capture could spoil unseen: index, HEAD, config, hooks, refs, reflogs, stash."""
    found: dict[str, bytes] = {}
    for place in {git_dir, common_dir}:
        for path in place.rglob("*"):
            ours = "objects" in path.parts or "botharness" in path.parts
            if not ours and path.is_file() and not path.is_symlink():
                found[str(path)] = path.read_bytes()
    return found


@contextlib.contextmanager
def self_proof(root: Path) -> Iterator[None]:
    """Assert that what happens inside changes not one byte, time or mode of the folder and its Git folder.

    Only new objects and refs below `refs/botharness/` may appear; objects may be given a newer time.
    """
    git_dir, common_dir = git_folders(root)
    objects, ours = common_dir / "objects", common_dir / "refs" / "botharness"
    places = [root, *(place for place in {git_dir, common_dir} if not place.is_relative_to(root))]

    def now() -> tuple[list[dict[bytes, _Facts]], dict[bytes, tuple[int, int]], dict[str, bytes], bytes, bytes]:
        listings = [_listing(place, objects, ours) for place in places]
        held = {path: facts for _, objects_there in listings for path, facts in objects_there.items()}
        held = {p: f for p, f in held.items() if not p.endswith(b".pack") or p[:-5] + b".idx" in held}
        refs = ask(root, "for-each-ref", "--format=%(refname) %(objectname) %(symref)")
        others = b"\n".join(line for line in refs.split(b"\n") if not line.startswith(b"refs/botharness/"))
        return [found for found, _ in listings], held, _contents(git_dir, common_dir), others, status(root)

    before = now()
    yield
    after = now()
    assert after[0] == before[0]
    assert {path: facts for path, facts in after[1].items() if path in before[1]} == before[1]
    assert after[2:] == before[2:]
