import pathlib
from collections.abc import Iterator

import pytest
from backtrail.store.database import Database
from core.store import facts


@pytest.fixture
def place(tmp_path: pathlib.Path) -> pathlib.Path:
    """Where a database may lie; there is none yet."""
    return tmp_path / "backtrail.db"


@pytest.fixture
def database(place: pathlib.Path) -> Iterator[Database]:
    """An open database that knows one memory."""
    with Database.open(place) as opened:
        opened.memories.add(facts.memory(), None)
        yield opened
