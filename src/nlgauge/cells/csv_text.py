"""Tables as CSV for spreadsheets and scripts: whole numbers of digits, interval and p in columns of their own."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

from nlgauge.cells.cell import Cell, Cells, Number

_MORE = ("low", "high", "p")


def csv_text(cells: Cells) -> list[str]:
    """An empty cell is no number; what is infinite is a word, as in a scores file."""
    columns = list(zip(*cells, strict=True))
    wide = [more for column in columns for more in _expanded(column)]
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(zip(*wide, strict=True))
    return file.getvalue().removesuffix("\n").split("\n")


def _expanded(column: Sequence[Cell]) -> list[list[str]]:
    """The column, and one for each of interval and p that one of its cells has."""
    head, *body = column
    numbers = [cell for cell in body if isinstance(cell, Number)]
    more = [name for name in _MORE if any(not math.isnan(getattr(cell, name)) for cell in numbers)]
    first = [_number(cell.value) if isinstance(cell, Number) else cell for cell in body]
    others = [
        [f"{head} {name}", *(_number(getattr(cell, name)) if isinstance(cell, Number) else "" for cell in body)]
        for name in more
    ]
    return [[str(head), *first], *others]


def _number(value: float) -> str:
    if math.isnan(value):
        return ""
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value)).removesuffix(".0")
