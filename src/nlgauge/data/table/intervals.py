"""What each system scores, with its confidence interval: of items, or of clusters of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.table.column import Column, Sums
from nlgauge.data.table.frame import frame_of
from nlgauge.maths.intervals import (
    FEW,
    clustered_share,
    effective_groups,
    expanded,
    jackknife,
    mean_spread,
    share_interval,
    student_interval,
)

if TYPE_CHECKING:
    import pandas as pd

_DRAWN_AT_ONCE, _DRAWS_KEPT = 8_000_000, 4


@dataclass(frozen=True)
class SystemScore:
    """A system's mean by one metric, with its confidence interval."""

    system: str
    metric: str
    part: str
    mean: float
    """For a metric that has a value of all rows together (`whole`), that value"""
    low: float
    high: float
    n: int
    """Items with a number"""
    undefined: int
    """Items without"""
    whole: bool = False
    """`mean` is the value of all rows together, a corpus BLEU say, and not the mean of the rows' values"""
    clusters: int | None = None
    """How many clusters the items are of, where the table has clusters"""
    effective: float = math.nan
    """How many clusters of equal size say as much; below 2 there is no interval"""


class SystemScores(list[SystemScore]):
    """What `ScoreTable.by_system` gives."""

    def to_pandas(self) -> pd.DataFrame:
        """One line for every record, a column for each of its fields. Raises MissingExtraError without pandas."""
        return frame_of(self, SystemScore)


@dataclass(eq=False)
class Resamples:
    """Draws with replacement from the items of a system, the same ones for all systems of equally many items."""

    replicates: int
    seed: int
    confidence: float = 0.95
    _kept: dict[int, NDArray[np.float64]] = field(default_factory=dict, init=False)

    def times(self, n: int) -> Iterator[NDArray[np.float64]]:
        """Yield how often each of n items is among the n that are drawn: [draws, n] at a time, `replicates` draws in
        all.
        """
        if n in self._kept:
            yield self._kept[n]
            return
        generator = np.random.default_rng([self.seed, n])
        if n * self.replicates > _DRAWN_AT_ONCE:
            for _ in range(self.replicates):
                yield _times(generator.integers(0, n, (1, n), dtype=np.int32))
            return
        if len(self._kept) >= _DRAWS_KEPT:
            self._kept.clear()
        self._kept[n] = _times(generator.integers(0, n, (self.replicates, n), dtype=np.int32))
        yield self._kept[n]

    def ends(self, n: int) -> tuple[float, float]:
        """Return which quantiles of the means of n drawn items are the ends of the interval."""
        confidence = expanded(self.confidence, n)
        return (1 - confidence) / 2, (1 + confidence) / 2

    def __bool__(self) -> bool:
        return self.replicates > 0


_Measured: TypeAlias = tuple[float, float, float, int, int | None, float]
"""One sub-score of a system: its value, the ends of the interval, how many items have a number, of how many clusters
they are, and how many clusters of equal size say as much"""


def by_system(
    rows: Sequence[tuple[str, str]],
    columns: Mapping[str, Column],
    resamples: Resamples,
    clusters: Sequence[str] | None = None,
) -> SystemScores:
    """Value, interval and count of every metric, part and system, in this order; rows are (system, item).

    clusters: one of each row; rows of one cluster are not independent.
    """
    places: dict[str, list[int]] = {}
    for index, (system, _) in enumerate(rows):
        places.setdefault(system, []).append(index)
    where = [np.array(indices) for indices in places.values()]
    names = None if clusters is None else np.array(clusters, dtype=object)
    groups = [None if names is None else np.unique(names[rows], return_inverse=True)[1] for rows in where]
    scores = SystemScores()
    for spec, column in columns.items():
        measured = [_parts(column, number, indices, resamples, groups[number]) for number, indices in enumerate(where)]
        whole = column.sums is not None
        for part, name in enumerate(column.parts):
            for system, indices, parts in zip(places, where, measured, strict=True):
                value, low, high, n, count, effective = parts[part]
                undefined = len(indices) - n
                scores.append(SystemScore(system, spec, name, value, low, high, n, undefined, whole, count, effective))
    return scores


def _parts(
    column: Column, number: int, rows: NDArray[np.intp], resamples: Resamples, groups: NDArray[np.intp] | None
) -> list[_Measured]:
    """Return what a column says of each of its sub-scores of one system: of these rows, and by its number where it has
    its own.

    groups: the number of each row's cluster.
    """
    if column.sums is not None:
        return _of_sums(column.sums, rows, len(column.parts), resamples, groups)
    if column.level == "system":
        values = column.values[number].tolist()
        return [(value, math.nan, math.nan, 0 if math.isnan(value) else len(rows), None, math.nan) for value in values]
    values = column.values[rows]
    measured = _of_rows(values, resamples, groups)
    if column.higher_is_better or bool((values < 0).any()):
        return measured
    # A distance is at least 0, and so is its mean.
    return [(value, max(0.0, low) if low == low else low, *rest) for value, low, *rest in measured]  # type: ignore[misc]


def _of_sums(
    sums: Sums, rows: NDArray[np.intp], parts: int, resamples: Resamples, groups: NDArray[np.intp] | None
) -> list[_Measured]:
    """For counts that are summed before the value is computed."""
    counts = sums.of(rows)
    n, measured = len(counts), np.full((3, parts), np.nan)
    if n:
        measured[0] = sums.value(counts)
    sizes, own = np.ones(n), None
    if groups is not None:
        own = groups[~np.isnan(sums.counts[rows]).any(axis=1)]
        counts, sizes = together(counts, own), together(sizes, own)
    if len(counts) > 1 and resamples:
        if groups is None and len(counts) >= FEW:
            summed = np.concatenate([times @ counts for times in resamples.times(len(counts))])
            measured[1:] = np.quantile(sums.value(summed[:, None]), resamples.ends(len(counts)), axis=0)
        else:
            without = sums.value((counts.sum(0) - counts)[:, None])
            for part, value in enumerate(measured[0].tolist()):
                spread = jackknife(value, without[:, part], sizes)
                measured[1:, part] = np.clip(student_interval(value, spread, resamples.confidence), 0, sums.most)
    of = _clusters(own)
    return [(value, low, high, n, *of) for value, low, high in measured.T.tolist()]


def _of_rows(values: NDArray[np.float64], resamples: Resamples, groups: NDArray[np.intp] | None) -> list[_Measured]:
    """For values [rows, parts]; parts that are known of the same rows are resampled at once."""
    nothing: _Measured = (math.nan, math.nan, math.nan, 0, None, math.nan)
    measured = [nothing] * values.shape[1]
    alike: dict[bytes, list[int]] = {}
    for part, mask in enumerate(~np.isnan(values).T):
        alike.setdefault(mask.tobytes(), []).append(part)
    for mask_bytes, parts in alike.items():
        rows = np.frombuffer(mask_bytes, np.bool_)
        known = values[rows][:, parts]
        if not len(known):
            continue
        own = None if groups is None else groups[rows]
        low, high = _intervals(known, own, resamples)
        of = _clusters(own)
        for at, (part, mean) in enumerate(zip(parts, known.mean(axis=0).tolist(), strict=True)):
            measured[part] = mean, float(low[at]), float(high[at]), len(known), *of
    return measured


def _clusters(groups: NDArray[np.intp] | None) -> tuple[int | None, float]:
    """Return how many clusters rows are of, and how many of equal size say as much. groups: each row's cluster."""
    if groups is None:
        return None, math.nan
    sizes = together(np.ones(len(groups)), groups)
    return len(sizes), effective_groups(sizes)


def _intervals(
    known: NDArray[np.float64], groups: NDArray[np.intp] | None, resamples: Resamples
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of the intervals of the means of values [rows, parts], none of which is NaN: [parts] each.

    Shares: a score interval. Otherwise Student's t for clusters and for fewer than `FEW` rows, else a bootstrap.
    """
    n, level = len(known), resamples.confidence
    low, high = np.full(known.shape[1], np.nan), np.full(known.shape[1], np.nan)
    sums, sizes = (known, np.ones(n)) if groups is None else (together(known, groups), together(np.ones(n), groups))
    finite = np.isfinite(known).all(axis=0)
    if len(sizes) < 2 or not resamples or not finite.any():
        return low, high
    shares = np.asarray(np.isin(known, (0, 1)).all(axis=0))
    if groups is None and n >= FEW:
        drawn = np.concatenate([(times @ sums[:, finite]) / n for times in resamples.times(n)])
        low[finite], high[finite] = np.quantile(drawn, resamples.ends(n), axis=0)
    for at in np.flatnonzero(finite).tolist():
        mean = float(known[:, at].mean())
        if shares[at] and groups is None:
            low[at], high[at] = share_interval(mean, n, level)
        elif groups is not None or n < FEW:
            spread = mean_spread(sums[:, at], sizes)
            low[at], high[at] = (
                clustered_share(mean, spread, n, level) if shares[at] else student_interval(mean, spread, level)
            )
    return low, high


def together(values: NDArray[np.float64], groups: NDArray[np.intp]) -> NDArray[np.float64]:
    """The sums of the rows of each group: [rows, ...] -> [groups, ...], groups in the order of their numbers."""
    numbers = np.unique(groups, return_inverse=True)[1]
    sums = np.zeros((int(numbers.max(initial=-1)) + 1, *values.shape[1:]))
    np.add.at(sums, numbers, values)
    return sums


def _times(resamples: NDArray[np.int32]) -> NDArray[np.float64]:
    size = resamples.shape[1]
    return np.stack([np.bincount(one, minlength=size) for one in resamples]).astype(np.float64)
