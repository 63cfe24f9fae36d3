"""The shorter form of the kill matrix: whatever stops a restore, the old folder or the new one is there, whole."""

import os

import pytest
from end_to_end.kill_matrix import KINDS, Group, Kind, faults, kills, points, table, try_one
from end_to_end.scene import SCENES, Scene
from end_to_end.tracing import Disturbance, has_strace


@pytest.fixture(scope="module", params=SCENES)
def scene(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """A folder in the middle of work, and a state to go back to."""
    return SCENES[request.param](tmp_path_factory.mktemp("scene"))


@pytest.fixture
def strace() -> None:
    """Without the tracer only the named points are tried: in CI that is a failure, elsewhere it is said."""
    if not has_strace():
        message = "strace is not installed: no restore is killed between two system calls"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)


def hold(scene: Scene, name: str, disturbances: list[Disturbance]) -> None:
    """Try them all, and show those that leave anything but the old or the new folder."""
    found = [try_one(scene, disturbance) for disturbance in disturbances]
    assert [result for result in found if result.wrong] == [], "\n".join(table([(Group("", name, []), found)]))


@pytest.mark.slow
def test_killed_at_every_named_point(scene: Scene) -> None:
    hold(scene, "points", points())


@pytest.mark.slow
@pytest.mark.usefixtures("strace")
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_killed_between_system_calls(scene: Scene, kind: Kind) -> None:
    hold(scene, "kills", kills(scene, kind, full=False))


@pytest.mark.slow
@pytest.mark.usefixtures("strace")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", KINDS[:3], ids=lambda kind: kind.name)
def test_a_fault_at_any_call_leaves_the_old_folder_or_the_new_one(scene: Scene, kind: Kind) -> None:
    hold(scene, "faults", faults(scene, kind, full=False))
