"""A bar on a terminal for long work; nothing anywhere else.

Owns drawing `model.progress.Progress` on stderr. rich is imported only where there is a bar to draw.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from backtrail.cli.call import Call
from backtrail.model.progress import SILENT, PercentOfLook, Progress
from backtrail.wording.steps import step_text

if TYPE_CHECKING:
    from rich.progress import Progress as Drawn
    from rich.progress import ProgressColumn


@contextlib.contextmanager
def progress_bar(call: Call) -> Iterator[Progress]:
    """Give something to report progress to."""
    if _is_mute(call):
        yield SILENT
        return
    from rich.progress import DownloadColumn  # noqa: PLC0415 - rich is for terminals alone

    with _drawn(DownloadColumn(binary_units=True)) as drawn:
        task = drawn.add_task("", total=None)
        yield _Bar(
            lambda name, total: drawn.reset(task, description=step_text(name), total=total),
            lambda done: drawn.advance(task, done),
        )


@contextlib.contextmanager
def look_bar(call: Call) -> Iterator[Progress]:
    """Give something that a look reports progress to: it shows one percent for all steps."""
    if _is_mute(call):
        yield SILENT
        return
    from rich.progress import TaskProgressColumn  # noqa: PLC0415 - as above

    with _drawn(TaskProgressColumn()) as drawn:
        task = drawn.add_task("", total=None)

        def show(step: str, percent: int | None) -> None:
            total = None if percent is None else 100
            drawn.update(task, description=step_text(step), total=total, completed=percent or 0)

        yield PercentOfLook(show)


def _is_mute(call: Call) -> bool:
    return call.json or not sys.stderr.isatty()


def _drawn(amount: "ProgressColumn") -> "Drawn":
    """Return a line that shows a step, how far it is, that as an amount, and the time."""
    from rich import console, progress  # noqa: PLC0415 - as above

    return progress.Progress(
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        amount,
        progress.TimeElapsedColumn(),
        console=console.Console(stderr=True),
        transient=True,
    )


class _Bar:
    """Progress as two calls of whatever draws it."""

    def __init__(self, begin: Callable[[str, int | None], None], count: Callable[[int], None]) -> None:
        self._begin = begin
        self._count = count

    def step(self, name: str, total: int | None = None) -> None:
        self._begin(name, total)

    def advance(self, done: int) -> None:
        self._count(done)
