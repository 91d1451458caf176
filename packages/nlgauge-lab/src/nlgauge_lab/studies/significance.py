"""Tests of which metrics agree with people significantly better than others: every metric against every other.

Figure 7 of the InfoLM paper is this matrix with Williams' test at system level. The paper prints one-sided p without a
correction for testing many pairs. These are half of `p` here with correction='none'.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nlgauge.answers.contrast import contrast
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.selection import label, selected
from nlgauge.ratings.join import Source
from nlgauge.reports import figures
from nlgauge.show.tables import Cell, Number


@dataclass(frozen=True)
class Ranking:
    """The metrics in the order of their agreement with one aspect, best first."""

    aspect: str
    names: tuple[str, ...]
    values: tuple[float, ...]
    """The coefficient of each metric"""
    clusters: tuple[int, ...]
    """The cluster of each metric, from 1. Metrics of one cluster do not differ significantly"""
    p: tuple[tuple[float, ...], ...]
    """Two-sided, corrected p where the row's metric agrees better than the column's, else NaN: [row, column]"""


@dataclass(frozen=True)
class Significance:
    """The result of `significance`."""

    rankings: tuple[Ranking, ...]
    level: str
    coefficient: str
    test: str
    correction: str
    confidence: float
    notes: tuple[str, ...] = ()

    def tables(self) -> list[list[list[Cell]]]:
        """Return tables for a terminal, one for each aspect.

        They have p of "row better than column" where it is below 1 - confidence.
        """
        out = []
        for one in self.rankings:
            numbers = [str(number) for number in range(1, len(one.names) + 1)]
            cells: list[list[Cell]] = [[one.aspect, self.coefficient, "cluster", "", *numbers]]
            for i, name in enumerate(one.names):
                row = [Number(p if p < 1 - self.confidence else math.nan, digits=3) for p in one.p[i]]
                cluster = Number(one.clusters[i], digits=0)
                cells.append([name, Number(one.values[i], digits=3), cluster, numbers[i], *row])
            out.append(cells)
        return out

    def draw(self, path: Path) -> None:
        """Draw a heat map of p for each aspect."""
        panels = {one.aspect: figures.Heat(one.names, one.names, one.p) for one in self.rankings}
        figures.heats(path, panels, label="p of: row agrees better than column", ends=(0, 0.1), colours="Blues_r")


def significance(
    table: ScoreTable,
    source: Source,
    *,
    metrics: Sequence[str] | None = None,
    every_part: bool = False,
    level: str = "system",
    coefficient: str = "pearson",
    aspects: Sequence[str] | None = None,
    test: str = "williams",
    df: str = "n-3",
    correction: str = "holm",
    confidence: float = 0.95,
    replicates: int | None = None,
    seed: int = 0,
) -> Significance:
    """Return tests of every metric against every other, with clusters (InfoLM's figure 7).

    Args:
        table: the scores.
        source: ratings as `nlgauge.correlate` takes them.
        metrics, every_part: as in `nlgauge.data.table.selection.selected`.
        level, coefficient, aspects, test, df, correction, confidence, replicates, seed: as in
            `nlgauge.answers.contrast.contrast`, which does the tests.

    Raises:
        InputError: as `contrast` raises it.
    """
    table = selected(table, metrics, every_part)
    contrasts = contrast(
        table,
        source,
        level=level,
        coefficient=coefficient,
        aspects=aspects,
        test=test,
        df=df,
        correction=correction,
        confidence=confidence,
        replicates=replicates,
        seed=seed,
        intervals=False,
    )
    rankings = []
    for aspect, values in contrasts.values.items():
        order = sorted(values, key=lambda key: (math.isnan(values[key]), -values[key]))
        p = {}
        for one in contrasts:
            if one.aspect == aspect and not math.isnan(one.difference):
                better, worse = (one.first, one.second) if one.difference >= 0 else (one.second, one.first)
                p[better, worse] = one.adjusted
        rankings.append(
            Ranking(
                aspect=aspect,
                names=tuple(label(table, *key) for key in order),
                values=tuple(values[key] for key in order),
                clusters=tuple(contrasts.clusters[aspect][key] for key in order),
                p=tuple(tuple(p.get((a, b), math.nan) for b in order) for a in order),
            )
        )
    return Significance(
        rankings=tuple(rankings),
        level=level,
        coefficient=coefficient,
        test=test,
        correction=correction,
        confidence=confidence,
        notes=tuple(contrasts.notes),
    )
