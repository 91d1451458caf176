"""A ScoreTable in a few lines: the first systems and metrics with their means, and what else there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nlgauge.errors import InputError
from nlgauge.render.environment import small

if TYPE_CHECKING:
    from nlgauge.data.table import ScoreTable

_SYSTEMS, _METRICS = 10, 5


def summary(table: ScoreTable) -> str:
    """A line that counts rows, systems and metrics, then a table of means: a line a system, a column a metric.

    A metric shows its first score; an arrow says which way is better, and "-" stands where there is no number. Where
    rows have no value, a line says how many.
    """
    columns = _columns(table)
    widths = [max(map(len, cells)) for cells in columns]
    means = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in zip(*columns, strict=True)
    ]
    return "\n".join([_counted(table), *means, *_more(table)])


def notebook(table: ScoreTable) -> str:
    """The same as HTML."""
    head, *rows = list(zip(*_columns(table), strict=True)) or [()]
    return small(_counted(table), head, rows, _more(table))


def _counted(table: ScoreTable) -> str:
    counts = ((len(table.rows), "row"), (len(table.systems), "system"), (len(table.metrics), "metric"))
    return "ScoreTable: " + ", ".join(f"{count:,} {noun}" + "s" * (count != 1) for count, noun in counts)


def _more(table: ScoreTable) -> list[str]:
    """Which values are missing, and how much there is that is not shown."""
    missing = []
    for spec in table.metrics[:_METRICS]:
        column = table.columns[spec]
        known = ~np.isnan(column.values[:, column.parts.index(column.shown[0])])
        if gone := int((~known).sum()):
            missing.append(
                f"{spec}: no value for {gone:,} of {len(known):,} {'rows' if column.level == 'item' else 'systems'}"
            )
    left = ((len(table.systems) - _SYSTEMS, "systems"), (len(table.metrics) - _METRICS, "metrics"))
    more = [f"{count:,} more {noun}" for count, noun in left if count > 0]
    return missing + ([f"... and {', '.join(more)}"] if more else [])


def _columns(table: ScoreTable) -> list[list[str]]:
    """The systems, then the means by each metric, each column under its head; nothing for a table that is empty."""
    systems, specs = table.systems[:_SYSTEMS], table.metrics[:_METRICS]
    if not (systems and specs):
        return []
    try:
        known = {(one.system, one.metric, one.part): one.mean for one in table.by_system(replicates=0)}
    except InputError:  # rows that repeat have no means, and what is shown in a debugger must not fail
        return []
    columns = [["system", *systems]]
    for spec in specs:
        column = table.columns[spec]
        first = column.shown[0]
        means = [known[system, spec, first] for system in systems]
        head = column.label(spec, first) + column.arrow(first)
        columns.append([head, *(f"{mean:.4f}" if mean == mean else "-" for mean in means)])
    return columns
