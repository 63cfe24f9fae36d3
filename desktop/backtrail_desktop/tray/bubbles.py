"""What is told outside the window, as values: few things, each with one button.

Owns the words. Names of folders go through as they are; whoever shows a bubble writes out what would not be seen.
"""

from collections.abc import Mapping

import msgspec
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.ids import MemoryId
from backtrail.model.memory import Memory
from backtrail.wording.sentence import counted

from backtrail_desktop.shell.standing import Mark, Standing
from backtrail_desktop.timeline.losses import paths_to_get
from backtrail_desktop.timeline.wish import Wanted, Wish
from backtrail_desktop.timeline.words import lost_count

OPEN = "Open Backtrail"
GET_BACK = "Get them back…"
HOST = MemoryId("")
"""The key of what is about all folders at once."""
PATIENCE_S = 120.0
_GOOD = frozenset({Mark.KEPT, Mark.PARTLY})
_BAD = frozenset({Mark.NOT_KEPT, Mark.UNKNOWN})


class Bubble(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to tell. A later bubble about the same folder takes its place.

    about: the folder, or HOST. wish: what the button asks for once the window is there; None for nothing more.
    """

    about: MemoryId
    title: str
    body: str
    button: str = OPEN
    wish: Wish | None = None


def loss(memory: Memory, state: Checkpoint, at: str, kept_at: str | None) -> Bubble:
    """Return what is told of a loss. state: the first one without what was lost. at, kept_at: times as words."""
    where = f"Kept in the state of {kept_at}." if kept_at else "Kept in the state before."
    wish = Wish(state.kept_in, Wanted.LOST, paths_to_get(state.lost)) if state.kept_in else None
    return Bubble(
        about=memory.id,
        title=f"Uncommitted changes in {counted(lost_count(state.lost), 'file')} disappeared",
        body=f"{memory.name}, at {at}. {where}",
        button=GET_BACK if wish else OPEN,
        wish=wish,
    )


def restored(memory: Memory) -> Bubble:
    """Return what is told of a restore that came to its end while the window was hidden."""
    return Bubble(
        about=memory.id,
        title=f"{memory.name} was brought back",
        body="The folder as it was before is in the archives.",
    )


def goes_on() -> Bubble:
    """Return what is told, once, to somebody who has closed the window."""
    return Bubble(
        about=HOST,
        title="Backtrail goes on in the tray",
        body="Your folders are still watched. Quit, in the menu of its icon, ends that.",
    )


class Unkept:
    """Tells once that a folder has not been kept for two minutes, and that it is again, if the first was told."""

    def __init__(self) -> None:
        self._since: dict[MemoryId, float] = {}
        self._told: set[MemoryId] = set()

    def tell(self, now: float, standings: Mapping[MemoryId, tuple[str, Standing]]) -> list[Bubble]:
        """Return what is to be told. now: seconds that only grow. A folder that is not named is not known now.

        standings: name and answer of each folder; of HOST, with any name, while the Host does not answer.
        """
        bubbles: list[Bubble] = []
        for about, (name, standing) in standings.items():
            if standing.mark in _BAD:
                since = self._since.setdefault(about, now)
                if now - since >= PATIENCE_S and about not in self._told:
                    self._told.add(about)
                    bubbles.append(_not_kept(about, name, standing))
                continue
            self._since.pop(about, None)
            if about in self._told:
                self._told.discard(about)
                if standing.mark in _GOOD or about == HOST:
                    bubbles.append(_kept_again(about, name, standing))
        return bubbles


def _not_kept(about: MemoryId, name: str, standing: Standing) -> Bubble:
    title = "Your folders are not watched" if about == HOST else f"{name} is not kept"
    return Bubble(about=about, title=title, body=f"{standing.sentence}.")


def _kept_again(about: MemoryId, name: str, standing: Standing) -> Bubble:
    if about == HOST:
        return Bubble(about=about, title="Your folders are watched again", body="Backtrail is running again.")
    return Bubble(about=about, title=f"{name} is kept again", body=f"{standing.sentence}.")
