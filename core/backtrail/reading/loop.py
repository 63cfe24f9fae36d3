"""The reader's loop: frames of requests in, frames of answers out, one at a time.

Owns what becomes of each question: its answer, or a failure with code and facts. Hears no Cancel: whoever does not want
an answer any more ends the process.
"""

import io
import logging

import msgspec

from backtrail.model.changes import ChangeQuestion
from backtrail.model.commits import CommitQuestion
from backtrail.model.errors import BacktrailError
from backtrail.model.errors.host import UnknownCommand
from backtrail.reading.answering import Reader
from backtrail.wire.coding import NotACommand, command_of, result_of
from backtrail.wire.errors import FrameTooLong
from backtrail.wire.frames import FrameReader
from backtrail.wire.messages import Answer, Failure, Request, frame_of, from_client
from backtrail.wire.parts import Parts, frames_of

_log = logging.getLogger(__name__)
_AT_ONCE = 1 << 16


def serve(reader: Reader, questions: io.RawIOBase, answers: io.RawIOBase) -> None:
    """Answer until the end of `questions`. Raises FrameDamaged, FrameTooLong for what is no stream of ours."""
    frames, parts = FrameReader(), Parts()
    while data := questions.read(_AT_ONCE):
        for body in frames.read(data):
            message = parts.take(from_client(body))
            if isinstance(message, Request):
                _write(answers, _answered(reader, message))


def _answered(reader: Reader, request: Request) -> bytes:
    try:
        answer = reader.answer(command_of(request.command, request.arguments, ChangeQuestion | CommitQuestion))
    except NotACommand as error:
        return _failed(request, UnknownCommand(request.command, str(error)))
    except BacktrailError as error:
        return _failed(request, error)
    except Exception as error:  # noqa: BLE001 - the edge: it is logged and told, and the next question is answered
        _log.exception("%s", request.command)
        return frame_of(Failure(request.number, "internal-error", {"kind": type(error).__name__}))
    try:
        return b"".join(frames_of(Answer(request.number, result_of(answer))))
    except FrameTooLong as error:
        return frame_of(Failure(request.number, "answer-too-long", error.facts()))


def _failed(request: Request, error: BacktrailError) -> bytes:
    facts = {name: msgspec.to_builtins(value) for name, value in error.facts().items()}
    return frame_of(Failure(request.number, error.code, facts))


def _write(answers: io.RawIOBase, frames: bytes) -> None:
    rest = memoryview(frames)
    while rest:
        rest = rest[answers.write(rest) or 0 :]
