"""The demo's story, really done: work, its loss, the plan, the restore, the proofs, the undo and back again.

Owns the order of events. Everything is done with the git command and the Host, in the folder that was named; the words
and files of the story are data (`backtrail_resources`). Proves by git and a plain walk, never by the engine's own eyes.
"""

import importlib.resources
import os
import shutil
from collections.abc import Callable

import msgspec

from backtrail.cli.demo_git import DemoGit, Seen, differing, seen_in
from backtrail.host.host import Host
from backtrail.host.restoring import Restoring
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.errors import BacktrailError
from backtrail.model.errors.memory import FolderTaken
from backtrail.model.errors.repository import NotReachable
from backtrail.model.memory import Memory
from backtrail.model.path_text import path_text
from backtrail.model.progress import Progress
from backtrail.model.restore import Ignored, RestorePlan, RestoreRecord

_RUN = 0o755


class Commit(msgspec.Struct, frozen=True):
    """Files that one commit of the story adds. name: of a branch it is on."""

    message: str
    files: dict[str, str]
    name: str = ""


class Script(msgspec.Struct, frozen=True):
    """The story's data: paths and contents."""

    ignored: str
    ignored_content: str
    committed: dict[str, str]
    branch: Commit
    second: Commit
    staged: dict[str, str]
    unstaged: dict[str, str]
    untracked: dict[str, str]
    deleted: list[str]
    executable: list[str]

    @property
    def uncommitted(self) -> set[bytes]:
        """The paths whose uncommitted content `git reset --hard` and `git clean -fd` take away."""
        return {path.encode() for path in (*self.staged, *self.unstaged, *self.untracked)}


def load_script() -> Script:
    """Return the story that comes with Backtrail."""
    data = importlib.resources.files("backtrail_resources").joinpath("demo/story.json").read_bytes()
    return msgspec.json.decode(data, type=Script)


class Proof(msgspec.Struct, frozen=True):
    """One thing the demo claims, and whether it holds. differs: what does not."""

    name: str
    ok: bool
    differs: tuple[str, ...] = ()


class State(msgspec.Struct, frozen=True):
    """A folder as git and a plain walk see it."""

    status: bytes
    files: Seen

    @classmethod
    def of(cls, folder: bytes) -> "State":
        """Look."""
        return cls(DemoGit(folder).status(), seen_in(folder))


class Story:
    """One telling of the story. `say` is given each sentence as it happens."""

    def __init__(self, host: Host, folder: bytes, say: Callable[[str], None], progress: Progress) -> None:
        self._host = host
        self._folder = folder
        self._say = say
        self._progress = progress
        self._script = load_script()
        self._git = DemoGit(folder)
        self.proofs: list[Proof] = []

    def tell(self) -> None:
        """Tell it from beginning to end. Raises errors of `model.errors`."""
        memory, kept, good = self.tell_until_loss()
        bad = State.of(self._folder)
        done = self._restore(memory, kept)
        self._prove_restored(good)
        self._prove_archived(done, bad)
        undone = self._undo(memory, done)
        self._prove("undo-gives-the-state-before-the-restore-back", self._against(bad))
        self._say("And once more to the rescued state: an undo can be undone, too.")
        self._undo(memory, undone)
        self._prove("undoing-the-undo-rescues-again", self._against(good))

    def tell_until_loss(self) -> tuple[Memory, Checkpoint, State]:
        """Tell it up to the moment when the work is gone; return the memory, where it is kept, and what it was."""
        memory = self._begin()
        self._work()
        kept = self._scan_work(memory)
        good = State.of(self._folder)
        self._lose(memory, kept)
        return memory, kept, good

    def _begin(self) -> Memory:
        """Make the folder, its first commits on two branches, and let Backtrail watch it."""
        there_before = os.path.lexists(self._folder)
        try:
            os.makedirs(self._folder, exist_ok=True)
            if os.listdir(self._folder):
                raise FolderTaken(self._folder)
        except FileExistsError as error:
            raise FolderTaken(self._folder) from error
        except OSError as error:
            raise NotReachable(self._folder, error.strerror or "") from error
        try:
            self._commits()
            memory = self._host.lifecycle().add(self._folder, None)
        except BacktrailError:
            self._take_away(keep_folder=there_before)
            raise
        with self._host.open_memory(memory) as work:
            work.scan()
        self._say(f"A folder with three commits on two branches, and Backtrail watches it: {path_text(self._folder)}")
        return memory

    def _take_away(self, *, keep_folder: bool) -> None:
        """Remove what the demo has just made where the folder is refused."""
        shutil.rmtree(self._folder)
        if keep_folder:
            os.mkdir(self._folder)

    def _commits(self) -> None:
        script = self._script
        self._git.run("init", "--quiet", "--template=", "--initial-branch=main")
        self._write(script.committed)
        self._commit("Begin the log")
        self._git.run("switch", "--quiet", "--create", script.branch.name)
        self._write(script.branch.files)
        self._commit(script.branch.message)
        self._git.run("switch", "--quiet", "main")
        self._write(script.second.files)
        self._commit(script.second.message)

    def _commit(self, message: str) -> None:
        self._git.run("add", "--all")
        self._git.run("commit", "--quiet", "--message", message)

    def _work(self) -> None:
        """Leave work of every kind: staged, changed after that, untracked, deleted, made executable; and ignored."""
        script = self._script
        self._write(script.staged)
        self._git.run("add", "--", *script.staged)
        self._write(script.unstaged | script.untracked | {script.ignored: script.ignored_content})
        for name in script.deleted:
            os.unlink(self._place(name))
        for name in script.executable:
            os.chmod(self._place(name), _RUN)
        self._say("An hour of work: a letter staged and changed again, a log going on, two new files, one deleted.")

    def _scan_work(self, memory: Memory) -> Checkpoint:
        with self._host.open_memory(memory) as work:
            observed = work.scan()
        if observed.checkpoint is None:
            raise observed.failure or AssertionError("new work always gets a checkpoint")
        self._say(f"Backtrail looks, and keeps it: checkpoint {observed.checkpoint.id[:8]}.")
        return observed.checkpoint

    def _lose(self, memory: Memory, kept: Checkpoint) -> None:
        self._git.run("reset", "--quiet", "--hard")
        self._git.run("clean", "--quiet", "-fd")
        self._say("Then: git reset --hard, git clean -fd. The hour is gone, and Git knows nothing of it.")
        with self._host.open_memory(memory) as work:
            after = work.scan().checkpoint
        lost = {item.path for item in after.lost} if after else set()
        self._say(f"Backtrail looks again and names what was lost: {', '.join(path_text(p) for p in sorted(lost))}.")
        self._prove("the-loss-is-named", [path_text(path) for path in sorted(lost ^ self._script.uncommitted)])
        where = after.kept_in if after else None
        self._prove("and-where-it-is-kept", [] if where == kept.id else [str(where)])

    def _restore(self, memory: Memory, kept: Checkpoint) -> RestoreRecord:
        with self._host.open_memory(memory) as work:
            restoring = Restoring(work)
            target = restoring.target(kept)
            plan = restoring.plan(target, Ignored.CARRY)
            self._say_plan(plan)
            done = restoring.restore(target, plan.token, Ignored.CARRY, frozenset(), self._progress)
        self._say(f"Restored in {done.took_ms} ms, by one switch of two folders.")
        return done

    def _say_plan(self, plan: RestorePlan) -> None:
        back = sorted({change.path for change in (*plan.comes_back, *plan.changes)})
        gone = sorted({change.path for change in plan.leaves})
        self._say(f"The plan changes nothing yet. Comes back or changes: {', '.join(map(path_text, back))}.")
        if gone:
            self._say(f"Leaves: {', '.join(map(path_text, gone))}.")
        carried = ", ".join(map(path_text, plan.carry_over.paths))
        self._say(f"Carried over as it is, since Git ignores it: {carried}.")

    def _undo(self, memory: Memory, done: RestoreRecord) -> RestoreRecord:
        _, archive = self._host.archive(done.id)
        with self._host.open_memory(memory) as work:
            restoring = Restoring(work)
            target = restoring.undo_target(archive)
            return restoring.restore(target, None, Ignored.CARRY, frozenset(), self._progress)

    def _prove_restored(self, good: State) -> None:
        now = State.of(self._folder)
        self._prove("git-status-is-equal", [] if now.status == good.status else ["git status --porcelain=v2"])
        self._prove("every-byte-and-mode-is-equal", [path_text(path) for path in differing(good.files, now.files)])
        ignored = self._script.ignored.encode()
        there = ignored in now.files and now.files[ignored] == good.files.get(ignored)
        self._prove("the-ignored-file-is-still-there", [] if there else [path_text(ignored)])

    def _prove_archived(self, done: RestoreRecord, bad: State) -> None:
        if done.archive is None:
            self._prove("the-archive-holds-the-state-before-the-restore", ["there is no archive"])
            return
        self._say(f"The folder as it was before the restore lies whole in {path_text(done.archive)}")
        self._prove("the-archive-holds-the-state-before-the-restore", self._against(bad, done.archive))

    def _against(self, state: State, folder: bytes | None = None) -> list[str]:
        now = State.of(folder or self._folder)
        status = [] if now.status == state.status else ["git status --porcelain=v2"]
        return [*status, *(path_text(path) for path in differing(state.files, now.files))]

    def _prove(self, name: str, differs: list[str]) -> None:
        proof = Proof(name, not differs, tuple(differs))
        self.proofs.append(proof)
        told = name.replace("-", " ")
        self._say(f"  ok: {told}" if proof.ok else f"  NOT OK: {told}: differs in {', '.join(differs)}")

    def _write(self, files: dict[str, str]) -> None:
        for name, content in files.items():
            place = self._place(name)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "wb") as file:
                file.write(content.encode())

    def _place(self, name: str) -> bytes:
        return os.path.join(self._folder, name.encode())
