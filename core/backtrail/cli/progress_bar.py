"""A bar on a terminal for long work; nothing anywhere else.

Owns drawing `model.progress.Progress` on stderr. rich is imported only where there is a bar to draw.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator

from backtrail.cli.call import Call
from backtrail.model.progress import SILENT, Progress
from backtrail.wording.steps import step_text


@contextlib.contextmanager
def progress_bar(call: Call) -> Iterator[Progress]:
    """Give something to report progress to."""
    if call.json or not sys.stderr.isatty():
        yield SILENT
        return
    from rich import console, progress  # noqa: PLC0415 - rich is for terminals alone

    columns = (
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.DownloadColumn(binary_units=True),
        progress.TimeElapsedColumn(),
    )
    with progress.Progress(*columns, console=console.Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task("", total=None)
        yield _Bar(
            lambda name, total: drawn.reset(task, description=step_text(name), total=total),
            lambda done: drawn.advance(task, done),
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
