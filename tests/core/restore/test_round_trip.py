"""Every state that a checkpoint holds comes back as it was, whatever was done to the folder in between."""

from pathlib import Path

import pytest
from core.keeping import Keeping
from core.restore.going_back import GoingBack
from core.restore.states import STATES, WRECKS, do
from core.restore.whole_folder import whole


@pytest.fixture
def back(keeping: Keeping) -> GoingBack:
    return GoingBack(keeping)


@pytest.mark.parametrize("wreck", WRECKS)
@pytest.mark.parametrize("state", STATES)
def test_state_comes_back_whole_and_so_does_what_was_there_before(
    root: Path, back: GoingBack, state: str, wreck: str
) -> None:
    do(root, STATES[state])
    wanted = whole(root)
    checkpoint = back.keeping.checkpoint()
    do(root, WRECKS[wreck])
    present = whole(root)
    record = back.to(checkpoint)
    assert whole(root).same_state() == wanted.same_state()
    undone = back.undo(record)
    assert whole(root).same_state() == present.same_state()
    back.undo(undone)
    assert whole(root).same_state() == wanted.same_state()
