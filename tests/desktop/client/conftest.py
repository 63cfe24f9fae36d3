import pathlib
from collections.abc import Iterator

import pytest
from backtrail_desktop.client.host_client import HostClient
from core.git_oracle import new_repository
from desktop.client.background import Background
from desktop.client.hearing import Hearing


@pytest.fixture(autouse=True)
def runtime(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A runtime folder of its own, with a name short enough for a socket in it."""
    made = tmp_path_factory.mktemp("run")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(made))
    return made


@pytest.fixture
def home(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "home"


@pytest.fixture
def root(tmp_path: pathlib.Path) -> pathlib.Path:
    """A repository with one commit."""
    return new_repository(tmp_path / "notes")


@pytest.fixture
def background(home: pathlib.Path) -> Iterator[Background]:
    """A Host that is not started yet."""
    with Background(home) as made:
        yield made


@pytest.fixture
def client(home: pathlib.Path) -> Iterator[HostClient]:
    made = HostClient(home)
    yield made
    made.close()


@pytest.fixture
def hearing(client: HostClient) -> Hearing:
    return Hearing(client)
