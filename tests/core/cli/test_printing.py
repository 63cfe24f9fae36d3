"""A name must not be able to move the cursor, hide text or turn it around on somebody's terminal."""

import sys
import unicodedata

from backtrail.cli.printing import Table, plain_lines, shown
from hypothesis import given
from hypothesis import strategies as st


def test_what_prints_stays_as_it_is() -> None:
    assert shown("größe 日本 € notes\\x") == "größe 日本 € notes\\x"


def test_what_acts_is_spelt() -> None:
    assert shown("a\x1b[31m\nb\x07\x7f\x9b") == "a\\x1b[31m\\x0ab\\x07\\x7f\\x9b"
    assert shown("\u202egpj.exe\u2066\u2028\ufeff") == "\\u202egpj.exe\\u2066\\u2028\\ufeff"
    assert shown("\udcff\U000e0041") == "\\xff\\U000e0041"


@given(st.text(alphabet=st.characters(max_codepoint=sys.maxunicode)))
def test_nothing_that_acts_gets_through(text: str) -> None:
    assert not any(unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for char in shown(text))


def test_a_table_keeps_its_rows_whatever_the_cells_hold() -> None:
    lines = list(plain_lines(Table(("A", "B"), [("x\ny", "1"), ("longer", "")])))
    assert lines == ["A       B", "x\\x0ay  1", "longer"]
