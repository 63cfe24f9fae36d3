import datetime
import itertools
import pathlib
from collections.abc import Iterator

import msgspec
import pytest
from backtrail.model import checkpoint as checkpoint_model
from backtrail.model.checkpoint import OBSERVED, Checkpoint, CheckpointState, Context, Difference, Lost, Origin
from backtrail.model.coverage import Coverage, LeftOut, Reason
from backtrail.model.errors.lookup import Unknown
from backtrail.model.ids import CheckpointId, MemoryId, new_id
from backtrail.model.net_state import Operation
from backtrail.store.connection import Contradiction
from backtrail.store.database import Database
from core.store import facts
from hypothesis import given, settings
from hypothesis import strategies as st

OTHER = MemoryId("other")
NUMBERS = itertools.count(1)

texts = st.text(max_size=40)
oids = st.binary(min_size=20, max_size=20)
paths = st.binary(min_size=1, max_size=40)
counts = st.integers(0, 2**63 - 1)
checkpoints = st.builds(
    Checkpoint,
    id=st.builds(new_id),
    memory_id=st.just(facts.NOTES),
    seq=st.builds(lambda: next(NUMBERS)),
    state=st.sampled_from(CheckpointState),
    commit=oids,
    branch=st.none() | paths,
    head=st.none() | oids,
    operation=st.sampled_from(Operation),
    index_tree=oids,
    working_tree=oids,
    content_token=texts,
    context=st.builds(
        Context,
        st.sampled_from(Origin),
        st.sampled_from(checkpoint_model.Cause),
        origin_id=st.none() | texts,
        cause_id=st.none() | texts,
        note=st.none() | texts,
    ),
    captured_at=st.datetimes(timezones=st.just(datetime.UTC)),
    coverage=st.builds(
        Coverage,
        st.lists(
            st.builds(
                LeftOut,
                paths,
                st.sampled_from(Reason),
                size=st.none() | counts,
                head=st.none() | texts,
                dirty=st.none() | st.booleans(),
            ),
            max_size=3,
        ).map(tuple),
        counts,
    ),
    difference=st.builds(Difference, counts, counts, counts, st.lists(paths, max_size=3).map(tuple)),
    lost=st.lists(st.builds(Lost, paths, oids, staged=st.booleans()), max_size=3).map(tuple),
    kept_in=st.none() | texts,
    clock_went_back=st.booleans(),
    note=st.none() | texts,
    pinned=st.booleans(),
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with Database.open(tmp_path_factory.mktemp("shared") / "backtrail.db") as database:
        database.memories.add(facts.memory(), None)
        yield database


@settings(max_examples=300, deadline=None)
@given(value=checkpoints)
def test_every_fact_of_a_checkpoint_comes_back(shared: Database, value: Checkpoint) -> None:
    shared.checkpoints.record(value)
    assert shared.checkpoints.get(value.id) == value


def test_a_time_elsewhere_is_the_same_time(database: Database) -> None:
    zone = datetime.timezone(datetime.timedelta(hours=-9, minutes=-30))
    value = msgspec.structs.replace(facts.checkpoint(1), captured_at=facts.NOW.astimezone(zone))
    database.checkpoints.record(value)
    assert database.checkpoints.get(value.id) == value


def test_a_pending_checkpoint_becomes_a_recorded_one(database: Database) -> None:
    context = Context(Origin.AGENT_SESSION, checkpoint_model.Cause.SOURCE_EVENT, "s", "e", "why")
    begun = database.checkpoints.begin(facts.NOTES, CheckpointId("notes-1"), context, facts.NOW)
    assert database.checkpoints.pending(facts.NOTES) == [begun]
    assert database.checkpoints.get(begun.id) is None
    assert database.checkpoints.count(facts.NOTES) == 0
    database.checkpoints.record(facts.checkpoint(begun.seq))
    assert database.checkpoints.pending(facts.NOTES) == []
    assert database.checkpoints.count(facts.NOTES) == 1


def test_a_seq_is_never_taken_twice(database: Database) -> None:
    first = database.checkpoints.begin(facts.NOTES, CheckpointId("a"), OBSERVED, facts.NOW)
    database.checkpoints.drop_pending(first.id)
    second = database.checkpoints.begin(facts.NOTES, CheckpointId("b"), OBSERVED, facts.NOW)
    assert (first.seq, second.seq) == (1, 2)
    rebuilt = facts.checkpoint(17)
    database.checkpoints.record(rebuilt)
    database.checkpoints.delete(rebuilt.id)
    database.checkpoints.raise_seq(facts.NOTES, 5)
    assert database.checkpoints.begin(facts.NOTES, CheckpointId("c"), OBSERVED, facts.NOW).seq == 18


def test_seqs_of_two_memories_do_not_meet(database: Database) -> None:
    database.memories.add(facts.memory(OTHER), None)
    database.checkpoints.begin(facts.NOTES, CheckpointId("a"), OBSERVED, facts.NOW)
    assert database.checkpoints.begin(OTHER, CheckpointId("b"), OBSERVED, facts.NOW).seq == 1


def test_an_id_never_comes_to_mean_another_state(database: Database) -> None:
    database.checkpoints.record(facts.checkpoint(1))
    with pytest.raises(Contradiction):
        database.checkpoints.record(msgspec.structs.replace(facts.checkpoint(1), seq=2))
    with pytest.raises(Contradiction):
        database.checkpoints.record(msgspec.structs.replace(facts.checkpoint(1), id=CheckpointId("new")))
    begun = database.checkpoints.begin(facts.NOTES, CheckpointId("b"), OBSERVED, facts.NOW)
    with pytest.raises(Contradiction):
        database.checkpoints.record(msgspec.structs.replace(facts.checkpoint(50), id=begun.id))
    assert database.checkpoints.pending(facts.NOTES) == [begun]


def test_a_checkpoint_of_nobody_is_refused(database: Database) -> None:
    with pytest.raises(Unknown):
        database.checkpoints.begin(OTHER, CheckpointId("a"), OBSERVED, facts.NOW)
    with pytest.raises(Contradiction):
        database.checkpoints.record(facts.checkpoint(1, OTHER))


def test_wildcards_in_an_id_prefix_do_not_act(database: Database) -> None:
    for number, name in enumerate(("ab1", "ab2", "aB3", "a%b", "a_b", "b"), start=1):
        database.checkpoints.record(msgspec.structs.replace(facts.checkpoint(number), id=CheckpointId(name)))

    def found(prefix: str) -> list[str]:
        return [value.id for value in database.checkpoints.find(prefix)]

    assert found("ab") == ["ab1", "ab2"]
    assert found("a%") == ["a%b"]
    assert found("a_") == ["a_b"]
    assert found("*") == found("[a]") == found("%") == []
    assert found("ab1") == ["ab1"]
    assert database.checkpoints.find("ab", OTHER) == []
    assert len(database.checkpoints.find("ab", facts.NOTES)) == 2


def test_latest_and_before_pass_over_what_cannot_be_compared_with(database: Database) -> None:
    assert database.checkpoints.latest(facts.NOTES) is None
    for seq in range(1, 6):
        database.checkpoints.record(facts.checkpoint(seq))
    database.checkpoints.begin(facts.NOTES, CheckpointId("pending"), OBSERVED, facts.NOW)
    database.checkpoints.set_state(facts.checkpoint(5).id, CheckpointState.DAMAGED)
    database.checkpoints.set_state(facts.checkpoint(3).id, CheckpointState.DAMAGED)
    database.checkpoints.set_state(facts.checkpoint(2).id, CheckpointState.RECOVERED)
    latest = database.checkpoints.latest(facts.NOTES)
    before = database.checkpoints.before(facts.NOTES, 4)
    assert latest == facts.checkpoint(4)
    assert before is not None
    assert (before.seq, before.state) == (2, CheckpointState.RECOVERED)
    assert database.checkpoints.before(facts.NOTES, 1) is None


def test_note_pin_and_state_move_alone(database: Database) -> None:
    value = facts.checkpoint(1)
    database.checkpoints.record(value)
    database.checkpoints.set_note(value.id, "before the clean-up")
    database.checkpoints.set_pinned(value.id, pinned=True)
    changed = msgspec.structs.replace(value, note="before the clean-up", pinned=True)
    assert database.checkpoints.get(value.id) == changed
    database.checkpoints.set_note(value.id, None)
    database.checkpoints.set_pinned(value.id, pinned=False)
    assert database.checkpoints.get(value.id) == value
    with pytest.raises(Unknown):
        database.checkpoints.set_note(CheckpointId("nothing"), "x")


@pytest.mark.slow
def test_ten_thousand_rows_page_by_page(place: pathlib.Path) -> None:
    rows = 10_000
    with Database.open(place) as database:
        database.memories.add(facts.memory(), None)
        database.memories.add(facts.memory(OTHER), None)
        with database.transaction():
            for seq in range(1, rows + 1):
                value = facts.checkpoint(seq)
                if seq % 100 == 0:
                    value = msgspec.structs.replace(facts.with_loss(value), branch=b"side\xff")
                database.checkpoints.record(value)
            database.checkpoints.record(facts.checkpoint(1, OTHER))
        assert database.checkpoints.count(facts.NOTES) == rows

        seen: list[int] = []
        while page := database.checkpoints.page(facts.NOTES, limit=500, below_seq=seen[-1] if seen else None):
            assert len(page) <= 500
            seen += [value.seq for value in page]
        assert seen == list(range(rows, 0, -1))

        hundreds = list(range(rows, 0, -100))
        lost = database.checkpoints.page(facts.NOTES, limit=500, with_losses=True)
        side = database.checkpoints.page(facts.NOTES, limit=500, branch=b"side\xff")
        assert [value.seq for value in lost] == [value.seq for value in side] == hundreds
        since = database.checkpoints.page(facts.NOTES, limit=500, since=facts.checkpoint(rows - 2).captured_at)
        assert [value.seq for value in since] == [rows, rows - 1, rows - 2]
        assert database.checkpoints.page(facts.NOTES, limit=500, origin=Origin.HUMAN_COMMAND) == []
        both = database.checkpoints.page(facts.NOTES, limit=2, below_seq=500, with_losses=True, branch=b"side\xff")
        assert [value.seq for value in both] == [400, 300]


def test_the_commits_that_checkpoints_sit_at_come_in_pages_newest_first(database: Database) -> None:
    heads = [1, 2, 1, None, 3, 2]
    for seq, head in enumerate(heads, 1):
        made = msgspec.structs.replace(facts.checkpoint(seq), head=None if head is None else facts.oid(head))
        database.checkpoints.record(made)
    found = database.checkpoints.heads(facts.NOTES, 10)
    assert [(one.head, one.count, one.newest, one.newest_seq) for one in found] == [
        (facts.oid(2), 2, "notes-6", 6),
        (facts.oid(3), 1, "notes-5", 5),
        (facts.oid(1), 2, "notes-3", 3),
    ]
    assert database.checkpoints.heads(facts.NOTES, 1) == found[:1]
    assert database.checkpoints.heads(facts.NOTES, 10, below_seq=6) == found[1:]
    assert database.checkpoints.heads(OTHER, 10) == []
