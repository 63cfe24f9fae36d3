"""`backtrail desktop`: the window.

Owns the way into it, or to the one that is open, and the refusal where none can be. Everything of Qt is imported only
when this runs; nothing of libgit2 and the database ever is.
"""

import importlib
import os
import pathlib
from types import ModuleType

import click

from backtrail.cli.call import Call
from backtrail.cli.verb import PATH, Verb
from backtrail.host.data_folder import default_home
from backtrail.model.errors.desktop import Lacking, NoDesktop

_SINGLE = "backtrail_desktop.shell.single"
_APPLICATION = "backtrail_desktop.shell.application"


@click.command(
    "desktop",
    cls=Verb,
    help="Open the window: your folders, what happened in them, and the ways back. It starts Backtrail in the "
    "background if none runs yet. A window that is open already comes to the front.\n\nFOLDER is taken as a folder to "
    "keep, if it is not one yet, and shown.",
    example="backtrail desktop\nbacktrail desktop ~/notes",
)
@click.argument("folder", type=PATH, required=False)
@click.option("--background", is_flag=True, help="Stay out of the way: for the start of a session.")
@click.pass_obj
def desktop(call: Call, *, folder: bytes | None, background: bool) -> None:
    """Run the window until it is closed."""
    home = os.path.abspath(call.home) if call.home else str(default_home())
    chosen = [] if folder is None else [os.fsdecode(os.path.abspath(folder))]
    single = _part(_SINGLE).become_single(pathlib.Path(home), folder, background=background)
    if single is None:
        call.answer({"shown": True})
        return
    call.exit_code = _part(_APPLICATION).main([home, "background" if background else "", *chosen], single)
    call.answer({"closed": True})


def _part(name: str) -> ModuleType:
    """Import a part of the window. Raises NoDesktop."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        lacking = Lacking.WINDOW if (error.name or "").startswith("backtrail_desktop") else Lacking.QT
        raise NoDesktop(lacking, str(error)) from error
    except ImportError as error:  # PySide6 is there, and a library of the system that it needs is not
        raise NoDesktop(Lacking.LIBRARY, str(error)) from error
