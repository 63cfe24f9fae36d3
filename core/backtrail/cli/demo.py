"""`backtrail demo`: a short story of lost work and how it comes back, really done and proved.

Owns where it happens and how it is told. What it made stays, and is named at the end.
"""

import os
import tempfile

import click

from backtrail.cli.call import REFUSED, Call, Json
from backtrail.cli.demo_story import Story
from backtrail.cli.opening import opened
from backtrail.cli.printing import print_blocks
from backtrail.cli.progress_bar import progress_bar
from backtrail.cli.verb import PATH, Verb
from backtrail.model.path_text import path_text
from backtrail.wire.path_json import path_json
from backtrail.wording.sentence import shell_word


@click.command("demo", cls=Verb, example="backtrail demo\nbacktrail demo ~/backtrail-demo")
@click.argument("folder", metavar="[DIR]", type=PATH, required=False)
@click.option("--until-loss", is_flag=True, help="Stop when the work is gone, and leave the rescue to you.")
@click.pass_obj
def demo(call: Call, *, folder: bytes | None, until_loss: bool) -> None:
    """Tell a short story of lost work, and how it comes back. Exit 1 if anything of it is not as it should be.

    DIR must not exist or be empty; left out, a new folder is made where the system keeps temporary files.
    """
    place = _chosen(folder)

    def say(sentence: str) -> None:
        if not call.json:
            print_blocks([sentence])

    with opened(call) as host, progress_bar(call) as progress:
        story = Story(host, place, say, progress)
        if until_loss:
            story.tell_until_loss()
        else:
            story.tell()
    ok = all(proof.ok for proof in story.proofs)
    call.exit_code = 0 if ok else REFUSED
    told: Json = {
        "ok": ok,
        **path_json(place, "folder"),
        "proofs": [{"name": proof.name, "ok": proof.ok, "differs": list(proof.differs)} for proof in story.proofs],
    }
    word = shell_word(place)
    if until_loss:
        find = f"backtrail checkpoint list {word}"
        call.answer({"demo": told}, [f"Now you: `{find}` shows where it is kept, `backtrail desktop` the way back."])
        return
    end = [
        f"Everything held. The folder stays: {path_text(place)}"
        if ok
        else "Not everything held: see the lines that say NOT OK.",
        f"Look around: `backtrail checkpoint list {word}`, `backtrail archive list {word}`.",
        f"When you are done: `backtrail memory delete {word}`, and remove the folder and .backtrail beside it.",
    ]
    call.answer({"demo": told}, end)


def _chosen(folder: bytes | None) -> bytes:
    """Return the absolute, resolved place of the story."""
    if folder is not None:
        return os.path.realpath(folder)
    return os.path.join(os.path.realpath(os.fsencode(tempfile.mkdtemp(prefix="backtrail-demo-"))), b"keepers-log")
