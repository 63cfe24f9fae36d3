"""`backtrail checkpoint`: the states that were kept of a folder: take, list, note, verify, prune.

Owns the answers about checkpoints as a whole; what is inside of them is in `checkpoint_content`.
"""

import datetime
import itertools
from collections.abc import Iterable, Iterator, Sequence

import click

from backtrail.cli.as_json import checkpoint_json
from backtrail.cli.call import REFUSED, Call, Json
from backtrail.cli.checkpoint_content import cat, diff, extract, files
from backtrail.cli.opening import opened
from backtrail.cli.paths import below_top
from backtrail.cli.printing import Block, Table
from backtrail.cli.progress_bar import look_bar, progress_bar
from backtrail.cli.scan import lost_lines
from backtrail.cli.verb import PATH, TEXT, Noun, memory_argument, only_one
from backtrail.host.answering import Answering
from backtrail.host.host import Host
from backtrail.host.keeping import Keeping
from backtrail.host.stored import StoredStates
from backtrail.model.checkpoint import Checkpoint, Origin
from backtrail.model.commands import TakeCheckpoint
from backtrail.model.memory import Memory
from backtrail.model.net_state import Operation
from backtrail.model.path_text import path_text
from backtrail.model.progress import Progress
from backtrail.wording.coverage import coverage_text, left_out_text
from backtrail.wording.operations import operation_text
from backtrail.wording.origin import marks_text, origin_text
from backtrail.wording.sentence import counted, time_text

PAGE = 50
_ROWS = 500

checkpoint = Noun(
    "checkpoint",
    help="States that were kept of a folder: list and compare them, and get files out.",
    example="backtrail checkpoint list ~/notes\nbacktrail checkpoint diff 3f2a --now",
)
for verb in (diff, files, cat, extract):
    checkpoint.add_command(verb)


class _Time(click.ParamType[datetime.datetime]):
    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime.datetime:
        if isinstance(value, datetime.datetime):
            return value
        try:
            at = datetime.datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is no date or time like 2026-11-30 or 2026-11-30T14:05", param, ctx)
        return at.astimezone()  # without a zone it is meant as this machine's clock shows it


@checkpoint.command("take", example='backtrail checkpoint take notes --note "before the rewrite"')
@memory_argument
@click.option("--note", type=TEXT, help="What to remember about it.")
@click.pass_obj
def take(call: Call, *, memory: str | None, note: str | None) -> None:
    """Keep the present state now, whether it changed or not."""
    with opened(call) as host:
        command = TakeCheckpoint(memory=host.memory(memory).id, note=note)
        with look_bar(call) as progress:
            taken = Answering(host).answer(command, progress)
    call.answer({"checkpoint": checkpoint_json(taken)}, shown_lines(taken))


@checkpoint.command(
    "list",
    example="backtrail checkpoint list notes --path chapters/one.md\n"
    "backtrail checkpoint list --since 2026-11-30 --origin human-command",
)
@memory_argument
@click.option("--limit", type=click.IntRange(min=1), default=PAGE, show_default=True, help="How many at most.")
@click.option("--path", type=PATH, help="Only states in which this file or folder differs from the one before.")
@click.option("--branch", type=PATH, help="Only states on this branch.")
@click.option("--origin", type=click.Choice([str(origin) for origin in Origin]), help="Only states of this origin.")
@click.option("--since", type=_Time(), metavar="TIME", help="Only states since a date or time, such as 2026-11-30.")
@click.pass_obj
def list_all(
    call: Call,
    *,
    memory: str | None,
    limit: int,
    path: bytes | None,
    branch: bytes | None,
    origin: str | None,
    since: datetime.datetime | None,
) -> None:
    """List what was kept, newest first."""
    with opened(call) as host:
        one = host.memory(memory)
        if path is not None:
            with StoredStates(one) as stored:
                touching = stored.where_it_changed(_rows(host, one), below_top(one, path))
                wanted = (item for item in touching if _fits(item, branch, origin, since))
                found = list(itertools.islice(wanted, limit))
        else:
            kept_origin = None if origin is None else Origin(origin)
            found = host.database.checkpoints.page(one.id, limit=limit, branch=branch, origin=kept_origin, since=since)
        total = host.database.checkpoints.count(one.id)
    data: Json = {"checkpoints": [checkpoint_json(item) for item in found], "total": total}
    call.answer(data, _table(found, total))


def _rows(host: Host, memory: Memory) -> Iterator[Checkpoint]:
    below: int | None = None
    while page := host.database.checkpoints.page(memory.id, limit=_ROWS, below_seq=below):
        yield from page
        below = page[-1].seq


def _fits(item: Checkpoint, branch: bytes | None, origin: str | None, since: datetime.datetime | None) -> bool:
    return (
        (branch is None or item.branch == branch)
        and (origin is None or item.context.origin == origin)
        and (since is None or item.captured_at >= since)
    )


def _table(found: Sequence[Checkpoint], total: int) -> Iterator[Block]:
    if not found:
        yield "No checkpoint fits." if total else "Nothing is kept yet."
        return
    yield Table(
        ("ID", "WHEN", "BRANCH", "HEAD", "CHANGED", "LOST", "ORIGIN", "NOTE"),
        [
            (
                item.id[:8],
                time_text(item.captured_at),
                "(detached)" if item.branch is None else path_text(item.branch),
                item.head.hex()[:8] if item.head else "(none)",
                _difference(item),
                str(len(item.lost)) if item.lost else "",
                "; ".join(part for part in (origin_text(item.context), marks_text(item)) if part),
                item.note or "",
            )
            for item in found
        ],
    )
    if len(found) < total:
        yield f"{len(found)} of {total}. Lost work that a row tells of is kept in the state before it."


def _difference(item: Checkpoint) -> str:
    told = item.difference
    counts = (("+", told.added), ("~", told.changed), ("-", told.removed))
    return " ".join(f"{sign}{count}" for sign, count in counts if count)


@checkpoint.command("show", example="backtrail checkpoint show 3f2a")
@click.argument("checkpoint_id", metavar="ID")
@click.pass_obj
def show(call: Call, *, checkpoint_id: str) -> None:
    """Show one checkpoint: what it holds, and what it does not."""
    with opened(call) as host:
        _, found = host.checkpoint(checkpoint_id)
        kept_in = found.kept_in is not None and host.database.checkpoints.get(found.kept_in) is not None
    data: Json = {"checkpoint": checkpoint_json(found), "checkpoints": [checkpoint_json(found)]}
    call.answer(data, shown_lines(found, holder_is_there=kept_in))


def shown_lines(found: Checkpoint, *, holder_is_there: bool = True) -> Iterator[Block]:
    """Yield what a person is told of one checkpoint."""
    where = "a detached HEAD" if found.branch is None else f"branch {path_text(found.branch)}"
    head = found.head.hex()[:12] if found.head else "no commit yet"
    yield f"Checkpoint {found.id} (number {found.seq}), {time_text(found.captured_at)}, {origin_text(found.context)}."
    yield f"  On {where} at {head}; kept in Git as {found.ref.decode()}."
    if found.operation is not Operation.NONE:
        yield f"  Git was in the middle of {operation_text(found.operation)}."
    if marks := marks_text(found):
        yield f"  Marked: {marks}."
    if found.note:
        yield f"  Note: {found.note}"
    if changed := _difference(found):
        more = (
            ", …"
            if found.difference.added + found.difference.changed + found.difference.removed
            > len(found.difference.first)
            else ""
        )
        yield f"  Against the one before: {changed} ({', '.join(map(path_text, found.difference.first))}{more})."
    yield f"  {coverage_text(found.coverage)}"
    for item in found.coverage.left_out:
        yield f"    Not kept: {left_out_text(item)}"
    if holder_is_there:
        yield from lost_lines(found)
    elif found.lost:
        yield f"  {counted(len(found.lost), 'content')} was lost before it; the checkpoint that held it is gone."


def _changed(call: Call, changed: Checkpoint, word: str) -> None:
    call.answer({"checkpoint": checkpoint_json(changed)}, [f"{word} checkpoint {changed.id[:8]}."])


@checkpoint.command("pin", example="backtrail checkpoint pin 3f2a")
@click.argument("checkpoint_id", metavar="ID")
@click.pass_obj
def pin(call: Call, *, checkpoint_id: str) -> None:
    """Keep a checkpoint whatever `prune` would take."""
    with opened(call) as host:
        changed = Keeping(host).pin(checkpoint_id, pinned=True)
    _changed(call, changed, "Pinned")


@checkpoint.command("unpin", example="backtrail checkpoint unpin 3f2a")
@click.argument("checkpoint_id", metavar="ID")
@click.pass_obj
def unpin(call: Call, *, checkpoint_id: str) -> None:
    """Let `prune` decide about a checkpoint again."""
    with opened(call) as host:
        changed = Keeping(host).pin(checkpoint_id, pinned=False)
    _changed(call, changed, "Unpinned")


@checkpoint.command("note", example='backtrail checkpoint note 3f2a "the good version"')
@click.argument("checkpoint_id", metavar="ID")
@click.argument("text", type=TEXT, required=False)
@click.pass_obj
def note(call: Call, *, checkpoint_id: str, text: str | None) -> None:
    """Write a note on a checkpoint; without TEXT, take the note away."""
    with opened(call) as host:
        changed = Keeping(host).note(checkpoint_id, text or None)
    _changed(call, changed, "Noted on" if text else "Took the note from")


@checkpoint.command("verify", example="backtrail checkpoint verify 3f2a\nbacktrail checkpoint verify --all")
@click.argument("checkpoint_id", metavar="[ID]", required=False)
@click.option("--all", "every", is_flag=True, help="Every checkpoint of every folder.")
@click.pass_obj
def verify(call: Call, *, checkpoint_id: str | None, every: bool) -> None:
    """Read every object of a checkpoint again and compare it with its name. Exit 1 if one is damaged.

    Without ID and --all: every checkpoint of the folder around here.
    """
    if every and checkpoint_id is not None:
        raise click.UsageError("Give ID or --all, not both.")
    with opened(call) as host, progress_bar(call) as progress:
        damaged: list[tuple[Checkpoint, tuple[str, ...]]] = []
        count = 0
        for memory, rows in _to_verify(host, checkpoint_id, every=every):
            with StoredStates(memory) as stored:
                for item in rows:
                    count += 1
                    wrong = _damage(stored, item, progress)
                    Keeping(host).verified(item, wrong)
                    if wrong:
                        damaged.append((item, wrong))
    call.exit_code = REFUSED if damaged else 0
    told: Json = {
        "ok": not damaged,
        "verified": count,
        "damaged": [{"id": item.id, "memory": item.memory_id, "objects": list(wrong)} for item, wrong in damaged],
    }
    call.answer(told, _verified(count, damaged))


def _to_verify(host: Host, checkpoint_id: str | None, *, every: bool) -> Iterable[tuple[Memory, Iterable[Checkpoint]]]:
    if checkpoint_id is not None:
        memory, found = host.checkpoint(checkpoint_id)
        return [(memory, [found])]
    memories = host.memories() if every else [host.memory(None)]
    return [(memory, _rows(host, memory)) for memory in memories]


def _damage(stored: StoredStates, item: Checkpoint, progress: Progress) -> tuple[str, ...]:
    progress.step(f"checkpoint {item.id[:8]}")
    return stored.damage(item, progress)


def _verified(count: int, damaged: Sequence[tuple[Checkpoint, tuple[str, ...]]]) -> Iterator[Block]:
    if not damaged:
        yield f"{counted(count, 'checkpoint')}, all whole."
        return
    for item, wrong in damaged:
        yield f"Damaged: checkpoint {item.id[:8]}, missing or wrong: {', '.join(wrong)}"
    others = " The others can." if len(damaged) < count else ""
    yield f"{len(damaged)} of {counted(count, 'checkpoint')} cannot be restored.{others}"


@checkpoint.command("prune", example="backtrail checkpoint prune notes --plan\nbacktrail checkpoint prune notes --yes")
@memory_argument
@click.option("--plan", is_flag=True, help="Only show what would go.")
@click.option("--yes", is_flag=True, help="Let it go.")
@click.option("--damaged", is_flag=True, help="Only damaged ones, whatever their age; what was readable in them goes.")
@click.pass_obj
def prune(call: Call, *, memory: str | None, plan: bool, yes: bool, damaged: bool) -> None:
    """Let old checkpoints go.

    Kept are pinned ones, those that hold work that was lost after them, the newest 100, and one a day of the time
    before.

    Git frees the room when it next collects what nothing names any more (git gc).
    """
    only_one((plan, yes), "--plan and --yes")
    with opened(call) as host:
        one = host.memory(memory)
        keeping = Keeping(host)
        thinning = keeping.thin(one, damaged=damaged) if yes else keeping.thinning(one, damaged=damaged)
    told: Json = {
        "ok": True,
        "damaged": [],
        "done": yes,
        "kept": len(thinning.kept),
        "going": [{"id": item.id, "captured_at": item.captured_at.isoformat()} for item in thinning.going],
    }
    word = "went" if yes else "would go"
    said = (
        f"{counted(len(thinning.going), 'checkpoint')} {word}, {len(thinning.kept)} {'stay' if yes else 'would stay'}."
    )
    call.answer(told, [*(f"  {item.id[:8]}  {time_text(item.captured_at)}" for item in thinning.going), said])
