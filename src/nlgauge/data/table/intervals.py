"""The mean score of each system with its confidence interval, over items or over clusters of items."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.table.column import Column, Sums
from nlgauge.data.table.frame import frame_of
from nlgauge.maths.inference import Inference, mean_of, statistic_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class SystemScore:
    """A system's mean by one metric, with its confidence interval."""

    system: str
    metric: str
    part: str
    mean: float
    """The mean over items; or the value of all rows together, for a metric that has one (`whole`)"""
    low: float
    high: float
    n: int
    """Number of items with a value"""
    undefined: int
    """Number of items without a value"""
    whole: bool = False
    """Whether `mean` is the value of all rows together, a corpus BLEU say, and not the mean of the rows' values"""
    clusters: int | None = None
    """Number of clusters of the items; None where the table has no clusters"""
    effective: float = math.nan
    """Effective number of clusters: the number of clusters of equal size that would give as precise a mean. Below 2
    there is no interval. NaN where the mean is not over clusters"""


class SystemScores(list[SystemScore]):
    """The list of scores that `ScoreTable.by_system` returns."""

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame: a line for each record, a column for each field. Raises MissingExtraError without pandas."""
        return frame_of(self, SystemScore)


def by_system(
    rows: Sequence[tuple[str, str]],
    columns: Mapping[str, Column],
    confidence: float,
    clusters: Sequence[str] | None = None,
) -> SystemScores:
    """Return value, interval and counts for every metric, sub-score and system, in this order.

    Args:
        rows: the system and the item of each row.
        columns: the scores of each metric.
        confidence: the confidence level of the intervals.
        clusters: the cluster of each row; rows of one cluster are not independent.

    Returns:
        A list of `SystemScore`.
    """
    places: dict[str, list[int]] = {}
    for index, (system, _) in enumerate(rows):
        places.setdefault(system, []).append(index)
    where = [np.array(indices) for indices in places.values()]
    names = None if clusters is None else np.array(clusters, dtype=object)
    groups = [None if names is None else np.unique(names[rows], return_inverse=True)[1] for rows in where]
    scores = SystemScores()
    for spec, column in columns.items():
        for at, part in enumerate(column.parts):
            for number, system in enumerate(places):
                said = _said(column, at, number=number, rows=where[number], groups=groups[number])
                low, high = said.interval(confidence)
                clustered = groups[number] is not None and column.level == "item"
                scores.append(
                    SystemScore(
                        system=system,
                        metric=spec,
                        part=part,
                        mean=said.value,
                        low=low,
                        high=high,
                        n=said.n,
                        undefined=len(where[number]) - said.n,
                        whole=column.sums is not None,
                        clusters=said.groups if clustered and said.n else None,
                        effective=said.effective if clustered else math.nan,
                    )
                )
    return scores


def _said(column: Column, part: int, number: int, rows: NDArray[np.intp], groups: NDArray[np.intp] | None) -> Inference:
    """Return the mean of a sub-score for one system, and the basis of its interval.

    `number` is the index of the system, `rows` are the indexes of its rows, and `groups` the clusters of these rows.
    For a corpus-level metric, the value of the system is returned in place of the mean.
    """
    if column.level == "system":
        value = float(column.values[number, part])
        return Inference(value, 0 if math.isnan(value) else len(rows))
    limits = column.range(column.parts[part])
    if column.sums is not None:
        valued = ~np.isnan(column.sums.counts[rows]).any(axis=1)
        counts = column.sums.counts[rows][valued]
        return statistic_of(counts, formula_of(column.sums, part), limits, None if groups is None else groups[valued])
    valued = ~np.isnan(column.values[rows, part])
    values = column.values[rows, part][valued]
    return mean_of(values, limits, None if groups is None else groups[valued])


def formula_of(sums: Sums, part: int) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Return a function from summed counts to the value of one sub-score, [..., counts] -> [...]."""
    return lambda totals: sums.value(totals[..., None, :])[..., part]


def without_draws(replicates: int | None, seed: int | None) -> None:
    """Warn that `replicates` and `seed` have no effect any more, because no interval is resampled."""
    if replicates is not None or seed is not None:
        warnings.warn("replicates and seed have no effect: nothing is drawn", DeprecationWarning, stacklevel=3)
