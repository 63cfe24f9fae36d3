"""`backtrail restore` and `backtrail recover`: bring back a whole state, or chosen files.

Owns showing the plan, and saying afterwards where everything is. Restore never runs without the token of a plan that
was shown, but for an undo, which names what it goes back to.
"""

import os
from collections.abc import Iterator, Sequence

import click

from backtrail.cli.as_json import checkpoint_json, plan_json, restore_json
from backtrail.cli.call import Call, Json
from backtrail.cli.opening import opened
from backtrail.cli.paths import chosen
from backtrail.cli.printing import Block
from backtrail.cli.progress_bar import progress_bar
from backtrail.cli.verb import PATH, Verb, only_one
from backtrail.host.answering import Answering
from backtrail.memories.finding import is_inside
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.commands import PlanRestore, Recover, Restore
from backtrail.model.ids import Token
from backtrail.model.memory import Memory
from backtrail.model.path_text import path_text
from backtrail.model.restore import Ignored, PathChange, RestorePlan, RestoreRecord
from backtrail.wire.path_json import path_json
from backtrail.wording.blockers import blocker_sentence
from backtrail.wording.cautions import caution_text
from backtrail.wording.coverage import left_out_text
from backtrail.wording.origin import origin_text
from backtrail.wording.sentence import counted, shell_word, size_text, time_text

_SHOWN = 30
_IN_USE = "in-use"
_CHOICES = [str(choice) for choice in Ignored]


@click.command(
    "restore",
    cls=Verb,
    example="backtrail restore 3f2a --plan\n"
    "backtrail restore 3f2a --token TOKEN   # the plan's last line gives it\n"
    "backtrail restore --undo RESTORE",
)
@click.argument("checkpoint_id", metavar="[ID]", required=False)
@click.option("--plan", is_flag=True, help="Only show what going there would change.")
@click.option("--token", help="The plan's token: do it, if nothing moved since.")
@click.option("--undo", metavar="RESTORE", help="Go back to the folder as it was before that restore.")
@click.option(
    "--ignored",
    type=click.Choice(_CHOICES),
    default=str(Ignored.CARRY),
    show_default=True,
    help="Copy ignored files along, or leave them in the archive alone (faster).",
)
@click.option("--despite-in-use", is_flag=True, help="Go on although programs are at work in the folder.")
@click.pass_obj
def restore(
    call: Call,
    *,
    checkpoint_id: str | None,
    plan: bool,
    token: str | None,
    undo: str | None,
    ignored: str,
    despite_in_use: bool,
) -> None:
    """Bring a whole state back: branch, commit, index and files. The present folder is kept whole in an archive.

    Look at --plan first; it changes nothing. With its token the same plan is carried out, and only if nothing moved.
    """
    only_one((checkpoint_id is not None, undo is not None), "ID and --undo RESTORE")
    if plan and token is not None:
        raise click.UsageError("Give --plan or --token, not both.")
    if undo is None and not plan and token is None:
        raise click.UsageError("Say --plan to see what would change, or --token TOKEN to do it.")
    choice = Ignored(ignored)
    with opened(call) as host:
        answering = Answering(host)
        if plan:
            asked = PlanRestore(checkpoint=checkpoint_id, undo=undo, ignored=choice)
            memory, made = answering.memory(asked), answering.answer(asked)
            told: Json = {"plan": plan_json(made)}
            call.answer(told, plan_lines(memory, made, _command(checkpoint_id, undo, made.token, choice)))
            return
        command = Restore(
            checkpoint=checkpoint_id,
            undo=undo,
            token=None if token is None else Token(token),
            ignored=choice,
            despite_in_use=despite_in_use,
        )
        memory, record = restored(call, answering, command)
    answer_restore(call, memory, record)


def restored(call: Call, answering: Answering, command: Restore) -> tuple[Memory, RestoreRecord]:
    """Carry out a restore, and show how far it is; return the memory and what was done."""
    memory = answering.memory(command)  # before: an archive that was brought back is none any more
    with progress_bar(call) as progress:
        return memory, answering.answer(command, progress)


def _command(checkpoint_id: str | None, undo: str | None, token: Token, choice: Ignored) -> str:
    what = f"--undo {undo}" if undo is not None else checkpoint_id
    how = "" if choice is Ignored.CARRY else f" --ignored {choice}"
    return f"backtrail restore {what}{how} --token {token}"


def plan_lines(memory: Memory, plan: RestorePlan, command: str) -> Iterator[Block]:
    """Yield a plan as a person reads it; the last line is the command that carries it out."""
    target = plan.target
    where = "a detached HEAD" if target.branch is None else f"branch {path_text(target.branch)}"
    head = target.head.hex()[:12] if target.head else "no commit"
    yield (
        f"{memory.name} would go to {target.id[:8]}: {where} at {head}, {time_text(target.captured_at)}, "
        f"{origin_text(target.context)}."
    )
    yield from _paths("Comes back", plan.comes_back)
    yield from _paths("Changes", plan.changes)
    yield from _paths("Leaves the folder (kept in the archive)", plan.leaves)
    if not (plan.comes_back or plan.changes or plan.leaves):
        yield "No file and nothing staged would change."
    if plan.commits_leaving_count:
        yield f"{counted(plan.commits_leaving_count, 'commit')} will no longer be on the branch (a ref keeps them):"
        for commit in plan.commits_leaving[:_SHOWN]:
            yield f"  {commit.oid.hex()[:8]}  {commit.subject}"
    yield from _carried(plan)
    for item in plan.not_in_target:
        yield f"The checkpoint does not hold {left_out_text(item)}; what is there now is carried over."
    for process in plan.inside:
        yield f"At work in the folder: {process.name} ({process.pid}){', writing' if process.writes else ''}."
    yield f"Needs {size_text(plan.needed)} at most, {size_text(plan.free)} are free."
    for caution in plan.cautions:
        yield f"Note: {caution_text(caution)}"
    for blocker in plan.blockers:
        said = blocker_sentence(blocker)
        yield f"IN THE WAY: {said.message}"
        yield f"  {said.remedy}"
    if not plan.blockers:
        yield "To do it:"
        yield f"  {command}"
    elif all(blocker.code == _IN_USE for blocker in plan.blockers):
        yield "To do it all the same:"
        yield f"  {command} --despite-in-use"


def _paths(heading: str, changes: Sequence[PathChange]) -> Iterator[Block]:
    if not changes:
        return
    yield f"{heading}:"
    for change in changes[:_SHOWN]:
        yield f"  {path_text(change.path)}{'/' if change.folder else ''}{' (staged)' if change.staged else ''}"
    if len(changes) > _SHOWN:
        yield f"  and {len(changes) - _SHOWN} more"


def _carried(plan: RestorePlan) -> Iterator[Block]:
    carried = plan.carry_over
    if carried.paths:
        largest = ", ".join(path_text(item.path) for item in carried.largest)
        yield (
            f"Carried over as it is: {counted(carried.count, 'ignored or uncaptured file')}, "
            f"{size_text(carried.bytes)} ({largest})."
        )
    if carried.archive_only:
        yield f"Stays in the archive alone: {', '.join(path_text(path) for path in carried.archive_only[:_SHOWN])}."


def answer_restore(call: Call, memory: Memory, record: RestoreRecord) -> None:
    """Answer with what a restore did, and tell a shell that stood in the folder where it stands now."""
    stands = call.cwd is not None and is_inside(call.cwd, memory.path)
    told = restore_json(record) | {"caller_stands_in_archive": stands}
    call.answer({"restore": told}, _done_lines(memory, record, stands=stands))


def _done_lines(memory: Memory, record: RestoreRecord, *, stands: bool) -> Iterator[Block]:
    yield f"{memory.name} is at {record.target[:8]} now ({record.took_ms} ms)."
    if record.archive is not None:
        yield f"The folder as it was before lies whole in {path_text(record.archive)}."
        yield f"To undo: `backtrail restore --undo {record.id[:8]}`"
    for path in record.not_carried:
        yield f"Could not be copied along, and is in the archive alone: {path_text(path)}"
    for late in record.late:
        yield f"Written to the archive after the switch: {path_text(late.path)}"
    others = [process for process in record.inside if process.pid != os.getppid()]
    for process in others:
        yield f'PID {process.pid} ({process.name}) still stands in the archived copy: run `cd "$PWD"` there.'
    if stands:
        yield 'Your shell stood in the folder, and stands in the archived copy now: run `cd "$PWD"`.'
    elif others:
        yield f"The restored folder is {shell_word(memory.path)}."


@click.command("recover", cls=Verb, example="backtrail recover 3f2a --token TOKEN chapters/one.md notes/")
@click.argument("checkpoint_id", metavar="ID")
@click.option("--token", required=True, help="The token of a scan or plan: nothing may have moved since.")
@click.argument("paths", type=PATH, nargs=-1, required=True)
@click.pass_obj
def recover(call: Call, *, checkpoint_id: str, token: str, paths: tuple[bytes, ...]) -> None:
    """Put chosen files of a checkpoint back in place. The index and all other files are left alone.

    Paths count from the folder's top. `backtrail scan --json` gives the token.
    """
    with opened(call) as host:
        memory, checkpoint = host.checkpoint(checkpoint_id)
        wanted = chosen(memory, paths)
        command = Recover(checkpoint=checkpoint.id, token=Token(token), paths=tuple(wanted))
        taken = Answering(host).answer(command).checkpoint
    told: Json = {
        "from": checkpoint.id,
        "paths": [path_json(path) for path in wanted],
        "checkpoint": checkpoint_json(taken) if taken else None,
    }
    call.answer({"recovered": told}, _recovered(memory, checkpoint, wanted, taken))


def _recovered(
    memory: Memory, checkpoint: Checkpoint, wanted: Sequence[bytes], taken: Checkpoint | None
) -> Iterator[Block]:
    what = ", ".join(path_text(path) for path in wanted) or "everything"
    yield f"Back in place in {path_text(memory.path)}, from {checkpoint.id[:8]}: {what}."
    if taken is not None:
        yield f"The state afterwards is kept as checkpoint {taken.id[:8]}."
