"""The sentences for what can go wrong between a client and the Host, two processes of the same person.

Owns only these; `wording.errors` says them like all others.
"""

from collections.abc import Callable
from typing import Any

from backtrail.model.errors import BacktrailError
from backtrail.wire import errors as between
from backtrail.wire.messages import Refusal
from backtrail.wording.sentence import Sentence

_AGAIN = "Run it again. If it stays so, stop Backtrail and start it anew; nothing in your folders depends on it."
_SAME_VERSION = "Stop the running Backtrail and start it again, so that both are of the same version."
_REFUSED = {
    Refusal.OTHER_VERSION: ("it is of another version, {product}", _SAME_VERSION),
    Refusal.OTHER_USER: ("it belongs to another user", "Use a data folder of your own: --home DIR or BACKTRAIL_HOME."),
    Refusal.TOO_BUSY: ("it has too many clients already", "Close windows or commands that you do not need."),
}


def _damaged(error: between.FrameDamaged) -> Sentence:
    detail = f": {error.detail}" if error.detail else ""
    return Sentence(f"A message between two processes of Backtrail could not be read ({error.damage}{detail}).", _AGAIN)


def _too_long(error: between.FrameTooLong) -> Sentence:
    return Sentence(
        f"A message of {error.bytes} bytes is longer than the {error.limit} that are allowed between two processes.",
        "Ask for less at once, with a limit or for fewer paths.",
    )


def _folder_unsafe(error: between.SocketFolderUnsafe) -> Sentence:
    tried = "; ".join(f"{folder}: {why}" for folder, why in error.tried.items())
    return Sentence(
        f"There is no folder for the socket that belongs to this user alone ({tried}).",
        "Make one and name it: `mkdir -m 700 ~/.run` and `export XDG_RUNTIME_DIR=~/.run`.",
    )


def _socket_taken(error: between.SocketTaken) -> Sentence:
    return Sentence(
        f"Something stands where the socket belongs: {error.path}.",
        "If no Backtrail runs (`pgrep -a backtrail`), move it away and start again.",
    )


def _no_host(error: between.NoHost) -> Sentence:
    return Sentence(
        f"No running Backtrail serves the data folder {error.home}.",
        "Start it. The commands of `backtrail` work without it, too.",
    )


def _other_user(error: between.HostOfAnotherUser) -> Sentence:
    whose = "of another user" if error.uid is None else f"of the user with the number {error.uid}"
    return Sentence(
        f"What answers for this data folder is a process {whose}; nothing was said to it.",
        "Use a data folder of your own: --home DIR or BACKTRAIL_HOME.",
    )


def _host_refused(error: between.HostRefused) -> Sentence:
    known = error.why in set(Refusal)
    why, remedy = _REFUSED[Refusal(error.why)] if known else ("it says {why}", _SAME_VERSION)
    return Sentence(
        f"The running Backtrail does not take this client: {why.format(product=error.product, why=error.why)}.", remedy
    )


def _not_answering(error: between.HostNotAnswering) -> Sentence:
    return Sentence(
        f"The running Backtrail has not answered for {error.silent_s:.0f} s.",
        "Wait a little: a large folder may keep it busy. If it stays so, stop it and start it again.",
    )


def _stopped(error: between.HostStopped) -> Sentence:
    del error
    return Sentence(
        "The running Backtrail closed the connection. A restore that was under way is settled by the next start.",
        "Start it again, or run the command again.",
    )


def _took_too_long(error: between.TookTooLong) -> Sentence:
    return Sentence(
        f"There was no answer to {error.command} within {error.limit_s:.0f} s. The running Backtrail goes on with it.",
        "Look again in a while: `backtrail status`.",
    )


def _command_failed(error: between.CommandFailed) -> Sentence:
    return Sentence(
        f"The running Backtrail refused this ({error.code}).",
        "`backtrail doctor` looks at everything, and says what to do.",
    )


BETWEEN_PROCESSES: dict[type[BacktrailError], Callable[[Any], Sentence]] = {
    between.FrameDamaged: _damaged,
    between.FrameTooLong: _too_long,
    between.SocketFolderUnsafe: _folder_unsafe,
    between.SocketTaken: _socket_taken,
    between.NoHost: _no_host,
    between.HostOfAnotherUser: _other_user,
    between.HostRefused: _host_refused,
    between.HostNotAnswering: _not_answering,
    between.HostStopped: _stopped,
    between.TookTooLong: _took_too_long,
    between.CommandFailed: _command_failed,
}
"""A sentence for each error of `wire.errors`."""
