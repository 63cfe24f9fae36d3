"""Going back as a person does it: plan, confirm with the plan's token, look at what is there afterwards.

Each call is a start-up of its own, as for the command line. After each one the folder and everything beside it must be
tidy, and the archive must be the folder as it was.
"""

import os
from collections.abc import Callable
from pathlib import Path

from backtrail.host.restoring import Restoring
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.ids import Token
from backtrail.model.progress import SILENT, Progress
from backtrail.model.restore import Ignored, RestorePlan, RestoreRecord, RestoreState, Step
from core.git_oracle import damage
from core.keeping import Keeping
from core.restore.whole_folder import Whole, answers, moved, whole


class GoingBack:
    """Restores of the one memory of a `Keeping`."""

    def __init__(self, keeping: Keeping) -> None:
        self.keeping = keeping
        self.root = keeping.root

    def plan(self, checkpoint: Checkpoint, choice: Ignored = Ignored.CARRY) -> RestorePlan:
        with self.keeping.opened() as work:
            restoring = Restoring(work)
            return restoring.plan(restoring.target(checkpoint), choice)

    def blockers(self, checkpoint: Checkpoint) -> list[str]:
        return [blocker.code for blocker in self.plan(checkpoint).blockers]

    def to(
        self,
        checkpoint: Checkpoint,
        choice: Ignored = Ignored.CARRY,
        *,
        despite: frozenset[str] = frozenset(),
        progress: Progress = SILENT,
    ) -> RestoreRecord:
        """Restore a checkpoint, and compare the archive with the folder as it was."""
        before = whole(self.root)
        token = self.plan(checkpoint, choice).token
        record = self.with_token(checkpoint, token, choice, despite=despite, progress=progress)
        self._check(record, before)
        return record

    def with_token(
        self,
        checkpoint: Checkpoint,
        token: Token,
        choice: Ignored = Ignored.CARRY,
        *,
        despite: frozenset[str] = frozenset(),
        progress: Progress = SILENT,
    ) -> RestoreRecord:
        with self.keeping.opened() as work:
            restoring = Restoring(work)
            return restoring.restore(restoring.target(checkpoint), token, choice, despite, progress)

    def undo(self, record: RestoreRecord, progress: Progress = SILENT) -> RestoreRecord:
        """Undo a restore, and compare the archive with the folder as it was."""
        before = whole(self.root)
        with self.keeping.host() as host:
            memory, archive = host.archive(record.id)
            with host.open_memory(memory) as work:
                restoring = Restoring(work)
                undone = restoring.restore(restoring.undo_target(archive), None, Ignored.CARRY, frozenset(), progress)
        self._check(undone, before)
        return undone

    def _check(self, record: RestoreRecord, before: Whole) -> None:
        assert record.state is RestoreState.DONE
        assert record.checkpoint is not None or answers(self.root)["unmerged"]
        assert archive_lacks(archived(record), before) == []
        assert untidy(self.root) == []
        assert damage(self.root) == b""


def archived(record: RestoreRecord) -> Path:
    """Return the folder that a restore switched out."""
    assert record.archive is not None
    return Path(os.fsdecode(record.archive))


def archive_lacks(archive: Path, before: Whole) -> list[str]:
    """Name what an archive has not as the folder had it; empty when it is the whole of it."""
    there = whole(archive)
    return moved(before, there) + [f"object {name!r}" for name in sorted(before.objects - there.objects)]


def untidy(root: Path) -> list[str]:
    """Name what is left over of a restore in a folder and beside it; empty when all is tidy."""
    left = [str(path) for path in root.parent.glob(".backtrail-trial-*")]
    left += [
        str(path) for path in (root / ".git").rglob("*") if path.name.endswith(".lock") or path.name.startswith("tmp_")
    ]
    left += [str(path) for path in (root / ".git").glob("backtrail-*")]
    beside = root.parent / ".backtrail"
    if not beside.exists():
        return left
    boxes = sorted((beside / root.name).iterdir()) if (beside / root.name).exists() else []
    for box in boxes:
        if sorted(os.listdir(box)) != ["repository", "restore.json"]:
            left.append(f"{box}: {sorted(os.listdir(box))}")
        if (box / "repository" / ".git" / "backtrail-copy").exists():
            left.append(f"{box}: marked")
    if not boxes:
        left.append(f"{beside}: {sorted(str(path.relative_to(beside)) for path in beside.rglob('*'))}")
    elif (beside / ".gitignore").read_bytes() != b"*\n":
        left.append(f"{beside}: not ignored")
    return left


class At:
    """Progress that does something at one step."""

    def __init__(self, step: Step, act: Callable[[], object]) -> None:
        self._step = step
        self._act = act

    def step(self, name: str, total: int | None = None) -> None:
        del total
        if name == self._step:
            self._act()

    def advance(self, done: int) -> None:
        pass
