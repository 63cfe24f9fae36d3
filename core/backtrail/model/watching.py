"""How a memory is watched at present: by events, by looking every so often, or not at all since it cannot be reached.

Owns the values. Says nothing about protection: a memory that is polled is kept all the same, only later. *Not
reachable* is never *deleted* (case B71). Source: design page "engine", watching.
"""

import enum

import msgspec


class PollingReason(enum.StrEnum):
    """Why events do not do."""

    OUT_OF_WATCHES = "out-of-watches"
    NO_EVENTS = "no-events"
    ERROR = "error"


class UnreachableReason(enum.StrEnum):
    """What became of the root folder, as far as the watch can tell.

    MOVED: the folder that was watched still exists, elsewhere. REPLACED: another folder stands at the path; whether it
    is the same memory is for those who know its identity. UNREADABLE: the system refuses or fails to answer.
    """

    MOVED = "moved"
    REPLACED = "replaced"
    UNMOUNTED = "unmounted"
    GONE = "gone"
    UNREADABLE = "unreadable"


class Shortage(msgspec.Struct, frozen=True):
    """The limit of the system that was met (case B66), with what a person needs to raise it.

    setting: its sysctl name. limit: its value, None if it cannot be read. folders: how many this memory would watch.
    suggested: a value that would do for it, None where the sysctl would not help.
    """

    setting: str
    limit: int | None
    folders: int
    suggested: int | None


class Watching(msgspec.Struct, frozen=True, tag="watching"):
    """Changes give a hint within seconds."""


class Polling(msgspec.Struct, frozen=True, tag="polling"):
    """There is a hint every `every_s` seconds, whether anything changed or not.

    shortage: with OUT_OF_WATCHES. detail: the file system's type with NO_EVENTS, the system's words with ERROR.
    """

    reason: PollingReason
    every_s: float
    shortage: Shortage | None = None
    detail: str = ""


class Unreachable(msgspec.Struct, frozen=True, tag="not-reachable"):
    """No hints until the folder is back. detail: the system's words, where it had any."""

    reason: UnreachableReason
    detail: str = ""


WatchState = Watching | Polling | Unreachable
