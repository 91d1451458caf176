"""A confidence sequence for paired differences: intervals that hold at all looks together, however often one looks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

_NORMAL = NormalDist()
_SIGNS = 1 / (4 * _NORMAL.cdf(-math.sqrt(2)))
"""3.178...: by which factor the tail of a weighted sum of random signs may exceed the normal tail"""


class LookResult(NamedTuple):
    """The result of one of many looks."""

    difference: float
    low: float
    """-inf if there are too few differences for a bound at this look"""
    high: float
    p: float
    """Two-sided, for no change between now and before: in unchanged series, the share with p below the level at any
    look is at most the level"""


def spent(level: float, look: int) -> float:
    """The part of a level that one look may spend; over looks 1, 2, 3, ... it sums to the level."""
    return level / (look * (look + 1))


def look_at(sums: Sequence[float], sizes: Sequence[float], look: int, level: float = 0.05) -> LookResult:
    """The mean difference at a look (from 1), with an interval that holds at all looks with probability 1 - `level`.

    sums, sizes [groups]: for each item or cluster of items, the sum and the number of its differences.

    If nothing changed, now and before are exchangeable, so the sums are symmetric about 0. Given their absolute values,
    their signs are random, and for every x, P(sum >= x sqrt(sum of squares)) <= c P(N >= x) with c = 1 / (4 P(N >= sqrt
    2)) (Bentkus and Dzindzalieta, *A tight Gaussian bound for weighted sums of Rademacher random variables*, Bernoulli
    2015). This is valid for few differences of any range and needs no variance. The levels of all looks sum to `level`,
    so by the union bound the series is wrong in at most that share of cases, even if the looks share data, such as one
    baseline (Robbins, *Statistical Methods Related to the Law of the Iterated Logarithm*, 1970, calls such intervals a
    confidence sequence). The ends of the interval are the shifts that the test just does not reject; the model is a
    change that shifts symmetric differences.
    """
    if len(sums) != len(sizes) or not len(sums):
        raise ValueError("there must be a size for each sum, and at least one")
    total, count = math.fsum(sums), math.fsum(sizes)
    squares = math.fsum(one * one for one in sums)
    products = math.fsum(one * size for one, size in zip(sums, sizes, strict=True))
    widths = math.fsum(size * size for size in sizes)
    z = -_NORMAL.inv_cdf(min(0.5, spent(level, look) / 2 / _SIGNS))
    seen = abs(total) / math.sqrt(squares) if squares else 0.0
    p = min(1.0, 2 * _SIGNS * _NORMAL.cdf(-seen) * look * (look + 1))
    # Shifts t with (total - count t)^2 <= z^2 sum (sum - size t)^2.
    a, b, c = count * count - z * z * widths, total * count - z * z * products, total * total - z * z * squares
    if a <= 0:
        return LookResult(total / count, -math.inf, math.inf, p)
    half = math.sqrt(max(0.0, b * b - a * c)) / a
    return LookResult(total / count, b / a - half, b / a + half, p)


def least_groups(look: int, level: float = 0.05) -> int:
    """The minimum number of items or clusters that can show a change of any size at a look."""
    return math.floor(_NORMAL.inv_cdf(spent(level, look) / 2 / _SIGNS) ** 2) + 1
