"""The program `backtrail`: from the words on the command line to an exit code.

Owns the exit codes (0 done, 1 refused or failed, 2 wrong usage, 130 interrupted), the handling of signals and of
whatever is raised. Imports fast: a command's module, and with it libgit2, the database and rich, comes only when that
command runs.
"""

import errno
import logging
import os
import signal
import sys
import traceback
from types import FrameType

import click

from backtrail import __version__
from backtrail.cli.call import REFUSED, Call, CannotTell, Json
from backtrail.cli.printing import Block
from backtrail.cli.verb import Place, Root
from backtrail.model.errors import BacktrailError
from backtrail.model.progress import Cancelled

USAGE = 2
INTERRUPTED = 130
_ROOM = "backtrail.cli."
_PLACES = {
    "memory": Place(_ROOM + "memory", "memory", "Folders that Backtrail watches: add, list, detach, …"),
    "scan": Place(_ROOM + "scan", "scan", "Look at a folder now, and keep what changed."),
    "checkpoint": Place(_ROOM + "checkpoint", "checkpoint", "States that were kept: list, compare, get files out."),
    "restore": Place(_ROOM + "restore", "restore", "Bring a whole state back, or undo that."),
    "recover": Place(_ROOM + "restore", "recover", "Put chosen files of a checkpoint back in place."),
    "archive": Place(_ROOM + "archive", "archive", "Folders as they were before a restore."),
    "status": Place(_ROOM + "status", "status", "Is my work kept?"),
    "watch": Place(_ROOM + "watch", "watch", "Keep every state as it appears, until interrupted."),
    "desktop": Place(_ROOM + "desktop", "desktop", "The window: your folders, and the ways back."),
    "doctor": Place(_ROOM + "doctor", "doctor", "Check everything, and say what to do."),
    "demo": Place(_ROOM + "demo", "demo", "A short story of lost work, and how it comes back."),
    "completion": Place(_ROOM + "completion", "completion", "Completion of commands in your shell."),
}

root = Root(
    "backtrail",
    places=_PLACES,
    help="Backtrail keeps every state of your Git folders that it saw, and brings lost work back.\n\n"
    "MEMORY is a folder that Backtrail watches: its name, its id or the beginning of it, or a path in it. Left out, it "
    "is the one around the current folder.",
    example="backtrail memory add ~/notes\nbacktrail scan ~/notes\nbacktrail checkpoint list ~/notes",
)
click.version_option(__version__, prog_name="backtrail")(root)


def main() -> None:
    """Run the program and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command; return the exit code."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]  # they would send libgit2 and git to another repository (case B44)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="backtrail: %(message)s")
    signal.signal(signal.SIGTERM, _interrupt)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a terminal of few letters
    call = Call()
    try:
        return _run(call, arguments)
    except BrokenPipeError:
        pass  # who read us is gone; what was asked is done, but it could not be told
    except CannotTell as error:
        _say_last(f"backtrail: The answer could not be written: {error}.\n")
        _say_last("  `backtrail status` tells how things stand.\n")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return REFUSED


def _say_last(text: str) -> None:
    """Say something on stderr, or nothing: Python would end with a code of its own for what it cannot write there."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _interrupt(number: int, frame: FrameType | None) -> None:
    del number, frame
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # one is enough: what was prepared is being removed
    raise KeyboardInterrupt


def _run(call: Call, arguments: list[str]) -> int:
    try:
        code = root.main(arguments, prog_name="backtrail", obj=call, standalone_mode=False)
    except click.UsageError as error:
        call.json = call.json or _asks_for_json(arguments)
        return _usage(call, error)
    except (click.Abort, KeyboardInterrupt, Cancelled):
        return _interrupted(call)
    except BacktrailError as error:
        return _refused(call, error)
    except (BrokenPipeError, CannotTell):
        raise
    except OSError as error:
        if error.filename is None and error.errno == errno.ENOSPC:  # of a stream, as help is written
            raise CannotTell(error.strerror) from error
        return _broken(call, error)
    except Exception as error:  # noqa: BLE001 - the edge: shown with its traceback, and as an answer
        return _broken(call, error)
    return code if isinstance(code, int) and code else call.exit_code


def _asks_for_json(arguments: list[str]) -> bool:
    """Tell whether `--json` was said although the command line could not be understood."""
    until = arguments.index("--") if "--" in arguments else len(arguments)
    return "--json" in arguments[:until]


def _usage(call: Call, error: click.UsageError) -> int:
    context = error.ctx
    if call.json:
        remedy = f"{context.command_path} --help" if context else "backtrail --help"
        call.fail({"code": "usage", "message": error.format_message(), "remedy": remedy, "data": {}}, ())
    elif isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
    else:
        blocks: list[Block] = [f"backtrail: {error.format_message()}"]
        if context is not None:
            blocks += [context.get_usage(), f"`{context.command_path} --help` tells more, with an example."]
        call.fail({}, blocks)
    return USAGE


def _interrupted(call: Call) -> int:
    message = "Interrupted."
    remedy = "If a restore was running, the next command settles it and says how it ended."
    call.fail({"code": "interrupted", "message": message, "remedy": remedy, "data": {}}, (f"{message} {remedy}",))
    return INTERRUPTED


def _refused(call: Call, error: BacktrailError) -> int:
    from backtrail.cli.refusal import refusal_blocks, refusal_json  # noqa: PLC0415 - words only where needed

    call.fail(refusal_json(error), refusal_blocks(error))
    return REFUSED


def _broken(call: Call, error: Exception) -> int:
    traceback.print_exception(error)
    message = f"Backtrail itself failed: {type(error).__name__}: {error}"
    remedy = "Please report it with the lines above. `backtrail doctor` tells whether everything is in order."
    told: Json = {"code": "internal", "message": message, "remedy": remedy, "data": {}}
    call.fail(told, (message, remedy))
    return REFUSED


if __name__ == "__main__":
    main()
