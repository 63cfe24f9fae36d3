import pathlib

import msgspec
import pytest
from backtrail.wire.client import Client
from backtrail.wire.errors import FrameDamaged
from backtrail.wire.frames import LONGEST
from backtrail.wire.messages import Answer, JsonObject, frame_of
from backtrail.wire.paging import MOST_BYTES, MOST_ROWS, Wanted, all_rows, page, wanted
from backtrail.wire.server import Server
from core.wire.by_hand import hello
from core.wire.work import Work


def numbers(rows: list[int], arguments: JsonObject) -> object:
    """Answer a list as a room does that has it in the order of its keys."""
    asked = wanted(arguments)
    after = -1 if asked.after is None else int(str(asked.after))
    return page((row for row in rows if row > after), asked.limit, key=lambda row: row, as_json=lambda row: {"n": row})


def through_json(value: object) -> object:
    return msgspec.json.decode(msgspec.json.encode(value))


@pytest.mark.parametrize("count", [0, 1, 499, 500, 501, 1000, 1234])
def test_every_row_comes_once_and_in_order(count: int) -> None:
    rows = list(range(count))
    asked: list[JsonObject] = []

    def ask(_: str, arguments: JsonObject) -> object:
        asked.append(arguments)
        return through_json(numbers(rows, arguments))

    assert list(all_rows(ask, "list", {"of": "x"})) == [{"n": row} for row in rows]
    assert len(asked) == max(1, -(-count // MOST_ROWS))
    assert all(one["of"] == "x" for one in asked)


def test_rows_that_come_and_go_between_pages_shift_nothing() -> None:
    rows = list(range(0, 2000, 2))

    def ask(_: str, arguments: JsonObject) -> object:
        answer = through_json(numbers(rows, arguments))
        rows[:] = [-5, 1, *rows[10:]]
        return answer

    assert [row["n"] for row in all_rows(ask, "list", {}) if isinstance(row, dict)] == list(range(0, 2000, 2))


def test_long_rows_end_a_page_early_rather_than_outgrow_a_frame() -> None:
    rows = ["x" * 4096 + str(number) for number in range(500)]
    first = page(rows, 500, key=lambda row: row, as_json=lambda row: row)
    assert 1 < len(first.rows) < 500
    assert first.next == rows[len(first.rows) - 1]
    assert len(frame_of(Answer(1, first))) <= LONGEST


def test_one_row_that_is_too_long_for_a_page_is_not_an_endless_loop() -> None:
    first = page(["x" * MOST_BYTES, "y"], 500, key=lambda row: row[0], as_json=lambda row: row)
    assert len(first.rows) == 1
    assert first.next == "x"


def test_only_one_row_more_than_the_page_is_read() -> None:
    rows = iter(range(100))
    assert len(page(rows, 10, key=lambda row: row, as_json=lambda row: row).rows) == 10
    assert next(rows) == 11


@pytest.mark.parametrize(("given", "taken"), [(0, 1), (-7, 1), (1, 1), (500, 500), (501, 500), (10**9, 500)])
def test_no_client_gets_more_than_a_page(given: int, taken: int) -> None:
    assert wanted({"limit": given, "other": "argument"}) == Wanted(None, taken)


def test_a_limit_that_is_no_number_is_a_typed_error() -> None:
    with pytest.raises(FrameDamaged):
        wanted({"limit": "all"})


def test_pages_walk_over_a_real_connection(path: pathlib.Path, work: Work) -> None:
    rows = list(range(1200))
    work.do_numbers = lambda call: numbers(rows, call.arguments)  # type: ignore[attr-defined]
    with Server.open(path, work, lock_held=True), Client.at(path, hello()) as client:
        assert list(all_rows(client.ask, "numbers", {})) == [{"n": row} for row in rows]
