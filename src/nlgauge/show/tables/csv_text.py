"""Tables as CSV for spreadsheets and scripts: whole numbers of digits, interval and p in columns of their own.

A text that a spreadsheet would run as a formula gets an apostrophe in front: names of systems and items come from files
that others wrote. Such a text begins with =, +, - or @, or with the full-width form of one. Blanks, quotes and signs
that are not shown may stand before that, because some programs leave them out. A tab or a line end first is enough too.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence

from nlgauge.show.tables.cell import Cell, Cells, Number

_MORE = ("low", "high", "p")
_UNSEEN = r"\s\x00-\x20\x7f-\xa0\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
_QUOTES = "\"'`\u2018\u2019\u201c\u201d"
_FORMULA = re.compile(rf"[\t\r\n]|[{_UNSEEN}{_QUOTES}]*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def csv_text(cells: Cells) -> list[str]:
    """An empty cell is no number; what is infinite is a word, as in a scores file."""
    columns = list(zip(*cells, strict=True))
    wide = [more for column in columns for more in _expanded(column)]
    return [_line(row) for row in zip(*wide, strict=True)]


def _line(row: Sequence[str]) -> str:
    # A field with a lone carriage return is only quoted where that is among the characters that end a line.
    file = io.StringIO()
    csv.writer(file, lineterminator="\r\n").writerow(row)
    return file.getvalue().removesuffix("\r\n")


def _expanded(column: Sequence[Cell]) -> list[list[str]]:
    """The column, and one for each of interval and p that one of its cells has."""
    head, *body = column
    numbers = [cell for cell in body if isinstance(cell, Number)]
    more = [name for name in _MORE if any(not math.isnan(getattr(cell, name)) for cell in numbers)]
    first = [_number(cell.value) if isinstance(cell, Number) else _inert(cell) for cell in body]
    others = [
        [_inert(f"{head} {name}"), *(_number(getattr(cell, name)) if isinstance(cell, Number) else "" for cell in body)]
        for name in more
    ]
    return [[_inert(str(head)), *first], *others]


def _inert(text: str) -> str:
    return f"'{text}" if _FORMULA.match(text) and text != "-" else text


def _number(value: float) -> str:
    if math.isnan(value):
        return ""
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value)).removesuffix(".0")
