"""`backtrail checkpoint diff`, `files`, `cat` and `extract`: what is inside of a checkpoint.

Owns the answers. Nothing here touches the folder itself.
"""

import base64
import os
from collections.abc import Iterator, Sequence

import click

from backtrail.cli.as_json import change_json, file_json
from backtrail.cli.call import Call, Json
from backtrail.cli.opening import opened
from backtrail.cli.paths import below_top, chosen
from backtrail.cli.printing import Block, Table
from backtrail.cli.verb import PATH, Verb
from backtrail.git.objects import Objects
from backtrail.git.small_file import read_if_readable
from backtrail.host.host import Host
from backtrail.host.stored import StoredStates, changes_until_now, trees_of
from backtrail.model.changes import Change, FileDiff, LineKind, Shown
from backtrail.model.checkpoint import Checkpoint
from backtrail.model.errors.lookup import PathNotInCheckpoint
from backtrail.model.ids import Oid
from backtrail.model.memory import Memory
from backtrail.model.path_text import path_text
from backtrail.reading.differing import SIZE_LIMIT, file_diff
from backtrail.wording.sentence import counted, size_text

_CONTEXT = 3
_SIGNS = {LineKind.HUNK: "", LineKind.SAME: " ", LineKind.REMOVED: "-", LineKind.ADDED: "+"}
_NOT_SHOWN = {
    Shown.BINARY: "binary, not shown",
    Shown.TOO_LARGE: "large, not shown",
    Shown.MISSING: "not here any more, not shown",
}


@click.command(
    "diff",
    cls=Verb,
    example="backtrail checkpoint diff 3f2a                 # against the one before it\n"
    "backtrail checkpoint diff 3f2a --now --patch   # what happened since\n"
    "backtrail checkpoint diff 3f2a 77c1 src/",
)
@click.argument("checkpoint_id", metavar="ID")
@click.argument("words", metavar="[OTHER] [PATH]...", nargs=-1)
@click.option("--now", "with_now", is_flag=True, help="From ID to the folder as it is now.")
@click.option("--head", "with_head", is_flag=True, help="From ID's own HEAD commit to ID.")
@click.option("--previous", is_flag=True, help="From the checkpoint before ID to ID; so it is without a choice.")
@click.option("--patch", is_flag=True, help="Line by line, where it is text.")
@click.pass_obj
def diff(
    call: Call,
    *,
    checkpoint_id: str,
    words: tuple[str, ...],
    with_now: bool,
    with_head: bool,
    previous: bool,
    patch: bool,
) -> None:
    """Show what differs between two states. With OTHER, a checkpoint: from ID to OTHER.

    The index and the working files are compared apart. Paths count from the folder's top.
    """
    if sum((with_now, with_head, previous)) > 1:
        raise click.UsageError("Give one of --now, --head and --previous at most.")
    with opened(call) as host:
        memory, one = host.checkpoint(checkpoint_id)
        other = None
        if words and not (with_now or with_head or previous):
            other = _other(host, memory, words[0])
        paths = chosen(memory, [os.fsencode(word) for word in (words[1:] if other else words)])
        with StoredStates(memory) as stored:
            if with_now:
                with host.open_memory(memory) as work:
                    changes = changes_until_now(work, one)
            elif with_head:
                changes = stored.changes_since_head(one)
            else:
                before = one if other else host.database.checkpoints.before(memory.id, one.seq)
                changes = stored.changes(one, trees_of(before), trees_of(other or one))
            for path in paths:
                if not any(_is_below(change.path, [path]) for change in changes) and not stored.holds(one, path):
                    raise PathNotInCheckpoint(one.id, path)  # a typo is not "nothing differs"
            changes = [change for change in changes if _is_below(change.path, paths)]
            live = memory.path if with_now else None
            patches = [_file_diff(stored.objects, change, live) for change in changes] if patch else []
    told = [change_json(change) for change in changes]
    for entry, shown in zip(told, patches, strict=False):
        entry.update(_patch_json(shown))
    call.answer({"changes": told}, _patch_lines(changes, patches) if patch else _change_lines(changes))


def _other(host: Host, memory: Memory, word: str) -> Checkpoint | None:
    """Return the checkpoint of this memory that a word names, None where it names none and so is a path."""
    found = host.database.checkpoints.find(word, memory.id) if len(word) >= 4 else []  # noqa: PLR2004 - as in Host
    return host.checkpoint(word)[1] if found else None


def _is_below(path: bytes, paths: Sequence[bytes]) -> bool:
    return not paths or any(path == one or path.startswith(one + b"/") for one in paths)


def _change_lines(changes: Sequence[Change]) -> Iterator[Block]:
    if not changes:
        yield "Nothing differs."
        return
    yield Table(
        ("WHERE", "HOW", "PATH"),
        [("staged" if one.staged else "files", one.status, path_text(one.path)) for one in changes],
    )


def _file_diff(objects: Objects, change: Change, live: bytes | None) -> FileDiff:
    place = None if live is None or change.staged else os.path.join(live, change.path)
    try:
        return file_diff(_content(objects, change.old, None), _content(objects, change.new, place), _CONTEXT)
    except _NotShown as error:
        return FileDiff(error.why, (), None, None)


class _NotShown(Exception):
    def __init__(self, why: Shown) -> None:
        self.why = why


def _content(objects: Objects, oid: Oid | None, live: bytes | None) -> bytes | None:
    """Return a content, None for no file. live: where one lies that may not be stored yet."""
    if oid is None:
        return None
    if objects.has(oid):
        if objects.size(oid) > SIZE_LIMIT:
            raise _NotShown(Shown.TOO_LARGE)
        return objects.read(oid)[1]
    if live is not None and os.path.islink(live):
        return os.readlink(live)
    if live is not None and os.path.isfile(live) and os.path.getsize(live) > SIZE_LIMIT:
        raise _NotShown(Shown.TOO_LARGE)
    content = None if live is None else read_if_readable(live)
    if content is None:
        raise _NotShown(Shown.MISSING)
    return content


def _patch_json(shown: FileDiff) -> Json:
    if shown.shown is not Shown.TEXT:
        return {"patch": None, "not_shown": shown.shown}
    text = "".join(f"{_SIGNS[line.kind]}{line.text}\n" for line in shown.lines)
    return {"patch": text, "cut": shown.cut}


def _patch_lines(changes: Sequence[Change], patches: Sequence[FileDiff]) -> Iterator[Block]:
    if not changes:
        yield "Nothing differs."
    for change, shown in zip(changes, patches, strict=True):
        yield f"=== {path_text(change.path)} ({change.status}{', staged' if change.staged else ''})"
        if shown.shown is not Shown.TEXT:
            yield f"({_NOT_SHOWN[shown.shown]})"
            continue
        for line in shown.lines:
            yield f"{_SIGNS[line.kind]}{line.text}"
        if shown.cut:
            yield "(there is more)"


@click.command("files", cls=Verb, example="backtrail checkpoint files 3f2a")
@click.argument("checkpoint_id", metavar="ID")
@click.pass_obj
def files(call: Call, *, checkpoint_id: str) -> None:
    """List the files that a checkpoint holds."""
    with opened(call) as host:
        memory, one = host.checkpoint(checkpoint_id)
        with StoredStates(memory) as stored:
            held = stored.files(one)
    rows = [(f"{file.mode:06o}", size_text(file.size), path_text(file.path)) for file in held]
    call.answer(
        {"files": [file_json(file) for file in held]},
        [Table(("MODE", "SIZE", "PATH"), rows)] if rows else ["No files."],
    )


@click.command("cat", cls=Verb, example="backtrail checkpoint cat 3f2a chapters/one.md >one.md")
@click.argument("checkpoint_id", metavar="ID")
@click.argument("path", type=PATH)
@click.pass_obj
def cat(call: Call, *, checkpoint_id: str, path: bytes) -> None:
    """Write the bytes of one file of a checkpoint to stdout (a link's target for a link)."""
    with opened(call) as host:
        memory, one = host.checkpoint(checkpoint_id)
        inside = below_top(memory, path)
        if not inside:
            raise PathNotInCheckpoint(one.id, path)
        with StoredStates(memory) as stored:
            file, content = stored.file(one, inside)
    if call.json:
        call.answer({"file": {**file_json(file), "content_b64": base64.b64encode(content).decode("ascii")}})
    else:
        call.raw(content)


@click.command("extract", cls=Verb, example="backtrail checkpoint extract 3f2a --to /tmp/rescued chapters/")
@click.argument("checkpoint_id", metavar="ID")
@click.option("--to", "place", type=PATH, required=True, metavar="DIR", help="A new or empty folder.")
@click.argument("paths", type=PATH, nargs=-1)
@click.pass_obj
def extract(call: Call, *, checkpoint_id: str, place: bytes, paths: tuple[bytes, ...]) -> None:
    """Save files of a checkpoint to another folder; all of them where no PATH is given. Touches nothing else."""
    with opened(call) as host:
        memory, one = host.checkpoint(checkpoint_id)
        with StoredStates(memory) as stored:
            saved = stored.extract(one, os.path.abspath(place), chosen(memory, paths))
    where = path_text(os.path.abspath(place))
    call.answer(
        {"to": where, "files": [file_json(file) for file in saved]},
        [f"{counted(len(saved), 'file')} saved to {where}."],
    )
