"""The rows of a timeline as values: now, the days, the states.

Owns the order of rows and what a filter lets through. Pure: asks nobody and paints nothing. Rows follow `seq`, so a
clock that went back shows a day twice rather than moving a state (case B81).
"""

import datetime
import enum
from collections.abc import Iterable

import msgspec
from backtrail.model.checkpoint import Checkpoint, Origin
from backtrail.model.path_text import path_text

from backtrail_desktop.timeline import words


class RowKind(enum.Enum):
    """What a row shows."""

    NOW = "now"
    DAY = "day"
    STATE = "state"


class Row(msgspec.Struct, frozen=True):
    """One row. checkpoint: of a state, and of now where the folder looks like it. day: of a day's heading."""

    kind: RowKind
    checkpoint: Checkpoint | None = None
    day: datetime.date | None = None


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """What a person wants to see. `text`: in names of files that changed, note, branch or words."""

    text: str = ""
    branch: bytes | None = None
    origin: Origin | None = None
    days: int | None = None
    only_losses: bool = False

    @property
    def empty(self) -> bool:
        """True where everything is shown."""
        return self == Filter()

    @property
    def asked(self) -> "Filter":
        """Return what the Host is asked for.

        Where text is looked for that is all states in a row, since only between neighbours can be told what changed;
        the rest is then filtered here.
        """
        return Filter(days=self.days) if self.text else self

    def lets_through(self, checkpoint: Checkpoint) -> bool:
        """Tell whether a state is of the branch, origin and kind that is wished for."""
        return (
            (self.branch is None or checkpoint.branch == self.branch)
            and (self.origin is None or checkpoint.context.origin is self.origin)
            and (not self.only_losses or bool(checkpoint.lost))
        )

    def since(self, now: datetime.datetime) -> datetime.datetime | None:
        """Return the moment at which the wished days begin: midnight here, `days` - 1 days ago."""
        if self.days is None:
            return None
        midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        return midnight - datetime.timedelta(days=self.days - 1)


def local_day(checkpoint: Checkpoint) -> datetime.date:
    """Return the day of a checkpoint by this machine's clock."""
    return checkpoint.captured_at.astimezone().date()


def state_rows(checkpoints: Iterable[Checkpoint], last_day: datetime.date | None) -> list[Row]:
    """Return rows for checkpoints, newest first, with a heading wherever the day differs from the row above."""
    rows: list[Row] = []
    for checkpoint in checkpoints:
        day = local_day(checkpoint)
        if day != last_day:
            rows.append(Row(RowKind.DAY, day=day))
            last_day = day
        rows.append(Row(RowKind.STATE, checkpoint))
    return rows


def says(checkpoint: Checkpoint, text: str) -> bool:
    """Tell whether the words of a row hold `text`, whatever the case of its letters."""
    wanted = text.casefold()
    paths = [*checkpoint.difference.first, *(lost.path for lost in checkpoint.lost)]
    parts = [
        *(path_text(path) for path in paths),
        path_text(checkpoint.branch or b""),
        checkpoint.note or "",
        words.origin(checkpoint, None),
        words.clock_text(checkpoint.captured_at),
    ]
    return any(wanted in part.casefold() for part in parts)
