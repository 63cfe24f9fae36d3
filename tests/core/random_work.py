"""Random real work in a repository: commands of Git and changes of the disk, as hypothesis chooses them.

A machine of hypothesis; what is proved after each step is for those who derive from it. Commands may fail: that is
work, too. Nothing here looks at what the product says.
"""

import os
import shutil
import tempfile
from pathlib import Path

from core.git_oracle import damage, git, new_repository
from core.keeping import Keeping
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

NAMES = (b"f", b"a", b"d/x", b"d/y", b"d/e/z", b"caf\xe9", b"q\nuote", b"x.log", b"build/o", b"A", b"link")
BRANCHES = ("main", "side", "third")

names = st.sampled_from(NAMES)
branches = st.sampled_from(BRANCHES)
contents = st.sampled_from([b"", b"one\n", b"two\n", b"line\n" * 400, b"crlf\r\n", b"\0binary\xff" * 50]) | st.binary(
    max_size=200
)


class RandomWork(RuleBasedStateMachine):
    """`root`: the repository, `keeping`: what looks at it, `place`: the folder of both, gone afterwards."""

    @initialize()
    def begin(self) -> None:
        self.place = Path(tempfile.mkdtemp())
        self.keeping = Keeping(self.place / "home", new_repository(self.place / "notes"))
        self.root = self.keeping.root

    def teardown(self) -> None:
        if hasattr(self, "place"):
            assert damage(self.root) == b""
            shutil.rmtree(self.place)

    def path(self, name: bytes) -> bytes:
        return os.path.join(os.fsencode(self.root), name)

    def make_room(self, name: bytes) -> bool:
        """Make the folder that a path lies in; False where something else is in the way."""
        try:
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            return False
        return not os.path.isdir(self.path(name)) or os.path.islink(self.path(name))

    @rule(name=names, content=contents)
    def write(self, name: bytes, content: bytes) -> None:
        if self.make_room(name) and not os.path.islink(self.path(name)):
            with open(self.path(name), "wb") as file:
                file.write(content)

    @rule(name=names, content=contents)
    def append(self, name: bytes, content: bytes) -> None:
        if os.path.isfile(self.path(name)) and not os.path.islink(self.path(name)):
            with open(self.path(name), "ab") as file:
                file.write(content)

    @rule(name=names)
    def delete(self, name: bytes) -> None:
        if os.path.isfile(self.path(name)) or os.path.islink(self.path(name)):
            os.unlink(self.path(name))

    @rule(name=names, mode=st.sampled_from([0o644, 0o755, 0o600, 0o444, 0o700]))
    def chmod(self, name: bytes, mode: int) -> None:
        if os.path.isfile(self.path(name)) and not os.path.islink(self.path(name)):
            os.chmod(self.path(name), mode)

    @rule(name=names, leads_to=st.sampled_from([b"f", b"d", b".", b"/nonexistent", b"caf\xe9"]))
    def symlink(self, name: bytes, leads_to: bytes) -> None:
        if self.make_room(name):
            self.delete(name)
            if not os.path.lexists(self.path(name)):
                os.symlink(leads_to, self.path(name))

    @rule(name=st.sampled_from([b"empty", b"d", b"d/e", b"build", b"a"]))
    def make_folder(self, name: bytes) -> None:
        if not os.path.lexists(self.path(name)) and self.make_room(name):
            os.mkdir(self.path(name))

    @rule(name=names, content=st.binary(min_size=3, max_size=3))
    def same_size_and_times(self, name: bytes, content: bytes) -> None:
        """Write as many bytes as there were, and put the times back."""
        path = self.path(name)
        if os.path.isfile(path) and not os.path.islink(path):
            seen = os.stat(path)
            with open(path, "r+b") as file:
                file.write((content * seen.st_size)[: seen.st_size])
            os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))

    @rule(old=names, new=names)
    def rename(self, old: bytes, new: bytes) -> None:
        if os.path.lexists(self.path(old)) and not os.path.isdir(self.path(old)) and self.make_room(new):
            os.rename(self.path(old), self.path(new))

    @rule(rules=st.sampled_from([b"*.log\n", b"build/\n", b"*.log\nbuild\n!x.log\n", b"", b"d/*\n!d/x\n", b"*\n"]))
    def ignore(self, rules: bytes) -> None:
        (self.root / ".gitignore").write_bytes(rules)

    @rule(name=names)
    def add(self, name: bytes) -> None:
        git(self.root, "add", "-f", "--", b":(literal)" + name, code=None)

    @rule()
    def add_all(self) -> None:
        git(self.root, "add", "-A", code=None)

    @rule(name=names)
    def intend_to_add(self, name: bytes) -> None:
        git(self.root, "add", "-N", "-f", "--", b":(literal)" + name, code=None)

    @rule(name=names)
    def untrack(self, name: bytes) -> None:
        git(self.root, "rm", "-q", "--cached", "--", b":(literal)" + name, code=None)

    @rule()
    def commit(self) -> None:
        git(self.root, "commit", "-q", "--allow-empty", "-m", "more", code=None)

    @rule()
    def commit_all(self) -> None:
        git(self.root, "add", "-A", code=None)
        git(self.root, "commit", "-q", "-m", "all", code=None)

    @rule()
    def amend(self) -> None:
        git(self.root, "commit", "-q", "--amend", "-m", "amended", "--allow-empty", code=None)

    @rule(to=st.sampled_from(["HEAD", "HEAD~1", "side"]))
    def reset_hard(self, to: str) -> None:
        git(self.root, "reset", "-q", "--hard", to, code=None)

    @rule()
    def reset_mixed(self) -> None:
        git(self.root, "reset", "-q", code=None)

    @rule(flags=st.sampled_from([(), ("-u",)]))
    def stash(self, flags: tuple[str, ...]) -> None:
        git(self.root, "stash", "-q", *flags, code=None)

    @rule()
    def stash_pop(self) -> None:
        git(self.root, "stash", "pop", "-q", code=None)

    @rule(branch=branches)
    def checkout(self, branch: str) -> None:
        git(self.root, "checkout", "-q", branch, code=None)

    @rule(branch=branches)
    def new_branch(self, branch: str) -> None:
        git(self.root, "checkout", "-q", "-b", branch, code=None)

    @rule()
    def detach(self) -> None:
        git(self.root, "checkout", "-q", "--detach", code=None)

    @rule(branch=branches)
    def merge(self, branch: str) -> None:
        git(self.root, "merge", "-q", "--no-edit", branch, code=None)

    @rule()
    def merge_without_commit(self) -> None:
        git(self.root, "merge", "-q", "--no-commit", "--no-ff", "side", code=None)

    @rule()
    def end_the_merge(self) -> None:
        git(self.root, "merge", "--abort", code=None)

    @rule(onto=branches)
    def rebase(self, onto: str) -> None:
        git(self.root, "rebase", "-q", onto, code=None)

    @rule(how=st.sampled_from(["--abort", "--skip", "--quit"]))
    def end_the_rebase(self, how: str) -> None:
        git(self.root, "rebase", how, code=None)

    @rule(commit=branches)
    def cherry_pick(self, commit: str) -> None:
        git(self.root, "cherry-pick", commit, code=None)

    @rule(how=st.sampled_from(["--abort", "--quit"]))
    def end_the_pick(self, how: str) -> None:
        git(self.root, "cherry-pick", how, code=None)

    @rule(old=names, new=names)
    def move(self, old: bytes, new: bytes) -> None:
        if self.make_room(new):
            git(self.root, "mv", "-f", "--", old, new, code=None)

    @rule(name=names, flags=st.sampled_from([(), ("--staged",), ("--staged", "--worktree")]))
    def restore(self, name: bytes, flags: tuple[str, ...]) -> None:
        git(self.root, "restore", *flags, "--", b":(literal)" + name, code=None)

    @rule(flags=st.sampled_from(["-fdq", "-fdxq"]))
    def clean(self, flags: str) -> None:
        git(self.root, "clean", flags, code=None)

    @rule(name=names, flag=st.sampled_from(["assume-unchanged", "skip-worktree"]), no=st.sampled_from(["", "no-"]))
    def mark(self, name: bytes, flag: str, no: str) -> None:
        git(self.root, "update-index", f"--{no}{flag}", "--", name, code=None)

    @rule(how=st.sampled_from(["--index-version 4", "--index-version 2", "--split-index", "--no-split-index"]))
    def index_format(self, how: str) -> None:
        git(self.root, "update-index", *how.split(), code=None)

    @rule(folders=st.sampled_from([("d",), ("build", "d"), ()]))
    def sparse(self, folders: tuple[str, ...]) -> None:
        if folders:
            git(self.root, "sparse-checkout", "set", *folders, code=None)
        else:
            git(self.root, "sparse-checkout", "disable", code=None)

    @rule()
    def collect(self) -> None:
        git(self.root, "reflog", "expire", "--expire=now", "--all")
        git(self.root, "gc", "-q", "--prune=now", code=None)

    @rule()
    def pack_refs(self) -> None:
        git(self.root, "pack-refs", "--all")

    @rule(branch=branches)
    def worktree(self, branch: str) -> None:
        linked = self.place / "linked"
        if linked.exists():
            git(self.root, "worktree", "remove", "--force", str(linked))
        else:
            git(self.root, "worktree", "add", "-q", "--force", str(linked), branch, code=None)

    @rule(flag=st.sampled_from(["true", "false"]))
    def line_ends(self, flag: str) -> None:
        git(self.root, "config", "core.autocrlf", flag)
