"""What happened on the way that a person should hear of although they did not ask.

Owns the values; the sentences are in `wording`.
"""

import enum

import msgspec


class NoticeCode(enum.StrEnum):
    """What a notice tells."""

    DATABASE_REBUILT = "database-rebuilt"
    RESTORE_FINISHED = "restore-finished"
    RESTORE_ROLLED_BACK = "restore-rolled-back"
    RESTORE_UNFINISHED = "restore-unfinished"


class Notice(msgspec.Struct, frozen=True):
    """One notice. memory: its name. detail: a path or an id. count: how many things it is about."""

    code: NoticeCode
    memory: str = ""
    detail: str = ""
    count: int = 0
