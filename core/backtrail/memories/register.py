"""Where memories are written down: a row, and beside it a small file that the row can be rebuilt from.

Owns `memory.json` in the data folder. The file is written whole by rename. Checkpoints are not its business.
"""

import os
import pathlib

import msgspec

from backtrail.checkpoints.reconcile import recovery_refs
from backtrail.git.repository import Repository
from backtrail.model.errors.host import DataFolderUnusable
from backtrail.model.errors.repository import AnotherRepository
from backtrail.model.ids import MemoryId
from backtrail.model.memory import Memory
from backtrail.store.database import Database

_FILE = "memory.json"
_ALL = 1 << 40


class Register:
    """All memories of one data folder. `folder` holds one folder per memory."""

    def __init__(self, database: Database, folder: pathlib.Path) -> None:
        self._database = database
        self._folder = folder

    def folder_of(self, memory_id: MemoryId) -> pathlib.Path:
        """Return the folder for what is kept beside a memory's rows."""
        return self._folder / memory_id

    def add(self, memory: Memory) -> None:
        """Write a new memory down."""
        self._write(memory)
        self._database.memories.add(memory, None)

    def replace(self, memory: Memory) -> None:
        """Write a changed memory down."""
        self._write(memory)
        self._database.memories.replace(memory)

    def refuse_another(self, memory: Memory, path: bytes) -> None:
        """Raise AnotherRepository if the repository at `path` knows nothing of this memory's checkpoints."""
        known = {row.id for row in self._database.checkpoints.page(memory.id, limit=_ALL)}
        repository = Repository.open(path)
        try:
            if known and not known & recovery_refs(repository).keys():
                raise AnotherRepository(path)
        finally:
            repository.close()

    def written_down(self) -> list[Memory]:
        """Return the memories that the files tell of, in order of adding; a damaged file is passed over."""
        found: list[Memory] = []
        for path in self._folder.glob(f"*/{_FILE}"):
            try:
                found.append(msgspec.json.decode(path.read_bytes(), type=Memory))
            except (OSError, msgspec.DecodeError):
                continue
        return sorted(found, key=lambda memory: memory.added_at)

    def _write(self, memory: Memory) -> None:
        place = self.folder_of(memory.id)
        temporary = place / f".{_FILE}.{os.getpid()}"
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            with temporary.open("wb") as file:
                file.write(msgspec.json.encode(memory))
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(place / _FILE)
        except OSError as error:
            raise DataFolderUnusable(str(self._folder), error.strerror or "") from error
