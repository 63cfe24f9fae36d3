"""`backtrail completion`: the script that completes commands in a shell.

Owns printing it; what is completed comes from the commands themselves.
"""

import click
from click.shell_completion import get_completion_class

from backtrail.cli.call import Call
from backtrail.cli.verb import Verb

VARIABLE = "_BACKTRAIL_COMPLETE"


@click.command(
    "completion",
    cls=Verb,
    example='eval "$(backtrail completion bash)"                 # in ~/.bashrc\n'
    "backtrail completion fish >~/.config/fish/completions/backtrail.fish",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, *, shell: str) -> None:
    """Print the completion script for a shell."""
    call = context.ensure_object(Call)
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"There is no completion for {shell}.")
    script = kind(context.find_root().command, {}, "backtrail", VARIABLE).source()
    if call.json:
        call.answer({"completion": {"shell": shell, "script": script}})
    else:
        call.raw(script.encode())
