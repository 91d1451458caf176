"""How alike metrics are: the correlation of every metric with every other, and with people.

Figure 2 of the InfoLM paper is this matrix, Pearson over the means of the abstractive systems.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from nlgauge.render.tables import Cell, Number
from nlgauge.reports import figures
from nlgauge.stats.arrays import Float
from nlgauge.stats.coefficients import COEFFICIENTS
from nlgauge.stats.correlation import LEVELS, Estimate, estimate
from nlgauge.stats.join import Source, grid, ratings
from nlgauge.stats.rated import by_row, rated_part
from nlgauge.stats.selection import label, selected


@dataclass(frozen=True)
class CorrelationMatrix:
    """Every metric (and aspect of the ratings) against every other, all turned so that larger is better."""

    names: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    """[names, names]; NaN where there is none"""
    n: tuple[tuple[int, ...], ...]
    """What each value is taken over: rows (pooled), items (item), systems (system)"""
    level: str
    coefficient: str
    reasons: dict[str, str]
    """Why, by "name | name", for every pair without a value"""

    @property
    def notes(self) -> list[str]:
        """What is to be said beside the numbers."""
        return [f"{pair}: no value: {reason}" for pair, reason in self.reasons.items()]

    def tables(self) -> list[list[list[Cell]]]:
        """For a terminal: columns are called by the number of the row."""
        numbers = [str(number) for number in range(1, len(self.names) + 1)]
        cells: list[list[Cell]] = [[f"{self.coefficient}, {self.level}", "", *numbers]]
        for number, name, row in zip(numbers, self.names, self.values, strict=True):
            cells.append([name, number, *(Number(value, digits=2) for value in row)])
        return [cells]

    def draw(self, path: Path) -> None:
        """A heat map."""
        heat = figures.Heat(self.names, self.names, self.values)
        figures.heats(path, {f"{self.coefficient}, {self.level} level": heat}, self.coefficient, (-1, 1))


def correlation_matrix(
    table: ScoreTable,
    source: Source | None = None,
    *,
    metrics: Sequence[str] | None = None,
    every_part: bool = False,
    level: str = "system",
    coefficient: str = "pearson",
) -> CorrelationMatrix:
    """The correlation of each two metrics of a table (InfoLM's figure 2).

    source: ratings as `nlgauge.correlate` takes them, whose aspects then stand among the metrics. metrics and
    every_part as in `nlgauge.stats.selection.selected`. Two columns are compared on the rows that both have; metrics of
    sets at level 'system' only. Raises InputError.
    """
    table = table.per_item()
    if level not in LEVELS or coefficient not in COEFFICIENTS:
        known = f"{', '.join(LEVELS)}; {', '.join(COEFFICIENTS)}"
        raise InputError(f"level {level!r} with coefficient {coefficient!r}", remedy=f"take of {known}")
    table = selected(table, metrics, every_part)
    place, kind = grid(table), COEFFICIENTS[coefficient]
    cells: dict[str, Float] = {}
    for spec, column in table.columns.items():
        if column.level == "item" or level == "system":
            for part, name in enumerate(column.parts):
                cells[label(table, spec, name)] = place.of(by_row(table, column, part))
    if source is not None:
        cells.update({aspect: place.of(values) for aspect, values in ratings(table, source).values.items()})
    estimates: dict[tuple[str, str], Estimate] = {}
    for a, x in cells.items():
        for b, y in cells.items():
            one, other = rated_part(x, y)
            estimates[a, b] = estimate(one, other, kind, level)
    return CorrelationMatrix(
        tuple(cells),
        tuple(tuple(estimates[a, b].value for b in cells) for a in cells),
        tuple(tuple(estimates[a, b].n for b in cells) for a in cells),
        level,
        coefficient,
        {f"{a} | {b}": str(one.reason) for (a, b), one in estimates.items() if math.isnan(one.value)},
    )
