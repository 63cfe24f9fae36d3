"""Restores that are killed, or meet a fault, at every point where that could hurt; and what is found afterwards.

`python tests/end_to_end/kill_matrix.py [--full] [--scene NAME] [--only PART]` prints a table. Each run begins with the
same scene; afterwards a fresh Host settles it, and `judging.judge` says what is there. Needs strace.
"""

import argparse
import concurrent.futures
import errno
import functools
import itertools
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest does

from backtrail.model.restore import Step
from end_to_end.judging import judge
from end_to_end.scene import SCENES, Scene
from end_to_end.tracing import OPENING, Call, Disturbance, calls, has_strace, run

_LATE = b"late\n"
_NO_EXCHANGE = "renameat2:error=ENOSYS"
_FAULTS = {
    OPENING: ("ENOSPC", "EACCES", "EIO"),
    "mkdir": ("ENOSPC", "EACCES", "EIO"),
    "mkdirat": ("ENOSPC", "EIO"),
    "write": ("ENOSPC", "EIO"),
    "copy_file_range": ("ENOSPC", "EIO"),
    "pwrite64": ("ENOSPC", "EIO"),
    "link": ("ENOSPC", "EXDEV"),
    "linkat": ("ENOSPC", "EXDEV", "EIO", "EACCES"),
    "symlinkat": ("ENOSPC", "EIO"),
    "rename": ("ENOSPC", "EXDEV", "EIO", "EACCES"),
    "renameat": ("ENOSPC", "EXDEV", "EIO", "EACCES"),
    "renameat2": ("ENOSPC", "EXDEV", "EIO", "EACCES", "EBUSY"),
    "fsync": ("EIO", "ENOSPC"),
    "fdatasync": ("EIO",),
    "syncfs": ("EIO", "ENOSPC"),
    "unlink": ("EACCES", "EIO"),
    "unlinkat": ("EACCES", "EIO"),
    "rmdir": ("EACCES",),
    "fchmod": ("EPERM", "EIO"),
    "utimensat": ("EIO",),
    "ftruncate": ("EIO",),
}
_T = TypeVar("_T")


class Kind(NamedTuple):
    """How the folders change places, and whether someone writes just before, so that they are exchanged back."""

    name: str
    inject: tuple[str, ...] = ()
    write_at: str | None = None

    def at(self, step: Step, *inject: str) -> Disturbance:
        return Disturbance(hold=step, inject=(*self.inject, *inject), write_at=self.write_at)


KINDS = (
    Kind("exchange"),
    Kind("two renames", (_NO_EXCHANGE,)),
    Kind("exchange, back", (), Step.SWITCHED),
    Kind("two renames, back", (_NO_EXCHANGE,), Step.SWITCHED),
)


class Group(NamedTuple):
    """Disturbances of one sort, for one line of the table."""

    scene: str
    name: str
    disturbances: list[Disturbance]


class Result(NamedTuple):
    """What one disturbed restore led to. found: `old`, `new` or `neither`."""

    disturbance: Disturbance
    outcome: str
    found: str
    wrong: list[str]


def spread(of: Sequence[_T], most: int) -> list[_T]:
    """Return at most so many of them, the first and the last among them."""
    if len(of) <= most:
        return list(of)
    return [of[round(at * (len(of) - 1) / (most - 1))] for at in range(most)] if most > 1 else list(of[-1:])


def points() -> list[Disturbance]:
    """Kill at each named step, and in the middle of its work."""
    named = [Disturbance(kill=step) for step in Step if step is not Step.SETTLED]
    within = (Step.VERIFIED_TARGET, Step.BUILDING)
    return named + [Disturbance(kill=f"{step}+{number}") for step in within for number in (1, 2, 5)]


def kills(scene: Scene, kind: Kind, *, full: bool) -> list[Disturbance]:
    """Kill at the system calls that change something: all from the last look on, some before that."""
    found = []
    before = 120 if full and kind is KINDS[0] else 0
    for step, most in (
        (Step.VERIFIED_TARGET, before), (Step.LAST_LOOK, 1000 if full else 0), (Step.SWITCHED, 0 if full else 8),
    ):  # fmt: skip
        made = [call for call in calls(scene, kind.at(step)) if call.changes] if most else []
        if step is Step.VERIFIED_TARGET:
            made = made[: next((at for at, call in enumerate(made) if call.name == "syncfs"), 0)]
        made = _few_of_the_database(made, 8 if full else 1)
        found += [kind.at(step, f"{call.name}:signal=KILL:when={call.number}") for call in spread(made, most)]
    return found


def _few_of_the_database(made: list[Call], most: int) -> list[Call]:
    rows = {call.number for call in spread([call for call in made if call.name == "pwrite64"], most)}
    return [call for call in made if call.name != "pwrite64" or call.number in rows]


def faults(scene: Scene, kind: Kind, *, full: bool) -> list[Disturbance]:
    """Let the system refuse calls: once, and from one on for good."""
    found = []
    most = 10 if full else 1
    for step in (Step.VERIFIED_TARGET, Step.SWITCHED):
        if not full and kind is not KINDS[0] and step is Step.VERIFIED_TARGET:
            continue
        made = calls(scene, kind.at(step))
        for name, errors in _FAULTS.items():
            chosen = spread([call for call in made if call.name == name], most)
            for call, error in itertools.product(chosen, errors if full else errors[:1]):
                if name != "renameat2" or not kind.inject:
                    found.append(kind.at(step, f"{name}:error={error}:when={call.number}"))
        found += (
            kind.at(step, f"write,copy_file_range,pwrite64:error=ENOSPC:when={call.number}+")
            for call in spread([call for call in made if call.name == "write"], most)
        )
    return found


def groups(scene_name: str, scene: Scene, *, full: bool) -> Iterator[Group]:
    """Return everything to try on one scene."""
    yield Group(scene_name, "killed at a named point", points())
    for kind in KINDS:
        yield Group(scene_name, f"killed at a call: {kind.name}", kills(scene, kind, full=full))
    for kind in KINDS if full else KINDS[:3]:
        yield Group(scene_name, f"a fault: {kind.name}", faults(scene, kind, full=full))


def try_one(scene: Scene, disturbance: Disturbance) -> Result:
    """Disturb one restore, and judge what is left."""
    scene.set_up()
    outcome = run(scene, disturbance)
    written = _LATE if scene.told.exists() else None
    found, wrong = judge(scene, outcome, written)
    said = "done" if "done" in outcome else outcome.get("error") or ("crashed" if outcome else "killed")
    return Result(disturbance, said, found, wrong)


@functools.cache
def _scene_of_this_process(place: str, name: str) -> Scene:
    return SCENES[name](Path(place) / f"{os.getpid()}-{name}")


def _in_worker(place: str, name: str, disturbance: Disturbance) -> Result:
    try:
        return try_one(_scene_of_this_process(place, name), disturbance)
    except Exception as error:  # noqa: BLE001 - one run that cannot be judged is a finding; the others go on
        return Result(disturbance, "?", "?", [f"cannot be judged: {error!r}"])


def table(results: Iterable[tuple[Group, list[Result]]]) -> Iterator[str]:
    """Return the lines to print."""
    yield f"{'scene':<12}{'what is done':<38}{'runs':>6}{'old':>6}{'new':>6}{'wrong':>7}"
    for group, found in results:
        counted = Counter(result.found for result in found)
        wrong = [result for result in found if result.wrong]
        yield f"{group.scene:<12}{group.name:<38}{len(found):>6}{counted['old']:>6}{counted['new']:>6}{len(wrong):>7}"
        for result in wrong:
            yield f"    {result.disturbance} [{result.outcome}, {result.found}]: {'; '.join(result.wrong)[:600]}"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="part of a group's name")
    parser.add_argument("--scene", choices=SCENES, action="append", help="only this one")
    given = parser.parse_args()
    if not has_strace():
        sys.stderr.write("strace is needed: see README\n")
        return errno.ENOPKG
    failed = 0
    with concurrent.futures.ProcessPoolExecutor(given.workers) as pool, tempfile.TemporaryDirectory() as place:
        for name in given.scene or SCENES:
            for group in groups(name, SCENES[name](Path(place) / name), full=given.full):
                if given.only not in group.name:
                    continue
                found = list(pool.map(_in_worker, itertools.repeat(place), itertools.repeat(name), group.disturbances))
                failed += sum(bool(result.wrong) for result in found)
                sys.stdout.write("\n".join(table([(group, found)])) + "\n")
                sys.stdout.flush()
    sys.stdout.write(f"{failed} wrong\n" if failed else "all hold\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
