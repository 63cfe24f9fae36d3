"""`backtrail status`: is my work kept? What is known of the Host and of every folder, without looking anew.

Owns the answer only. It says when each folder was looked at last: what changed since then is not kept.
"""

from collections.abc import Iterator

import click

from backtrail import __version__
from backtrail.cli.as_json import memory_json, time_json
from backtrail.cli.call import Call, Json
from backtrail.cli.opening import opened
from backtrail.cli.printing import Block, Table
from backtrail.cli.verb import Verb
from backtrail.host.host import Host
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.errors import BacktrailError
from backtrail.model.memory import Memory, MemoryState
from backtrail.wording.protection import memory_text
from backtrail.wording.sentence import size_text, time_text


class _Known:
    """What is known of one memory."""

    def __init__(self, host: Host, memory: Memory) -> None:
        self.memory = memory
        self.checkpoints = host.database.checkpoints.count(memory.id)
        self.latest: Checkpoint | None = host.database.checkpoints.latest(memory.id)
        self.pending = len(host.database.inbox.pending(memory.bot, limit=1000))
        self.unfinished = memory.id in host.unfinished
        try:
            sizes = [item.journal.bytes for _, item in host.archives(memory)]
        except BacktrailError:
            sizes = []  # a damaged manifest: `doctor` names it
        self.archives, self.archived_bytes = len(sizes), sum(sizes)

    def json(self) -> Json:
        return {
            **memory_json(self.memory),
            "checkpoints": self.checkpoints,
            "latest": self.latest.id if self.latest else None,
            "latest_at": time_json(self.latest.captured_at) if self.latest else None,
            "inbox_pending": self.pending,
            "archives": self.archives,
            "archived_bytes": self.archived_bytes,
            "restore_unfinished": self.unfinished,
        }


@click.command("status", cls=Verb, example="backtrail status")
@click.pass_obj
def status(call: Call) -> None:
    """Say of every folder whether its work is kept, and since when nobody looked."""
    with opened(call) as host:
        known = [_Known(host, memory) for memory in host.memories()]
        home = str(host.home)
    told: Json = {
        "host": {"version": __version__, "home": home, "watching": call.watched},
        "memories": [one.json() for one in known],
    }
    call.answer({"status": told}, _lines(home, known, watched=call.watched))


def _lines(home: str, known: list[_Known], *, watched: bool) -> Iterator[Block]:
    yield f"Backtrail {__version__}, data folder {home}."
    if not known:
        yield "No folder is watched yet. Begin with `backtrail memory add PATH`."
        return
    yield Table(
        ("NAME", "WORK IS", "LOOKED AT", "CHECKPOINTS", "ARCHIVES", "INBOX"),
        [
            (
                one.memory.name,
                memory_text(one.memory),
                time_text(one.memory.protection.looked_at) if one.memory.protection.looked_at else "never",
                str(one.checkpoints),
                f"{one.archives} ({size_text(one.archived_bytes)})" if one.archives else "0",
                str(one.pending),
            )
            for one in known
        ],
    )
    if any(one.memory.state is MemoryState.ATTACHED for one in known):
        if watched:
            yield "Backtrail is watching: what changes is looked at within seconds."
        else:
            yield "What changed after a folder was looked at is kept by the next `backtrail scan`."
