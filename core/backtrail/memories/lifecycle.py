"""Adding a folder, making a new one, and the four states of a memory.

Owns which folders are taken at all. Adding changes not one byte of the folder (design: inbox, lifecycle). If making a
new memory fails, what was made is removed. Never deletes a folder, its checkpoints or its archives.
"""

import datetime
import os
import pathlib
import shutil
import tempfile

import msgspec

from backtrail.git.creating import create_repository
from backtrail.git.repository import Repository, find_top
from backtrail.memories.finding import is_inside
from backtrail.memories.register import Register
from backtrail.model.clock import Clock
from backtrail.model.errors.memory import (
    AlreadyAMemory,
    FolderTaken,
    NameTaken,
    UnfitName,
    UnknownSetting,
    WrongPause,
    WrongState,
)
from backtrail.model.errors.repository import CannotBeProtected, NotReachable
from backtrail.model.ids import MemoryId, new_id
from backtrail.model.memory import LONGEST_PAUSE, PAUSED, Memory, MemoryState, Protection, ProtectionState
from backtrail.model.path_text import path_text

ARCHIVES = b".backtrail"
NOT_LOOKED_AT = "not-looked-at"
_SMALLEST_CAP, _LARGEST_CAP = 1 << 10, 1 << 60


class Lifecycle:
    """Moves memories through their lives. `home` is the data folder, which must not lie in one."""

    def __init__(self, register: Register, home: pathlib.Path, memories: list[Memory], clock: Clock) -> None:
        """`memories`: all there ever were; a deleted one is taken back when its folder is added again."""
        self._register = register
        self._home = os.path.realpath(os.fsencode(home))
        self._memories = [memory for memory in memories if memory.state is not MemoryState.DELETED]
        self._deleted = [memory for memory in memories if memory.state is MemoryState.DELETED]
        self._clock = clock

    def add(self, path: bytes, name: str | None) -> Memory:
        """Take the working tree that holds `path`. Raises errors of `model.errors.repository` and `.memory`."""
        top = find_top(path)
        self._refuse_unfit(top)
        for memory in self._memories:
            if memory.path == top:
                raise AlreadyAMemory(memory.name, top)
        Repository.open(top).close()
        chosen = self._name(name, path_text(os.path.basename(top)))
        protection = Protection(ProtectionState.NOT_PROTECTED, NOT_LOOKED_AT, self._clock())
        for gone in self._deleted:
            if gone.path == top:
                back = msgspec.structs.replace(
                    gone,
                    name=chosen,
                    bot=chosen,
                    state=MemoryState.ATTACHED,
                    protection=protection,
                    paused_until=None,
                    omissions=(),
                )
                self._register.replace(back)
                return back
        memory = Memory(
            id=MemoryId(new_id()),
            name=chosen,
            bot=chosen,
            path=top,
            state=MemoryState.ATTACHED,
            protection=protection,
            added_at=self._clock(),
        )
        self._register.add(memory)
        return memory

    def new(self, name: str, place: bytes | None, persona: bytes | None) -> Memory:
        """Make a folder with a repository on branch `main` and its first commit, and take it."""
        self._name(name, name)
        path = os.path.abspath(place if place is not None else os.fsencode(name))
        if os.path.lexists(path):
            raise FolderTaken(path)
        try:
            os.makedirs(path)
        except OSError as error:
            raise NotReachable(path, error.strerror or "") from error
        try:
            files = {} if persona is None else {"PERSONA.md": persona}
            create_repository(path, files, f"Begin {name}\n")
            return self.add(path, name)
        except BaseException:
            shutil.rmtree(path)  # it is minutes old and ours alone: no memory, no folder
            raise

    def move_to(self, memory: Memory, state: MemoryState) -> Memory:
        """Detach, attach, archive or delete: change the state alone. Raises WrongState."""
        allowed = {
            MemoryState.DETACHED: (MemoryState.ATTACHED,),
            MemoryState.ATTACHED: (MemoryState.DETACHED, MemoryState.ARCHIVED),
            MemoryState.ARCHIVED: (MemoryState.ATTACHED, MemoryState.DETACHED),
            MemoryState.DELETED: (MemoryState.ATTACHED, MemoryState.DETACHED, MemoryState.ARCHIVED),
        }
        if memory.state not in allowed[state]:
            raise WrongState(memory.name, memory.state, state)
        changed = msgspec.structs.replace(memory, state=state, paused_until=None)
        self._register.replace(changed)
        return changed

    def pause(self, memory: Memory, until: datetime.datetime) -> Memory:
        """Have nobody look until a time: what comes after the last look is not kept. Raises WrongState, WrongPause."""
        if memory.state is not MemoryState.ATTACHED:
            raise WrongState(memory.name, memory.state, MemoryState.ATTACHED)
        now, before = self._clock(), memory.protection
        if not now < until <= now + LONGEST_PAUSE:
            raise WrongPause(until)
        since = before.since if before.state is ProtectionState.NOT_PROTECTED else before.looked_at
        protection = Protection(ProtectionState.NOT_PROTECTED, PAUSED, since, before.looked_at)
        changed = msgspec.structs.replace(memory, paused_until=until, protection=protection)
        self._register.replace(changed)
        return changed

    def resume(self, memory: Memory) -> Memory:
        """End a pause; that nothing is kept is true until the next look."""
        changed = msgspec.structs.replace(memory, paused_until=None)
        self._register.replace(changed)
        return changed

    def set(self, memory: Memory, key: str, value: str) -> Memory:
        """Change a setting: `name`, `path` (after the folder was moved), or `size-cap` in bytes."""
        if key == "name":
            changed = msgspec.structs.replace(memory, name=self._name(value, value, but=memory))
        elif key == "path":
            top = find_top(os.fsencode(value))
            self._refuse_unfit(top)
            self._register.refuse_another(memory, top)
            changed = msgspec.structs.replace(memory, path=top)
        elif key == "size-cap" and value.isdecimal() and _SMALLEST_CAP <= int(value) <= _LARGEST_CAP:
            changed = msgspec.structs.replace(memory, size_cap=int(value))
        else:
            raise UnknownSetting(key, value)
        self._register.replace(changed)
        return changed

    def _name(self, wanted: str | None, default: str, but: Memory | None = None) -> str:
        taken = {memory.name for memory in self._memories if memory is not but}
        if wanted is not None:
            if "/" in wanted or wanted.strip() in {"", ".", ".."}:
                raise UnfitName(wanted)
            if wanted in taken:
                raise NameTaken(wanted)
            return wanted
        name, number = default, 1
        while name in taken:
            number += 1
            name = f"{default}-{number}"
        return name

    def _refuse_unfit(self, top: bytes) -> None:
        """Refuse what must not become a memory (case B56, B57)."""
        unfit = {
            b"/": "file-system-root",
            os.path.realpath(os.path.expanduser(b"~")): "home-folder",
            os.path.realpath(os.fsencode(tempfile.gettempdir())): "temporary-root",
        }
        if top in unfit:
            raise CannotBeProtected(top, unfit[top])
        if is_inside(top, self._home):
            raise CannotBeProtected(top, "inside-data-folder", os.fsdecode(self._home))
        if is_inside(self._home, top):
            raise CannotBeProtected(top, "holds-data-folder", os.fsdecode(self._home))
        if ARCHIVES in top.split(b"/"):
            raise CannotBeProtected(top, "inside-archive")
