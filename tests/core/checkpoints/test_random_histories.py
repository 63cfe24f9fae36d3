"""Random real work in a repository, a checkpoint after each piece of it, and everything compared each time.

`BACKTRAIL_STEPS=1000` makes longer histories. Each example begins in a fresh repository. After every step the trees
behind the new ref are the disk's and the index's, every earlier checkpoint is whole, and nothing else was changed.
"""

import os
import shutil
import tempfile
from pathlib import Path

from backtrail.model.errors.capture import UnmergedIndex
from core.git_oracle import damage, git, leftovers, new_repository, recovery_refs
from core.keeping import Keeping
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

STEPS = int(os.environ.get("BACKTRAIL_STEPS", "60"))
NAMES = (b"f", b"a", b"d/x", b"d/y", b"d/e/z", b"caf\xe9", b"q\nuote", b"x.log", b"build/o", b"A", b"link")
BRANCHES = ("main", "side", "third")

names = st.sampled_from(NAMES)
branches = st.sampled_from(BRANCHES)
contents = st.sampled_from([b"", b"one\n", b"two\n", b"line\n" * 400, b"crlf\r\n", b"\0binary\xff" * 50]) | st.binary(
    max_size=200
)


class RandomHistory(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.place = Path(tempfile.mkdtemp())
        self.keeping = Keeping(self.place / "home", new_repository(self.place / "notes"))
        self.root = self.keeping.root
        self.taken: dict[str, str] = {}

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

    @invariant()
    def the_state_is_kept(self) -> None:
        if not hasattr(self, "keeping"):
            return
        observed = self.keeping.scan()
        if observed.failure is not None:
            assert isinstance(observed.failure, UnmergedIndex)
            assert git(self.root, "ls-files", "--unmerged") != b""
        elif observed.checkpoint is not None:
            self.taken[observed.checkpoint.id] = observed.checkpoint.commit.hex()
        elif observed.latest is not None:
            self.keeping.compare(observed.latest)
        assert recovery_refs(self.root) == self.taken
        assert self.keeping.damaged() == {}
        assert leftovers(self.root) == []


RandomHistory.TestCase.settings = settings(
    max_examples=3,
    stateful_step_count=STEPS,
    deadline=None,
    database=None,
    derandomize="BACKTRAIL_STEPS" not in os.environ,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
TestRandomHistories = RandomHistory.TestCase
