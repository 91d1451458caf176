"""What metrics are called in a figure."""

from __future__ import annotations

from nlgauge.data.table import ScoreTable
from nlgauge.meta.selection import label


def directed(table: ScoreTable, spec: str, part: str) -> str:
    """A part of a metric, with an arrow that says which way is better; a detail has none."""
    return label(table, spec, part) + table.columns[spec].arrow(part)
