"""Ids and digests as types of their own, so that one is never passed for another.

Owns no behaviour beyond making and printing them.
"""

import uuid
from typing import NewType

Oid = NewType("Oid", bytes)
"""A Git object id: 20 raw bytes (SHA-1). Printed as 40 hex digits, only at the edges."""

RelPath = NewType("RelPath", bytes)
"""A path below a memory's root: raw bytes, `/` between parts, no leading slash, never normalised."""

MemoryId = NewType("MemoryId", str)
CheckpointId = NewType("CheckpointId", str)
RestoreId = NewType("RestoreId", str)
"""Also the id of the archive that this restore made: there is exactly one."""

Token = NewType("Token", str)
"""A digest of a net state (64 hex digits): a content token or a guard token (design: engine, net state)."""

RECOVERY_REFS = b"refs/botharness/recovery/"
"""Every recovery checkpoint is held by one ref below this name (record: recovery checkpoints)."""

LEFT_REFS = b"refs/botharness/left/"
"""Tips of branches that a restore moved, so that no commit is left without a name (case B03)."""


def new_id() -> str:
    """Return a fresh random id: 32 hex digits, no time in it (case B81)."""
    return uuid.uuid4().hex


def oid_from_hex(text: str) -> Oid:
    """Return the id that 40 hex digits name. Raises ValueError for anything else."""
    raw = bytes.fromhex(text)
    if len(raw) != 20:  # noqa: PLR2004 - the length of SHA-1
        raise ValueError(text)
    return Oid(raw)
