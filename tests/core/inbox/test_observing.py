"""One look becomes one transaction: what is told, what is not told twice, and what is not swallowed."""

import os

import pytest
from backtrail.inbox.change import PATHS_AT_MOST, SUMMARY_BYTES
from backtrail.model.checkpoint import Cause, Context, Origin
from backtrail.model.ids import RelPath
from backtrail.model.inbox import AdmissionState, ChangedPath, MemoryChange, PathStatus
from backtrail.store.connection import Contradiction
from core.git_oracle import commit_all, git, recovery_refs
from core.keeping import Keeping


def told(keeping: Keeping) -> MemoryChange:
    """Look once, and return what the Inbox was told."""
    event = keeping.scan().event
    assert event is not None
    return event.change


def test_the_first_look_is_a_silent_baseline(keeping: Keeping) -> None:
    observed = keeping.scan()
    assert observed.changed
    assert observed.event is None
    assert observed.checkpoint is not None
    assert keeping.events() == []


def test_an_unchanged_look_makes_nothing_at_all(keeping: Keeping) -> None:
    keeping.checkpoint()
    for _ in range(3):
        observed = keeping.scan()
        assert (observed.changed, observed.event, observed.checkpoint) == (False, None, None)
    assert keeping.events() == []
    assert len(keeping.timeline()) == 1


def test_each_change_is_told_once_with_its_words(keeping: Keeping) -> None:
    keeping.checkpoint()
    (keeping.root / "f").write_bytes(b"working\n")
    (keeping.root / "new").write_bytes(b"new\n")
    git(keeping.root, "add", "new")
    change = told(keeping)
    assert change.paths == (
        ChangedPath(RelPath(b"new"), PathStatus.STAGED),
        ChangedPath(RelPath(b"f"), PathStatus.WORKING),
    )
    assert change.counts == {"staged": 1, "working": 1}
    assert keeping.scan().event is None
    commit_all(keeping.root)
    change = told(keeping)
    assert (RelPath(b"f"), PathStatus.COMMITTED) in {(item.path, item.status) for item in change.paths}
    assert change.from_head != change.to_head
    (keeping.root / "f").unlink()
    git(keeping.root, "rm", "-q", "--cached", "f")
    assert told(keeping).paths == (ChangedPath(RelPath(b"f"), PathStatus.GONE),)


def test_admissions_wait_for_the_memorys_bot(keeping: Keeping) -> None:
    keeping.checkpoint()
    (keeping.root / "f").write_bytes(b"x")
    keeping.scan()
    with keeping.host() as host:
        ((admission, event),) = host.database.inbox.pending(host.memories()[0].bot)
    assert (admission.state, admission.attempts) == (AdmissionState.PENDING, 0)
    assert event.memory_id == keeping.timeline()[0].memory_id


def test_a_branch_switch_is_told(keeping: Keeping) -> None:
    keeping.checkpoint()
    git(keeping.root, "checkout", "-q", "-b", b"\xb1")
    change = told(keeping)
    assert (change.from_branch, change.to_branch, change.paths) == (b"main", b"\xb1", ())
    assert change.summary == "Moved from branch main to branch \\xb1."
    git(keeping.root, "checkout", "-q", "--detach")
    assert told(keeping).summary == "Moved from branch \\xb1 to a detached HEAD."


def test_a_change_made_and_reverted_between_looks_leaves_no_trace(keeping: Keeping) -> None:
    keeping.checkpoint()
    (keeping.root / "f").write_bytes(b"x")
    (keeping.root / "f").write_bytes(b"base\n")
    assert keeping.scan().event is None


def test_a_change_that_is_taken_back_later_is_told_both_times(keeping: Keeping) -> None:
    keeping.checkpoint()
    (keeping.root / "f").write_bytes(b"x")
    assert told(keeping).paths == (ChangedPath(RelPath(b"f"), PathStatus.WORKING),)
    (keeping.root / "f").write_bytes(b"base\n")
    assert told(keeping).paths == (ChangedPath(RelPath(b"f"), PathStatus.COMMITTED),)


def test_a_conflict_is_told_and_its_edits_too_though_nothing_can_be_kept(keeping: Keeping) -> None:
    """B23: three looks in a conflict, none of which can be captured; each tells only what is new."""
    root = keeping.root
    git(root, "checkout", "-q", "-b", "other")
    (root / "f").write_bytes(b"other\n")
    commit_all(root)
    git(root, "checkout", "-q", "main")
    (root / "f").write_bytes(b"main\n")
    commit_all(root)
    keeping.checkpoint()
    git(root, "merge", "-q", "other", code=1)
    assert [item.path for item in told(keeping).paths] == [b"f"]
    assert keeping.scan().event is None
    (root / "beside").write_bytes(b"beside\n")
    assert [item.path for item in told(keeping).paths] == [b"beside"]
    git(root, "merge", "--abort")
    assert [item.path for item in told(keeping).paths] == [b"f"]
    assert len(keeping.timeline()) == 2


def test_persona_changed(keeping: Keeping) -> None:
    keeping.checkpoint()
    (keeping.root / "notes").write_bytes(b"x")
    assert not told(keeping).persona_changed
    (keeping.root / "PERSONA.md").write_bytes(b"I am")
    assert told(keeping).persona_changed


def test_the_payload_is_bounded(keeping: Keeping) -> None:
    keeping.checkpoint()
    for number in range(100):
        name = f"a rather long name ä {number:03} " + "ö" * 60
        (keeping.root / name).write_bytes(b"secret content")
        (keeping.root / f"staged {name}").write_bytes(b"x")
        git(keeping.root, "add", f"staged {name}")
    change = told(keeping)
    assert change.counts == {"working": 100, "staged": 100}
    assert len(change.paths) == 2 * PATHS_AT_MOST
    assert SUMMARY_BYTES - 4 < len(change.summary.encode()) <= SUMMARY_BYTES
    assert change.cut
    assert "secret content" not in change.summary


def test_b77_no_author_is_guessed(keeping: Keeping) -> None:
    keeping.checkpoint()
    (keeping.root / "f").write_bytes(b"x")
    checkpoint = keeping.checkpoint()
    assert checkpoint.context == Context(Origin.HOST_OBSERVATION, Cause.MEMORY_SCAN)
    assert "t@example.invalid" not in keeping.events()[0]


def test_a_human_command_always_gets_its_row(keeping: Keeping) -> None:
    keeping.checkpoint()
    with keeping.opened() as work:
        first, second = work.take("before lunch"), work.take()
    assert (first.note, second.note) == ("before lunch", None)
    assert first.context.cause is Cause.HUMAN_CHECKPOINT
    assert first.content_token == second.content_token
    assert len(recovery_refs(keeping.root)) == 3
    assert keeping.events() == []


def test_a_transaction_that_fails_leaves_the_observation_and_the_next_looks_chance(
    keeping: Keeping, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database refuses at the end of the transaction, as a full disk does; nothing of it may stay."""
    keeping.checkpoint()
    (keeping.root / "f").write_bytes(b"told later\n")
    with keeping.opened() as work:

        def refuse(*_: object) -> None:
            raise Contradiction("refused")

        monkeypatch.setattr(work.database.memories, "set_protection", refuse)
        with pytest.raises(Contradiction):
            work.scan()
        monkeypatch.undo()
    assert keeping.events() == []
    observed = keeping.scan()
    assert observed.event is not None
    assert [item.path for item in observed.event.change.paths] == [b"f"]
    assert [row.seq for row in keeping.timeline()] == [1, 2]
    assert set(recovery_refs(keeping.root)) == {row.id for row in keeping.timeline()}
    assert keeping.scan().event is None


def test_growth_of_what_is_not_kept_makes_no_checkpoint(keeping: Keeping) -> None:
    keeping.checkpoint()
    keeping.set_cap(10_000)
    (keeping.root / "big.log").write_bytes(bytes(20_000))
    keeping.scan()
    count = len(keeping.timeline())
    with (keeping.root / "big.log").open("ab") as file:
        file.write(bytes(1000))
    observed = keeping.scan()
    assert (observed.checkpoint, observed.event) == (None, None)
    assert len(keeping.timeline()) == count


def test_paths_that_are_not_utf8_are_told_without_loss(keeping: Keeping) -> None:
    keeping.checkpoint()
    with open(os.path.join(os.fsencode(keeping.root), b"caf\xe9\n"), "wb") as file:
        file.write(b"x")
    change = told(keeping)
    assert [item.path for item in change.paths] == [b"caf\xe9\n"]
    assert "caf\\xe9" in change.summary


def test_a_folder_added_while_it_is_in_conflict_is_told_from_then_on(keeping: Keeping) -> None:
    """The baseline is silent although it cannot be kept; it is kept as soon as it can be."""
    root = keeping.root
    git(root, "checkout", "-q", "-b", "other")
    (root / "f").write_bytes(b"other\n")
    commit_all(root)
    git(root, "checkout", "-q", "main")
    (root / "f").write_bytes(b"main\n")
    commit_all(root)
    git(root, "merge", "-q", "other", code=1)
    observed = keeping.scan()
    assert (observed.event, observed.checkpoint, observed.latest) == (None, None, None)
    (root / "f").write_bytes(b"both\n")
    git(root, "add", "f")
    observed = keeping.scan()
    assert observed.checkpoint is not None
    assert observed.event is not None
    assert [item.path for item in observed.event.change.paths] == [b"f"]


def test_work_that_was_thrown_away_is_not_called_committed(keeping: Keeping) -> None:
    keeping.checkpoint()
    (keeping.root / "f").write_text("an hour of work\n")
    keeping.checkpoint()
    git(keeping.root, "checkout", "-q", "f")
    change = told(keeping)
    assert change.from_head == change.to_head
    assert "Committed" not in change.summary
    assert "As committed: f." in change.summary


def test_what_is_only_ignored_now_is_not_said_to_be_gone(keeping: Keeping) -> None:
    (keeping.root / "x").write_text("1\n")
    keeping.checkpoint()
    (keeping.root / ".git" / "info" / "exclude").write_text("x\n")
    assert told(keeping).paths == (ChangedPath(RelPath(b"x"), PathStatus.WORKING),)
    (keeping.root / "x").unlink()
    (keeping.root / "y").write_text("1\n")
    assert "No longer present" not in told(keeping).summary, "what it is that is gone was not seen"
