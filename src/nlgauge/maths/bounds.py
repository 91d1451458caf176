"""Finite-sample tests that a risk is below a limit, and which of many thresholds they certify together.

Angelopoulos, Bates, Candès, Jordan and Lei, "Learn then test", 2021 (arXiv 2110.01052): sections 2.2 (binomial
p-values) and 3.2 (fixed sequences).
"""

from __future__ import annotations

from collections.abc import Sequence

from nlgauge.maths.student import incomplete_beta


def binomial_p(wrong: int, n: int, risk: float) -> float:
    """P(X <= wrong) of X ~ Binomial(n, risk): small if the risk of n independent rows is very likely below `risk`."""
    if wrong >= n:
        return 1.0
    return incomplete_beta(n - wrong, wrong + 1.0, 1 - risk, risk)


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
