"""Smaller or changed copies of score tables: some rows, one part, or a number in place of missing ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nlgauge.data.table import Column, ScoreTable


def rows_of(table: ScoreTable, rows: Sequence[int]) -> ScoreTable:
    """Return the table with some of its rows, by number. Corpus-level metrics are cut to the systems of these rows."""
    kept = [table.rows[row] for row in rows]
    systems = {system for system, _ in kept}
    places = {"item": list(rows), "system": [n for n, system in enumerate(table.systems) if system in systems]}
    columns = {spec: _cut(column, places[column.level]) for spec, column in table.columns.items()}
    return replace(table, rows=kept, columns=columns)


def without(table: ScoreTable, systems: Sequence[str]) -> ScoreTable:
    """Return the table without the rows of some systems."""
    if not systems:
        return table
    return rows_of(table, [row for row, (system, _) in enumerate(table.rows) if system not in systems])


def part_of(column: Column, part: str | None) -> Column:
    """Return the column with one of its parts. It is the first if no part is named or the column has only one."""
    at = column.parts.index(part) if part is not None and len(column.parts) > 1 else 0
    return replace(column.cut((column.parts[at],)), details=())


def defined(table: ScoreTable, value: float | None) -> ScoreTable:
    """Return the table with `value` in place of every missing score, as in some published scores.

    With None the table is returned as it is.
    """
    if value is None:
        return table
    columns = {
        spec: replace(column, values=np.where(np.isnan(column.values), value, column.values), reasons={})
        for spec, column in table.columns.items()
    }
    return replace(table, columns=columns)


def only(table: ScoreTable) -> Column:
    """Return the only column of a table."""
    (column,) = table.columns.values()
    return column


def _cut(column: Column, places: list[int]) -> Column:
    reasons = {n: column.reasons[place] for n, place in enumerate(places) if place in column.reasons}
    values = column.values[places]
    return replace(column, values=values, reasons=reasons, evidence={}, sums=None)
