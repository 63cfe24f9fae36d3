"""The sentences for what a memory and its settings refuse.

Owns only these; `wording.errors` says them like all others.
"""

from collections.abc import Callable
from typing import Any

from backtrail.model.errors import BacktrailError, memory
from backtrail.model.path_text import path_text
from backtrail.wording.sentence import Sentence, shell_word, time_text


def _already_a_memory(error: memory.AlreadyAMemory) -> Sentence:
    return Sentence(
        f"{path_text(error.path)} is watched already, by the name {error.memory}.",
        f"`backtrail memory show {shell_word(error.path)}` shows it.",
    )


def _name_taken(error: memory.NameTaken) -> Sentence:
    return Sentence(
        f"Another folder has the name {error.name}.",
        "Give another one with --name, or rename that one: `backtrail memory set name NEW-NAME MEMORY`.",
    )


def _unfit_name(error: memory.UnfitName) -> Sentence:
    return Sentence(
        f"A folder cannot be called {error.name!r}.",
        "Choose a name that is not empty and holds no slash; `--at PATH` says where a new folder is to be.",
    )


def _folder_taken(error: memory.FolderTaken) -> Sentence:
    return Sentence(
        f"{path_text(error.path)} exists already and is not an empty folder, or cannot be made.",
        "Name a folder that does not exist yet, or an empty one.",
    )


_HOW_TO_MOVE = {
    "detached": "`backtrail memory attach` takes it back.",
    "archived": "`backtrail memory reactivate` takes it back.",
    "deleted": "`backtrail memory add PATH` adds the folder again.",
    "attached": "`backtrail memory detach` or `backtrail memory archive` come first.",
}


def _wrong_state(error: memory.WrongState) -> Sentence:
    if error.state == error.wanted:
        return Sentence(f"{error.memory} is {error.state} already.", "There is nothing to do.")
    return Sentence(
        f"{error.memory} is {error.state}, and for this it must be able to become or be {error.wanted}.",
        _HOW_TO_MOVE.get(error.state, "`backtrail memory show` tells more."),
    )


def _wrong_pause(error: memory.WrongPause) -> Sentence:
    return Sentence(
        f"A pause cannot end at {time_text(error.until)}: that is over, or more than 24 hours from now.",
        "Choose an end within the next 24 hours; a pause can be made again. To watch a folder no more: "
        "`backtrail memory detach`.",
    )


def _unknown_setting(error: memory.UnknownSetting) -> Sentence:
    return Sentence(
        f"There is no setting {error.key} that takes the value {error.value!r}.",
        "The settings are name, path (after the folder was moved) and size-cap (whole bytes, from 1024 to 2^60).",
    )


def _not_left_out(error: memory.NotLeftOut) -> Sentence:
    return Sentence(
        f"{path_text(error.path)} is not among what cannot be kept of {error.memory}, or was never left out.",
        "`backtrail scan` names what cannot be kept, `backtrail memory show --json` what you agreed to.",
    )


OF_MEMORIES: dict[type[BacktrailError], Callable[[Any], Sentence]] = {
    memory.AlreadyAMemory: _already_a_memory,
    memory.NameTaken: _name_taken,
    memory.UnfitName: _unfit_name,
    memory.FolderTaken: _folder_taken,
    memory.WrongState: _wrong_state,
    memory.WrongPause: _wrong_pause,
    memory.UnknownSetting: _unknown_setting,
    memory.NotLeftOut: _not_left_out,
}
"""A sentence for each error of `model.errors.memory`."""
