"""`backtrail scan`: look at a folder now, keep what changed, and say what was lost.

Owns the answer of a look. A state that cannot be kept is no failure of the command: the answer says so.
"""

import time
from collections.abc import Iterator

import click

from backtrail.cli.as_json import checkpoint_json, coverage_json, event_json, lost_json, protection_json
from backtrail.cli.call import REFUSED, Call, Json
from backtrail.cli.opening import opened
from backtrail.cli.printing import Block
from backtrail.cli.progress_bar import look_bar
from backtrail.cli.refusal import refusal_blocks, refusal_json
from backtrail.cli.verb import Verb, memory_argument
from backtrail.host.host import Host
from backtrail.host.open_memory import OpenMemory
from backtrail.inbox.observing import Observed
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.errors import BacktrailError
from backtrail.model.ids import Token
from backtrail.model.memory import Memory, MemoryState
from backtrail.model.path_text import path_text
from backtrail.restore.plan import Now, list_live
from backtrail.wording.coverage import left_out_text
from backtrail.wording.errors import explain
from backtrail.wording.protection import protection_text
from backtrail.wording.sentence import counted


@click.command(
    "scan",
    cls=Verb,
    example="backtrail scan ~/notes\nbacktrail scan --all --json",
)
@memory_argument
@click.option("--all", "every", is_flag=True, help="Look at every folder that is watched.")
@click.option("--full-hash", is_flag=True, help="Read every file, whatever its times say.")
@click.pass_obj
def scan(call: Call, *, memory: str | None, every: bool, full_hash: bool) -> None:
    """Look at a folder now, keep what changed, and say what was lost."""
    if every and memory is not None:
        raise click.UsageError("Give a folder or --all, not both.")
    with opened(call) as host:
        if not every:
            one = host.memory(memory)
            looked = _look(call, host, one, full_hash=full_hash)
            call.answer(looked.told, looked.said)
            return
        looks = [
            _look_or_refusal(call, host, one, full_hash=full_hash)
            for one in host.memories()
            if one.state is MemoryState.ATTACHED
        ]
    call.answer({"scans": [look.told for look in looks]}, (line for look in looks for line in look.said))


class _Looked:
    """What one look is answered with."""

    def __init__(self, told: Json, said: Iterator[Block]) -> None:
        self.told = told
        self.said = said


def _look_or_refusal(call: Call, host: Host, memory: Memory, *, full_hash: bool) -> _Looked:
    """Look at one of several: a folder that cannot be looked at does not stop the others."""
    try:
        return _look(call, host, memory, full_hash=full_hash)
    except BacktrailError as error:
        call.exit_code = REFUSED
        return _Looked({"memory": memory.id, "error": refusal_json(error)}, _with_name(memory, error))


def _with_name(memory: Memory, error: BacktrailError) -> Iterator[Block]:
    yield f"{memory.name}:"
    yield from refusal_blocks(error)


def _look(call: Call, host: Host, memory: Memory, *, full_hash: bool) -> _Looked:
    """Look. The guard token takes a listing of the whole folder (0.2 s for 50,000 files): only programs need it."""
    begin = time.monotonic()
    with host.open_memory(memory) as work:
        with look_bar(call) as progress:
            observed = work.scan(full_hash=full_hash, progress=progress)
        token = _guard_token(work, observed) if call.json else None
    took_ms = int((time.monotonic() - begin) * 1000)
    checkpoint = observed.checkpoint
    told: Json = {
        "memory": memory.id,
        "token": token,
        "changed": observed.changed,
        "checkpoint": checkpoint_json(checkpoint) if checkpoint else None,
        "lost": lost_json(checkpoint.lost) if checkpoint else [],
        "kept_in": checkpoint.kept_in if checkpoint else None,
        "event": event_json(observed.event) if observed.event else None,
        "protection": protection_json(observed.protection),
        "coverage": coverage_json(observed.look.state.coverage),
        "took_ms": took_ms,
    }
    return _Looked(told, _said(memory, observed, took_ms))


def _guard_token(work: OpenMemory, observed: Observed) -> Token:
    """Return the token that a restore or a recovery compares with."""
    return Now(observed.look, list_live(work.repository)).token


def _said(memory: Memory, observed: Observed, took_ms: int) -> Iterator[Block]:
    changed = "changed" if observed.changed else "nothing changed"
    yield f"{memory.name}: {changed} ({took_ms} ms). Work is {protection_text(observed.protection)}."
    if observed.failure is not None:
        said = explain(observed.failure)
        yield f"  {said.message}"
        yield f"  {said.remedy}"
    if observed.checkpoint is not None:
        yield f"  Kept as checkpoint {observed.checkpoint.id[:8]}."
        yield from lost_lines(observed.checkpoint)
    if observed.event is not None:
        for line in observed.event.change.summary.split("\n"):
            yield f"  {line}"
    for item in observed.look.state.coverage.left_out:
        yield f"  Not kept: {left_out_text(item)}"


def lost_lines(checkpoint: Checkpoint) -> Iterator[Block]:
    """Say which uncommitted contents are gone, and where they are kept."""
    if not checkpoint.lost or checkpoint.kept_in is None:
        return
    kept_in = checkpoint.kept_in[:8]
    yield f"  LOST, not committed anywhere ({counted(len(checkpoint.lost), 'content')}), and kept in {kept_in}:"
    for item in checkpoint.lost:
        yield f"    {path_text(item.path)}{' (was staged)' if item.staged else ''}"
    yield f"  Bring it back: `backtrail restore {kept_in} --plan`, or single files with `backtrail recover`."
