"""What the tests of the engine share: a fresh repository, a Host with its own data folder, nobody's configuration."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from core.git_oracle import new_repository
from core.keeping import Keeping


@pytest.fixture(scope="session", autouse=True)
def nobodys_configuration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let neither libgit2 nor Git see the configuration of whoever runs the tests."""
    import backtrail.git  # noqa: F401, PLC0415 - drops every GIT_* variable before pygit2 is imported
    import pygit2  # noqa: PLC0415

    empty = tmp_path_factory.mktemp("nobody")
    levels = pygit2.enums.ConfigLevel
    for level in (levels.SYSTEM, levels.XDG, levels.GLOBAL):
        pygit2.settings.search_path[level] = str(empty)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(empty))
        patch.delenv("XDG_CONFIG_HOME", raising=False)
        assert not os.listdir(empty)
        yield


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one committed file `f` on branch `main`."""
    return new_repository(tmp_path / "notes")


@pytest.fixture
def keeping(tmp_path: Path, root: Path) -> Keeping:
    """A Host's data folder, and the repository as its one memory."""
    return Keeping(tmp_path / "home", root)
