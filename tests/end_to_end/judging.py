"""The judgement of what a disturbed restore left, after a fresh Host has settled it.

The live path must hold the whole old folder or the whole new one, what was said of it must be true, and nothing else
may be left over.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from backtrail.model.checkpoint import Cause
from backtrail.model.restore import RestoreRecord, RestoreState
from core.git_oracle import damage
from core.restore.going_back import GoingBack, archive_lacks, archived, untidy
from core.restore.whole_folder import Whole, moved, whole
from end_to_end.scene import Scene


class _Settled(NamedTuple):
    """What the Host tells: restores whose archives came since, their rows, and how many checkpoints say "restored"."""

    records: list[RestoreRecord]
    rows: list[RestoreRecord | None]
    recorded: int
    unfinished: list[str]


def judge(scene: Scene, outcome: Mapping[str, str], written: bytes | None) -> tuple[str, list[str]]:
    """Open a fresh Host, and return which folder is there (`old`, `new` or `neither`) and all that is wrong.

    outcome: what the process said, empty if it was killed. written: what someone else appended to `f` meanwhile.
    """
    settled = _settle(scene)
    if not scene.root.exists():
        return "neither", ["nothing is at the live path"]
    found, wrong = _which(scene, settled, whole(scene.root), written)
    wrong += settled.unfinished
    if written and not _is_somewhere(scene, written):
        wrong.append("what someone else wrote is gone")
    if outcome and not ("error" in outcome and found == "old") and not ("done" in outcome and found == "new"):
        wrong.append(f"it said {outcome}")
    wrong += [f"left over: {item}" for item in untidy(scene.root)]
    if complaints := damage(scene.root):
        wrong.append(f"fsck: {complaints!r}")
    return found, wrong + _goes_on(scene, found)


def _settle(scene: Scene) -> _Settled:
    known = _boxes(scene.place / "template")
    with scene.keeping.host() as host:
        made = [archive for _, archive in host.archives() if os.path.basename(archive.places.box) not in known]
        records = [archive.journal.record(archive.places) for archive in made]
        checkpoints = host.database.checkpoints.page(scene.keeping.memory(host).id, limit=1000)
        return _Settled(
            records,
            [host.database.restores.get(record.id) for record in records],
            sum(row.context.cause is Cause.HUMAN_RESTORE for row in checkpoints) - scene.restored_before,
            [f"unfinished: {error.reason}" for error in host.unfinished.values()],
        )


def _which(scene: Scene, settled: _Settled, now: Whole, written: bytes | None) -> tuple[str, list[str]]:
    """Tell which folder `now` is, and what is wrong with it and with what is kept of the other."""
    if not moved(_without(scene.old, written), _without(now, written)):
        wrong = [f"object {name!r} is gone" for name in scene.old.objects - now.objects]
        return "old", wrong + [f"an archive of nothing: {record}" for record in settled.records if not written]
    expected = _as_told(scene.new, settled.records)
    if moved(_comparable(expected), _comparable(now)):
        here, there = moved(scene.old, now), moved(_comparable(expected), _comparable(now))
        return "neither", [*here[:5], "--", *there[:5]]
    wrong = []
    if [record.state for record in settled.records] != [RestoreState.DONE]:
        wrong.append(f"not one archive: {settled.records}")
    if settled.rows != settled.records or settled.recorded != (not scene.new.says["unmerged"]):
        wrong.append(f"recorded {settled.recorded} times, as {settled.rows}")
    for record in settled.records:
        lacks = archive_lacks(archived(record), scene.old)
        wrong += [f"archive: {item}" for item in lacks if not (written and item.startswith("file b'f'"))]
    return "new", wrong


def _as_told(new: Whole, records: list[RestoreRecord]) -> Whole:
    """Leave out what a restore said that it could not carry over: it is in the archive, and nowhere else."""
    told = {bytes(path) for record in records for path in record.not_carried}
    return new._replace(
        files={path: seen for path, seen in new.files.items() if path not in told},
        inside_git={path: seen for path, seen in new.inside_git.items() if b".git/" + path not in told},
    )


def _goes_on(scene: Scene, found: str) -> list[str]:
    """Restore once more; it must work."""
    if found == "neither":
        return []
    try:
        GoingBack(scene.keeping).to(scene.checkpoint)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
        return [f"a second restore: {error!r}"]
    if not scene.undo and moved(_comparable(scene.new), _comparable(whole(scene.root))):
        return ["a second restore differs"]
    return []


def _comparable(there: Whole) -> Whole:
    """Leave out what two restores to one state may differ in: times in the index, ids and times in reflogs."""
    inside = {
        path: seen for path, seen in there.inside_git.items() if path != b"index" and not path.startswith(b"logs/")
    }
    return there._replace(
        inside_git=inside, says={name: answer for name, answer in there.says.items() if name != "reflog"}
    )


def _without(there: Whole, written: bytes | None) -> Whole:
    """Leave out the file that someone else wrote to."""
    if written is None:
        return there
    return there._replace(files={path: seen for path, seen in there.files.items() if path != b"f"})


def _is_somewhere(scene: Scene, written: bytes) -> bool:
    places = [scene.root, *(scene.root.parent / ".backtrail" / "notes").glob("*/repository")]
    return any((place / "f").read_bytes().endswith(written) for place in places if (place / "f").exists())


def _boxes(work: Path) -> set[bytes]:
    beside = work / ".backtrail" / "notes"
    return {os.fsencode(box.name) for box in beside.iterdir()} if beside.exists() else set()
