"""Tables as Markdown (GitHub's tables): the best bold, what does not differ significantly in italics."""

from __future__ import annotations

import re

from nlgauge.show.tables.cell import Cell, Cells, Number, words
from nlgauge.show.tables.harmless import harmless

_AROUND = {"": "", "best": "**", "alike": "*"}


def markdown(cells: Cells) -> list[str]:
    """Columns of numbers are set to the right."""
    head, *body = [[_cell(cell) for cell in row] for row in cells]
    rules = ["---:" if any(isinstance(cell, Number) for cell in column[1:]) else "---" for column in _columns(cells)]
    return [f"| {' | '.join(row)} |" for row in (head, rules, *body)]


def _columns(cells: Cells) -> list[tuple[Cell, ...]]:
    return list(zip(*cells, strict=True))


def _cell(cell: Cell) -> str:
    if isinstance(cell, Number):
        around = _AROUND[cell.mark]
        return f"{around}{cell.text}{around}" + words(cell).removeprefix(cell.text)
    line = harmless(" ".join(cell.split()))
    return re.sub(r"([\\|*_`<~\[\]])", r"\\\1", line)
