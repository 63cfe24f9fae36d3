"""Thinning takes only what its rule says: a checkpoint too many is room, one too few is somebody's work."""

import datetime

import msgspec
from backtrail.checkpoints.thinning import thin
from backtrail.model.checkpoint import OBSERVED, Checkpoint, CheckpointState, Lost
from backtrail.model.coverage import Coverage
from backtrail.model.ids import CheckpointId, MemoryId, Oid, RelPath, Token
from backtrail.model.net_state import Operation
from hypothesis import given
from hypothesis import strategies as st

BEGIN = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
NOTHING = Oid(bytes(20))


def checkpoint(
    seq: int, hours: int = 0, *, pinned: bool = False, state: CheckpointState = CheckpointState.RECORDED
) -> Checkpoint:
    return Checkpoint(
        id=CheckpointId(f"{seq:032x}"),
        memory_id=MemoryId("m"),
        seq=seq,
        state=state,
        commit=NOTHING,
        branch=b"main",
        head=None,
        operation=Operation.NONE,
        index_tree=NOTHING,
        working_tree=NOTHING,
        content_token=Token(""),
        context=OBSERVED,
        captured_at=BEGIN + datetime.timedelta(hours=hours),
        coverage=Coverage(),
        pinned=pinned,
    )


def seqs(checkpoints: tuple[Checkpoint, ...]) -> list[int]:
    return [item.seq for item in checkpoints]


def test_few_all_stay() -> None:
    thinning = thin([checkpoint(seq) for seq in range(1, 101)])
    assert len(thinning.kept) == 100
    assert not thinning.going


def test_the_last_of_each_older_day_stays() -> None:
    thinning = thin([checkpoint(seq, hours=seq * 8) for seq in range(9)], newest=2)
    assert seqs(thinning.kept) == [8, 7, 6, 5, 2]
    assert seqs(thinning.going) == [4, 3, 1, 0]


def test_a_pinned_one_stays_beside_the_one_of_its_day() -> None:
    thinning = thin([checkpoint(3), checkpoint(2), checkpoint(1, pinned=True), checkpoint(0)], newest=1)
    assert seqs(thinning.kept) == [3, 2, 1]


def test_one_that_holds_lost_work_stays() -> None:
    lost = (Lost(RelPath(b"draft.md"), NOTHING),)
    loss = msgspec.structs.replace(checkpoint(9), lost=lost, kept_in=checkpoint(4).id)
    rows = [checkpoint(seq) for seq in range(9)]
    assert seqs(thin([*rows, loss], newest=2).kept) == [9, 8, 7, 4]
    assert seqs(thin([*rows, msgspec.structs.replace(loss, lost=())], newest=2).kept) == [9, 8, 7]


def test_a_damaged_one_does_not_stand_for_its_day() -> None:
    rows = [checkpoint(3), checkpoint(2, state=CheckpointState.DAMAGED), checkpoint(1)]
    thinning = thin(rows, newest=1)
    assert seqs(thinning.kept) == [3, 1]


def test_order_is_by_number_when_a_clock_went_back() -> None:
    thinning = thin([checkpoint(1, hours=5000), checkpoint(2, hours=4), checkpoint(3, hours=1)], newest=1)
    assert seqs(thinning.kept) == [3, 2, 1]
    assert seqs(thin([checkpoint(1, hours=20), checkpoint(2, hours=4), checkpoint(3)], newest=1).kept) == [3, 2]


@given(st.lists(st.tuples(st.integers(0, 500), st.booleans()), max_size=60), st.integers(0, 10))
def test_nothing_is_lost_between_the_two_and_no_older_day_is_empty(rows: list[tuple[int, bool]], newest: int) -> None:
    given_rows = [checkpoint(seq, hours, pinned=pinned) for seq, (hours, pinned) in enumerate(rows)]
    thinning = thin(given_rows, newest)
    assert sorted(seqs(thinning.kept + thinning.going)) == list(range(len(rows)))
    assert not any(item.pinned for item in thinning.going)
    kept_days = {item.captured_at.date() for item in thinning.kept}
    assert all(item.captured_at.date() in kept_days for item in thinning.going)
    assert thin(thinning.kept, newest).kept == thinning.kept, "doing it again takes no more"
