"""Columns of a table in a terminal: how wide they are, how they shrink, and what is coloured in them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from nlgauge.show.tables.cell import Cell, Number
from nlgauge.show.tables.harmless import harmless

_MARKS = {"": "", "best": "*", "alike": "~"}
_STYLES: Mapping[str, dict[str, Any]] = {
    "head": {"bold": True},
    "best": {"fg": "green", "bold": True},
    "alike": {"fg": "green"},
    "interval": {"dim": True},
}
_LEAST_HEAD = 6


def shown_width(text: str) -> int:
    """How many columns a terminal takes for a text: two for East Asian signs, none for marks that join others."""
    joins = ("Mn", "Me", "Cf")
    return sum(
        0 if unicodedata.category(sign) in joins else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        for sign in text
    )


@dataclass(frozen=True)
class Line:
    """One line of a cell: pieces of text, each with the name of its style."""

    pieces: tuple[tuple[str, str], ...] = ()
    right: bool = False

    @property
    def width(self) -> int:
        return sum(shown_width(text) for text, _ in self.pieces)

    def padded(self, width: int, colour: bool) -> str:
        """As wide as its column, in colours where they are wanted."""
        space = " " * (width - self.width)
        styled = (
            click.style(text, **_STYLES[style]) if colour and style and text else text for text, style in self.pieces
        )
        return space + "".join(styled) if self.right else "".join(styled) + space


@dataclass(frozen=True)
class Column:
    """The cells of a column, each some lines; the first is the head."""

    rows: tuple[tuple[Line, ...], ...]
    numeric: bool = False
    """Whether it holds numbers, which are never broken"""

    @property
    def width(self) -> int:
        return max((line.width for cell in self.rows for line in cell), default=0)

    def with_narrow_head(self) -> Column:
        """With its head broken into lines as wide as what stands under it."""
        words = (shown_width(word) for line in self.rows[0] for text, _ in line.pieces for _, word in _words(text))
        least = max(Column(self.rows[1:]).width, _LEAST_HEAD, *words)
        return replace(self, rows=(_broken(self.rows[0], least), *self.rows[1:]))

    def wrapped(self, width: int) -> Column:
        """With every cell broken into lines no wider than that."""
        return replace(self, rows=tuple(_broken(cell, width) for cell in self.rows))


def column_of(cells: Sequence[Cell]) -> Column:
    """The lines of a column's cells; numbers stand under each other by their last digit."""
    head, *body = cells
    numbers = [cell for cell in body if isinstance(cell, Number)]
    digits = max((len(number.text) for number in numbers), default=0)
    marked = max((len(_MARKS[number.mark]) for number in numbers), default=0)
    alone = bool(numbers) and not any(number.interval or number.chance for number in numbers)
    first = Line(((harmless(head if isinstance(head, str) else head.text), "head"),), right=alone)
    return Column(((first,), *((_cell(cell, digits, marked, alone),) for cell in body)), bool(numbers))


def _cell(cell: Cell, digits: int, marked: int, alone: bool) -> Line:
    if isinstance(cell, str):
        return Line(((harmless(cell), ""),))
    value = (cell.text.rjust(digits) + _MARKS[cell.mark].ljust(marked), cell.mark)
    rest = " ".join(filter(None, (cell.interval, cell.chance)))
    return Line((value, (f" {rest}" if rest else "", "interval")), right=alone)


def _broken(cell: Sequence[Line], width: int) -> tuple[Line, ...]:
    """Lines of text in lines no wider than that, at spaces where there are some; numbers stay whole."""
    lines: list[Line] = []
    for line in cell:
        if line.width <= width or len(line.pieces) != 1:
            lines.append(line)
            continue
        ((text, style),) = line.pieces
        lines += [Line(((part, style),), line.right) for part in _parts(text, width)]
    return tuple(lines)


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
