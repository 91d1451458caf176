"""Which form is printed how."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nlgauge.show.tables.cell import Cells
from nlgauge.show.tables.csv_text import csv_text
from nlgauge.show.tables.latex import latex
from nlgauge.show.tables.markdown import markdown
from nlgauge.show.tables.terminal import terminal

_PLAIN: Mapping[str, Callable[[Cells], list[str]]] = {"latex": latex, "markdown": markdown, "csv": csv_text}
FORMATS = ("text", *_PLAIN)


def formatted(
    tables: Sequence[Cells], layout: str, *, width: int = 100, colour: bool = False, keys: int = 1
) -> list[str]:
    """The lines of some tables in one of `FORMATS`, an empty line between two.

    width, colour and keys are of text alone: how many columns it takes, whether it may use colours, and how many of the
    table's columns say what a row is, and so stand before each block of a table that is too wide for one.
    """
    lines: list[str] = []
    for number, cells in enumerate(tables):
        own = terminal(cells, width, colour, keys) if layout == "text" else _PLAIN[layout](cells)
        lines += [*[""] * bool(number), *own]
    return lines
