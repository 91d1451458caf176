"""Corrections of p-values for several tests at once, and clusters of metrics that do not differ significantly."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from nlgauge.stats.arrays import Float, Integers, Mask


def holm(p: Sequence[float]) -> Float:
    """Return p-values corrected by Holm (1979), which bounds the probability of any false finding by the level.

    Args:
        p: the p-values: [tests].

    Returns:
        The adjusted p-values: [tests]. NaN stays NaN.
    """
    values, order = _ranked(p)
    factor = len(order) - np.arange(len(order))
    return _placed(values, order, np.maximum.accumulate(values[order] * factor))


def benjamini_hochberg(p: Sequence[float]) -> Float:
    """Return p-values corrected to bound the share of false findings (Benjamini and Hochberg 1995): [tests]."""
    values, order = _ranked(p)
    factor = len(order) / (1 + np.arange(len(order)))
    return _placed(values, order, np.minimum.accumulate((values[order] * factor)[::-1])[::-1])


def benjamini_yekutieli(p: Sequence[float]) -> Float:
    """Return p-values corrected to bound the share of false findings, for dependent tests of any kind.

    They are the p-values of `benjamini_hochberg` times the sum of 1 / k, for k from 1 to the number of tests that have
    a p-value (Benjamini and Yekutieli 2001).

    Args:
        p: the p-values: [tests].

    Returns:
        The adjusted p-values: [tests], at most 1. NaN stays NaN.
    """
    tests = sum(not math.isnan(chance) for chance in p)
    return np.minimum(benjamini_hochberg(p) * sum(1 / k for k in range(1, tests + 1)), 1)


def _ranked(p: Sequence[float]) -> tuple[Float, Integers]:
    values = np.asarray(p, float)
    tested = np.flatnonzero(~np.isnan(values))
    return values, tested[np.argsort(values[tested], kind="stable")]


def _placed(values: Float, order: Integers, adjusted: Float) -> Float:
    out = values.copy()
    out[order] = np.minimum(adjusted, 1)
    return out


LEAST_DRAWS = 1000
"""The number of draws of a random test without a correction"""
_CLEAR = 5


def draws_for(tests: int, significance: float = 0.05) -> int:
    """Return how many draws each random test needs, so that it can be significant after a correction.

    The smallest p that a test of n draws can have is 1 / (n + 1), and Holm multiplies the smallest p by the number of
    tests. With the returned number of draws, this product is at most a fifth of the significance level.

    Args:
        tests: the number of random tests that are corrected together.
        significance: the significance level, such as 0.05.

    Returns:
        The number of draws, at least `LEAST_DRAWS`.
    """
    return max(LEAST_DRAWS, math.ceil(_CLEAR * tests / significance))


def too_few_draws(draws: int, tests: int, significance: float = 0.05) -> str | None:
    """Return a warning if no test can be significant with so few draws; None if one can, or if draws is 0."""
    if not draws or tests / (draws + 1) < significance:
        return None
    needed = math.floor(tests / significance)
    smallest = min(1.0, tests / (draws + 1))
    return (
        f"{draws:,} replicates cannot show a difference in {tests:,} test{'s' * (tests != 1)}, where the smallest"
        f" corrected p is {smallest:.3f}: give at least {needed:,}, or leave the number out"
    )


CORRECTIONS: Mapping[str, Callable[[Sequence[float]], Float]] = {
    "holm": holm,
    "benjamini_hochberg": benjamini_hochberg,
    "none": lambda p: np.asarray(p, float),
}


def clusters(values: Sequence[float], different: Mask) -> list[int]:
    """Return the cluster of each metric. Metrics of the same cluster do not differ significantly.

    The metrics are sorted from the best value down. A new cluster begins with a metric that differs significantly from
    some metric of the cluster so far, as in the WMT metrics tasks. Metrics without a value come last, in a separate
    cluster.

    Args:
        values: the value of each metric, larger being better: [metrics]; NaN for a metric without one.
        different: which two metrics differ significantly: [metrics, metrics].

    Returns:
        The number of each metric's cluster, from 1: [metrics].
    """
    order = sorted(range(len(values)), key=lambda i: (math.isnan(values[i]), -values[i], i))
    out, members = [0] * len(values), list[int]()
    for i in order:
        alone = math.isnan(values[i]) and not all(math.isnan(values[j]) for j in members)
        if not members or alone or any(different[i, j] for j in members):
            cluster = max(out) + 1
            members = []
        members.append(i)
        out[i] = cluster
    return out
