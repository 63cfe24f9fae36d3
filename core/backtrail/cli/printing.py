"""What a person reads: lines and tables, with nothing in them that could move the cursor or turn the text around.

Owns the escaping of control and bidirectional characters, and when rich is used: only on a terminal, and only then is
it imported. Scripts never parse this.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import click

_SURROGATES = range(0xDC80, 0xDD00)
_BYTE = 0x100
_PLANE = 0x10000
_GAP = "  "


class Table(NamedTuple):
    """Rows under headings. A cell is one line."""

    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


Block = str | Table
"""One line, or one table."""


def shown(text: str) -> str:
    r"""Return `text` with every character that does not simply print escaped, line ends too (`\x1b`, `\u202e`)."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(ord(char)) for char in text)


def _escaped(code: int) -> str:
    if code in _SURROGATES:  # a byte that was no UTF-8
        code -= _SURROGATES.start - 0x80
    if code < _BYTE:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < _PLANE else f"\\U{code:08x}"


def print_blocks(blocks: Iterable[Block]) -> None:
    """Print to stdout."""
    for block in blocks:
        if isinstance(block, str):
            click.echo(shown(block))
        elif sys.stdout.isatty():
            _print_rich(block)
        else:
            for line in plain_lines(block):
                click.echo(line)


def print_problem(blocks: Iterable[Block]) -> None:
    """Print lines to stderr."""
    for block in blocks:
        if isinstance(block, str):
            click.echo(shown(block), err=True)


def plain_lines(table: Table) -> Iterator[str]:
    """Yield a table as aligned text."""
    lines = [table.headings, *(tuple(shown(cell) for cell in row) for row in table.rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(table.headings))]
    for line in lines:
        yield _GAP.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def _print_rich(table: Table) -> None:
    from rich import box, console, table as tables, text  # noqa: I001, PLC0415 - rich is for terminals alone

    drawn = tables.Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in table.headings:
        drawn.add_column(heading, overflow="fold")
    for row in table.rows:
        drawn.add_row(*(text.Text(shown(cell)) for cell in row))
    console.Console(highlight=False).print(drawn)
