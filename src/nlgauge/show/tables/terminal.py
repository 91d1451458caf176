"""Tables for a terminal: aligned, no wider than wanted, coloured where that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from nlgauge.show.tables.cell import Cells
from nlgauge.show.tables.columns import Column, Line, column_of

_GAP = "  "
_NARROWEST = 20
"""To what columns of text shrink before the table falls into blocks"""


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


def _total(columns: Sequence[Column]) -> int:
    return sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1)


def _narrowed(columns: Sequence[Column], width: int) -> list[Column]:
    """With columns of text broken into lines, the widest first, until all fits or they are as narrow as may be."""
    widths = [column.width for column in columns]
    over = _total(columns) - width
    while over > 0:
        wide = [n for n, column in enumerate(columns) if not column.numeric and widths[n] > _NARROWEST]
        if not wide:
            break
        widths[max(wide, key=lambda n: widths[n])] -= 1
        over -= 1
    return [
        column if column.width <= wanted else column.wrapped(wanted)
        for column, wanted in zip(columns, widths, strict=True)
    ]


def _blocks(columns: Sequence[Column], width: int, keys: int) -> list[list[Column]]:
    own = list(columns[:keys])
    room = max(width - _total(own) - len(_GAP), _NARROWEST)
    blocks: list[list[Column]] = []
    for column in columns[keys:]:
        fits = column if column.width <= room else column.wrapped(room)
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
