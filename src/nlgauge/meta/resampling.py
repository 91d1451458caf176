"""Resampling of tables: what other texts and other systems would have given.

Tables are [items, systems], as in `nlgauge.meta.correlation`. All random draws come from a seed and the table's shape
alone, so that a number does not depend on what else was asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from nlgauge.meta.arrays import Codes, Float, Integers, Values
from nlgauge.meta.coefficients import Coefficient
from nlgauge.meta.correlation import measured, prepared

RESAMPLED = ("both", "items", "systems")
_CELLS_AT_ONCE = 2_000_000


def batches(replicates: int, cells: int) -> Iterator[int]:
    """How many replicates to draw at a time, of so many cells each: their sum is `replicates`."""
    size = max(1, _CELLS_AT_ONCE // max(1, cells))
    for start in range(0, replicates, size):
        yield min(size, replicates - start)


def drawn(
    shape: tuple[int, int], replicates: int, seed: int, resample: str = "both"
) -> Iterator[tuple[Integers, Integers]]:
    """Items and systems drawn with replacement: (items [r, items], systems [r, systems]), `replicates` in all.

    What is not resampled is there once each. 'both' is Boot-Both of Deutsch, Dror and Roth 2021: it asks what other
    texts and other systems would have given.
    """
    yield from _chunks(shape, replicates, [seed, *shape, 0], [resample != "systems", resample != "items"], replace=True)


def permuted(shape: tuple[int, int], replicates: int, seed: int) -> Iterator[tuple[Integers, Integers]]:
    """Items and systems in another order each, as `drawn` gives them."""
    yield from _chunks(shape, replicates, [seed, *shape, 1], [True, True], replace=False)


def _chunks(
    shape: tuple[int, int], replicates: int, seed: list[int], changed: Sequence[bool], replace: bool
) -> Iterator[tuple[Integers, Integers]]:
    generator = np.random.default_rng(seed)
    for count in batches(replicates, shape[0] * shape[1]):
        indices = []
        for n, change in zip(shape, changed, strict=True):
            index = np.broadcast_to(np.arange(n), (count, n))
            if change:
                index = generator.integers(0, n, (count, n)) if replace else generator.permuted(index, axis=1)
            indices.append(index)
        yield indices[0], indices[1]


def cells_at(x: Values, items: Integers, systems: Integers) -> Values:
    """A prepared table [items, systems] at cells that were drawn: [r, items, systems]."""
    return x[items[:, :, None], systems[:, None, :]]


def _copies(items: Integers, systems: Integers, level: str, columns: int) -> Codes:
    """Equal numbers for cells, or systems, that were drawn twice and can meet in a pair."""
    if level == "pooled":
        return (items[:, :, None] * columns + systems[:, None, :]).astype(np.int32)
    if level == "system":
        return systems.astype(np.int32)
    return np.broadcast_to(systems[:, None, :], (*items.shape, systems.shape[1])).astype(np.int32)


def bootstrap(
    x: Float, y: Float, kind: Coefficient, level: str, *, resample: str = "both", replicates: int = 1000, seed: int = 0
) -> Float:
    """The coefficient of resampled tables: [replicates], NaN where a resample has none.

    A cell that is drawn twice makes no pair with itself, so that accuracies do not rise with the number of copies.
    """
    a, b = prepared(x, kind, level), prepared(y, kind, level)
    values = [np.empty(0)]
    for items, systems in drawn((len(x), x.shape[1]), replicates, seed, resample):
        copies = _copies(items, systems, level, x.shape[1]) if kind.counts_copies else None
        values.append(measured(cells_at(a, items, systems), cells_at(b, items, systems), kind, level, copies))
    return np.concatenate(values)


def interval(values: Float, confidence: float = 0.95) -> tuple[float, float]:
    """The middle `confidence` of bootstrap values (percentile method); NaN where less than half of them are defined."""
    values = values[~np.isnan(values)] if 2 * np.isnan(values).sum() <= len(values) else values[:0]
    if not len(values):
        return math.nan, math.nan
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)
