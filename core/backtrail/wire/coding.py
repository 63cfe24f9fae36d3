"""Commands, answers and events as JSON values and back, by their types.

Owns the one form in which typed values cross between our own processes: as msgspec writes them, bytes as base64. It is
not the form that people and other programs see; that is made at the edges by `path_json` (decision 0009).
"""

from typing import Any, TypeVar, cast

import msgspec

from backtrail.model.commands import Command
from backtrail.model.events import HostEvent
from backtrail.wire.messages import Event, JsonObject

A = TypeVar("A")
_TAG = "type"
_NAME, _MEMORY = "name", "memory"


class NotACommand(Exception):
    """What came is no command that this version knows, or does not fit its type."""


class NotAnEvent(Exception):
    """What came is no event that this version knows, or does not fit its type."""


def request_of(command: Command[A]) -> tuple[str, JsonObject]:
    """Return a command's name and arguments for a Request."""
    arguments = cast("JsonObject", msgspec.to_builtins(command))
    return cast("str", arguments.pop(_TAG)), arguments


def command_of(name: str, arguments: JsonObject, known: Any) -> Command[object]:  # noqa: ANN401 - a union of types
    """Return the command that a Request names; `known`: the union of those that may come. Raises NotACommand."""
    try:
        return cast("Command[object]", msgspec.convert({_TAG: name, **arguments}, known))
    except msgspec.ValidationError as error:
        raise NotACommand(str(error)) from error


def result_of(answer: object) -> object:
    """Return an answer as JSON values."""
    return msgspec.to_builtins(answer)


def answer_of(command: Command[A], result: object) -> A:
    """Return the answer to a command from its JSON values. Raises NotACommand if it does not fit."""
    try:
        return cast("A", msgspec.convert(result, command.answer))
    except msgspec.ValidationError as error:
        raise NotACommand(str(error)) from error


def message_of(event: HostEvent) -> Event:
    """Return an event as the message that carries it."""
    facts = cast("JsonObject", msgspec.to_builtins(event))
    return Event(cast("str", facts.pop(_NAME)), cast("str | None", facts.pop(_MEMORY)), facts)


def event_of(message: Event) -> HostEvent:
    """Return the event that a message carries. Raises NotAnEvent."""
    try:
        told = {**message.facts, _NAME: message.name, _MEMORY: message.memory_id}
        return cast("HostEvent", msgspec.convert(told, HostEvent))
    except msgspec.ValidationError as error:
        raise NotAnEvent(str(error)) from error
