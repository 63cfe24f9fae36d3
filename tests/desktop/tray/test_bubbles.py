"""A folder that is not kept is told of once, after two minutes; that it is kept again only to whom that was told."""

import pytest
from backtrail.model.ids import MemoryId
from backtrail_desktop.shell.standing import Mark, Standing
from backtrail_desktop.tray.bubbles import HOST, PATIENCE_S, Unkept

ATLAS = MemoryId("atlas")
GOOD = Standing(Mark.KEPT, "Everything up to 14:03:12 is kept", "kept")
BAD = Standing(Mark.NOT_KEPT, "Not kept since 14:01:00: the disk is full", "not kept")
PAUSED = Standing(Mark.PAUSED, "Paused until 15:00", "paused")


def told(unkept: Unkept, now: float, standing: Standing, about: MemoryId = ATLAS) -> list[str]:
    return [bubble.title for bubble in unkept.tell(now, {about: ("atlas", standing)})]


def test_what_is_kept_again_within_two_minutes_is_never_told() -> None:
    unkept = Unkept()
    assert told(unkept, 0, BAD) == []
    assert told(unkept, PATIENCE_S - 1, BAD) == []
    assert told(unkept, PATIENCE_S, GOOD) == []
    assert told(unkept, PATIENCE_S + 1, BAD) == []
    assert told(unkept, PATIENCE_S * 2, BAD) == []


def test_it_is_told_once_and_so_is_its_end() -> None:
    unkept = Unkept()
    told(unkept, 0, BAD)
    first = unkept.tell(PATIENCE_S, {ATLAS: ("atlas", BAD)})
    assert [(one.title, one.body) for one in first] == [("atlas is not kept", f"{BAD.sentence}.")]
    assert told(unkept, PATIENCE_S * 5, BAD) == []
    assert told(unkept, PATIENCE_S * 6, GOOD) == ["atlas is kept again"]
    assert told(unkept, PATIENCE_S * 7, GOOD) == []


def test_a_pause_is_a_persons_own_and_is_not_told() -> None:
    unkept = Unkept()
    told(unkept, 0, BAD)
    assert told(unkept, PATIENCE_S, BAD) == ["atlas is not kept"]
    assert told(unkept, PATIENCE_S * 2, PAUSED) == []
    assert told(unkept, PATIENCE_S * 9, PAUSED) == []
    assert told(unkept, PATIENCE_S * 9, GOOD) == []


@pytest.mark.parametrize("mark", [Mark.KEPT, Mark.AWAY])
def test_a_host_that_is_away_is_told_once_for_all_folders(mark: Mark) -> None:
    unkept = Unkept()
    away = Standing(Mark.UNKNOWN, "Backtrail is not running in the background", "not watched now")
    told(unkept, 0, away, HOST)
    assert told(unkept, PATIENCE_S, away, HOST) == ["Your folders are not watched"]
    there = Standing(mark, "No folder is kept yet", "no folder")
    assert told(unkept, PATIENCE_S + 1, there, HOST) == ["Your folders are watched again"]
