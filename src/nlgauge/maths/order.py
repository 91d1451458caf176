"""Exact tests that values stand in random order: of their runs, and of their first half against their second half.

Values are divided into high and low, so that the two kinds are most equal in number. This rule does not use the order
of the values. In random order, the number of runs has the distribution of Wald and Wolfowitz, "On a test whether two
samples are from the same population", 1940, and the number of high values in the first half is hypergeometric (Fisher
1935). Both are exact for any number of values, so that the error rate of a test is at most its level.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Float: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]


def high(values: Float) -> Mask:
    """Return a mask of the values above the cut that divides them most evenly: [values]; all false for equal values."""
    cuts = np.unique(values)[:-1]
    if not len(cuts):
        return np.zeros(len(values), bool)
    above = np.searchsorted(np.sort(values), cuts, "right")
    return np.asarray(values > cuts[int(np.argmin(np.abs(2 * above - len(values))))])


def runs(labels: Mask) -> int:
    """Return the number of runs of equal labels."""
    return 1 + int((labels[1:] != labels[:-1]).sum())


def runs_p(labels: Mask) -> float:
    """Return the probability that the labels [n] have at most as many runs in random order as they have here."""
    n, ones = len(labels), int(labels.sum())
    zeros = n - ones
    if not ones or not zeros:
        return 1.0
    ways = _ways(n)
    # Of 2 k runs, k are of ones; of 2 k + 1 runs, k or k + 1 are.
    even, odd = np.arange(1, runs(labels) // 2 + 1), np.arange(1, (runs(labels) - 1) // 2 + 1)
    logs = np.concatenate(
        [
            math.log(2) + ways(ones - 1, even - 1) + ways(zeros - 1, even - 1),
            ways(ones - 1, odd) + ways(zeros - 1, odd - 1),
            ways(ones - 1, odd - 1) + ways(zeros - 1, odd),
        ]
    )
    return min(1.0, float(np.exp(logs - ways(n, ones)).sum()))


def halves_p(labels: Mask) -> float:
    """Return the two-sided p of the hypothesis that labels stand in random order, by the true ones in the first half.

    Args:
        labels: the labels, in order: [n].

    Returns:
        p, from the number of true labels in the first half, which is hypergeometric in random order.
    """
    n, ones, half = len(labels), int(labels.sum()), len(labels) // 2
    ways, counts = _ways(n), np.arange(min(half, ones) + 1)
    chances = np.exp(ways(ones, counts) + ways(n - ones, half - counts) - ways(n, half))
    first = int(labels[:half].sum())
    return min(1.0, 2 * float(min(chances[: first + 1].sum(), chances[first:].sum())))


def _ways(n: int) -> Callable[[int, Integers | int], Float]:
    """Return a function (of, chosen) -> ln binomial(of, chosen), for `of` up to n; -inf where no choice is possible."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])

    def ways(of: int, chosen: Integers | int) -> Float:
        possible = np.clip(chosen, 0, of)
        return np.where(possible == chosen, logs[of] - logs[possible] - logs[of - possible], -math.inf)

    return ways
