"""Tables for a terminal: aligned, no wider than wanted, coloured where that is asked for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import click

from nlgauge.render.tables.cell import Cell, Cells, Number, harmless

_GAP = "  "
_NARROWEST, _LEAST_HEAD = 20, 6
"""To what columns of text, and heads of numbers, shrink before the table falls into blocks"""
_MARKS = {"": "", "best": "*", "alike": "~"}
_STYLES: Mapping[str, dict[str, Any]] = {
    "head": {"bold": True},
    "best": {"fg": "green", "bold": True},
    "alike": {"fg": "green"},
    "interval": {"dim": True},
}


class Line(NamedTuple):
    """One line of a cell: pieces of text, each with the name of its style."""

    pieces: tuple[tuple[str, str], ...] = ()
    right: bool = False

    @property
    def width(self) -> int:
        return sum(shown_width(text) for text, _ in self.pieces)

    def padded(self, width: int, colour: bool) -> str:
        space = " " * (width - self.width)
        styled = (
            click.style(text, **_STYLES[style]) if colour and style and text else text for text, style in self.pieces
        )
        return space + "".join(styled) if self.right else "".join(styled) + space

    def broken(self, width: int) -> list[Line]:
        """Lines of text in lines no wider than that, at spaces where there are some; numbers stay whole."""
        if self.width <= width or len(self.pieces) != 1:
            return [self]
        ((text, style),) = self.pieces
        return [Line(((part, style),), self.right) for part in _parts(text, width)]


class Column(NamedTuple):
    """The cells of a column, each some lines; the first is the head."""

    rows: Sequence[Sequence[Line]]
    numeric: bool
    """Whether it holds numbers, which are never broken"""

    @property
    def width(self) -> int:
        return max((line.width for cell in self.rows for line in cell), default=0)

    def wrapped(self, width: int, cells: int | None = None) -> Column:
        """With every cell, or the first few, broken into lines no wider than that."""
        broken = [[part for line in cell for part in line.broken(width)] for cell in self.rows[:cells]]
        return self._replace(rows=[*broken, *self.rows[len(broken) :]])

    def with_narrow_head(self) -> Column:
        """With its head broken into lines as wide as what stands under it."""
        words = (shown_width(word) for line in self.rows[0] for text, _ in line.pieces for _, word in _words(text))
        return self.wrapped(max(self._replace(rows=self.rows[1:]).width, _LEAST_HEAD, *words), cells=1)


def terminal(cells: Cells, width: int = 100, colour: bool = False, keys: int = 1) -> list[str]:
    """The lines of one table, in blocks of columns where one is too wide; `keys` columns begin each block."""
    columns = [column_of(column) for column in zip(*cells, strict=True)]
    if _total(columns) > width:
        columns = [*columns[:keys], *(column.with_narrow_head() for column in columns[keys:])]
    columns = _narrowed(columns, width)
    blocks = [columns] if _total(columns) <= width else _blocks(columns, width, keys)
    lines: list[str] = []
    for number, block in enumerate(blocks):
        lines += [*[""] * bool(number), *_printed(block, colour)]
    return lines


def shown_width(text: str) -> int:
    """How many columns a terminal takes for a text: two for East Asian signs, none for marks that join others."""
    joins = ("Mn", "Me", "Cf")
    return sum(
        0 if unicodedata.category(sign) in joins else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        for sign in text
    )


def column_of(cells: Sequence[Cell]) -> Column:
    """The lines of a column's cells; numbers stand under each other by their last digit."""
    head, *body = cells
    numbers = [cell for cell in body if isinstance(cell, Number)]
    digits = max((len(number.text) for number in numbers), default=0)
    marked = max((len(_MARKS[number.mark]) for number in numbers), default=0)
    alone = bool(numbers) and not any(number.interval or number.chance for number in numbers)
    rows = [[Line(((harmless(head if isinstance(head, str) else head.text), "head"),), alone)]]
    for cell in body:
        if isinstance(cell, str):
            rows.append([Line(((harmless(cell), ""),))])
            continue
        rest = " ".join(filter(None, (cell.interval, cell.chance)))
        value = cell.text.rjust(digits) + _MARKS[cell.mark].ljust(marked)
        rows.append([Line(((value, cell.mark), (f" {rest}" if rest else "", "interval")), alone)])
    return Column(rows, bool(numbers))


def _total(columns: Sequence[Column]) -> int:
    return sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1)


def _narrowed(columns: Sequence[Column], width: int) -> list[Column]:
    """With columns of text broken into lines, the widest first, until all fits or they are as narrow as may be."""
    widths = [column.width for column in columns]
    for _ in range(_total(columns) - width):
        wide = [n for n, column in enumerate(columns) if not column.numeric and widths[n] > _NARROWEST]
        if wide:
            widths[max(wide, key=lambda n: widths[n])] -= 1
    return [column.wrapped(wanted) for column, wanted in zip(columns, widths, strict=True)]


def _blocks(columns: Sequence[Column], width: int, keys: int) -> list[list[Column]]:
    own = list(columns[:keys])
    room = max(width - _total(own) - len(_GAP), _NARROWEST)
    blocks: list[list[Column]] = []
    for column in columns[keys:]:
        fits = column.wrapped(room)
        if blocks and _total([*blocks[-1], fits]) <= width:
            blocks[-1].append(fits)
        else:
            blocks.append([*own, fits])
    return blocks or [own]


def _printed(columns: Sequence[Column], colour: bool) -> list[str]:
    lines: list[str] = []
    for row in zip(*(column.rows for column in columns), strict=True):
        # The head stands on the line above the numbers, however many lines it takes.
        height = max(map(len, row))
        filled = [[*[Line()] * (height - len(cell)), *cell] if not lines else cell for cell in row]
        for parts in zip_longest(*filled, fillvalue=Line()):
            padded = (line.padded(column.width, colour) for line, column in zip(parts, columns, strict=True))
            lines.append(_GAP.join(padded).rstrip())
    return lines


def _words(text: str) -> list[tuple[str, str]]:
    """What a text may be broken between, each with what stands before it: at spaces, and after the ( of a spec.

    An arrow stays with what it is of.
    """
    return [
        ("" if number else " ", part)
        for word in re.split(" (?![↑↓])", text)
        for number, part in enumerate(re.split(r"(?<=\()(?=.)", word))
    ]


def _parts(text: str, width: int) -> list[str]:
    parts = [""]
    for space, word in _words(text):
        joined = f"{parts[-1]}{space}{word}" if parts[-1] else word
        if shown_width(joined) <= width:
            parts[-1] = joined
            continue
        parts += [word] if parts[-1] else []
        parts[-1] = parts[-1] or word
        while shown_width(parts[-1]) > width:
            long = parts.pop()
            cut = next(n for n in range(len(long), 0, -1) if shown_width(long[:n]) <= width or n == 1)
            parts += [long[:cut], long[cut:]]
    return parts
