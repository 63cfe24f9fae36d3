"""Why a question was not answered, in words: from an error, or from the code and the facts that came over the wire.

Owns the way back from a code to the error of `model.errors` that was raised at the other end, so that its sentences are
those of `backtrail.wording`; and the sentences of what only a client can see. A code that this version does not know is
still told. The sentences, and all errors with them, are imported when something first goes wrong.
"""

from collections.abc import Iterator

import msgspec
from backtrail.model.errors import BacktrailError
from backtrail.wire.errors import CommandFailed, HostStopped
from backtrail.wording.sentence import Sentence

from backtrail_desktop.client.port import Failure

CANCELLED = "cancelled"
READER_STOPPED = "reader-stopped"
NOT_UNDERSTOOD = "answer-not-understood"
_REPORT = "Try it again. If it stays so, please report it."
_OURS = {
    CANCELLED: Sentence("It was stopped."),
    READER_STOPPED: Sentence("The part of Backtrail that reads your folder ended before it had answered.", _REPORT),
    NOT_UNDERSTOOD: Sentence(
        "The answer could not be understood: the Backtrail in the background is of another version.",
        "Stop it and start it again, so that both are of the same version.",
    ),
    HostStopped.code: Sentence("Backtrail is not running in the background.", "Start it, and this goes on."),
    "internal-error": Sentence("Backtrail itself failed.", _REPORT),
    "answer-too-long": Sentence("The answer is longer than one message may be.", "Ask for less at once."),
    "too-busy": Sentence("Backtrail has too much to do at this moment.", "Try it again in a while."),
    "host-stopping": Sentence("Backtrail is just ending.", "Start it again."),
}


def failure_of(error: BacktrailError) -> Failure:
    """Return an error of this process as a failure."""
    return _explained(error, error.facts())


def told_failure(code: str, facts: dict[str, object] | None = None) -> Failure:
    """Return what the other end said: `code`, and the facts as JSON values."""
    facts = facts or {}
    if (said := _OURS.get(code)) is not None:
        return Failure(code, said.message, said.remedy, facts)
    from backtrail.wording import errors as _every_error  # noqa: F401, PLC0415 - see above

    kind = dict(_kinds(BacktrailError)).get(code)
    try:
        error = CommandFailed(code, facts) if kind is None else msgspec.convert(facts, kind)
    except msgspec.ValidationError:
        error = CommandFailed(code, facts)
    return _explained(error, facts)


def host_stopped() -> Failure:
    """Return that the Host ended before it answered."""
    return told_failure(HostStopped.code)


def _explained(error: BacktrailError, facts: dict[str, object]) -> Failure:
    from backtrail.wording.errors import code_of, explain  # noqa: PLC0415 - see above

    sentence = explain(error)
    return Failure(code_of(error), sentence.message, sentence.remedy, facts)


def _kinds(of: type[BacktrailError]) -> Iterator[tuple[str, type[BacktrailError]]]:
    for kind in of.__subclasses__():
        if kind is not CommandFailed:
            yield kind.code, kind
            yield from _kinds(kind)
