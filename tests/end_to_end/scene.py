"""A folder in the middle of someone's work, and a state to go back to.

Owns the two right answers: the whole old folder, and the whole new one. Every disturbed run begins with the same scene
at the same path.
"""

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from backtrail.model.checkpoint import Checkpoint
from core.git_oracle import new_repository
from core.keeping import Keeping
from core.restore.going_back import GoingBack
from core.restore.states import MESS, do
from core.restore.whole_folder import Whole, whole

_PRESENT = r"""
git add -A; git commit -qm over; git branch -q kept; echo later >later; git add later; git commit -qm later
echo staged >>f; git add f; echo unstaged >>f; echo loose >loose; echo grown >>x.log; echo more >build/more
rm -rf d; mkdir hollow; git update-index --assume-unchanged later; git worktree add -q ../second -b second
"""
_CONFLICT = r"""
git checkout -q -b theirs; echo theirs >c; git add c; git commit -qm theirs; git checkout -q main
echo ours >c; git add c; git commit -qm ours; echo '*.log' >>.git/info/exclude; git merge -q theirs >/dev/null || true
echo resolving >>c; echo beside >beside; echo l >a.log
"""


class Scene(NamedTuple):
    """What a disturbed restore starts from. undo: `target` is the restore to undo."""

    place: Path
    target: str
    undo: bool
    checkpoint: Checkpoint
    restored_before: int
    old: Whole
    new: Whole

    @property
    def root(self) -> Path:
        return self.place / "work" / "notes"

    @property
    def told(self) -> Path:
        """What another process makes after it has written."""
        return self.place / "work" / "told"

    @property
    def keeping(self) -> Keeping:
        return Keeping(self.place / "work" / "home", self.root)

    @property
    def arguments(self) -> list[str]:
        return [str(self.place / "work" / "home"), self.target, *(["--undo"] if self.undo else [])]

    def set_up(self) -> None:
        """Put everything where it was."""
        shutil.rmtree(self.place / "work", ignore_errors=True)
        subprocess.run(["cp", "-a", self.place / "template", self.place / "work"], check=True)


def a_checkpoint(place: Path) -> Scene:
    """Set up: a checkpoint of a folder in every state at once, and two commits and a second mess since."""
    root = new_repository(place / "work" / "notes")
    back = GoingBack(Keeping(place / "work" / "home", root))
    do(root, MESS)
    checkpoint = back.keeping.checkpoint()
    do(root, _PRESENT)
    return _ready(place, back, checkpoint, None)


def an_undo(place: Path) -> Scene:
    """Set up: someone restored a checkpoint in the middle of a merge with conflicts, and wants that merge back."""
    root = new_repository(place / "work" / "notes")
    back = GoingBack(Keeping(place / "work" / "home", root))
    do(root, MESS + "git add -A; git commit -qm before; echo edited >>f")
    checkpoint = back.keeping.checkpoint()
    do(root, "git stash -q; " + _CONFLICT)
    record = back.to(checkpoint)
    do(root, "echo since >>f; echo since >since; git add since")
    return _ready(place, back, checkpoint, record.id)


SCENES = {"checkpoint": a_checkpoint, "undo": an_undo}


def _ready(place: Path, back: GoingBack, checkpoint: Checkpoint, undo: str | None) -> Scene:
    """Keep the scene, and learn from an undisturbed run what the new folder is."""
    (place / "work").rename(place / "template")
    scene = Scene(
        place,
        undo or checkpoint.id,
        undo is not None,
        checkpoint,
        int(undo is not None),
        *[Whole({}, {}, frozenset(), {})] * 2,
    )
    scene.set_up()
    old = whole(scene.root)
    _go(scene, back)
    new = whole(scene.root)
    scene.set_up()
    return scene._replace(old=old, new=new)


def _go(scene: Scene, back: GoingBack) -> None:
    if not scene.undo:
        back.to(scene.checkpoint)
        return
    with back.keeping.host() as host:
        _, archive = host.archive(scene.target)
        record = archive.journal.record(archive.places)
    back.undo(record)
