"""`backtrail memory`: the folders that Backtrail watches, and what becomes of them.

Owns the questions and answers. No verb here deletes a folder, a checkpoint or an archive.
"""

import contextlib
import datetime
from collections.abc import Iterator, Sequence

import click

from backtrail.cli.as_json import memory_json
from backtrail.cli.call import Call, Json
from backtrail.cli.interruption import Interruption
from backtrail.cli.opening import opened
from backtrail.cli.paths import chosen
from backtrail.cli.printing import Block, Table
from backtrail.cli.progress_bar import look_bar
from backtrail.cli.verb import PATH, TEXT, Noun, memory_argument
from backtrail.git.small_file import read_if_readable
from backtrail.host.host import Host
from backtrail.host.omitting import count_again, leave_out
from backtrail.model.errors.host import NotAvailableYet
from backtrail.model.errors.repository import NotReachable
from backtrail.model.ids import RelPath
from backtrail.model.memory import Memory, MemoryState
from backtrail.model.path_text import path_text
from backtrail.wording.protection import memory_text
from backtrail.wording.sentence import counted, size_text

_LONGEST_NUMBER = 5

memory = Noun(
    "memory",
    help="Folders that Backtrail watches: add, list, detach, and the like.",
    example="backtrail memory add ~/notes\nbacktrail memory list",
)


def memories_table(memories: Sequence[Memory]) -> Iterator[Block]:
    """Yield the table of memories, or how to begin."""
    if not memories:
        yield "No folder is watched yet. Begin with `backtrail memory add PATH`."
        return
    yield Table(
        ("NAME", "ID", "FOLDER", "WORK IS"),
        [(one.name, one.id[:8], path_text(one.path), memory_text(one)) for one in memories],
    )


def _one(changed: Memory) -> Json:
    return {"memory": memory_json(changed), "memories": [memory_json(changed)]}


def _told(changed: Memory) -> str:
    return f"{changed.name} ({changed.id[:8]}), {path_text(changed.path)}: {memory_text(changed)}."


@memory.command("add", example="backtrail memory add ~/notes --name notes")
@click.argument("path", type=PATH)
@click.option("--name", type=TEXT, help="What to call it; else the folder's own name.")
@click.pass_obj
def add(call: Call, *, path: bytes, name: str | None) -> None:
    """Watch the Git working tree that holds PATH. Changes not one byte of it.

    It is looked at once at once: the present state is kept as a first checkpoint.
    """
    with contextlib.ExitStack() as until_told:
        with opened(call) as host, look_bar(call) as bar:
            progress = until_told.enter_context(Interruption(bar))
            with host.added(path, name) as taken:
                added = host.look_at(taken, progress)
        call.answer(_one(added), [f"Added {_told(added)}"])


@memory.command("new", example="backtrail memory new diary --at ~/diary --persona persona.md")
@click.argument("name", type=TEXT)
@click.option("--at", "place", type=PATH, help="Where to make the folder; else below the current one.")
@click.option("--from", "source", metavar="URL", help="Not available yet: clone it yourself and add the clone.")
@click.option("--persona", type=PATH, metavar="FILE", help="A file to begin with, as PERSONA.md.")
@click.pass_obj
def new(call: Call, *, name: str, place: bytes | None, source: str | None, persona: bytes | None) -> None:
    """Make a folder with an empty Git repository on branch main, and watch it."""
    if source is not None:
        raise NotAvailableYet("`memory new --from`")
    content = None
    if persona is not None:
        content = read_if_readable(persona)
        if content is None:
            raise NotReachable(persona, "it is no readable file")
    with opened(call) as host, look_bar(call) as progress:
        made = host.look_at(host.lifecycle().new(name, place, content), progress)
    call.answer(_one(made), [f"Made {_told(made)}"])


@memory.command("list", example="backtrail memory list --json")
@click.pass_obj
def list_all(call: Call) -> None:
    """List every folder that is watched, and whether the work in it is kept."""
    with opened(call) as host:
        memories = host.memories()
    call.answer({"memories": [memory_json(one) for one in memories]}, memories_table(memories))


@memory.command("show", example="backtrail memory show notes")
@memory_argument
@click.pass_obj
def show(call: Call, *, memory: str | None) -> None:
    """Show one folder: its state, and what is kept of it."""
    with opened(call) as host:
        one = host.memory(memory)
        count = host.database.checkpoints.count(one.id)
        archives = len(host.archives(one))
    data = _one(one) | {"checkpoints": count, "archives": archives}
    call.answer(data, _shown(one, count, archives))


def _shown(one: Memory, count: int, archives: int) -> Iterator[Block]:
    yield _told(one)
    yield f"Id {one.id}, added {one.added_at.astimezone():%Y-%m-%d}, untracked files up to {size_text(one.size_cap)}."
    yield f"{counted(count, 'checkpoint')}, {counted(archives, 'archive')}."


def _move(call: Call, given: str | None, state: MemoryState) -> None:
    with opened(call) as host, look_bar(call) as progress:
        changed = host.lifecycle().move_to(host.memory(given), state)
        if state is MemoryState.ATTACHED:
            changed = host.look_at(changed, progress)
        staying = _staying(host, changed)
    call.answer(_one(changed), [_told(changed), *staying])


def _staying(host: Host, changed: Memory) -> list[Block]:
    """Say what a deleted memory leaves behind."""
    if changed.state is not MemoryState.DELETED:
        return []
    count = counted(host.database.checkpoints.count(changed.id), "checkpoint")
    archives = counted(len(host.archives(changed)), "archive")
    return [f"Nothing was touched: the folder, its {count} (refs in its own repository) and {archives} stay."]


@memory.command("detach", example="backtrail memory detach notes")
@memory_argument
@click.pass_obj
def detach(call: Call, *, memory: str | None) -> None:
    """Stop watching a folder, and keep everything."""
    _move(call, memory, MemoryState.DETACHED)


@memory.command("attach", example="backtrail memory attach notes")
@memory_argument
@click.pass_obj
def attach(call: Call, *, memory: str | None) -> None:
    """Watch a detached folder again, and notice what changed meanwhile."""
    _move(call, memory, MemoryState.ATTACHED)


@memory.command("archive", example="backtrail memory archive notes")
@memory_argument
@click.pass_obj
def archive(call: Call, *, memory: str | None) -> None:
    """Put a folder to rest. Its folder and everything that was kept stay as they are."""
    _move(call, memory, MemoryState.ARCHIVED)


@memory.command("reactivate", example="backtrail memory reactivate notes")
@memory_argument
@click.pass_obj
def reactivate(call: Call, *, memory: str | None) -> None:
    """Watch a folder again that was put to rest. Resumes nothing by itself."""
    _move(call, memory, MemoryState.ATTACHED)


@memory.command("delete", example="backtrail memory delete notes")
@memory_argument
@click.pass_obj
def delete(call: Call, *, memory: str | None) -> None:
    """Forget a folder. It stays where it is, with its checkpoints and archives."""
    _move(call, memory, MemoryState.DELETED)


_UNITS = {"m": 60, "h": 3600}


class _Span(click.ParamType[datetime.timedelta]):
    """A span of time as `30m` or `2h`."""

    name = "TIME"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime.timedelta:
        """Return it."""
        number, unit = str(value)[:-1], str(value)[-1:]
        if not (number.isascii() and number.isdigit() and unit in _UNITS and len(number) <= _LONGEST_NUMBER):
            self.fail(f"{value!r} is no span of time. Write 30m or 2h.", param, ctx)
        return datetime.timedelta(seconds=int(number) * _UNITS[unit])


@memory.command("pause", example="backtrail memory pause notes --for 2h")
@memory_argument
@click.option("--all", "every", is_flag=True, help="Every folder that is watched.")
@click.option("--for", "span", type=_Span(), default="1h", help="How long, as 30m or 2h; an hour if left out.")
@click.pass_obj
def pause(call: Call, *, memory: str | None, every: bool, span: datetime.timedelta) -> None:
    """Keep a folder as it is now, and then look no more for a while. What you ask for is done all the same."""
    with opened(call) as host, look_bar(call) as progress:
        until = host.clock() + span
        lifecycle = host.lifecycle()
        changed = [lifecycle.pause(host.look_at(one, progress), until) for one in _chosen(host, memory, every=every)]
    call.answer({"memories": [memory_json(one) for one in changed]}, [_told(one) for one in changed])


@memory.command("resume", example="backtrail memory resume notes")
@memory_argument
@click.option("--all", "every", is_flag=True, help="Every folder that is watched.")
@click.pass_obj
def resume(call: Call, *, memory: str | None, every: bool) -> None:
    """End a pause before its time, and look."""
    with opened(call) as host, look_bar(call) as progress:
        lifecycle = host.lifecycle()
        changed = [host.look_at(lifecycle.resume(one), progress) for one in _chosen(host, memory, every=every)]
    call.answer({"memories": [memory_json(one) for one in changed]}, [_told(one) for one in changed])


def _chosen(host: Host, given: str | None, *, every: bool) -> list[Memory]:
    if every and given is not None:
        raise click.UsageError("Give a folder or --all, not both.")
    return [one for one in host.memories() if one.state is MemoryState.ATTACHED] if every else [host.memory(given)]


@memory.command("leave-out", example="backtrail memory leave-out notes film.mkv")
@click.argument("memory")
@click.argument("paths", type=PATH, nargs=-1, required=True)
@click.option("--again", is_flag=True, help="Take it back: what cannot be kept of these counts again.")
@click.pass_obj
def leave_out_paths(call: Call, *, memory: str, paths: tuple[bytes, ...], again: bool) -> None:
    """Agree that files which cannot be kept are not kept: then the rest is called kept.

    Paths count from the folder's top. `backtrail scan` names what cannot be kept, and why.
    """
    with opened(call) as host:
        one = host.memory(memory)
        (count_again if again else leave_out)(host, one, [RelPath(path) for path in chosen(one, paths)])
        changed = host.memory(one.id)
    call.answer(_one(changed), [_told(changed)])


@memory.command("set", example="backtrail memory set size-cap 2000000000 notes")
@click.argument("key", type=click.Choice(["name", "path", "size-cap"]))
@click.argument("value")
@memory_argument
@click.pass_obj
def set_one(call: Call, *, key: str, value: str, memory: str | None) -> None:
    """Change the name, the path (after the folder was moved), or the size cap of untracked files in bytes."""
    with opened(call) as host:
        changed = host.lifecycle().set(host.memory(memory), key, value)
        if key != "name" and changed.state is MemoryState.ATTACHED:
            changed = host.look_at(changed)
    call.answer(_one(changed), [_told(changed)])
