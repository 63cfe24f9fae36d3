"""Which folders are watched for a memory, and which names in them matter.

Owns the choice: working folders that are not ignored, and of the Git folder only what a net state is read from. Never
`objects`, never `refs/botharness`: our own ref must not cause a hint. Reads folder listings, and `commondir`.
Does not enter a `.git` further down: a commit in a nested repository is seen by the regular look.
"""

import os
from collections.abc import Callable, Iterator

import msgspec

_TOP_NAMES = frozenset(
    {
        b"HEAD",
        b"index",
        b"packed-refs",
        b"MERGE_HEAD",
        b"MERGE_MSG",
        b"MERGE_MODE",
        b"CHERRY_PICK_HEAD",
        b"REVERT_HEAD",
        b"BISECT_LOG",
        b"rebase-merge",
        b"rebase-apply",
    }
)
_COMMON_DIR_LIMIT = 8192


class Area(msgspec.Struct, frozen=True):
    """A folder, the sub-folders that are watched with it, and what counts as a change in them.

    enters: whether a sub-folder takes part, by its path from `folder`. concerns: whether a change of an entry of this
    name gives a hint (the empty name is the folder itself). reshapes: whether it may change which folders take part.
    """

    folder: bytes
    enters: Callable[[bytes], bool]
    concerns: Callable[[bytes], bool]
    reshapes: Callable[[bytes], bool]

    def folders(self, start: bytes = b"") -> Iterator[bytes]:
        """Yield `start` and every folder below it that takes part, as paths from `folder`.

        Each is listed only after it was yielded: a watch made in between misses nothing. What cannot be listed yields
        nothing more.
        """
        waiting = [start]
        while waiting:
            path = waiting.pop()
            yield path
            try:
                with os.scandir(os.path.join(self.folder, path)) as listing:
                    names = [entry.name for entry in listing if entry.is_dir(follow_symlinks=False)]
            except OSError:
                continue
            inside = [path + b"/" + name if path else name for name in names]
            waiting.extend(folder for folder in inside if self.enters(folder))


def areas_of(root: bytes, git_dir: bytes, is_ignored: Callable[[bytes], bool]) -> tuple[Area, ...]:
    """Return the areas of a memory, the working tree first. `root` is resolved."""
    git_dir = os.path.realpath(git_dir)
    common_dir = _common_folder(git_dir)
    git_folders = {git_dir, common_dir}  # may stand in the tree under any name

    def enters_tree(path: bytes) -> bool:
        return (
            os.path.basename(path) != b".git" and os.path.join(root, path) not in git_folders and not is_ignored(path)
        )

    tree = Area(root, enters_tree, lambda _: True, {b".git", b".gitignore"}.__contains__)
    tops = [_single(folder, _TOP_NAMES, {b"refs", b"info"}) for folder in (git_dir, common_dir)]
    branches = Area(
        os.path.join(common_dir, b"refs", b"heads"),
        lambda _: True,
        lambda name: bool(name) and not name.endswith(b".lock"),
        lambda _: False,
    )
    excludes = _single(os.path.join(common_dir, b"info"), {b"exclude"}, {b"exclude"})
    return (tree, tops[0], branches, excludes) if git_dir == common_dir else (tree, *tops, branches, excludes)


def _single(folder: bytes, names: frozenset[bytes] | set[bytes], reshaping: set[bytes]) -> Area:
    return Area(folder, lambda _: False, (names | reshaping).__contains__, reshaping.__contains__)


def _common_folder(git_dir: bytes) -> bytes:
    """Return where refs are: elsewhere for a linked worktree (case B43)."""
    try:
        descriptor = os.open(os.path.join(git_dir, b"commondir"), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            named = file.read(_COMMON_DIR_LIMIT).partition(b"\0")[0].rstrip(b"\r\n")  # a NUL is its end
    except OSError:
        return git_dir
    return os.path.realpath(os.path.join(git_dir, named)) if named else git_dir
