"""The answer to "is my work kept?" must never say more than was seen."""

import datetime
from itertools import product

import msgspec
import pytest
from backtrail.model.coverage import LeftOut, Reason
from backtrail.model.ids import RelPath
from backtrail.model.memory import BY_CHOICE, MemoryState, Omission, Protection, ProtectionState
from backtrail_desktop.client.port import Link, LinkState
from backtrail_desktop.shell.standing import NOTHING_MORE, Mark, Remedy, Seen, standing_of, worst
from backtrail_desktop.shell.standing_words import when
from desktop.values import DAY, at, memory

TODAY = at(14, 5).astimezone().date()
READY = LinkState(Link.READY, at(9, 0))


def _clock(moment: datetime.datetime) -> str:
    return moment.astimezone().strftime("%H:%M:%S")


def test_kept_names_the_last_completed_look_and_not_the_present() -> None:
    found = standing_of(memory(), READY, NOTHING_MORE, TODAY)
    assert found.sentence == f"Everything up to {_clock(at(14, 3, 12))} is kept"
    assert (found.mark, found.remedy) == (Mark.KEPT, Remedy.NONE)


def test_a_look_of_another_day_is_told_with_its_day() -> None:
    old = at(14, 3, 12) - datetime.timedelta(days=1)
    kept = memory(protection=Protection(ProtectionState.PROTECTED, None, old, old))
    assert f"yesterday {_clock(old)}" in standing_of(kept, READY, NOTHING_MORE, TODAY).sentence
    assert when(DAY - datetime.timedelta(days=40), TODAY) != when(DAY, TODAY)


@pytest.mark.parametrize(
    ("link", "words", "remedy"),
    [
        (Link.STOPPED, "Backtrail is not running in the background", Remedy.START),
        (Link.NOT_ANSWERING, f"Backtrail is not answering since {_clock(at(14, 1, 7))}", Remedy.NONE),
    ],
)
def test_kept_is_not_claimed_while_the_host_is_away(link: Link, words: str, remedy: Remedy) -> None:
    found = standing_of(memory(), LinkState(link, at(14, 1, 7)), NOTHING_MORE, TODAY)
    assert (found.sentence, found.remedy, found.mark) == (words, remedy, Mark.UNKNOWN)
    assert found.looked == f"last looked {_clock(at(14, 3, 12))}"


def test_no_state_of_the_link_but_ready_shows_the_mark_for_kept() -> None:
    for link, state in product(Link, ProtectionState):
        protection = Protection(state, None, at(9, 0), at(14, 3, 12))
        found = standing_of(memory(protection=protection), LinkState(link, at(14, 1)), NOTHING_MORE, TODAY)
        is_kept = link is Link.READY and state is ProtectionState.PROTECTED
        assert (found.mark is Mark.KEPT) == is_kept, (link, state)


def test_what_is_left_out_is_counted_only_for_the_look_it_is_of() -> None:
    left_out = (LeftOut(RelPath(b"big.psd"), Reason.TOO_LARGE), LeftOut(RelPath(b"x.sock"), Reason.SPECIAL_FILE))
    partly = memory(protection=Protection(ProtectionState.DEGRADED, "left-out", at(9, 0), at(14, 3)))
    now = standing_of(partly, READY, Seen(at(14, 3), left_out), TODAY)
    assert (now.sentence, now.remedy, now.mark) == ("Kept except 2 files", Remedy.WHICH, Mark.PARTLY)
    earlier = standing_of(partly, READY, Seen(at(14, 2), left_out), TODAY)
    assert earlier.sentence == "Kept except some files"


def test_what_was_left_out_on_purpose_is_told_and_is_no_warning() -> None:
    left_out = (LeftOut(RelPath(b"a"), Reason.TOO_LARGE), LeftOut(RelPath(b"b"), Reason.UNREADABLE))
    protection = Protection(ProtectionState.PROTECTED, BY_CHOICE, at(9, 0), at(14, 3))
    agreed = tuple(Omission(item.path, item.reason) for item in left_out)
    chosen = msgspec.structs.replace(memory(protection=protection), omissions=agreed)
    found = standing_of(chosen, READY, Seen(at(14, 3), left_out), TODAY)
    assert found.sentence == f"Everything up to {_clock(at(14, 3))} is kept, except 2 files that you left out"
    assert (found.mark, found.remedy) == (Mark.KEPT, Remedy.WHICH)
    assert "some files" in standing_of(chosen, READY, NOTHING_MORE, TODAY).sentence


def test_only_what_was_not_agreed_to_is_counted() -> None:
    left_out = (LeftOut(RelPath(b"a"), Reason.TOO_LARGE), LeftOut(RelPath(b"b"), Reason.UNREADABLE))
    protection = Protection(ProtectionState.DEGRADED, "left-out", at(9, 0), at(14, 3))
    agreed = (Omission(RelPath(b"a"), Reason.TOO_LARGE), Omission(RelPath(b"b"), Reason.TOO_LARGE))
    partly = msgspec.structs.replace(memory(protection=protection), omissions=agreed)
    assert standing_of(partly, READY, Seen(at(14, 3), left_out), TODAY).sentence == "Kept except 1 file"


def test_a_folder_that_is_not_kept_is_not_counted_as_a_file() -> None:
    left_out = (LeftOut(RelPath(b"a"), Reason.UNREADABLE), LeftOut(RelPath(b"lib/"), Reason.NESTED_REPOSITORY))
    partly = memory(protection=Protection(ProtectionState.DEGRADED, "left-out", at(9, 0), at(14, 3)))
    assert standing_of(partly, READY, Seen(at(14, 3), left_out), TODAY).sentence == "Kept except 1 file and 1 folder"


def test_not_kept_says_since_when_and_why() -> None:
    conflict = memory(protection=Protection(ProtectionState.NOT_PROTECTED, "unmerged-index", at(14, 1), at(14, 3)))
    found = standing_of(conflict, READY, Seen(at(14, 3), (), (RelPath(b"f"),)), TODAY)
    assert found.sentence == f"Not kept since {_clock(at(14, 1))}: merge conflict in f"
    assert (found.mark, found.remedy) == (Mark.NOT_KEPT, Remedy.WHAT_TO_DO)
    unnamed = standing_of(conflict, READY, NOTHING_MORE, TODAY)
    assert unnamed.sentence == f"Not kept since {_clock(at(14, 1))}: a merge conflict is in the index"


def test_a_first_checkpoint_is_not_called_kept() -> None:
    new = memory(protection=Protection(ProtectionState.NOT_PROTECTED, "not-looked-at", at(14, 1), None))
    assert standing_of(new, READY, Seen(making_first=True, percent=38), TODAY).sentence == "First checkpoint: 38 %"
    assert standing_of(new, READY, Seen(making_first=True), TODAY).sentence == "First checkpoint…"
    nobody = standing_of(new, READY, NOTHING_MORE, TODAY)
    assert (nobody.mark, nobody.remedy) == (Mark.UNKNOWN, Remedy.LOOK_NOW)


def test_a_folder_put_aside_is_not_called_kept_whatever_its_last_look_saw() -> None:
    found = standing_of(memory(state=MemoryState.DETACHED), READY, NOTHING_MORE, TODAY)
    assert (found.mark, found.remedy) == (Mark.AWAY, Remedy.ATTACH)
    assert "kept" not in found.brief


def test_the_worst_folder_is_told_first() -> None:
    conflict = memory(protection=Protection(ProtectionState.NOT_PROTECTED, "no-space", at(14, 1), at(14, 3)))
    all_of = [standing_of(one, READY, NOTHING_MORE, TODAY) for one in (memory(), conflict, memory("website"))]
    assert worst(all_of) == all_of[1]
    assert worst([]) is None


@pytest.mark.parametrize(("days", "day"), [(0, ""), (1, "tomorrow ")])
def test_a_pause_tells_its_end_and_the_last_look(days: int, day: str) -> None:
    until = at(15, 0) + datetime.timedelta(days=days)
    protection = Protection(ProtectionState.NOT_PROTECTED, "paused", at(14, 3, 12), at(14, 3, 12))
    found = standing_of(memory(protection=protection, paused_until=until), READY, NOTHING_MORE, TODAY)
    end = day + until.astimezone().strftime("%H:%M")
    assert (found.mark, found.sentence, found.remedy) == (Mark.PAUSED, f"Paused until {end}", Remedy.RESUME)
    assert found.looked == f"last looked {_clock(at(14, 3, 12))}"


def test_a_pause_that_is_over_is_not_told_as_one() -> None:
    protection = Protection(ProtectionState.NOT_PROTECTED, "paused", at(14, 3, 12), at(14, 3, 12))
    found = standing_of(memory(protection=protection), READY, NOTHING_MORE, TODAY)
    assert found.mark is Mark.NOT_KEPT
    assert found.sentence == f"Not kept since {_clock(at(14, 3, 12))}: it was paused by you"


def test_a_pause_hides_no_other_reason_why_nothing_is_kept() -> None:
    protection = Protection(ProtectionState.NOT_PROTECTED, "no-space", at(14, 3, 12), at(14, 3, 12))
    found = standing_of(memory(protection=protection, paused_until=at(15, 0)), READY, NOTHING_MORE, TODAY)
    assert found.mark is Mark.NOT_KEPT
