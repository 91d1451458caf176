"""A ScoreTable in a few lines: the first systems and metrics with their means, and what else there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nlgauge.table.intervals import Resamples, measure

if TYPE_CHECKING:
    from nlgauge.table import ScoreTable

_SYSTEMS, _METRICS = 10, 5


def summary(table: ScoreTable) -> str:
    """A line that counts rows, systems and metrics, then a table of means: a line a system, a column a metric.

    A metric shows its first score; an arrow says which way is better, and "-" stands where there is no number.
    """
    systems, specs = table.systems, table.metrics
    counts = ((len(table.rows), "row"), (len(systems), "system"), (len(specs), "metric"))
    lines = ["ScoreTable: " + ", ".join(f"{count:,} {noun}" + "s" * (count != 1) for count, noun in counts)]
    if systems and specs:
        lines += _means(table, systems[:_SYSTEMS], specs[:_METRICS])
    left = ((len(systems) - _SYSTEMS, "systems"), (len(specs) - _METRICS, "metrics"))
    if more := [f"{count:,} more {noun}" for count, noun in left if count > 0]:
        lines.append(f"... and {', '.join(more)}")
    return "\n".join(lines)


def _means(table: ScoreTable, systems: list[str], specs: list[str]) -> list[str]:
    where = [table.rows_of(system) for system in systems]
    columns = [["system", *systems]]
    for spec in specs:
        column = table.columns[spec]
        first = (*column.scores, *column.details)[0]
        part = column.parts.index(first)
        means = [measure(column, at, rows, Resamples(0, 0))[part].value for at, rows in enumerate(where)]
        named = spec + (f" {first}" if len(column.parts) > 1 else "")
        arrow = "" if first in column.details else " ↑" if column.higher_is_better else " ↓"
        columns.append([named + arrow, *(f"{mean:.4f}" if mean == mean else "-" for mean in means)])
    widths = [max(map(len, cells)) for cells in columns]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in zip(*columns, strict=True)
    ]
