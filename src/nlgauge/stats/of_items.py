"""Intervals and tests of a coefficient that generalise from the items of a table to other items.

At item level a coefficient is a mean over items, and Student's t gives its interval (`nlgauge.maths.inference`). But
with few systems, most items have a coefficient near 1 and a few are far below. So a second interval of Student's t is
made as if there were four more pairs of systems: two that metric and people order alike, and two that they order
oppositely. The returned interval covers both intervals.

At the other levels a jackknife leaves out one item after the other. It uses the scale of Fisher's z, on which a
correlation is nearly normal. At system level it also uses the scale of the coefficient, because the systems' means over
few items are inexact, which makes their correlation smaller. `python benchmarks/coefficients.py` shows how often the
intervals hold the truth.

Tables are [items, systems], as in `nlgauge.stats.correlation`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from nlgauge.maths.inference import UNLIMITED, Inference, Student, mean_of, statistic_of
from nlgauge.stats.arrays import Float, Integers, Mask
from nlgauge.stats.coefficients import Coefficient
from nlgauge.stats.correlation import measured, prepared
from nlgauge.stats.resampling import batches

MOST_LEFT_OUT = {"item": 500, "pooled": 500, "system": 15}
"""If there are more items, they are left out in this number of groups. At system level a single item seldom changes the
order of the systems, and then changes it much, so that a jackknife of single items makes intervals of rank correlations
twice as long"""
_ENDS = (-1.0, 1.0)
_AT_AN_END = 1 - 1e-9


class OfItems(NamedTuple):
    """The interval and the p of a coefficient, for other items; NaN where there are none."""

    low: float
    high: float
    p: float
    """The two-sided p of the hypothesis that there is no agreement. It is below 1 - confidence exactly if 0 is outside
    of the interval. NaN for a coefficient whose chance level is not 0"""


def of_items(
    x: Float, y: Float, kind: Coefficient, level: str, clusters: Integers | None = None, confidence: float = 0.95
) -> OfItems:
    """Return the interval and the test of a coefficient, for other items and the same systems.

    Args:
        x: the metric's table: [items, systems].
        y: the people's table: [items, systems].
        kind: the coefficient.
        level: 'item', 'system' or 'pooled'.
        clusters: the number of each item's cluster: [items]. If given, the interval allows for these clusters too.
        confidence: the confidence of the interval.

    Returns:
        The ends of the interval, and p. NaN for a single item, and for an effective number of clusters below 2.
    """
    made = [_inferences(x, y, kind=kind, level=level, clusters=of) for of in _groupings(clusters)]
    if not all(made):
        return OfItems(math.nan, math.nan, math.nan)
    ends = [
        math.tanh(end) if on_z else end for inference, on_z in chain(*made) for end in inference.interval(confidence)
    ]
    low, high = (kind.least + (1 - kind.least) * (end + 1) / 2 for end in (min(ends), max(ends)))
    return OfItems(low, high, max(inference.p() for inference, _ in chain(*made)) if kind.chance == 0 else math.nan)


def difference_of_items(
    x: Float,
    other: Float,
    y: Float,
    kind: Coefficient,
    level: str,
    clusters: Integers | None = None,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Return the interval, for other items, of one metric's coefficient minus that of another metric.

    Args:
        x: the first metric's table: [items, systems].
        other: the other metric's table: [items, systems].
        y: the people's table: [items, systems].
        kind: the coefficient.
        level: 'item', 'system' or 'pooled'.
        clusters: the number of each item's cluster: [items]. If given, the interval allows for these clusters too.
        confidence: the confidence of the interval.

    Returns:
        The ends of the interval.
    """
    made = [_difference(x, other, y=y, kind=kind, level=level, clusters=of) for of in _groupings(clusters)]
    low, high = zip(*(inference.interval(confidence) for inference in made), strict=True)
    # min and max of Python do not tell NaN.
    return float(np.min(low)) * (1 - kind.least) / 2, float(np.max(high)) * (1 - kind.least) / 2


def _groupings(clusters: Integers | None) -> list[Integers | None]:
    """Return the units for which inferences are made: single items (None), and the clusters of items where given.

    The callers return an interval that covers those of all units, so that clusters never make it shorter.
    """
    return [None] if clusters is None else [None, clusters]


def _inferences(
    x: Float, y: Float, kind: Coefficient, level: str, clusters: Integers | None
) -> list[tuple[Inference, bool]]:
    """Return inferences of a coefficient that is scaled from -1 to 1, each with whether it is on Fisher's scale."""
    if level == "item" and kind.together is None:
        inferences = [(_mean(x, y, kind, clusters), False)]
    else:
        without = _without(x, y, kind, level)
        fisher = _jackknife(
            lambda present: _fisher(without(present)), len(x), level=level, clusters=clusters, limits=UNLIMITED
        )
        inferences = [(fisher, True)] if fisher.laws else []
        if not inferences or level == "system":
            inferences.append((_jackknife(without, len(x), level=level, clusters=clusters, limits=_ENDS), False))
    return [(inference, on_z) for inference, on_z in inferences if inference.laws]


def _difference(
    x: Float, other: Float, y: Float, kind: Coefficient, level: str, clusters: Integers | None
) -> Inference:
    limits = (-2.0, 2.0)
    if level == "item" and kind.together is None:
        each = _within(x, y, kind) - _within(other, y, kind)
        defined = ~np.isnan(each)
        return mean_of(each[defined], limits, None if clusters is None else clusters[defined])
    of_first, of_second = (_without(a, y, kind, level) for a in (x, other))
    return _jackknife(
        lambda present: of_first(present) - of_second(present), len(x), level=level, clusters=clusters, limits=limits
    )


def _within(x: Float, y: Float, kind: Coefficient) -> Float:
    """Return the coefficient within each item, scaled from -1 to 1: [items]; NaN where it is undefined."""
    return _unit(kind.of_numbers(x, y), kind)


def _mean(x: Float, y: Float, kind: Coefficient, clusters: Integers | None) -> Inference:
    """Return the inference of the mean of the coefficients within items."""
    each = _within(x, y, kind)
    defined = ~np.isnan(each)
    values = each[defined]
    made = mean_of(values, _ENDS, None if clusters is None else clusters[defined])
    if not made.laws:
        return made
    systems = float(np.median((~np.isnan(x + y)).sum(1)[defined]))
    # Two pairs are so much of an item; of two systems there is one pair.
    more = min(1.0, 2 / (systems * (systems - 1) / 2))
    n = len(values) + 2 * more
    centre = float(values.sum()) / n
    squares = float(((values - centre) ** 2).sum()) + more * ((1 - centre) ** 2 + (1 + centre) ** 2)
    pairs = Student(centre, math.sqrt(squares / (n - 1) / n), n - 1)
    return replace(made, laws=(*made.laws, pairs))


def _without(x: Float, y: Float, kind: Coefficient, level: str) -> Callable[[Mask], Float]:
    """Return a function from the items present to the coefficient, scaled from -1 to 1: [draws, items] -> [draws].

    The remaining items may have no coefficient, for example if the only bad row is left out. The value is then 0.
    """
    a, b = prepared(x, kind, level), prepared(y, kind, level)
    missing = -1 if np.issubdtype(a.dtype, np.integer) else np.nan

    def coefficients(present: Mask) -> Float:
        blocks, begin = [np.empty(0)], 0
        for count in batches(len(present), a.size):
            chosen = present[begin : begin + count, :, None]
            blocks.append(measured(np.where(chosen, a, missing), np.broadcast_to(b, (count, *b.shape)), kind, level))
            begin += count
        return np.nan_to_num(_unit(np.concatenate(blocks), kind))

    return coefficients


def _jackknife(
    number: Callable[[Mask], Float], items: int, level: str, clusters: Integers | None, limits: tuple[float, float]
) -> Inference:
    """Return the inference of a number of a table, by leaving out its items.

    Args:
        number: a function from the items that are left to the number: [draws, items] -> [draws].
        items: the number of items.
        level: 'item', 'system' or 'pooled'.
        clusters: the number of each item's cluster: [items]; None without clusters.
        limits: the least and the greatest possible number.
    """
    of = np.zeros(items, np.intp) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    parts = _dealt(of, MOST_LEFT_OUT[level])
    groups = None if clusters is None else of[np.unique(parts, return_index=True)[1]]

    def formula(counts: Float) -> Float:
        present = counts.reshape(-1, counts.shape[-1])[:, parts] > 0.5
        return number(present).reshape(counts.shape[:-1])

    return statistic_of(np.eye(int(parts.max()) + 1), formula, limits, groups)


def _dealt(clusters: Integers, most: int) -> Integers:
    """Return the group of each item, from 0: [items]. The items of a group are of one cluster.

    There are about `most` groups in all, or one for each item. Groups within a cluster have nearly equal sizes.

    Args:
        clusters: the number of each item's cluster, from 0: [items].
        most: the wanted number of groups.
    """
    sizes = np.bincount(clusters)
    shares = np.minimum(sizes, -(-sizes * most // len(clusters)))
    order = np.argsort(np.random.default_rng(len(clusters)).random(len(clusters)), kind="stable")
    order = order[np.argsort(clusters[order], kind="stable")]
    place = np.empty(len(clusters), np.intp)
    place[order] = np.arange(len(clusters)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return (np.cumsum(shares) - shares)[clusters] + place % shares[clusters]


def _unit(value: Float, kind: Coefficient) -> Float:
    """Return the value of a coefficient, scaled from -1 (perfect disagreement) to 1."""
    return 2 * (value - kind.least) / (1 - kind.least) - 1


def _fisher(value: Float) -> Float:
    """Return Fisher's z of coefficients; NaN for -1 and 1, where it is infinite."""
    return np.asarray(np.arctanh(np.where(np.abs(value) > _AT_AN_END, np.nan, value)))
