"""`backtrail archive`: the folders as they were before restores, each whole.

Owns listing them, bringing one back, and asking before one is deleted.
"""

import sys
from collections.abc import Iterator, Sequence

import click

from backtrail.cli.as_json import archive_json
from backtrail.cli.call import REFUSED, Call, Json
from backtrail.cli.opening import opened
from backtrail.cli.printing import Block, Table, shown
from backtrail.cli.restore import answer_restore, restored
from backtrail.cli.verb import Noun, memory_argument
from backtrail.host.answering import Answering
from backtrail.model.commands import DeleteArchive, Restore
from backtrail.model.memory import Memory
from backtrail.model.path_text import path_text
from backtrail.restore.archives import Archive
from backtrail.wording.sentence import size_text, time_text

archive = Noun(
    "archive",
    help="Folders as they were before a restore, each kept whole.",
    example="backtrail archive list\nbacktrail archive bring-back 77c1",
)


@archive.command("list", example="backtrail archive list notes")
@memory_argument
@click.pass_obj
def list_all(call: Call, *, memory: str | None) -> None:
    """List the archives of a folder; of all folders where none is named."""
    with opened(call) as host:
        known = host.archives(None if memory is None else host.memory(memory))
    call.answer({"archives": [archive_json(one, item) for one, item in known]}, _table(known))


def _table(known: Sequence[tuple[Memory, Archive]]) -> Iterator[Block]:
    if not known:
        yield "There is no archive."
        return
    yield Table(
        ("ID", "OF", "WHEN", "SIZE", "WHY", "WHERE"),
        [
            (
                item.journal.id[:8],
                one.name,
                time_text(item.journal.started_at),
                size_text(item.journal.bytes),
                _why(item),
                path_text(item.places.copy),
            )
            for one, item in known
        ],
    )


def _why(item: Archive) -> str:
    if item.journal.deleting:
        return "not whole: deleting it had begun"
    if item.journal.undo_of is not None:
        return f"restore {item.journal.undo_of[:8]} was undone"
    return f"{item.journal.target[:8]} was restored"


@archive.command("show", example="backtrail archive show 77c1")
@click.argument("archive_id", metavar="ARCHIVE")
@click.pass_obj
def show(call: Call, *, archive_id: str) -> None:
    """Show one archive."""
    with opened(call) as host:
        one, item = host.archive(archive_id)
    told = archive_json(one, item)
    call.answer({"archive": told, "archives": [told]}, _shown(one, item))


def _shown(one: Memory, item: Archive) -> Iterator[Block]:
    journal = item.journal
    yield f"Archive {journal.id} of {one.name}, {time_text(journal.started_at)}: {_why(item)}."
    yield f"  {size_text(journal.bytes)} in {path_text(item.places.copy)}"
    if journal.before is not None:
        yield f"  Its state is also kept as checkpoint {journal.before[:8]}."
    for path in journal.late:
        yield f"  Written to it after the switch: {path}"
    if not journal.deleting:
        yield f"  Bring it back: `backtrail archive bring-back {journal.id[:8]}`"


@archive.command("bring-back", example="backtrail archive bring-back 77c1")
@click.argument("archive_id", metavar="ARCHIVE")
@click.option("--despite-in-use", is_flag=True, help="Go on although programs are at work in the folder.")
@click.pass_obj
def bring_back(call: Call, *, archive_id: str, despite_in_use: bool) -> None:
    """Go back to an archived folder: the same as undoing the restore that made it. The present one is archived."""
    with opened(call) as host:
        command = Restore(undo=archive_id, despite_in_use=despite_in_use)
        memory, record = restored(call, Answering(host), command)
    answer_restore(call, memory, record)


@archive.command("delete", example="backtrail archive delete 77c1")
@click.argument("archive_id", metavar="ARCHIVE")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def delete(call: Call, *, archive_id: str, yes: bool) -> None:
    """Delete an archive for good, after asking twice."""
    if call.json and not yes:
        raise click.UsageError("With --json nothing is asked: say --yes.")
    with opened(call) as host:
        one, item = host.archive(archive_id)
        if not yes and not _asked_twice(one, item):
            call.exit_code = REFUSED
            call.answer({}, ["Nothing was deleted."])
            return
        told: Json = archive_json(one, item)
        Answering(host).answer(DeleteArchive(archive=item.journal.id, for_good=True))
    call.answer({"deleted": told}, [f"Archive {item.journal.id[:8]} is deleted."])


def _asked_twice(one: Memory, item: Archive) -> bool:
    """Ask in two ways, so that neither can be answered by habit."""
    size = size_text(item.journal.bytes)
    when = time_text(item.journal.started_at)
    question = f"Delete the archive of {one.name} as it was on {when} ({size}), for good?"
    if not click.confirm(shown(question), err=True):
        return False
    sys.stderr.flush()
    short = item.journal.id[:8]
    answer: str = click.prompt(f"What only lies there is lost then. Type {short} to delete it", err=True)
    return answer.strip() == short
