import concurrent.futures
import pathlib
from collections.abc import Iterator

import pytest
from backtrail.wire.server import Server
from core.wire.work import Work


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    """Where a server may listen."""
    return tmp_path / "s"


@pytest.fixture
def runtime(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A runtime folder of its own, with a name short enough for a socket in it."""
    made = tmp_path_factory.mktemp("run")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(made))
    return made


@pytest.fixture
def work() -> Iterator[Work]:
    made = Work(concurrent.futures.ThreadPoolExecutor(8))
    yield made
    made.end()


@pytest.fixture
def server(path: pathlib.Path, work: Work) -> Iterator[Server]:
    with Server.open(path, work, lock_held=True) as opened:
        yield opened
