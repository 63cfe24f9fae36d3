"""Commands as click knows them, with what all of ours have: an example, `--json` and `--home` at every place.

Owns the two global options and the kinds of argument. Imports nothing of ours but the call.
"""

import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import click
from click.shell_completion import CompletionItem

from backtrail.cli.call import Call


def _say_json(context: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's own form
    if value:
        context.ensure_object(Call).json = True


def _name_home(context: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.ensure_object(Call).home = value


def _global_options() -> list[click.Parameter]:
    return [
        click.Option(
            ["--json"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_say_json,
            help="Answer with one JSON object.",
        ),
        click.Option(
            ["--home"],
            metavar="DIR",
            is_eager=True,
            expose_value=False,
            callback=_name_home,
            help="The data folder (else BACKTRAIL_HOME, else the user's own).",
        ),
    ]


def _write_example(example: str, formatter: click.HelpFormatter) -> None:
    with formatter.section("Example"):
        for line in example.splitlines():
            formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


class Verb(click.Command):
    """A command that does something. `example` is shown in its help."""

    def __init__(self, *args: Any, example: str, **kwargs: Any) -> None:  # noqa: ANN401 - click's own parameters
        super().__init__(*args, **kwargs)
        self.params += _global_options()
        self._example = example

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example below the options."""
        _write_example(self._example, formatter)
        super().format_epilog(ctx, formatter)


class Noun(click.Group):
    """A group of verbs."""

    command_class = Verb

    def __init__(self, *args: Any, example: str, **kwargs: Any) -> None:  # noqa: ANN401 - click's own parameters
        super().__init__(*args, **kwargs)
        self.params += _global_options()
        self._example = example

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example below the verbs."""
        _write_example(self._example, formatter)
        super().format_epilog(ctx, formatter)


class Place(NamedTuple):
    """Where a command is defined, and its line in the list: so that a list need not import all of them."""

    module: str
    name: str
    short_help: str


class Root(Noun):
    """The program itself. A command's module is imported when that command is asked for, not before."""

    def __init__(self, *args: Any, places: Mapping[str, Place], **kwargs: Any) -> None:  # noqa: ANN401 - click's own parameters
        super().__init__(*args, **kwargs)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order in which a newcomer needs them."""
        del ctx
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module and return the command."""
        del ctx
        place = self._places.get(cmd_name)
        if place is None:
            return None
        return cast("click.Command", getattr(importlib.import_module(place.module), place.name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table alone."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.short_help) for name, place in self._places.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete command names from the table alone."""
        del ctx
        return [
            CompletionItem(name, help=place.short_help)
            for name, place in self._places.items()
            if name.startswith(incomplete)
        ]


class _Text(click.ParamType[str]):
    name = "text"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        try:
            text.encode()
        except UnicodeEncodeError:
            self.fail("it is not valid UTF-8", param, ctx)
        return text


class _Path(click.ParamType[bytes]):
    name = "path"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> bytes:
        if isinstance(value, bytes):
            return value
        if not value:
            self.fail("it is empty", param, ctx)
        return os.fsencode(str(value))

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        del ctx, param
        return [CompletionItem(incomplete, type="file")]


TEXT = _Text()
"""A name or a note: valid UTF-8."""
PATH = _Path()
"""A path as raw bytes."""


def memory_argument(function: Callable[..., None]) -> Callable[..., None]:
    """Take `MEMORY`: an id, an unambiguous prefix of one, a name, or a path in it; left out, the one around here."""
    return click.argument("memory", required=False, metavar="[MEMORY]")(function)


def only_one(given: Sequence[bool], names: str) -> None:
    """Raise UsageError unless exactly one of several choices was made."""
    if sum(given) != 1:
        raise click.UsageError(f"Give one of {names}.")
