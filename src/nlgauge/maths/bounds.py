"""Finite-sample tests that a risk is below a limit, and which of many thresholds they certify together.

Angelopoulos, Bates, Candès, Jordan and Lei, "Learn then test", 2021 (arXiv 2110.01052): sections 2.2 (binomial
p-values) and 3.2 (fixed sequences). Tests for clusters bet on a bounded mean, after Waudby-Smith and Ramdas,
"Estimating means of bounded random variables by betting", 2024 (arXiv 2010.09686).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nlgauge.maths.student import incomplete_beta

_BETS = np.linspace(0.01, 0.99, 99)
"""Possible bets on every cluster, as shares of the largest allowed bet"""


def binomial_p(wrong: int, n: int, risk: float) -> float:
    """P(X <= wrong) of X ~ Binomial(n, risk): small if the risk of n independent rows is very likely below `risk`."""
    if wrong >= n:
        return 1.0
    return incomplete_beta(n - wrong, wrong + 1.0, 1 - risk, risk)


def cluster_p(wrong: NDArray[np.float64], passed: NDArray[np.float64], risk: float) -> float:
    """p-value of the hypothesis that E[wrong] / E[passed] exceeds the risk, for independent clusters.

    wrong, passed [clusters]: the number of rows that pass, and of those among them that are wrong. For each cluster,
    the wealth is multiplied by 1 + b (risk * passed - wrong). Its expectation is at most 1 if the risk is larger, so p
    = 1 / wealth (Markov). The bet b is the best one for half the risk, so it does not depend on the ratings.
    """
    there = passed > 0
    if not there.any():
        return 1.0
    passed, wrong = passed[there], wrong[there]
    bets = _BETS / ((1 - risk) * float(passed.max()))
    hoped = np.log1p(np.outer(bets, risk * passed - half_seen(passed, risk))).sum(1)
    wealth = float(np.log1p(bets[int(hoped.argmax())] * (risk * passed - wrong)).sum())
    return min(1.0, math.exp(-wealth))


def half_seen(passed: NDArray[np.float64], risk: float) -> NDArray[np.float64]:
    """Numbers of wrong rows for half the risk: all rows of every n-th cluster that has rows. [clusters]"""
    step = round(2 / risk)
    wrong, places = np.zeros(len(passed)), np.flatnonzero(passed)[step - 1 :: step]
    wrong[places] = passed[places]
    return wrong


def certified(p_values: Sequence[float], start: int, error: float) -> list[int]:
    """Fixed-sequence testing: indexes of rejected hypotheses, all rejected correctly with probability 1 - error.

    The order of p_values must not depend on the ratings. From `start` on, each hypothesis is tested at the full level
    `error`, until one is not rejected.
    """
    found = []
    for place in range(start, len(p_values)):
        if p_values[place] > error:
            break
        found.append(place)
    return found


def proportion(count: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact interval of a proportion (Clopper and Pearson 1934)."""
    tail = (1 - confidence) / 2
    low = 0.0 if count == 0 else _solved(lambda p: 1 - binomial_p(count - 1, n, p) < tail)
    high = 1.0 if count == n else _solved(lambda p: binomial_p(count, n, p) >= tail)
    return low, high


def _solved(below: object) -> float:
    """The number in [0, 1] from which a condition no longer holds, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)  # type: ignore[operator]
    return (low + high) / 2
