"""Tables for a terminal: aligned, no wider than wanted, coloured where that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from nlgauge.cells.cell import Cells
from nlgauge.cells.columns import Column, Line, column_of

_GAP = "  "
_NARROWEST = 24
"""To what the first column shrinks before the table falls into blocks"""


def terminal(cells: Cells, width: int = 100, colour: bool = False, keys: int = 1) -> list[str]:
    """The lines of one table, in blocks of columns where one is too wide; `keys` columns begin each block."""
    columns = [column_of(column) for column in zip(*cells, strict=True)]
    if _total(columns) > width:
        columns = [*columns[:keys], *(column.with_narrow_head() for column in columns[keys:])]
    blocks = [columns]
    if (over := _total(columns) - width) > 0:
        first = columns[0].width
        columns = [columns[0].wrapped(max(first - over, min(first, _NARROWEST))), *columns[1:]]
        blocks = _blocks(columns, width, keys)
    lines: list[str] = []
    for number, block in enumerate(blocks):
        lines += [*[""] * bool(number), *_printed(block, colour)]
    return lines


def _total(columns: Sequence[Column]) -> int:
    return sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1)


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
