"""How metrics agree with people: a heat map of metrics by aspects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nlgauge.data.table import ScoreTable
from nlgauge.render.tables import Cell, Number
from nlgauge.reports import figures
from nlgauge.stats.agreement import Agreement, correlate
from nlgauge.stats.join import Source
from nlgauge.stats.selection import label, selected


@dataclass(frozen=True)
class AgreementMap:
    """What `agreement` found: positive is agreement, whichever way a metric is better."""

    metrics: tuple[str, ...]
    aspects: tuple[str, ...]
    records: tuple[Agreement, ...]
    """By metric, then by aspect"""
    level: str
    coefficient: str
    notes: tuple[str, ...]

    def tables(self) -> list[list[list[Cell]]]:
        """A row a metric, a column an aspect."""
        cells: list[list[Cell]] = [[f"{self.coefficient}, {self.level}", *self.aspects]]
        for name, own in zip(self.metrics, self._rows(), strict=True):
            cells.append([name, *(Number(one.value, one.low, one.high) for one in own)])
        return [cells]

    def draw(self, path: Path) -> None:
        """A heat map."""
        values = [[one.value for one in own] for own in self._rows()]
        title = f"{self.coefficient}, {self.level} level"
        figures.heats(path, {title: figures.Heat(self.metrics, self.aspects, values)}, self.coefficient, (-1, 1))

    def _rows(self) -> list[tuple[Agreement, ...]]:
        width = len(self.aspects)
        return [self.records[at : at + width] for at in range(0, len(self.records), width)]


def agreement(
    table: ScoreTable,
    source: Source,
    *,
    metrics: Sequence[str] | None = None,
    every_part: bool = False,
    level: str = "item",
    coefficient: str = "pearson",
    replicates: int = 1000,
    seed: int = 0,
) -> AgreementMap:
    """The agreement of each metric with each aspect of the ratings, as `nlgauge.correlate` has it.

    metrics and every_part as in `nlgauge.stats.selection.selected`. Raises InputError.
    """
    chosen = selected(table, metrics, every_part)
    found = correlate(chosen, source, level=level, coefficient=coefficient, replicates=replicates, seed=seed)
    aspects = tuple(found.unrated)
    # selected() cuts parts off, and what a part is called is said by the whole table.
    names = [label(table, one.metric, one.part) for one in found.records[:: len(aspects)]]
    reasons = dict.fromkeys(f"{one.metric} {one.part}, {one.aspect}: {one.reason}" for one in found if one.reason)
    return AgreementMap(
        tuple(names), aspects, tuple(found.records), level, coefficient, (*found.notes, *reasons)
    )  # fmt: skip
